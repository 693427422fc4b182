import { AsyncLocalStorage } from 'node:async_hooks'
import { vi } from 'vitest'
import { run } from '../../../src/cli/commands/program.ts'
import { processTerminal, type Terminal } from '../../../src/cli/terminal/terminal.ts'
import type { Surroundings, Verb } from '../../../src/cli/terminal/verb.ts'
import { variablesOf } from '../../../src/emulator/control/pages/connect.ts'
import type { Emulator } from '../../../src/emulator/index.ts'

/** The result of a verb. */
export interface Ran {
  code: number
  out: string
  err: string
  /** The questions that were asked. */
  asked: string[]
}

export interface Around extends Partial<Pick<Surroundings, 'environment' | 'fetch' | 'lookup'>> {
  /** Ctrl-C. */
  stopped?: Promise<unknown>
  /** The input of a person, or Ctrl-C; left out without a terminal. */
  answer?: string
}

/** Runs a verb in this process, against what it is given. */
export async function runVerb(verb: Verb, words: string[], around: Around = {}): Promise<Ran> {
  const { answer, stopped = new Promise(() => {}), ...given } = around
  const ran: Ran = { code: 0, out: '', err: '', asked: [] }
  const terminal: Terminal = {
    ...processTerminal({
      log: (text) => {
        ran.out += `${text}\n`
      },
      error: (text) => {
        ran.err += `${text}\n`
      },
    }),
    interactive: answer !== undefined,
    async ask(question) {
      ran.asked.push(question)
      return answer === 'Ctrl-C' ? undefined : (answer ?? '')
    },
  }
  const surroundings: Surroundings = { environment: {}, ...given, stopped: () => stopped, terminal }
  ran.code = await run([verb.name, ...words], '', surroundings, { [verb.name]: async () => verb })
  return ran
}

/** Runs a whole command line in this process. */
export async function runLine(...words: string[]): Promise<{ code: number; output: string }> {
  let output = ''
  // A worker that another test left behind in this process may write meanwhile.
  const line = new AsyncLocalStorage<true>()
  const keep = (text: unknown) => {
    if (line.getStore()) output += `${text}\n`
    return true
  }
  const spies = [
    ...(['log', 'error'] as const).map((name) => vi.spyOn(console, name).mockImplementation(keep)),
    ...[process.stdout, process.stderr].map((stream) => vi.spyOn(stream, 'write').mockImplementation(keep)),
  ]
  const code = await line
    .run(true, () => run(words, '0.0.0'))
    .finally(() => spies.forEach((spy) => void spy.mockRestore()))
  return { code, output }
}

/** A service that never responds; `asked` resolves when it gets its first request. */
export function hangingFetch(): Required<Around>['fetch'] & { asked: Promise<void> } {
  const { promise: asked, resolve: tell } = Promise.withResolvers<void>()
  const fetch: Required<Around>['fetch'] = (_, init) => {
    tell()
    return new Promise((_, reject) => init?.signal?.addEventListener('abort', () => reject(init.signal?.reason)))
  }
  return Object.assign(fetch, { asked })
}

/** `EDGETILL_*` for an emulator, and its `fetch`. */
export const against = ({ credentials, fetch }: Emulator): Required<Pick<Around, 'environment' | 'fetch'>> => ({
  fetch,
  environment: Object.fromEntries(variablesOf(credentials).map((line) => line.split('=') as [string, string])),
})
