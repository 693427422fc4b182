import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ENTRIES } from '../../scripts/entries.ts'
import { fromTarball } from './support/from-tarball.ts'
import { packedFolder, root } from './support/pack.ts'
import { internalBehind, suiteFiles } from './support/suite.ts'

it('what looks at the package from outside runs against the tarball, what reaches an internal file does not', () => {
  expect(suiteFiles('all').length).toBeGreaterThan(60)
  expect(suiteFiles('all')).toEqual(expect.arrayContaining([...suiteFiles('quick'), 'test/testing/test-shop.test.ts']))
  // By itself, and through a helper.
  for (const file of ['test/config.test.ts', 'test/worker/cancel.test.ts'])
    expect(internalBehind(file)).toMatch(/^src\//)
})

it('the suite gets every entry from the tarball, nothing else of src/, and leaves every other import alone', () => {
  const resolveId = fromTarball().resolveId as unknown as (source: string, importer: string) => string | null
  const importer = join(root, 'test/webhooks/here.test.ts')
  const dist = join(realpathSync(packedFolder()), 'node_modules/edgetill/dist')
  for (const { source, name } of ENTRIES) expect(resolveId(`../../${source}`, importer)).toBe(join(dist, `${name}.js`))
  expect(() => resolveId('../../src/config.ts', importer)).toThrow(/src\/config\.ts, which is not exported/)
  expect(resolveId('../support/shop.ts', importer)).toBeNull()
  expect(resolveId('hono', importer)).toBeNull()
})
