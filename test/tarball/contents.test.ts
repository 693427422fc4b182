import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { importsOf } from '../node/support/imports.ts'
import { packedFolder, root, run, tarballIn } from './support/pack.ts'

const installed = join(packedFolder(), 'node_modules/edgetill')
const files = run('tar', ['-tzf', tarballIn(packedFolder())], packedFolder())
  .trim()
  .split('\n')
  .map((file) => file.replace(/^package\//, ''))
  .sort()
const text = (file: string) => readFileSync(join(installed, file), 'utf8')

// A hash names what entries share: which files there are is checked, how the bundler names them is not.
const HASHED = /^dist\/(chunk-[A-Z0-9]{8}\.js|[a-z-]+-[\w-]{8}\.d\.ts)$/

/** Files of `dist` that these lead to, themselves included. */
function reachedFrom(entries: readonly string[]): Set<string> {
  const reached = new Set<string>()
  const visit = (file: string) => {
    if (reached.has(file)) return
    reached.add(file)
    // A declaration names the code beside which it stands: `./x.js` means `./x.d.ts` there.
    const kind = file.endsWith('.d.ts') ? '.d.ts' : '.js'
    for (const { to } of importsOf(join(relative(root, installed), file), text(file))) {
      if (/^\.|\//.test(to) && to.includes('dist/')) visit(relative(installed, join(root, to)).replace(/\.js$/, kind))
    }
  }
  entries.forEach(visit)
  return reached
}

/** The built-in modules of Node that a file imports, as it writes them. */
const builtIn = (file: string) =>
  importsOf(file, text(file)).flatMap(({ to }) => (to.startsWith('node:') || builtinModules.includes(to) ? [to] : []))

describe('the tarball', () => {
  it('holds these files and no other', () => {
    expect(files.filter((file) => !HASHED.test(file))).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'dist/card.d.ts',
      'dist/card.js',
      'dist/cli.js',
      'dist/emulator.d.ts',
      'dist/emulator.js',
      'dist/index.d.ts',
      'dist/index.js',
      'dist/orders.d.ts',
      'dist/orders.js',
      'dist/webhooks.d.ts',
      'dist/webhooks.js',
      'package.json',
    ])
  })

  it('holds no chunk that no entry leads to', () => {
    const entries = files.filter((file) => file.startsWith('dist/') && !HASHED.test(file))
    expect([...reachedFrom(entries)].sort()).toEqual(files.filter((file) => file.startsWith('dist/')))
  })

  it('tells nothing of the machine that it was made on', () => {
    const here = [root, packedFolder(), dirname(packedFolder())]
    for (const file of files) {
      expect([file, here.filter((path) => text(file).includes(path))]).toEqual([file, []])
      expect([file, text(file).includes('sourceMappingURL')]).toEqual([file, false])
    }
  })

  it('uses built-in modules of Node in the command line and its own chunks alone, under their prefix', () => {
    const library = reachedFrom(files.filter((file) => /^dist\/(index|webhooks|card|emulator)\.(js|d\.ts)$/.test(file)))
    expect(library).toContain('dist/emulator.js')
    expect([...library].filter((file) => builtIn(file).length > 0)).toEqual([])
    expect(library).not.toContain('dist/cli.js')

    const commandLine = [...reachedFrom(['dist/cli.js'])].filter((file) => !library.has(file))
    const imported = commandLine.flatMap(builtIn)
    expect(imported).toContain('node:util')
    expect(imported.filter((name) => !name.startsWith('node:'))).toEqual([])
    expect([...library, ...commandLine].sort()).toEqual(files.filter((file) => file.startsWith('dist/')))
  })

  it('has a command that starts', () => {
    const cli = join(installed, 'dist/cli.js')
    expect(text('dist/cli.js')).toMatch(/^#!\/usr\/bin\/env node\n/)
    expect(statSync(cli).mode & 0o111).toBe(0o111)
    const { status, stdout } = spawnSync(process.execPath, [cli, '--help'], { encoding: 'utf8' })
    expect([status, stdout.includes('edgetill COMMAND')]).toEqual([0, true])
  })

  it('needs its three dependencies and no other package', () => {
    const bare = files
      .filter((file) => file.endsWith('.js') || file.endsWith('.d.ts'))
      .flatMap((file) => importsOf(file, text(file)).map(({ to }) => to))
      .filter((to) => !to.startsWith('dist/') && !to.startsWith('node:') && !builtinModules.includes(to))
      .map((to) =>
        to
          .split('/')
          .slice(0, to.startsWith('@') ? 2 : 1)
          .join('/'),
      )
    const { dependencies } = JSON.parse(text('package.json')) as { dependencies: Record<string, string> }
    expect([...new Set(bare)].sort()).toEqual(Object.keys(dependencies).sort())
    expect(readdirSync(join(packedFolder(), 'node_modules')).sort()).toEqual(['@noble', 'edgetill', 'hono', 'valibot'])
  })
})
