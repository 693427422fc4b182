import type { OnEvent } from './on-event.ts'

/** What the worker takes from outside, so that tests can put something else in its place. */
export interface Deps {
  /** How the service is reached. Default: the runtime's fetch. */
  fetch?: typeof globalThis.fetch | undefined
  /** The clock. */
  now: () => number
  /** The merchant's code. */
  onEvent?: OnEvent | undefined
}
