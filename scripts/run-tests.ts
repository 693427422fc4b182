// Runs the tests.
//   npm test                             the quick tier on Node, Deno, Bun and workerd
//   npm test -- test/http/send.test.ts   one file (or every file whose path contains the text) on each runtime that loads it
//   npm test -- workerd FILE             the same on the runtimes that are named
//   npm test -- node -t NAME             tests whose name matches
//   npm run test:all                     the tests that a change has to pass: all on Node, those that can differ by runtime on
//                                        the others too, in Chromium, and against the packed tarball; the rest of the matrix
//                                        and the largest sizes are for `npm run test:daily` (scripts/daily.ts)
//   npm run test:long                    every test on Node, Deno, Bun and workerd, with the full number of random inputs
//                                        and of mutants (hours), and the guides' recipes in the output of each framework
// Prints every five seconds how far it is, and a line for each runtime with its counts. Ends with the tests left out, and
// `N passed, N failed`. A runtime that did not run, and a test file that a runtime should load and did not, count as
// failures.

import { execFile, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { packageRuntimes } from '../test/tarball/runtimes.ts'
import { packedEnvironment } from '../test/tarball/support/pack.ts'
import { FOLDERS, type RuntimeFamily, runsOn, type Tier, testFiles } from '../test/tiers.ts'
import { type Outcome, type Run, runVitest } from './vitest-run.ts'

/** The names that the command line takes. */
const GROUPS = ['node', 'deno', 'bun', 'workerd', 'browser', 'package', 'frameworks'] as const
type Group = (typeof GROUPS)[number]

/** The suites that need the packed package. */
const PACKED: readonly Group[] = ['package', 'frameworks']

interface Runtime {
  name: string
  group: Group
  command: string[]
  env?: Record<string, string>
  covers: (file: string) => boolean
}

const on = (family: RuntimeFamily, only?: Tier) => (file: string) => runsOn(family, file, only ?? tier)
const workerd = ['vitest', 'run', '-c', 'vitest.workers.config.ts']
const RUNTIMES: readonly Runtime[] = [
  { name: 'node', group: 'node', command: ['vitest', 'run'], covers: on('node') },
  { name: 'workerd', group: 'workerd', command: workerd, covers: on('workerd') },
  { name: 'deno', group: 'deno', command: ['deno', 'run', '-A', 'npm:vitest', 'run'], covers: on('deno') },
  { name: 'bun', group: 'bun', command: ['bun', '--bun', 'vitest', 'run', '--pool=threads'], covers: on('bun') },
  {
    name: 'workerd 2026-08-03',
    group: 'workerd',
    command: workerd,
    // That nothing needs `process` or `Buffer`: the quick tier loads every module.
    env: { EDGETILL_COMPATIBILITY_DATE: '2026-08-03', EDGETILL_TIER: 'quick' },
    covers: on('workerd', 'quick'),
  },
  {
    name: 'browser',
    group: 'browser',
    command: ['vitest', 'run', '-c', 'test/browser/vitest.config.ts'],
    covers: (file) => file.startsWith(FOLDERS.browser),
  },
  {
    name: 'frameworks',
    group: 'frameworks',
    command: ['vitest', 'run', '-c', 'test/frameworks/vitest.config.ts'],
    covers: (file) => file.startsWith(FOLDERS.frameworks),
  },
]

const USAGE = `Usage: npm test -- [${GROUPS.join('|')} …] [FILE …] [-t NAME] [--all] [--daily] [--long]`

const options = readOptions()
const { all, daily, long, name, groups } = options
const quick = !all && !daily && !long && options.files.length === 0 && name === undefined && groups.length === 0
const isNamed = long || options.files.length > 0 || name !== undefined
const tier: Tier = quick ? 'quick' : daily ? 'daily' : isNamed ? 'named' : 'all'
const folder = mkdtempSync(join(tmpdir(), 'edgetill-test-'))
// Tests start hundreds of processes of Node, each of which would compile the same sources: half of its time.
process.env.NODE_COMPILE_CACHE ??= join(folder, 'compiled')
const files = testFiles().filter(
  (file) => options.files.length === 0 || options.files.some((part) => file.includes(part)),
)
// One seed for every random test of the run, so that one number repeats it.
const seed = process.env.EDGETILL_SEED || String(Math.floor(Math.random() * 2 ** 31))

const totals = { passed: 0, failed: 0 }
/** The package is packed while other tests run. The output, if that failed. */
let packed: Promise<string | undefined> | undefined
const PROGRESS_MS = 5_000
/** A running suite: its output so far, and how many files it has. */
const running = new Map<string, { output: string; files: number }>()
const progress = setInterval(() => {
  const seconds = Math.round(performance.now() / 1000)
  const each = [...running].map(([name, { output, files }]) => {
    // Vitest prints a line for each file that has ended.
    const { length: ended } = [...output.matchAll(/^ \S test\/\S+\.test\.ts \(/gm)]
    return `${name} ${ended} of ${files} files`
  })
  console.log(`  ${seconds} s: ${each.join(', ')}`)
}, PROGRESS_MS)
try {
  console.log(`seed ${seed} (EDGETILL_SEED=${seed} repeats it)`)
  const chosen = chooseRuntimes()
  if (chosen.length === 0)
    report('no runtime', { passed: 0, failed: 1, problems: ['no test file matches'], output: '' }, 0)
  const waiting = [...chosen]
  // Each leaves cores idle for much of its run. The suites of the whole matrix have tests that measure out a deadline.
  const runNext = async (): Promise<void> => {
    for (let runtime = waiting.shift(); runtime !== undefined; runtime = waiting.shift()) await runOne(runtime)
  }
  await Promise.all(Array.from({ length: quick ? 4 : 2 }, runNext))
} finally {
  clearInterval(progress)
  rmSync(folder, { recursive: true, force: true })
}
if (totals.passed + totals.failed === 0)
  report('no test matches', { passed: 0, failed: 1, problems: [], output: '' }, 0)
if (quick) {
  const ran = files.filter((file) => runsOn('node', file, 'quick')).length
  const left = files.length - ran
  console.log(
    `${ran} of ${files.length} test files ran; npm run test:all runs the other ${left}, and each on more runtimes.`,
  )
}
console.log(`${totals.passed} passed, ${totals.failed} failed`)
process.exitCode = totals.failed > 0 || totals.passed === 0 ? 1 : 0

function readOptions() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        all: { type: 'boolean', default: false },
        daily: { type: 'boolean', default: false },
        long: { type: 'boolean', default: false },
        testNamePattern: { type: 'string', short: 't' },
      },
    })
    const isGroup = (word: string): word is Group => (GROUPS as readonly string[]).includes(word)
    return {
      all: values.all,
      daily: values.daily,
      long: values.long,
      name: values.testNamePattern,
      groups: positionals.filter(isGroup),
      files: positionals.filter((word) => !isGroup(word)).map((word) => word.replace(/^\.\//, '')),
    }
  } catch (error) {
    console.error(`${(error as Error).message}\n${USAGE}`)
    process.exit(2)
  }
}

function chooseRuntimes(): Runtime[] {
  const { groups } = options
  // The packed tarball takes minutes to make: it is tested when it is asked for by name, by file or by --all.
  const inFolder = (name: keyof typeof FOLDERS) => options.files.some((file) => file.startsWith(FOLDERS[name]))
  const wanted = new Set<Group>(groups)
  if (groups.length === 0) {
    for (const group of ['node', 'deno', 'bun', 'workerd'] as const) wanted.add(group)
    if (options.all || options.daily || inFolder('browser')) wanted.add('browser')
    if (options.all || options.daily || inFolder('tarball')) wanted.add('package')
    if (options.daily || options.long || inFolder('frameworks')) wanted.add('frameworks')
  }
  const runtimes = RUNTIMES.filter(({ group }) => wanted.has(group))
  if (wanted.has('frameworks')) for (const place of ['', 'next-14', 'next-15', 'openapi']) installFrameworks(place)
  if (wanted.has('package')) {
    // The Nodes and TypeScripts that the tarball is tested on.
    install(join(FOLDERS.tarball, 'versions'))
  }
  if (wanted.has('package') || wanted.has('frameworks')) packed = pack(join(folder, 'packed'))
  if (wanted.has('package')) {
    // A single file runs against the checkout, unless the package is named.
    runtimes.push(
      ...packageRuntimes(options.daily).filter(({ name }) => !isNamed || groups.length > 0 || name === 'package'),
    )
  }
  // A date of long ago is for the daily run.
  const dated = !options.daily && !options.long
  const covering = runtimes.filter(
    ({ env, covers }) => !(dated && env?.EDGETILL_COMPATIBILITY_DATE) && files.some(covers),
  )
  // A named group without these files runs too, and fails: the files are somewhere else.
  const without = groups.filter((group) => !covering.some((runtime) => runtime.group === group))
  return [...covering, ...runtimes.filter(({ group }) => without.includes(group))]
}

/** The frameworks are not installed with the checkout: they are seven hundred packages. */
function installFrameworks(place: string): void {
  install(join(FOLDERS.frameworks, place), '--ignore-scripts')
}

function install(prefix: string, ...options: string[]): void {
  if (existsSync(join(prefix, 'node_modules'))) return
  const words = ['ci', ...options, '--no-audit', '--no-fund', '--prefix', prefix]
  const { status } = spawnSync('npm', words, { stdio: 'inherit' })
  if (status !== 0) throw new Error(`npm ${words.join(' ')} failed.`)
}

function pack(into: string): Promise<string | undefined> {
  Object.assign(process.env, packedEnvironment(into))
  return new Promise((done) => {
    const script = join(import.meta.dirname, '../test/tarball/support/pack.ts')
    execFile(process.execPath, [script, into], (error, stdout, stderr) => done(error ? stdout + stderr : undefined))
  })
}

async function runOne(runtime: Runtime): Promise<void> {
  const startedAt = performance.now()
  const now = { output: '', files: files.filter(runtime.covers).length }
  running.set(runtime.name, now)
  const unpacked = PACKED.includes(runtime.group) ? await packed : undefined
  if (unpacked !== undefined) {
    running.delete(runtime.name)
    const problems = ['the package could not be packed']
    return report(runtime.name, { passed: 0, failed: 1, problems, output: unpacked }, performance.now() - startedAt)
  }
  const run: Run = {
    command: [...runtime.command, ...options.files, ...(options.name === undefined ? [] : ['-t', options.name])],
    report: join(folder, `${runtime.name.replaceAll(' ', '-')}.json`),
    expected: files.filter(runtime.covers),
    onOutput: (output) => {
      now.output = output
    },
    skippedIsFailure: options.name === undefined,
    env: { EDGETILL_SEED: seed, EDGETILL_TIER: tier, ...(options.long ? { EDGETILL_LONG: '1' } : {}), ...runtime.env },
  }
  const outcome = await runVitest(run)
  running.delete(runtime.name)
  report(runtime.name, outcome, performance.now() - startedAt)
}

function report(name: string, { passed, failed, problems, output }: Outcome, milliseconds: number): void {
  totals.passed += passed
  totals.failed += failed
  if (failed > 0) process.stdout.write(output)
  console.log(`${name.padEnd(30)} ${passed} passed, ${failed} failed (${(milliseconds / 1000).toFixed(1)} s)`)
  // A figure that a test measured and does not assert.
  for (const [line] of output.matchAll(/^measured: .*$/gm)) console.log(`  ${line}`)
  for (const problem of problems) console.log(`  ${problem}`)
}
