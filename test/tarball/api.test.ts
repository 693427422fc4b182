import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ENTRIES } from '../../scripts/entries.ts'
import { describeApi, promisedValues, unnamedTypes } from './support/api.ts'
import { resolveInTarball } from './support/from-tarball.ts'

const api = describeApi()

it('is what was reviewed; after a change on purpose: npm run api', () => {
  expect(api).toBe(readFileSync(join(import.meta.dirname, 'api.md'), 'utf8'))
})

it.each(ENTRIES)('names every value that $specifier really exports', async ({ specifier }) => {
  const names = Object.keys((await import(resolveInTarball(specifier))) as object)
  expect(names.length).toBeGreaterThan(0)
  const section = `${api}\n## `.split(`\n## ${specifier}\n`)[1]?.split('\n## ')[0] ?? ''
  for (const name of names)
    expect(section).toMatch(new RegExp(`^(function|const|class|abstract class|- \`)\\s?${name}\\b`, 'm'))
})

it.each(ENTRIES)('$specifier really exports every value that its types promise', async ({ specifier }) => {
  const names = Object.keys((await import(resolveInTarball(specifier))) as object)
  expect(promisedValues().get(specifier)).toEqual(names.sort())
})

it('every type that a signature names can be written down: some entry exports it', () => {
  expect(unnamedTypes()).toEqual([])
})
