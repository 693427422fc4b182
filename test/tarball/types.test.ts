import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { GLOBALS } from './globals.ts'
import { complaints, EVERY_ENTRY, optionsFor, packedPaths, programOf } from './support/compile.ts'
import { packedFolder, root } from './support/pack.ts'
import { portablePrograms, serverPrograms } from './support/programs.ts'

interface Platform {
  lib: string[]
  globals: string
}

const typesOf = (name: string) => `/// <reference path="${join(root, 'node_modules', name, 'index.d.ts')}" />\n`
const PLATFORMS: Record<string, Platform> = {
  'the DOM': { lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'], globals: '' },
  Node: { lib: ['lib.es2023.d.ts'], globals: typesOf('@types/node') },
  Bun: { lib: ['lib.es2023.d.ts'], globals: typesOf('@types/bun') },
  Workers: { lib: ['lib.es2023.d.ts'], globals: typesOf('@cloudflare/workers-types') },
}

const declare = (names: readonly string[]) => names.map((name) => GLOBALS[name]).join('\n')
const all = Object.keys(GLOBALS)

describe.each(['nodenext', 'bundler'] as const)('published types under %s', (resolution) => {
  // Who uses edgetill/worker has Hono, whose declarations need a platform's types.
  const ofOurs = (found: string[]) => found.filter((complaint) => !complaint.includes('node_modules/hono/'))
  const check = (globals: string) =>
    ofOurs(complaints(programOf({ 'main.mts': EVERY_ENTRY, 'globals.d.ts': globals }, optionsFor(resolution))))

  it('need neither DOM nor Node types, but for the pinned globals', () => {
    expect(check(declare(all))).toEqual([])
  })

  it('need no more with the lowest versions of the dependencies', () => {
    const files = { 'main.mts': EVERY_ENTRY, 'globals.d.ts': declare(all) }
    expect(ofOurs(complaints(programOf(files, optionsFor(resolution), packedFolder('lowest'))))).toEqual([])
  })

  it.each(all)('do need the pinned global %s', (name) => {
    const missing = check(declare(all.filter((other) => other !== name)))
    expect(missing.length).toBeGreaterThan(0)
    for (const complaint of missing) expect(complaint).toMatch(new RegExp(`Cannot find name '${name}'`))
  })

  it.each(Object.keys(PLATFORMS))('go together with the types of %s', (platform) => {
    const { lib, globals } = PLATFORMS[platform] as Platform
    const options = optionsFor(resolution, lib)
    const files = { ...portablePrograms(), 'main.mts': EVERY_ENTRY, 'platform.d.ts': globals }
    expect(complaints(programOf(files, options), packedFolder())).toEqual([])
  })

  it('go together with the types of Node, Express, Fastify and Hono in the documented servers', () => {
    const options = { ...optionsFor(resolution, PLATFORMS.Node?.lib), paths: packedPaths(), types: ['node'] }
    const files = serverPrograms()
    expect(Object.keys(files).length).toBeGreaterThan(5)
    const program = programOf(files, { ...options, allowImportingTsExtensions: true }, join(root, 'documented'))
    expect(complaints(program, join(root, 'documented'))).toEqual([])
  })
})

it('is seen to be wrong where it is', () => {
  const options = optionsFor('bundler', ['lib.es2022.d.ts', 'lib.dom.d.ts'])
  const wrong = "import { verifyWebhook } from 'edgetill'\nverifyWebhook({}, 1)\n"
  expect(complaints(programOf({ 'main.mts': wrong }, options)).join('\n')).toMatch(/main\.mts: Argument of type/)
})
