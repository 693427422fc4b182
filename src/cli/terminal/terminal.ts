import { createInterface } from 'node:readline/promises'
import { environmentVariable } from './environment.ts'

/** The output and input of a command; a test passes its own. */
export interface Terminal {
  out(text: string): void
  err(text: string): void
  /** Whether a person can be asked: standard input and standard error are terminals. */
  readonly interactive: boolean
  /**
   * Prompts on standard error. Resolves with an empty text when the input ends, and with undefined on Ctrl-C or the
   * signal.
   */
  ask(question: string, signal: AbortSignal): Promise<string | undefined>
  /** Colours a text for standard output, or returns it as it is. */
  paint(colour: Colour, text: string): string
  /** Shows on a terminal that something takes long; returns the function that ends it. */
  progress(what: string): () => void
}

export const NO_COLOR = '--no-color'

export type Colour = 'green' | 'red' | 'yellow' | 'bold' | 'dim'

const CODES: Readonly<Record<Colour, number>> = { green: 32, red: 31, yellow: 33, bold: 1, dim: 2 }

/** Through the streams, not the console: on Deno and Bun, a console keeps quiet about a reader that has gone. */
const STREAMS: Lines = { log: (text) => write(process.stdout, text), error: (text) => write(process.stderr, text) }

/** Deno throws an error that the others emit. Thrown, it would look as if the verb had failed. */
function write(stream: NodeJS.WriteStream, text: string): void {
  try {
    stream.write(`${text}\n`)
  } catch (error) {
    stream.emit('error', error)
  }
}

type Lines = { log(text: string): unknown; error(text: string): unknown }

/** The terminal of this process. Colours never appear with `NO_COLOR`, `--no-color`, on a dumb terminal, in a file. */
export function processTerminal(print: Lines = STREAMS): Terminal {
  const { stdin, stdout, stderr } = process
  const obeys = environmentVariable('TERM') !== 'dumb'
  const plain = process.argv.includes(NO_COLOR) || environmentVariable('NO_COLOR') !== undefined
  const coloured = stdout.isTTY === true && obeys && !plain
  return {
    out: (text) => print.log(visible(text)),
    err: (text) => print.error(visible(text)),
    interactive: stdin.isTTY === true && stderr.isTTY === true,
    async ask(question, signal) {
      if (signal.aborted) return undefined
      const lines = createInterface({ input: stdin, output: stderr })
      const ended = new Promise<string | undefined>((resolve) => {
        const interrupt = (): void => {
          stderr.write('\n')
          resolve(undefined)
        }
        lines.once('SIGINT', interrupt).once('close', () => resolve(''))
        signal.addEventListener('abort', interrupt)
      })
      return (await Promise.race([lines.question(question), ended]).finally(() => lines.close()))?.trim()
    },
    paint: (colour, text) => (coloured ? `\u001b[${CODES[colour]}m${text}\u001b[0m` : text),
    progress(what) {
      if (stderr.isTTY !== true || !obeys) return () => {}
      const started = Date.now()
      let shown = false
      const timer = setInterval(() => {
        shown = true
        stderr.write(`\r\u001b[2K${what} … ${Math.round((Date.now() - started) / 1000)} s`)
      }, 1000)
      return () => {
        clearInterval(timer)
        if (shown) stderr.write('\r\u001b[2K')
      }
    },
  }
}

/** Escapes a text from outside: it must not move the cursor, colour the terminal or start a new line. */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, escaped)
}

/** A whole output: lines and colours stay, other control sequences are escaped (in JSON too, which allows it). */
function visible(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences of `paint`
  return text.replaceAll(/\u001b\[\d+m|\n|[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (sign) =>
    sign === '\n' || sign.length > 2 ? sign : escaped(sign),
  )
}

function escaped(sign: string): string {
  const units = sign.split('').map((unit) => unit.charCodeAt(0).toString(16).padStart(4, '0'))
  return units.map((unit) => `\\u${unit}`).join('')
}
