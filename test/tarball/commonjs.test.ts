import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { ENTRIES } from '../../scripts/entries.ts'
import { optionsFor } from '../node/support/program.ts'
import { complaints, programOf } from './support/compile.ts'
import { packedFolder, root } from './support/pack.ts'
import { nodeAt } from './support/versions.ts'

// A CommonJS project as guides/commonjs.md describes it.

it.each([20, 22, 24, 26] as const)('on Node %i require has what import has, of every entry', (major) => {
  const file = join(packedFolder(), 'commonjs.cjs')
  const own = "Object.keys(of).filter((name) => name !== '__esModule' && name !== 'module.exports').sort()"
  const each = ENTRIES.map(
    ({ specifier }) => `[namesOf(require('${specifier}')), import('${specifier}').then(namesOf)]`,
  )
  writeFileSync(
    file,
    `const namesOf = (of) => ${own}
Promise.all([${each}].map((pair) => Promise.all(pair))).then((pairs) => console.log(JSON.stringify(pairs)))`,
  )
  const output = execFileSync(nodeAt(major), [file], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  const pairs = JSON.parse(output) as [required: string[], imported: string[]][]
  expect(pairs.filter(([required]) => required.length > 0)).toHaveLength(ENTRIES.length)
  expect(pairs.map(([required]) => required)).toEqual(pairs.map(([, imported]) => imported))
})

it('TypeScript compiles a static import in a CommonJS file under nodenext, and import() under every module', () => {
  const STATIC = "import { createClient } from 'edgetill'\nexport const make = createClient\n"
  const LATE = "export const make = async () => (await import('edgetill')).createClient\n"
  const lib = ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts']
  const check = (text: string, module: ts.ModuleKind, moduleResolution = ts.ModuleResolutionKind.Node16) => {
    const options = { ...optionsFor('nodenext', lib), module, moduleResolution, skipLibCheck: true }
    return complaints(programOf({ 'main.cts': text }, options))
  }
  expect(check(STATIC, ts.ModuleKind.NodeNext, ts.ModuleResolutionKind.NodeNext)).toEqual([])
  for (const module of [ts.ModuleKind.Node16, ts.ModuleKind.Node18]) {
    expect(check(STATIC, module).join('\n')).toMatch(/ECMAScript module/)
    expect(check(LATE, module)).toEqual([])
  }
})

describe('Jest', () => {
  const guide = readFileSync(join(root, 'guides/commonjs.md'), 'utf8')
  const config = /^\/\/ jest\.config\.cjs\n(.*?)^```/ms.exec(guide)?.[1] ?? ''
  const CALLS = "verifyWebhook({ data: 'x', signature: 'y' }, 'secret')"
  const TEST = `it('runs', () => { expect(() => ${CALLS}).toThrow(/signature/) })`
  /** Jest's output for a project with one test file. */
  const jest = (files: Record<string, string>, nodeOptions = '') => {
    const folder = mkdtempSync(join(packedFolder(), 'jest-'))
    mkdirSync(join(folder, 'node_modules'))
    for (const name of ['babel-jest', '@babel'])
      symlinkSync(join(root, 'test/tarball/versions/node_modules', name), join(folder, 'node_modules', name))
    for (const [name, text] of Object.entries({ 'package.json': '{}', ...files }))
      writeFileSync(join(folder, name), text)
    const program = join(root, 'test/tarball/versions/node_modules/jest/bin/jest.js')
    const { stderr } = spawnSync(process.execPath, [program, '--ci', '--no-cache'], {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, NODE_OPTIONS: nodeOptions },
    })
    return stderr
  }
  const required = `const { verifyWebhook } = require('edgetill/webhooks')\n${TEST}`

  it('loads the package with the guide’s configuration, and not without it', { timeout: 60_000 }, () => {
    expect(jest({ 'a.test.js': required })).toContain('Must use import to load ES Module')
    expect(jest({ 'a.test.js': required, 'jest.config.cjs': config })).toContain('1 passed')
  })

  it('loads it with ES modules', { timeout: 60_000 }, () => {
    const imported = `import { verifyWebhook } from 'edgetill/webhooks'\n${TEST}`
    expect(jest({ 'a.test.mjs': imported }, '--experimental-vm-modules')).toContain('1 passed')
  })
})
