import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { ENTRIES } from '../../scripts/entries.ts'
import { complaints, programOf } from './support/compile.ts'
import { packedFolder, root } from './support/pack.ts'

// What guides/commonjs.md says of a CommonJS project.

/** The pinned Node, and the machine's own one where it is another that can `require` an ES module. */
const NODES = [join(root, 'node_modules/.bin/node'), ...['/usr/local/bin/node', '/usr/bin/node'].filter(existsSync)]
const versionOf = (node: string) => execFileSync(node, ['--version'], { encoding: 'utf8' }).trim()
const canRequire = (version: string) => {
  const [major = 0, minor = 0] = version.slice(1).split('.').map(Number)
  return major > 22 || (major === 22 && minor >= 12) || (major === 20 && minor >= 19)
}
const VERSIONS = new Map(
  NODES.map((node) => [versionOf(node), node]).filter(([version = '']) => canRequire(version)) as [string, string][],
)

describe.each([...VERSIONS])('on Node %s', (_version, node) => {
  it.each(ENTRIES.map(({ specifier }) => specifier))('require(%j) has what import has', (specifier) => {
    const file = join(packedFolder(), 'commonjs.cjs')
    writeFileSync(
      file,
      `const required = Object.keys(require('${specifier}'))
import('${specifier}').then((imported) => console.log(JSON.stringify([required.sort(), Object.keys(imported).sort()])))`,
    )
    const output = execFileSync(node, [file], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
    const [required, imported] = JSON.parse(output) as [string[], string[]]
    expect(required.length).toBeGreaterThan(0)
    const own = (names: string[]) => names.filter((name) => name !== '__esModule' && name !== 'module.exports')
    expect(own(required)).toEqual(own(imported))
  })
})

describe('TypeScript', () => {
  const STATIC = "import { createClient } from 'edgetill'\nexport const make = createClient\n"
  const LATE = "export const make = async () => (await import('edgetill')).createClient\n"
  const check = (text: string, module: ts.ModuleKind, resolution: ts.ModuleResolutionKind) =>
    complaints(
      programOf(
        { 'main.cts': text },
        {
          module,
          moduleResolution: resolution,
          target: ts.ScriptTarget.ES2022,
          lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
          types: [],
          strict: true,
          noEmit: true,
          skipLibCheck: true,
        },
      ),
    )
  const { NodeNext, Node16, Node18 } = ts.ModuleKind

  it('nodenext: a static import in a CommonJS file compiles', () => {
    expect(check(STATIC, NodeNext, ts.ModuleResolutionKind.NodeNext)).toEqual([])
  })

  it.each([Node16, Node18])('module %s: a static import does not compile, import() does', (module) => {
    expect(check(STATIC, module, ts.ModuleResolutionKind.Node16).join('\n')).toMatch(/ECMAScript module/)
    expect(check(LATE, module, ts.ModuleResolutionKind.Node16)).toEqual([])
  })
})

describe('Jest', () => {
  const guide = readFileSync(join(root, 'guides/commonjs.md'), 'utf8')
  const config = /^\/\/ jest\.config\.cjs\n(.*?)^```/ms.exec(guide)?.[1] ?? ''
  const CALLS = "verifyWebhook({ data: 'x', signature: 'y' }, 'secret')"
  const TEST = `it('runs', () => { expect(() => ${CALLS}).toThrow(/signature/) })`
  /** What Jest prints for a project with one test file. */
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
  const required = `const { verifyWebhook } = require('edgetill')\n${TEST}`

  it('cannot load the package without the guide’s configuration', { timeout: 60_000 }, () => {
    expect(jest({ 'a.test.js': required })).toContain('Must use import to load ES Module')
  })

  it('can with it', { timeout: 60_000 }, () => {
    expect(jest({ 'a.test.js': required, 'jest.config.cjs': config })).toContain('1 passed')
  })

  it('can with ES modules', { timeout: 60_000 }, () => {
    const imported = `import { verifyWebhook } from 'edgetill'\n${TEST}`
    expect(jest({ 'a.test.mjs': imported }, '--experimental-vm-modules')).toContain('1 passed')
  })
})

it('the guide names the versions that are tested here', () => {
  const guide = readFileSync(join(root, 'guides/commonjs.md'), 'utf8')
  expect(guide).toContain('Node 20.19 or newer, 22.12 or newer')
  expect(VERSIONS.size).toBeGreaterThan(0)
})
