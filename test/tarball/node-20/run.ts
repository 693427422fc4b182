// Runs bundled test files with Vitest's runner, in one module graph as vitest.config.ts does: `node run.js REPORT FILES`, where
// FILES is JSON, pairs of a file's name and its bundle. The report has an entry for each, as scripts/run-tests.ts reads them.

import { writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { type File, startTests, type Task, type Test, type VitestRunner } from '@vitest/runner'

const [report = '', list = ''] = process.argv.slice(2)
const names = new Map((JSON.parse(list) as [name: string, path: string][]).map(([name, path]) => [path, name]))

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

const files = await startTests([...names.keys()], runner)
writeFileSync(report, JSON.stringify(files.map(entryOf)))

function entryOf(file: File) {
  const name = names.get(file.filepath)
  const assertionResults = testsOf(file).map((test) => ({
    status: { pass: 'passed', fail: 'failed' }[test.result?.state as string] ?? 'skipped',
    fullName: fullName(test),
    failure: messagesOf(test),
  }))
  for (const { status, fullName, failure } of assertionResults)
    if (status === 'failed') console.log(`FAIL ${name} > ${fullName}\n${failure}`)
  const status = file.result?.state === 'pass' ? 'passed' : 'failed'
  return { name, status, message: messagesOf(file), assertionResults }
}

function testsOf(task: File | Task): Test[] {
  return task.type === 'test' ? [task] : task.tasks.flatMap(testsOf)
}

function fullName(task: Task): string {
  return task.suite && task.suite !== task.file ? `${fullName(task.suite)} > ${task.name}` : task.name
}

function messagesOf(task: File | Task): string {
  return (task.result?.errors ?? []).map(({ message, stack }) => stack ?? message).join('\n')
}
