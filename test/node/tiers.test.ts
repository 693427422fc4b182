import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { expect, it } from 'vitest'
import { FOLDERS, RUNTIME_DEPENDENT, runsOn, TEST_ALL_ONLY } from '../tiers.ts'
import { root } from './support/runtimes.ts'

const files = readdirSync(join(root, 'test'), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.test.ts'))
  .map((entry) => relative(root, join(entry.parentPath, entry.name)))

const startsProcesses = (file: string) =>
  /from '(node:child_process|wrangler|.*support\/process\.ts)'|\brunOn\b/.test(readFileSync(join(root, file), 'utf8'))

it('every path of the lists is there', () => {
  const listed = [...Object.keys(TEST_ALL_ONLY), ...RUNTIME_DEPENDENT]
  expect(listed.filter((start) => !files.some((file) => file.startsWith(start)))).toEqual([])
})

it('each test file runs somewhere, and the portable ones on all four runtimes', () => {
  for (const file of files) {
    const apart = file.startsWith(FOLDERS.browser) || file.startsWith(FOLDERS.tarball)
    const everywhere = !apart && !file.startsWith(FOLDERS.node)
    const runtimes = (['node', 'deno', 'bun', 'workerd'] as const).filter((one) => runsOn(one, file, 'all'))
    expect([file, runtimes.length]).toEqual([file, apart ? 0 : everywhere ? 4 : 1])
  }
})

it('npm test runs most of them on Node, and on the others what can differ there', () => {
  const quick = (runtime: 'node' | 'workerd') => files.filter((file) => runsOn(runtime, file, 'quick'))
  expect(quick('node').length).toBeGreaterThan(80)
  expect(quick('workerd').length).toBeGreaterThan(30)
  expect(quick('node')).toEqual(expect.arrayContaining(quick('workerd')))
})

it('npm test starts no process: a test that does is in TEST_ALL_ONLY', () => {
  const starting = files.filter((file) => runsOn('node', file, 'quick') && startsProcesses(file))
  expect(startsProcesses('test/node/cli.test.ts')).toBe(true)
  expect(starting).toEqual([])
})
