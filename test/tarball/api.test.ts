import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ENTRIES } from '../../scripts/entries.ts'
import { describeApi, promisedValues, unnamedTypes } from './support/api.ts'
import { resolveInTarball } from './support/from-tarball.ts'

const api = describeApi()

it('the published types are those of api.md, which a reviewer reads', () => {
  const hint =
    'a published name or signature has changed: if you meant it, run `npm run api` and say in a changeset whom it breaks'
  expect(api, hint).toBe(readFileSync(join(import.meta.dirname, 'api.md'), 'utf8'))
})

it('every entry really exports what its types promise', async () => {
  const promised = promisedValues()
  for (const { specifier } of ENTRIES) {
    const names = Object.keys((await import(resolveInTarball(specifier))) as object).sort()
    expect([specifier, promised.get(specifier)]).toEqual([specifier, names])
  }
})

it('every type that a signature names can be written down: some entry exports it', () => {
  expect(unnamedTypes()).toEqual([])
})
