import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ENTRIES } from './support/entries.ts'
import { fromTarball } from './support/from-tarball.ts'
import { packedFolder, root } from './support/pack.ts'
import { findSuite } from './support/suite.ts'

const { files, internal } = findSuite()
const resolveId = fromTarball().resolveId as unknown as (source: string, importer: string) => string | null
const importer = join(root, 'test/flows/here.test.ts')

describe('the suite that runs against the tarball', () => {
  it('holds every journey, operation, webhook, property and worker test', () => {
    const whole = /^test\/(flows|operations|webhooks|properties|worker)\//
    expect([...internal].filter(([file]) => whole.test(file))).toEqual([])
    expect(files.filter((file) => whole.test(file)).length).toBeGreaterThan(25)
  })

  it('leaves out only what reaches an internal file', () => {
    for (const [file, reached] of internal) {
      expect([file, reached.startsWith('src/') && !ENTRIES.has(reached)]).toEqual([file, true])
    }
    expect(files.filter((file) => internal.has(file))).toEqual([])
  })

  it.each([...ENTRIES.keys()])('gets %s from the tarball', (source) => {
    const name = source === 'src/index.ts' ? 'index' : source.split('/')[1]
    expect(resolveId(`../../${source}`, importer)).toBe(
      join(realpathSync(packedFolder()), 'node_modules/edgetill/dist', `${name}.js`),
    )
  })

  it('gets nothing else of src/, and leaves every other import alone', () => {
    expect(() => resolveId('../../src/config.ts', importer)).toThrow(/src\/config\.ts, which is not exported/)
    expect(resolveId('../support/shop.ts', importer)).toBeNull()
    expect(resolveId('hono', importer)).toBeNull()
  })
})
