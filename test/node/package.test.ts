import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ENTRIES, packageExports } from '../../scripts/entries.ts'
import { root } from './support/runtimes.ts'

type Names = Record<string, string>
interface Manifest {
  name: string
  version: string
  license: string
  exports: Record<string, unknown>
}

const json = <T>(file: string) => JSON.parse(readFileSync(join(root, file), 'utf8')) as T
const packageJson = json<Manifest & { dependencies: Names; devDependencies: Names }>('package.json')
const denoJson = json<Manifest & { imports: Names }>('deno.json')

describe('package.json and deno.json agree', () => {
  it('in name, version and licence', () => {
    expect(denoJson.name).toBe(`@${packageJson.name}/${packageJson.name}`)
    expect(denoJson.version).toBe(packageJson.version)
    expect(denoJson.license).toBe(packageJson.license)
  })

  it('in exports, but for ./package.json (npm run exports:update writes them)', () => {
    expect(packageJson.exports).toEqual(packageExports())
    expect(Object.keys(packageJson.exports)).toEqual([...Object.keys(denoJson.exports), './package.json'])
    expect(packageJson.exports['./webhooks']).toEqual({ types: './dist/webhooks.d.ts', default: './dist/webhooks.js' })
    for (const { source } of ENTRIES) expect(readFileSync(join(root, source), 'utf8')).toContain('export')
  })

  it('in runtime dependencies', () => {
    const { dependencies, devDependencies } = packageJson
    expect(Object.keys(dependencies).sort()).toEqual(['@noble/hashes', 'valibot'])
    // JSR publishes sources: Hono, which npm's package holds in its bundle, is an import there.
    const packages = Object.entries(denoJson.imports).filter(([name]) => !name.startsWith('edgetill/'))
    expect(packages.map(([name]) => name).sort()).toEqual(['@noble/hashes', 'hono', 'valibot'])
    for (const [name, specifier] of packages) {
      expect(specifier).toBe(`npm:${name}@${dependencies[name] ?? devDependencies[name]}`)
    }
  })
})

it('CHANGELOG.md has no version but released ones, and each heading that a changeset names', () => {
  const read = (file: string) => readFileSync(join(root, file), 'utf8')
  const headings: readonly string[] = read('CHANGELOG.md').match(/^#+ .*$/gm) ?? []
  // `.ci/release` rejects another version; without one it asks for --prepare.
  const newest = headings.find((heading) => heading.startsWith('## '))
  expect([undefined, `## ${packageJson.version}`]).toContain(newest)
  const changesets = readdirSync(join(root, '.changeset')).filter(
    (file) => file.endsWith('.md') && file !== 'README.md',
  )
  const named = changesets.flatMap((file) => [...read(`.changeset/${file}`).matchAll(/stands below, under "([^"]+)"/g)])
  expect(named.map(([, title]) => title).filter((title) => !headings.includes(`### ${title}`))).toEqual([])
})
