import type { Fetch } from '../../config.ts'
import type { Variables } from './environment.ts'
import { untilStopped } from './interrupt.ts'
import { processTerminal, type Terminal } from './terminal.ts'

/** The surroundings of a verb; a test hands in others. */
export interface Surroundings {
  terminal: Terminal
  /** `EDGETILL_*`; default: the environment of the process. */
  environment?: Variables
  fetch?: Fetch
  /** The addresses of a host. */
  lookup?(host: string): Promise<string[]>
  /** Resolves on Ctrl-C. Until it is called, Ctrl-C ends the process. */
  stopped(): Promise<unknown>
}

/** The surroundings of the process. Whoever reads its output may go away: a call goes on all the same. */
export const surroundings = (): Surroundings => ({
  terminal: processTerminal(),
  stopped: () => untilStopped().then((reason) => (reason === 'signal' ? reason : new Promise(() => {}))),
})
