// The variables of a test run, on every runtime alike: a Worker of 2026-08-03 has no `process`, so that the Workers'
// configuration hands them over under a name of its own.
type Environment = Record<string, string | undefined>
const host = globalThis as { EDGETILL_ENVIRONMENT?: Environment; process?: { env?: Environment } }
const environment: Environment = host.EDGETILL_ENVIRONMENT ?? host.process?.env ?? {}

/** EDGETILL_SEED repeats a run; scripts/run-tests.ts chooses and prints one. */
export const givenSeed: number | undefined = environment.EDGETILL_SEED ? Number(environment.EDGETILL_SEED) : undefined

/** Whether the full sizes are to be run (`npm run test:long`). */
export const isLong: boolean = Boolean(environment.EDGETILL_LONG)

/** Whether only the quick tier runs (`npm test`); `npm run test:all` and a single file run in full. */
export const isQuick: boolean = environment.EDGETILL_TIER === 'quick'

/** Whether more than the quick tier runs: `npm run test:all`, or a file that is named. */
export const isWhole: boolean = ['all', 'named'].includes(environment.EDGETILL_TIER ?? '')

/** Whether a change is judged: each rule has a witness then, and the daily run or a named file plays it at its full size. */
export const isForChange: boolean = ['quick', 'all'].includes(environment.EDGETILL_TIER ?? '')

/** Whether the daily run plays (`npm run test:daily`), at the size that is too large for every change. */
export const isDaily: boolean = environment.EDGETILL_TIER === 'daily'

/** One schedule of test/simulator alone: `scenario/seed`. */
export const givenSchedule: string | undefined = environment.EDGETILL_SCHEDULE

/** For how long test/simulator draws new schedules, instead of a fixed number of them. */
export const minutes: number | undefined = Number(environment.EDGETILL_MINUTES) || undefined

/** The host of every shop of the Worker's tests, whose engine is that of a server too: see test/worker/support/world.ts. */
export const hostOfRun: 'worker' | 'server' = environment.EDGETILL_HOST === 'server' ? 'server' : 'worker'

/** Whether the runtime has `node:sqlite`, which the test kit needs: not Node 20, and not workerd. */
export const hasSqlite: boolean =
  globalThis.navigator?.userAgent !== 'Cloudflare-Workers' &&
  (host.process as { getBuiltinModule?(name: string): unknown } | undefined)?.getBuiltinModule?.('node:sqlite') !==
    undefined

/** Whether this is Node. What permutes our own code over doubles, and so cannot differ by runtime, is tried in full there alone. */
export const onNode: boolean =
  !('Deno' in globalThis) && !('Bun' in globalThis) && globalThis.navigator?.userAgent !== 'Cloudflare-Workers'
