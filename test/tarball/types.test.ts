import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { optionsFor } from '../node/support/program.ts'
import { isForChange } from '../support/environment.ts'
import { GLOBALS } from './globals.ts'
import { complaints, EVERY_ENTRY, packedPaths, programOf } from './support/compile.ts'
import { packedFolder, root } from './support/pack.ts'
import { portablePrograms, serverPrograms } from './support/programs.ts'

const typesOf = (path: string) => `/// <reference path="${join(root, path, 'index.d.ts')}" />\n`
const LIB = ['lib.es2023.d.ts']

// Who uses edgetill/worker has Hono, whose declarations need a platform's types.
const ofOurs = (found: string[]) => found.filter((complaint) => !complaint.includes('node_modules/hono/'))

describe('published types', () => {
  // How a resolution finds them and which dependencies are there have nothing to do with each other.
  it('under nodenext need neither DOM nor Node types, but for the pinned globals, with the lowest dependencies', () => {
    const files = { 'main.mts': EVERY_ENTRY, 'globals.d.ts': Object.values(GLOBALS).join('\n') }
    expect(ofOurs(complaints(programOf(files, optionsFor('nodenext'), packedFolder('lowest'))))).toEqual([])
  })

  it('under bundler do need each of the pinned globals, with the newest dependencies', () => {
    const missing = ofOurs(complaints(programOf({ 'main.mts': EVERY_ENTRY }, optionsFor('bundler'))))
    const names = new Set(missing.map((complaint) => /Cannot find name '(\w+)'/.exec(complaint)?.[1] ?? complaint))
    expect([...names].sort()).toEqual(Object.keys(GLOBALS).sort())
  })

  // With the types of the DOM, typescript.test.ts compiles them by each TypeScript.
  it.each([
    'node_modules/@types/node',
    // They contain those of Node.
    ...(isForChange ? [] : ['test/tarball/versions/node_modules/@types/bun']),
    'node_modules/@cloudflare/workers-types',
  ])('go together with %s', (path) => {
    const files = { ...portablePrograms(), 'main.mts': EVERY_ENTRY, 'platform.d.ts': typesOf(path) }
    expect(complaints(programOf(files, optionsFor('nodenext', LIB)), packedFolder())).toEqual([])
  })

  it('go together with the types of Node, Express, Fastify and Hono in the documented servers', () => {
    const options = { ...optionsFor('bundler', LIB), paths: packedPaths(), types: ['node'] }
    const files = serverPrograms()
    expect(Object.keys(files).length).toBeGreaterThan(5)
    const program = programOf(files, { ...options, allowImportingTsExtensions: true }, join(root, 'documented'))
    expect(complaints(program, join(root, 'documented'))).toEqual([])
  })
})
