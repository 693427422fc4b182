// Runs one suite on every runtime: `node scripts/run-tests.ts [node|deno|bun|workerd|browser|package …] [--long]`.
// Prints a line for each runtime with its counts and ends with `N passed, N failed`. A runtime that did not run, and a
// test file that a runtime did not load, count as failures.

import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, relative, resolve } from 'node:path'
import { packageRuntimes } from '../test/tarball/runtimes.ts'
import { packInto } from '../test/tarball/support/pack.ts'

const root = resolve(import.meta.dirname, '..')
const folder = mkdtempSync(join(tmpdir(), 'edgetill-test-'))

interface Runtime {
  name: string
  /** What `npm test` runs it under: its group, or nothing when it has to be asked for. */
  group: 'node' | 'deno' | 'bun' | 'workerd' | 'browser' | 'package'
  command: string[]
  env?: Record<string, string>
  covers: (file: string) => boolean
}

const inFolder = (name: string) => (file: string) => file.startsWith(`test/${name}/`)
const apart = (file: string) => inFolder('browser')(file) || inFolder('tarball')(file)
const portable = (file: string) => !inFolder('node')(file) && !apart(file)
const workerd = ['vitest', 'run', '-c', 'vitest.workers.config.ts']

const RUNTIMES: Runtime[] = [
  { name: 'node', group: 'node', command: ['vitest', 'run'], covers: (file) => !apart(file) },
  { name: 'deno', group: 'deno', command: ['deno', 'run', '-A', 'npm:vitest', 'run'], covers: portable },
  { name: 'bun', group: 'bun', command: ['bun', '--bun', 'vitest', 'run', '--pool=threads'], covers: portable },
  { name: 'workerd', group: 'workerd', command: workerd, covers: portable },
  {
    name: 'workerd 2026-08-03',
    group: 'workerd',
    command: workerd,
    env: { EDGETILL_COMPATIBILITY_DATE: '2026-08-03' },
    covers: portable,
  },
  {
    name: 'browser',
    group: 'browser',
    command: ['vitest', 'run', '-c', 'test/browser/vitest.config.ts'],
    covers: inFolder('browser'),
  },
]
const GROUPS = ['node', 'deno', 'bun', 'workerd', 'browser', 'package']

interface VitestReport {
  numPassedTests: number
  numFailedTests: number
  success: boolean
  testResults: {
    name: string
    status: string
    message: string
    assertionResults: { status: string; fullName: string }[]
  }[]
}

interface Outcome {
  passed: number
  failed: number
  problems: string[]
}

const names = process.argv.slice(2).filter((word) => !word.startsWith('--'))
const flags = process.argv.slice(2).filter((word) => word.startsWith('--'))
const unknown = [...names.filter((name) => !GROUPS.includes(name)), ...flags.filter((flag) => flag !== '--long')]
if (unknown.length > 0) {
  console.error(`Unknown: ${unknown.join(' ')}. Runtimes: ${GROUPS.join(', ')}; option: --long.`)
  process.exit(2)
}
if (names.includes('package')) {
  Object.assign(process.env, packInto(join(folder, 'packed')))
  RUNTIMES.push(...packageRuntimes())
}
const chosen = RUNTIMES.filter(({ group }) => (names.length > 0 ? names.includes(group) : group !== 'browser'))
const files = testFiles('test')
const totals = { passed: 0, failed: 0 }
// One seed for every random test of the run, so that one number repeats it.
const seed = process.env.EDGETILL_SEED || String(Math.floor(Math.random() * 2 ** 31))
console.log(`seed ${seed} (EDGETILL_SEED=${seed} repeats it)`)

for (const runtime of chosen) {
  const startedAt = performance.now()
  const { passed, failed, problems } = await run(runtime)
  totals.passed += passed
  totals.failed += failed
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  console.log(`${runtime.name.padEnd(30)} ${passed} passed, ${failed} failed (${seconds} s)`)
  for (const problem of problems) console.log(`  ${problem}`)
}
rmSync(folder, { recursive: true, force: true })
console.log(`${totals.passed} passed, ${totals.failed} failed`)
process.exitCode = totals.failed > 0 || totals.passed === 0 ? 1 : 0

async function run(runtime: Runtime): Promise<Outcome> {
  const report = join(folder, `${runtime.name.replaceAll(' ', '-')}.json`)
  const { code, output } = await execute(runtime, [
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
  ])
  if (!existsSync(report)) {
    return {
      passed: 0,
      failed: 1,
      problems: [`did not run (exit code ${code})`, ...output.trim().split('\n').slice(-40)],
    }
  }
  const result = JSON.parse(readFileSync(report, 'utf8')) as VitestReport
  const loaded = new Set(result.testResults.map(({ name }) => relative(root, name)))
  const problems = files
    .filter((file) => runtime.covers(file) && !loaded.has(file))
    .map((file) => `${file} did not run here`)
  for (const file of result.testResults) {
    // A file that broke before its first test has no failed test to count.
    const brokeEarly = file.status === 'failed' && !file.assertionResults.some(({ status }) => status === 'failed')
    if (brokeEarly) problems.push(`${relative(root, file.name)} could not be loaded: ${file.message}`)
    for (const test of file.assertionResults) {
      if (test.status === 'pending' || test.status === 'skipped') problems.push(`skipped: ${test.fullName}`)
    }
  }
  const failed = result.numFailedTests + problems.length
  if (failed === 0 && code !== 0) problems.push(`vitest exited with ${code} although no test failed`)
  if (failed > 0 || code !== 0) process.stdout.write(output)
  return { passed: result.numPassedTests, failed: Math.max(failed, problems.length), problems }
}

function execute(runtime: Runtime, more: string[]): Promise<{ code: number | null; output: string }> {
  const [command = '', ...words] = runtime.command
  return new Promise((done) => {
    const child = spawn(command, [...words, ...more], {
      cwd: root,
      env: {
        ...process.env,
        PATH: [join(root, 'node_modules', '.bin'), process.env.PATH].join(delimiter),
        // Nothing beyond loopback: no telemetry, no look-up of request.cf, no version check.
        CLOUDFLARE_CF_FETCH_ENABLED: 'false',
        WRANGLER_SEND_METRICS: 'false',
        DENO_NO_UPDATE_CHECK: '1',
        NO_COLOR: '1',
        EDGETILL_SEED: seed,
        ...(flags.includes('--long') ? { EDGETILL_LONG: '1' } : {}),
        ...runtime.env,
      },
    })
    let output = ''
    child.stdout.on('data', (chunk) => {
      output += chunk
    })
    child.stderr.on('data', (chunk) => {
      output += chunk
    })
    child.on('error', (error) => done({ code: null, output: `${output}\n${error.message}` }))
    child.on('close', (code) => done({ code, output }))
  })
}

function testFiles(path: string): string[] {
  return readdirSync(join(root, path), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.test.ts'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort()
}
