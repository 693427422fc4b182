// Where and when a test file runs, in one place. `npm test` runs the quick tier, `npm run test:all` what a change has to pass,
// `npm run test:daily` what takes too long for every change.

import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Each runtime loads a test file unless the file stands in one of these folders. */
export const FOLDERS = {
  node: 'test/node/', // needs a process, a socket or a file system: Node alone
  browser: 'test/browser/', // Chromium: npm run test:browser
  tarball: 'test/tarball/', // the packed tarball: npm run test:package
  frameworks: 'test/frameworks/', // what frameworks build with it: npm run test:frameworks
} as const

/** Neither runtime loads them: each has a separate configuration. */
const APART: readonly string[] = [FOLDERS.browser, FOLDERS.tarball, FOLDERS.frameworks]

const STARTS_PROCESSES = (
  'bench cli command-line demo documents emulator-elsewhere emulator-state emulator-terminal examples mcp ' +
  'no-replay no-replay-tls other-languages prove-buttons prove-verb receivers redirects ' +
  'taxonomy testing-kit verdicts worker-template'
).split(' ')

/** Files and folders that `npm test` leaves out everywhere, with the reason. */
export const TEST_ALL_ONLY: Readonly<Record<string, string>> = {
  ...Object.fromEntries(STARTS_PROCESSES.map((name) => [`test/node/${name}.test.ts`, 'starts processes'])),
  'test/cli/conform/': 'plays every statement about the service, interrupted at each call',
  'test/emulator/control-fuzz.test.ts': 'sends thousands of requests',
  'test/node/cli/doctor-conform.test.ts': 'plays every statement about the service',
  'test/node/cli/order-command.test.ts': 'waits for responses that never come',
  'test/node/cli/secrecy.test.ts': 'runs every verb with every failure',
  'test/node/client-docs.test.ts': 'compiles a program',
  'test/node/console-races.test.ts': 'starts workerd',
  'test/node/d1-double.test.ts': 'starts workerd',
  'test/node/emulator-mutation.test.ts': 'mutates the emulator, rule by rule',
  'test/node/object-in-workerd.test.ts': 'starts workerd',
  'test/node/model.test.ts': 'explores hundreds of thousands of states',
  'test/node/links-elsewhere.test.ts': 'starts Postgres',
  'test/node/starters.test.ts': 'compiles a program',
  'test/node/server-template.test.ts': 'packs the package, and starts Postgres and other processes',
  'test/node/paid-blocks.test.ts': 'proves every program of the documents that ships',
  'test/node/stores.test.ts': 'starts Postgres',
  'test/node/till-object.test.ts': 'starts workerd',
  'test/node/till-lists.test.ts': 'starts Postgres',
  'test/node/till.test.ts': 'starts Postgres and other processes',
  'test/node/template.test.ts': 'packs the package and starts workerd',
  'test/node/verify-causes.test.ts': 'combines every cause of a signature that does not match',
  'test/node/worker-routes.test.ts': 'brings about every error of every route',
  'test/node/wire.test.ts': 'starts processes',
  'test/node/worker-storm.test.ts': 'stops and starts workerd',
  'test/simulator/plant.test.ts': 'starts processes',
  'test/testing/prove/buttons.test.ts': 'waits for what a shop never does',
  'test/testing/prove/edges.test.ts': 'waits for what comes late',
  'test/testing/prove/wrong.test.ts': 'proves a shop for each cause',
  'test/worker/failures.test.ts': 'asks every route for everything that can go wrong',
  'test/worker/killed.test.ts': 'permutes the moments of a crash',
  'test/worker/reconciliation.test.ts': 'lives through weeks',
  'test/worker/retention.test.ts': 'lives through months',
  'test/worker/on-event.test.ts': 'permutes the moments of a crash',
}

/** Files that `npm run test:all` leaves out as well, with the reason: the daily workflow runs them. A file that is named always runs. */
export const DAILY_ONLY: Readonly<Record<string, string>> = {
  'test/node/mutation-runs.test.ts': 'plays changes of the code',
  'test/node/prove.test.ts': 'proves shops in three languages, with a hundred orders each',
  'test/node/server-prove.test.ts': 'proves a shop whose processes are killed, on two databases',
  'test/node/shops-elsewhere.test.ts': 'proves shops in two other languages, with hundreds of orders',
  'test/testing/prove/prove.test.ts': 'plays thousands of orders',
}

/** Files that the daily run plays at a larger size. */
const LARGER_DAILY = [
  ...'console-races documents emulator-mutation object-in-workerd receivers template till'
    .split(' ')
    .map((name) => `test/node/${name}.test.ts`),
  ...['simulator', 'statements'].map((name) => `test/simulator/${name}.test.ts`),
  ...['killed', 'on-event'].map((name) => `test/worker/${name}.test.ts`),
]

/**
 * The tests of behaviour that can differ by runtime: on Deno, Bun and workerd, `npm test` and `npm run test:all` run only
 * these. The daily run plays every portable file there.
 */
export const RUNTIME_DEPENDENT: readonly string[] = [
  'test/canary.test.ts', // each runtime's inspect
  'test/checkout-link/', // crypto
  'test/runtime.test.ts',
  'test/card/',
  'test/console/session.test.ts', // cookies
  'test/console/promises.test.ts', // time zones
  'test/http/', // fetch, streams, aborts
  'test/lib/', // crypto, encodings
  'test/testing/',
  'test/schemas/webhook-event.test.ts', // edgetill/schemas as a whole
  'test/webhooks/',
  // Each runtime's SQLite.
  'test/till/database.test.ts',
  'test/till/move-money.test.ts',
  'test/till/payments.test.ts',
  // Those that need seconds, not minutes, on workerd; the others are about what the worker decides.
  'test/worker/api.test.ts',
  'test/worker/found-out.test.ts',
  'test/worker/calls.test.ts',
  'test/worker/rejections.test.ts',
  'test/worker/links.test.ts',
  'test/worker/result.test.ts',
  'test/worker/webhooks.test.ts',
  'test/worker/server.test.ts', // SQLite, streams
  'test/examples/worker-kv.test.ts',
]

/** Tests that play long histories over our own code and doubles, which cannot differ by runtime: Node alone plays it. */
export const ON_NODE_ALONE: readonly string[] = [
  'test/cli/conform/',
  'test/emulator/control-fuzz.test.ts',
  'test/orders/fold.test.ts',
  'test/testing/prove/',
  'test/simulator/',
  ...(
    'alerts checkout configuration console-engine failures killed merchant on-event ' +
    'open-checkout operate orders reconciliation retention settle'
  )
    .split(' ')
    .map((name) => `test/worker/${name}.test.ts`),
]

/** Every test file, as a path of the checkout. */
export function testFiles(folder = 'test'): string[] {
  return readdirSync(join(import.meta.dirname, '..', folder), { withFileTypes: true })
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`
      if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : testFiles(path)
      return path.endsWith('.test.ts') ? [path] : []
    })
    .sort()
}

/** `named`: any file, whatever it takes. */
export type Tier = 'quick' | 'all' | 'daily' | 'named'
export type RuntimeFamily = 'node' | 'deno' | 'bun' | 'workerd'

const startsWithOneOf = (file: string, starts: readonly string[]) => starts.some((start) => file.startsWith(start))

/** Whether a runtime loads a test file in a tier. The configurations of Vitest and scripts/run-tests.ts both ask this. */
export function runsOn(runtime: RuntimeFamily, file: string, tier: Tier): boolean {
  if (startsWithOneOf(file, APART)) return false
  if (runtime !== 'node' && startsWithOneOf(file, [FOLDERS.node, ...ON_NODE_ALONE])) return false
  if (tier === 'named') return true
  const isDaily = Object.hasOwn(DAILY_ONLY, file)
  if (tier === 'daily') return runtime !== 'node' || isDaily || LARGER_DAILY.includes(file)
  if (isDaily) return false
  if (runtime !== 'node' && !startsWithOneOf(file, RUNTIME_DEPENDENT)) return false
  return tier === 'all' || !startsWithOneOf(file, Object.keys(TEST_ALL_ONLY))
}

const glob = (start: string) => (start.endsWith('/') ? `${start}**` : start)
const testsUnder = (start: string) => (start.endsWith('/') ? `${start}**/*.test.ts` : start)

/** The same as patterns for Vitest. Without EDGETILL_TIER (`npx vitest`, watch mode) nothing is left out. */
export function vitestFiles(runtime: RuntimeFamily): { include: string[]; exclude: string[] } {
  const tier = process.env.EDGETILL_TIER
  const quick = tier === 'quick'
  const daily = Object.keys(DAILY_ONLY)
  const leftOut = quick ? [...Object.keys(TEST_ALL_ONLY), ...daily] : tier === 'all' ? daily : []
  const exclude = (apart: readonly string[]) => [...apart, ...leftOut].map(glob)
  if (runtime === 'node')
    return { include: tier === 'daily' ? [...daily, ...LARGER_DAILY] : ['test/**/*.test.ts'], exclude: exclude(APART) }
  const include = quick || tier === 'all' ? RUNTIME_DEPENDENT.map(testsUnder) : ['test/**/*.test.ts']
  return { include, exclude: exclude([...Object.values(FOLDERS), ...ON_NODE_ALONE]) }
}

/** How Vitest resolves the package's own name, which the examples import. */
export const fromSource = {
  alias: [
    { find: /^edgetill$/, replacement: join(import.meta.dirname, '../src/index.ts') },
    { find: /^edgetill\/orders$/, replacement: join(import.meta.dirname, '../src/orders/index.ts') },
    { find: /^edgetill\/webhooks$/, replacement: join(import.meta.dirname, '../src/webhooks/index.ts') },
  ],
}
