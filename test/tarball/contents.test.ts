import { cpSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { basename, dirname, join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ENTRIES } from '../../scripts/entries.ts'
import { VERBS } from '../../src/cli/commands/verbs.ts'
import { temporaryFolder } from '../node/support/fixtures.ts'
import { importsOf } from '../node/support/imports.ts'
import { packedFolder, root, run, tarballIn, versionsOf } from './support/pack.ts'

const installed = join(packedFolder('newest'), 'node_modules/edgetill')
const files = run('tar', ['-tzf', tarballIn(packedFolder())], packedFolder())
  .trim()
  .split('\n')
  .map((file) => file.replace(/^package\//, ''))
  .sort()
/** The files that are executed or compiled: everything in `dist` but licences. */
const code = files.filter((file) => /^dist\/.*\.(js|d\.ts)$/.test(file))
const text = (file: string) => readFileSync(join(installed, file), 'utf8')

/** The imports of each file; a file of `dist` by its way from the checkout. */
const imported = new Map<string, string[]>()
const importsIn = (file: string): string[] => {
  const found = imported.get(file) ?? importsOf(join(relative(root, installed), file), text(file)).map(({ to }) => to)
  imported.set(file, found)
  return found
}

// A hash names what entries share: which files there are is checked, how the bundler names them is not.
const HASHED = /^dist\/[a-z0-9-]+-[\w-]{8}\.(js|d\.ts)$/

/** Files of `dist` that these lead to, themselves included. */
function reachedFrom(entries: readonly string[]): Set<string> {
  const reached = new Set<string>()
  const visit = (file: string) => {
    if (reached.has(file)) return
    reached.add(file)
    // A declaration names the code beside which it stands: `./x.js` means `./x.d.ts` there.
    const kind = file.endsWith('.d.ts') ? '.d.ts' : '.js'
    for (const to of importsIn(file)) {
      if (to.includes('/dist/')) visit(relative(installed, join(root, to)).replace(/\.js$/, kind))
    }
  }
  entries.forEach(visit)
  return reached
}

/** The built-in modules of Node that a file imports, as it writes them. */
const builtIn = (file: string) => importsIn(file).filter((to) => to.startsWith('node:') || builtinModules.includes(to))

/** The files that git has, or would take, under these paths. */
const checkedIn = (paths: readonly string[]) =>
  run('git', ['ls-files', '--cached', '--others', '--exclude-standard', '--', ...paths], root)
    .split('\n')
    .filter((file) => file !== '' && existsSync(join(root, file)))

const importing = (entries: readonly { specifier: string }[]) =>
  entries.map(({ specifier }) => `await import('${specifier}')`).join('\n')

describe.each(['newest', 'lowest'] as const)('installed with the %s dependencies', (dependencies) => {
  const modules = join(packedFolder(dependencies), 'node_modules')

  it('has two of them and hono, in these versions, and nothing else, and loads every entry', () => {
    for (const [name, version] of versionsOf(dependencies)) {
      const manifest = JSON.parse(readFileSync(join(modules, name, 'package.json'), 'utf8')) as { version: string }
      expect([name, manifest.version]).toEqual([name, version])
    }
    const names = readdirSync(modules).filter((name) => !name.startsWith('.'))
    expect(names.sort()).toEqual(['@noble', 'edgetill', 'hono', 'valibot'])
    expect(readdirSync(join(modules, '@noble'))).toEqual(['hashes'])
    run(process.execPath, ['--input-type=module', '--eval', importing(ENTRIES)], packedFolder(dependencies))
  })

  it('loads every entry but the shop and its console without hono, which createTestShop then names', () => {
    const folder = temporaryFolder()
    cpSync(modules, join(folder, 'node_modules'), { recursive: true, filter: (file) => basename(file) !== 'hono' })
    const program = `${importing(ENTRIES.filter(({ name }) => !/^(worker|server|console)$/.test(name)))}
const { createTestShop } = await import('edgetill/testing')
const error = await createTestShop().catch((error) => error)
console.log(error.name, error.code, error.field, error.message)`
    const printed = run(process.execPath, ['--input-type=module', '--eval', program], folder)
    expect(printed).toMatch(/^ConfigError config hono .*npm install hono\n$/)
  })
})

/** Large, and read elsewhere: pictures. The demo runs in a checkout only. */
const UNPACKED = /^(guides\/images|examples\/shop)\//

/** Each package whose code is inside, with its licence. */
const BUNDLED = {
  commander: 'commander/LICENSE',
  hashes: '@noble/hashes/LICENSE',
  hono: 'hono/LICENSE',
  'smol-toml': 'smol-toml/LICENSE',
  uqr: 'uqr/LICENSE',
  valibot: 'valibot/LICENSE.md',
}

describe('the tarball', () => {
  it('holds these files and no other', () => {
    expect(files.filter((file) => !HASHED.test(file))).toEqual(
      [
        ...ENTRIES.flatMap(({ name }) => [`dist/${name}.js`, `dist/${name}.d.ts`]),
        ...Object.keys(BUNDLED).map((name) => `dist/LICENSE-${name}.txt`),
        'dist/cli.js',
        'package.json',
        // Not bench, which is about files of the checkout.
        ...checkedIn(['CHANGELOG.md', 'CONTRIBUTING.md', 'LICENSE', 'README.md', 'wrangler.toml']),
        ...checkedIn(['SECURITY.md', 'SKILL.md', 'llms.txt']),
        ...checkedIn(['examples', 'guides', 'template', 'worker']).filter((file) => !UNPACKED.test(file)),
      ].sort(),
    )
  })

  it('takes at most 2.5 MB when it is unpacked', () => {
    const bytes = files.reduce((sum, file) => sum + statSync(join(installed, file)).size, 0)
    expect(bytes).toBeLessThan(2_500_000)
  })

  it('holds the licence of each package that is bundled', () => {
    for (const [name, file] of Object.entries(BUNDLED))
      expect(text(`dist/LICENSE-${name}.txt`)).toBe(readFileSync(join(root, 'node_modules', file), 'utf8'))
  })

  it('reveals nothing of the machine that it was made on', () => {
    const here = [root, packedFolder(), dirname(packedFolder())]
    for (const file of files) {
      expect([file, here.filter((path) => text(file).includes(path))]).toEqual([file, []])
      expect([file, text(file).includes('sourceMappingURL')]).toEqual([file, false])
      // A bundler writes where it found a module, relative to where it ran.
      expect([file, /^\/\/ (#region )?\.\.\//m.exec(text(file))?.[0]]).toEqual([file, undefined])
    }
  })

  it('has no chunk that no entry leads to, and built-in modules of Node in those of the command line alone', () => {
    const library = reachedFrom(ENTRIES.flatMap(({ name }) => [`dist/${name}.js`, `dist/${name}.d.ts`]))
    expect(library).toContain('dist/emulator.js')
    expect([...library].filter((file) => builtIn(file).length > 0)).toEqual([])
    expect(library).not.toContain('dist/cli.js')

    const commandLine = [...reachedFrom(['dist/cli.js'])].filter((file) => !library.has(file))
    const names = commandLine.flatMap(builtIn)
    expect(names).toContain('node:util')
    expect(names.filter((name) => !name.startsWith('node:'))).toEqual([])
    expect([...library, ...commandLine].sort()).toEqual(code)
  })

  it('has a command that starts, and loads each of its verbs', async () => {
    const cli = join(installed, 'dist/cli.js')
    expect(text('dist/cli.js')).toMatch(/^#!\/usr\/bin\/env node\n/)
    expect(statSync(cli).mode & 0o111).toBe(0o111)
    // One process for all of them: each begins as if it were alone.
    const program = `for (const verb of ${JSON.stringify(Object.keys(VERBS))}) {
  process.argv = [process.argv[0], ${JSON.stringify(cli)}, verb, '--help']
  await import(${JSON.stringify(cli)} + '?' + verb)
}`
    const printed = run(process.execPath, ['--input-type=module', '--eval', program], root)
    for (const verb of Object.keys(VERBS)) expect(printed).toContain(`Usage: edgetill ${verb} `)
  })

  it('needs its two dependencies, hono for the shop and its console, and no other package', () => {
    const bare = code
      .flatMap(importsIn)
      .filter((to) => !/\/dist\/|^node:/.test(to) && !builtinModules.includes(to))
      .map((to) => /^(@[^/]+\/)?[^/]+/.exec(to)?.[0])
    const { dependencies } = JSON.parse(text('package.json')) as { dependencies: Record<string, string> }
    // Caret ranges, whose lowest version is tested.
    for (const range of Object.values(dependencies)) expect(range).toMatch(/^\^\d+\.\d+\.\d+$/)
    expect(Object.keys(dependencies).sort()).toEqual(['@noble/hashes', 'valibot'])
    expect([...new Set(bare)].sort()).toEqual(['@noble/hashes', 'hono', 'valibot'])
    const withHono = code.filter((file) => importsIn(file).some((to) => /^hono(\/|$)/.test(to)))
    expect(withHono.filter((file) => !HASHED.test(file))).toEqual([
      'dist/console.d.ts',
      'dist/console.js',
      'dist/server.d.ts',
      'dist/server.js',
    ])
    // The emulator and the command line bring their own.
    expect([...reachedFrom(['dist/emulator.js'])].filter((file) => withHono.includes(file))).toEqual([])
  })
})
