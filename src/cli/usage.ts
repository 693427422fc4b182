import { type ParseArgsConfig, parseArgs } from 'node:util'

/** The command line cannot be understood; `help` is shown below the message, and the exit code is 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  readonly help: string
  constructor(message: string, help: string) {
    super(message)
    this.help = help
  }
}

type Options = NonNullable<ParseArgsConfig['options']>
type Parsed<O extends Options> = ReturnType<
  typeof parseArgs<{ options: O; strict: true; allowPositionals: false }>
>['values']

/** Reads a command's options; anything unknown is a {@link UsageError}. */
export function readOptions<const O extends Options>(words: string[], options: O, help: string): Parsed<O> {
  try {
    return parseArgs({ args: words, options, strict: true, allowPositionals: false }).values as Parsed<O>
  } catch (error) {
    // parseArgs takes `--seed -1` for two options.
    const ambiguous = /^Option '(--[\w-]+)/.exec((error as Error).message)?.[1]
    const unclear = (error as Error).message.includes('ambiguous')
    const advice = `${ambiguous} needs a value; one that begins with "-" is written ${ambiguous}=VALUE.`
    throw new UsageError(unclear ? advice : (error as Error).message, help)
  }
}

/** A whole number within bounds, or nothing when the option was not given. */
export function wholeNumber(
  name: string,
  text: string | undefined,
  min: number,
  max: number,
  help: string,
): number | undefined {
  if (text === undefined) return undefined
  const value = Number(text)
  if (/^\d+$/.test(text) && value >= min && value <= max) return value
  throw new UsageError(`--${name} takes a whole number from ${min} to ${max}, not "${text}".`, help)
}
