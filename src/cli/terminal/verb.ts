import { Argument, Command, Option } from 'commander'
import type { Fetch } from '../../config.ts'
import type { Variables } from './environment.ts'
import { type ExitCode, UsageError } from './errors.ts'
import type { Terminal } from './terminal.ts'

/**
 * An option of a verb. Its key is its name: `dryRun` is `--dry-run`. `T` is the type of its value, with undefined if it
 * may be absent.
 */
export interface OptionRow<T = unknown> {
  says: string
  /** The name of its value in the help; absent: it takes none. */
  value?: string | undefined
  read?(text: string, earlier?: T): T
  /** The values that a shell completes. It may take others too. */
  values?: readonly string[] | undefined
  isRequired?: boolean
  isHidden?: boolean
  /** The value when it is absent, and how the help names it. */
  absent?: { value: T; says: string }
  group?: string
}

export type OptionRows = Readonly<Record<string, OptionRow>>

type ValueOf<R> = R extends OptionRow<infer T> ? T : never

export type Flags<O> = {
  [K in keyof O as undefined extends ValueOf<O[K]> ? K : never]?: Exclude<ValueOf<O[K]>, undefined>
} & { [K in keyof O as undefined extends ValueOf<O[K]> ? never : K]: ValueOf<O[K]> }

export const flag = (says: string): OptionRow<true | undefined> => ({ says })

/** An option with a text, or with the result of `read`. */
export function option(value: string, says: string): OptionRow<string | undefined>
export function option<T>(value: string, says: string, read: (text: string) => T): OptionRow<T | undefined>
export function option(value: string, says: string, read?: (text: string) => unknown): OptionRow {
  return { says, value, ...(read && { read }) }
}

export const repeated = <T>(value: string, says: string, read: (text: string) => T): OptionRow<T[] | undefined> => {
  return { says, value, read: (text, earlier = []) => [...earlier, read(text)] }
}
export const required = <T>(row: OptionRow<T | undefined>) => ({ ...row, isRequired: true }) as OptionRow<T>
/** The value that it has when it is absent, and how the help names that. */
export const defaulting = <T>(row: OptionRow<T | undefined>, value: T, says: string) =>
  ({ ...row, absent: { value, says } }) as OptionRow<T>
/** Its usual values, which a shell completes. */
export const completed = <T>(values: readonly string[], row: OptionRow<T>): OptionRow<T> => ({ ...row, values })
/** Options under one heading of the help. */
export const group = <O extends OptionRows>(heading: string, rows: O): O => each(rows, { group: heading })
/** Options that the help does not list. */
export const unlisted = <O extends OptionRows>(rows: O): O => each(rows, { isHidden: true })
const each = <O extends OptionRows>(rows: O, more: Partial<OptionRow>): O =>
  Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, { ...row, ...more }])) as unknown as O

/** A secret as a flag would stand in the list of processes. The error names the way, never the value. */
export function forbidden(variable: string, file?: string): OptionRow<undefined> {
  const other = file === undefined ? '' : `, or use ${file} FILE`
  const name = variable.replace('EDGETILL_', '').replaceAll('_', '-').toLowerCase()
  const why = `--${name} is not an option, because other users of this machine can see flags.`
  const read = (): never => {
    throw new UsageError(`${why} Set ${variable} in the environment or in a file for --env-file${other}.`)
  }
  return { says: '', value: '[value]', read, isHidden: true }
}

export const HEADINGS = ['Start', 'Payments', 'Webhooks', 'Checks'] as const

/** The surroundings of a verb; a test hands in others. */
export interface Surroundings {
  terminal: Terminal
  /** `EDGETILL_*`; default: the environment of the process. */
  environment?: Variables
  fetch?: Fetch
  lookup?(host: string): Promise<string[]>
  /** Resolves on Ctrl-C. Until it is called, Ctrl-C ends the process. */
  stopped(): Promise<unknown>
}

export interface Use<O = unknown, A = string> extends Surroundings {
  flags: Flags<O>
  argument: A
  /** Aborted on Ctrl-C. Until it is read, Ctrl-C ends the process. */
  readonly signal: AbortSignal
}

/** `[ID]` may be absent. */
type ArgumentOf<A> = A extends `<${string}` ? string : string | undefined

export interface VerbRow<O extends OptionRows, A extends string> {
  name: string
  /** Absent: the help does not list it. */
  heading?: (typeof HEADINGS)[number]
  summary: string
  description: string
  /** Two uses, without `edgetill`: the help begins with them. */
  examples: readonly [string, string]
  /** Where to read on; default: guides/command-line.md. */
  readOn?: string
  /** `<ID>`, or `[ID]` where it may be absent. */
  argument?: { name: A; says: string; values?: readonly string[] }
  options: O
  note?: string
  /** @returns the exit code; nothing is 0. */
  run(use: Use<O, ArgumentOf<A>>): Promise<ExitCode> | Promise<void>
}

/** A verb of the command line: from its row come the help, the completion and the types of its arguments. */
export type Verb = VerbRow<OptionRows, string>

export const defineVerb = <const O extends OptionRows, const A extends string = never>(row: VerbRow<O, A>): Verb =>
  row as unknown as Verb

/** `dryRun` is `--dry-run`. */
export const flagOf = (name: string): string => `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`

function optionOf(name: string, { says, value, read, isRequired, isHidden, absent, group }: OptionRow): Option {
  const built = new Option([flagOf(name), value].filter(Boolean).join(' '), says)
  built.makeOptionMandatory(isRequired ?? false).hideHelp(isHidden ?? false)
  if (read) built.argParser(read)
  if (absent) built.default(absent.value, absent.says)
  return group === undefined ? built : built.helpGroup(group)
}

export function commandOf(verb: Verb, action: (argument: string | undefined, flags: Flags<unknown>) => Promise<void>) {
  const { name, summary, description, argument, options, note } = verb
  const command = new Command(name).summary(summary).description(description)
  if (argument) command.addArgument(new Argument(argument.name, argument.says))
  for (const [key, row] of Object.entries(options)) command.addOption(optionOf(key, row))
  if (note !== undefined) command.addHelpText('after', `\n${note}`)
  return command.action((...given) => action(argument && given[0], given[argument ? 1 : 0]))
}
