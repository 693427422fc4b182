import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { expect, it } from 'vitest'
import { DAILY_ONLY, FOLDERS, ON_NODE_ALONE, RUNTIME_DEPENDENT, runsOn, TEST_ALL_ONLY, testFiles } from '../tiers.ts'
import { importsOf } from './support/imports.ts'
import { filesUnder, root } from './support/runtimes.ts'

const files = testFiles()

const startsProcesses = (file: string) =>
  /from '(node:child_process|wrangler|.*support\/process\.ts)'|\brunOn\b/.test(readFileSync(join(root, file), 'utf8'))

/** Whether a module is there at run time: of a file of types nothing is left. */
const hasCode = (file: string) => {
  const { outputText } = ts.transpileModule(readFileSync(join(root, file), 'utf8'), {
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ESNext, removeComments: true },
  })
  return outputText.trim() !== 'export {};'
}

it('every path of the lists is there', () => {
  const listed = [...Object.keys(TEST_ALL_ONLY), ...Object.keys(DAILY_ONLY), ...ON_NODE_ALONE, ...RUNTIME_DEPENDENT]
  expect(listed.filter((start) => !files.some((file) => file.startsWith(start)))).toEqual([])
})

it('each test file runs somewhere, and the portable ones on all four runtimes', () => {
  for (const file of files) {
    const apart = [FOLDERS.browser, FOLDERS.tarball, FOLDERS.frameworks].some((start) => file.startsWith(start))
    const everywhere = !apart && ![FOLDERS.node, ...ON_NODE_ALONE].some((start) => file.startsWith(start))
    const runtimes = (['node', 'deno', 'bun', 'workerd'] as const).filter((one) => runsOn(one, file, 'named'))
    expect([file, runtimes.length]).toEqual([file, apart ? 0 : everywhere ? 4 : 1])
  }
})

it('npm test runs most of them on Node, and on the others what can differ there', () => {
  const quick = (runtime: 'node' | 'workerd') => files.filter((file) => runsOn(runtime, file, 'quick'))
  expect(quick('node').length).toBeGreaterThan(80)
  expect(quick('workerd').length).toBeGreaterThan(30)
  expect(quick('node')).toEqual(expect.arrayContaining(quick('workerd')))
})

it('the quick tier of workerd, which also runs without `process` and `Buffer`, loads every module that a Worker can', () => {
  const loaded = new Set<string>()
  const load = (file: string) => {
    if (loaded.has(file)) return
    loaded.add(file)
    for (const { to, typeOnly } of importsOf(file, readFileSync(join(root, file), 'utf8')))
      if (!typeOnly && /^(src|worker|test)\/.*\.tsx?$/.test(to)) load(to)
  }
  for (const file of files) if (runsOn('workerd', file, 'quick')) load(file)
  const modules = ['src', 'worker'].flatMap((folder) =>
    filesUnder(join(root, folder), root).filter((file) => /\.tsx?$/.test(file)),
  )
  // Files of Node's kind, and the Worker's entry with the two files that a merchant writes: test/node runs them in a Worker.
  const elsewhere = /^src\/(cli|adapters)\/|^worker\/(index|on-event|on-alert)\.ts$|routes\/results\.ts$/
  expect(modules.filter((file) => !loaded.has(file) && !elsewhere.test(file) && hasCode(file))).toEqual([])
})

it('npm test starts no process: a test that does is in TEST_ALL_ONLY', () => {
  const starting = files.filter((file) => runsOn('node', file, 'quick') && startsProcesses(file))
  expect(startsProcesses('test/node/cli.test.ts')).toBe(true)
  expect(starting).toEqual([])
})
