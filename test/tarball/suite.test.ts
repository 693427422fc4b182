import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ENTRIES } from '../../scripts/entries.ts'
import { LEFT_OUT } from './left-out.ts'
import { fromTarball } from './support/from-tarball.ts'
import { packedFolder, root } from './support/pack.ts'
import { internalBehind, portableFiles, suiteFiles } from './support/suite.ts'

const files = suiteFiles()
const resolveId = fromTarball().resolveId as unknown as (source: string, importer: string) => string | null
const importer = join(root, 'test/flows/here.test.ts')

describe('the suite that runs against the tarball', () => {
  it('reaches nothing but what the package exports: import it from there, or name the file in left-out.ts', () => {
    expect(files.map((file) => [file, internalBehind(file)]).filter(([, internal]) => internal !== undefined)).toEqual(
      [],
    )
    expect(files.length).toBeGreaterThan(50)
  })

  it('leaves out only what is there, is portable and reaches an internal file', () => {
    const portable = portableFiles()
    for (const name of Object.keys(LEFT_OUT)) {
      const inside = portable.filter((file) => file.startsWith(name))
      expect([name, inside.map((file) => internalBehind(file))]).toEqual([
        name,
        expect.arrayContaining([expect.stringMatching(/^src\//)]),
      ])
    }
  })

  it('gets every entry from the tarball, nothing else of src/, and leaves every other import alone', () => {
    const dist = join(realpathSync(packedFolder()), 'node_modules/edgetill/dist')
    for (const { source, name } of ENTRIES)
      expect(resolveId(`../../${source}`, importer)).toBe(join(dist, `${name}.js`))
    expect(() => resolveId('../../src/config.ts', importer)).toThrow(/src\/config\.ts, which is not exported/)
    expect(resolveId('../support/shop.ts', importer)).toBeNull()
    expect(resolveId('hono', importer)).toBeNull()
  })
})
