// Runs one bundled test file with Vitest's runner: `node run.js REPORT NAME FILE`. A process each, as Vitest isolates them:
// what one file does to a global is nothing to the next. The report is one entry of those that scripts/run-tests.ts reads.

import { writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { type File, startTests, type Task, type Test, type VitestRunner } from '@vitest/runner'

const [report = '', name = '', path = ''] = process.argv.slice(2)

const runner: VitestRunner = {
  config: {
    root: process.cwd(),
    setupFiles: [],
    name: undefined,
    passWithNoTests: false,
    testNamePattern: undefined,
    allowOnly: false,
    sequence: { seed: 0, hooks: 'stack', setupFiles: 'list' },
    chaiConfig: undefined,
    maxConcurrency: 1,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    retry: 0,
    includeTaskLocation: false,
    tags: [],
    tagsFilter: undefined,
    strictTags: true,
  },
  importFile: (file) => import(pathToFileURL(file).href),
}

const [file] = await startTests([path], runner)
if (file === undefined) throw new Error(`${name} was not loaded.`)
const assertionResults = testsOf(file).map((test) => ({
  status: { pass: 'passed', fail: 'failed' }[test.result?.state as string] ?? 'skipped',
  fullName: fullName(test),
  failure: messagesOf(test),
}))
for (const { status, fullName, failure } of assertionResults)
  if (status === 'failed') console.log(`FAIL ${name} > ${fullName}\n${failure}`)
const status = file.result?.state === 'pass' ? 'passed' : 'failed'
writeFileSync(report, JSON.stringify({ name, status, message: messagesOf(file), assertionResults }))

function testsOf(task: File | Task): Test[] {
  return task.type === 'test' ? [task] : task.tasks.flatMap(testsOf)
}

function fullName(task: Task): string {
  return task.suite && task.suite !== task.file ? `${fullName(task.suite)} > ${task.name}` : task.name
}

function messagesOf(task: File | Task): string {
  return (task.result?.errors ?? []).map(({ message, stack }) => stack ?? message).join('\n')
}
