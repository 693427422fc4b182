// One run of Vitest in a process, and the sums of its report.

import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { delimiter, join, relative, resolve } from 'node:path'

export const root: string = resolve(import.meta.dirname, '..')

export interface Run {
  command: string[]
  /** Where Vitest writes its report. */
  report: string
  /** The test files that have to be in it. */
  expected: string[]
  /** With a filter by name, the tests of other names are skipped; without one, nothing may be. */
  skippedIsFailure: boolean
  env: Record<string, string>
  /** Called with all of the output so far. */
  onOutput?: (output: string) => void
}

export interface Outcome {
  passed: number
  failed: number
  problems: string[]
  output: string
}

interface VitestReport {
  numPassedTests: number
  numFailedTests: number
  testResults: {
    name: string
    status: string
    message: string
    assertionResults: { status: string; fullName: string }[]
  }[]
}

export async function runVitest(run: Run): Promise<Outcome> {
  const { code, output } = await execute(run)
  if (!existsSync(run.report)) return { passed: 0, failed: 1, problems: [`did not run (exit code ${code})`], output }
  const result = JSON.parse(readFileSync(run.report, 'utf8')) as VitestReport
  const loaded = new Set(result.testResults.map(({ name }) => relative(root, name)))
  const problems = run.expected.filter((file) => !loaded.has(file)).map((file) => `${file} did not run here`)
  for (const file of result.testResults) {
    // A file that broke before its first test has no failed test to count.
    const brokeEarly = file.status === 'failed' && !file.assertionResults.some(({ status }) => status === 'failed')
    if (brokeEarly) problems.push(`${relative(root, file.name)} could not be loaded: ${file.message}`)
    for (const test of run.skippedIsFailure ? file.assertionResults : []) {
      if (test.status === 'pending' || test.status === 'skipped') problems.push(`skipped: ${test.fullName}`)
    }
  }
  if (result.numFailedTests + problems.length === 0 && code !== 0)
    problems.push(`vitest exited with ${code} although no test failed`)
  return { passed: result.numPassedTests, failed: result.numFailedTests + problems.length, problems, output }
}

function execute({ command, report, env, onOutput }: Run): Promise<{ code: number | null; output: string }> {
  const [program = '', ...words] = command
  return new Promise((done) => {
    const child = spawn(program, [...words, '--reporter=default', '--reporter=json', `--outputFile.json=${report}`], {
      cwd: root,
      env: {
        ...process.env,
        PATH: [join(root, 'node_modules', '.bin'), process.env.PATH].join(delimiter),
        // Nothing beyond loopback: no telemetry, no look-up of request.cf, no version check.
        CLOUDFLARE_CF_FETCH_ENABLED: 'false',
        WRANGLER_SEND_METRICS: 'false',
        DENO_NO_UPDATE_CHECK: '1',
        NO_COLOR: '1',
        ...env,
      },
    })
    let output = ''
    const collect = (chunk: Buffer) => {
      output += chunk
      onOutput?.(output)
    }
    child.stdout.on('data', collect)
    child.stderr.on('data', collect)
    child.on('error', (error) => done({ code: null, output: `${output}\n${error.message}` }))
    child.on('close', (code) => done({ code, output }))
  })
}
