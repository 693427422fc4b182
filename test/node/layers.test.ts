import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cycles, importsOf } from './support/imports.ts'
import { root } from './support/runtimes.ts'

/** The layers of src, lowest first: a file imports from its own layer (never in a cycle) and from lower ones. */
const LAYERS: [layer: string, RegExp][] = [
  ['errors, lib', /^src\/(errors\.ts|lib\/)/],
  ['card', /^src\/card\//],
  ['schemas, helpers', /^src\/(schemas|helpers)\//],
  ['config, http, webhooks', /^src\/((config|hooks)\.ts$|(http|webhooks)\/)/],
  ['orders', /^src\/orders\//],
  ['operations', /^src\/operations\//],
  ['client', /^src\/client\.ts$/],
  ['index', /^src\/index\.ts$/],
  ['emulator', /^src\/emulator\//],
  ['cli', /^src\/cli\//],
]

function sourceFiles(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
}

const layerOf = (file: string) => LAYERS.findIndex(([, pattern]) => pattern.test(file))
const files = sourceFiles('src')
const imports = files.flatMap((file) => importsOf(file, readFileSync(join(root, file), 'utf8')))
const inside = imports.filter(({ to }) => to.startsWith('src/'))

describe('imports run one way', () => {
  it('every file of src belongs to a layer', () => {
    expect(files.length).toBeGreaterThan(20)
    expect(files.filter((file) => layerOf(file) < 0)).toEqual([])
  })

  it('no file imports from a higher layer', () => {
    // The emulator has a rule of its own below.
    const upward = inside.filter(({ from, to }) => !from.startsWith('src/emulator/') && layerOf(to) > layerOf(from))
    expect(upward).toEqual([])
  })

  it('there is no cycle, type-only ones included', () => {
    expect(cycles(inside)).toEqual([])
  })

  it('the emulator takes types from the SDK, nothing else', () => {
    const allowed = /^src\/emulator\//
    const taken = inside.filter(
      ({ from, to, typeOnly }) => from.startsWith('src/emulator/') && !typeOnly && !allowed.test(to),
    )
    expect(taken).toEqual([])
  })

  it('nothing outside the emulator and the command line reaches the emulator', () => {
    const reaching = inside.filter(
      ({ from, to }) => !/^src\/(emulator|cli)\//.test(from) && to.startsWith('src/emulator/'),
    )
    expect(reaching).toEqual([])
  })

  it('src names no runtime: packages come from a short list, and none of them is node:', () => {
    const outside = imports.filter(({ from, to }) => !to.startsWith('src/') && !from.startsWith('src/cli/'))
    const allowed = /^(valibot|@noble\/hashes\/(hmac|legacy|sha2)\.js)$/
    const emulator = /^(hono(\/.*)?|valibot|@noble\/hashes\/.*)$/
    const foreign = outside.filter(({ from, to }) => !(from.startsWith('src/emulator/') ? emulator : allowed).test(to))
    expect(foreign).toEqual([])
  })

  it('the worker reaches the SDK through worker/sdk.ts alone', () => {
    const worker = sourceFiles('worker').flatMap((file) => importsOf(file, readFileSync(join(root, file), 'utf8')))
    const reaching = worker.filter(({ to }) => to.startsWith('src/') || to.startsWith('edgetill'))
    expect(reaching.map(({ from }) => from)).toEqual(['worker/sdk.ts', 'worker/sdk.ts'])
  })
})

describe('the rule itself can fail', () => {
  it('sees type-only and re-exporting imports', () => {
    const text = "import type { A } from './a.ts'\nexport * from '../b.ts'\ntype C = import('./c.ts').C\n"
    expect(importsOf('src/lib/x.ts', text).map(({ to }) => to)).toEqual(['src/lib/a.ts', 'src/b.ts', 'src/lib/c.ts'])
  })

  it('finds a cycle of two and of three files', () => {
    const edge = (from: string, to: string) => ({ from, to })
    expect(cycles([edge('a', 'b'), edge('b', 'a')])).toEqual([['a', 'b', 'a']])
    expect(cycles([edge('a', 'b'), edge('b', 'c'), edge('c', 'a')])).toEqual([['a', 'b', 'c', 'a']])
    expect(cycles([edge('a', 'b'), edge('a', 'c'), edge('b', 'c')])).toEqual([])
  })
})
