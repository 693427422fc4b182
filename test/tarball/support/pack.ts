import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'

/** The folder of the checkout. */
export const root = resolve(import.meta.dirname, '../../..')

/** Where scripts/run-tests.ts put the packed package: a tarball, and a `node_modules` as npm would make it. */
export function packedFolder(): string {
  const folder = process.env.EDGETILL_PACKED
  if (!folder) throw new Error('These tests look at the packed tarball: run them with `npm run test:package`.')
  return folder
}

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  name: string
  version: string
  files: string[]
  dependencies: Record<string, string>
}

/** The tarball in a packed folder. */
export const tarballIn = (folder: string) => join(folder, `${manifest.name}-${manifest.version}.tgz`)

/**
 * Builds and packs the package as it is published, in a folder of its own, so that the checkout's `dist` stays as it is;
 * then unpacks the tarball into an otherwise empty `node_modules`. The dependencies come from the checkout: nothing is fetched.
 */
export function packInto(folder: string): string {
  const source = join(folder, 'source')
  mkdirSync(source, { recursive: true })
  for (const file of ['src', 'package.json', 'tsconfig.json', 'tsup.config.ts', 'README.md', 'LICENSE', 'CHANGELOG.md'])
    cpSync(join(root, file), join(source, file), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(source, 'node_modules'))
  run('tsup', ['--silent'], source)
  run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder], source)

  const installed = join(folder, 'node_modules', manifest.name)
  mkdirSync(installed, { recursive: true })
  run('tar', ['-xzf', tarballIn(folder), '--strip-components=1', '-C', installed], folder)
  for (const name of Object.keys(manifest.dependencies))
    cpSync(join(root, 'node_modules', name), join(folder, 'node_modules', name), { recursive: true })
  return folder
}

/** Runs a program with the checkout's own commands at hand; answers what it printed, or throws it. */
export function run(command: string, words: readonly string[], cwd: string): string {
  const { status, stdout, stderr, error } = spawnSync(command, words, {
    cwd,
    encoding: 'utf8',
    env: {
      ...process.env,
      PATH: [join(root, 'node_modules/.bin'), process.env.PATH].join(delimiter),
      NO_COLOR: '1',
      DENO_NO_UPDATE_CHECK: '1',
    },
  })
  if (status !== 0)
    throw new Error(`${command} ${words.join(' ')} ended with ${status}:\n${error?.message ?? ''}${stdout}${stderr}`)
  return stdout
}
