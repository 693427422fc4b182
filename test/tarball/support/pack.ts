import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'

/** The folder of the checkout. */
export const root = resolve(import.meta.dirname, '../../..')

/** The dependencies that a user may get: the lowest versions in the package's ranges, or those of this checkout's lock file. */
export type Dependencies = 'lowest' | 'newest'
const VARIABLES = { newest: 'EDGETILL_PACKED', lowest: 'EDGETILL_PACKED_LOWEST' } as const

/** Where scripts/run-tests.ts installed the packed package. */
export function packedFolder(dependencies: Dependencies = 'newest'): string {
  const folder = process.env[VARIABLES[dependencies]]
  if (!folder) throw new Error('These tests look at the packed tarball: run them with `npm run test:package`.')
  return folder
}

const readManifest = (folder: string) =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    name: string
    version: string
    files: string[]
    dependencies: Record<string, string>
    peerDependencies: Record<string, string>
  }
const manifest = readManifest(root)

/** The tarball in a packed folder. */
export const tarballIn = (folder: string) => join(folder, `${manifest.name}-${manifest.version}.tgz`)

/** Name and version of each dependency that a variant installs: Hono for the worker too, but not the SDK of `edgetill mcp`. */
export function versionsOf(dependencies: Dependencies): [name: string, version: string][] {
  const { '@modelcontextprotocol/sdk': _, ...peers } = manifest.peerDependencies
  return Object.entries({ ...manifest.dependencies, ...peers }).map(([name, range]) => [
    name,
    dependencies === 'lowest' ? range.replace(/^\^/, '') : readManifest(join(root, 'node_modules', name)).version,
  ])
}

/**
 * Builds the package as it is published, in a folder, and returns a function that packs it into another. The checkout's
 * `dist` stays as it is.
 */
function build(folder: string): (into: string) => void {
  const source = join(folder, 'source')
  mkdirSync(source, { recursive: true })
  for (const file of ['package.json', ...manifest.files]) {
    if (file !== 'dist' && existsSync(join(root, file)))
      cpSync(join(root, file), join(source, file), { recursive: true })
  }
  // From the checkout itself: elsewhere, comments in the bundle would name the way to its node_modules.
  run('npm', ['run', '--silent', 'build', '--', '--out-dir', join(source, 'dist')], root)
  return (into) => void run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', into], source)
}

/** Builds and packs the package as it is published. Returns the tarball. */
export function packTarball(folder: string): string {
  build(folder)(folder)
  return tarballIn(folder)
}

/** The environment in which `packedFolder` finds what `packInto` installs in a folder. */
export const packedEnvironment = (folder: string): Record<string, string> => ({
  [VARIABLES.newest]: join(folder, 'newest'),
  [VARIABLES.lowest]: join(folder, 'lowest'),
})

/**
 * Builds and packs the package as it is published, and installs the tarball with npm into two otherwise empty folders, with
 * the newest and with the lowest dependencies.
 */
export function packInto(folder: string): void {
  const pack = build(folder)
  for (const dependencies of ['newest', 'lowest'] as const) {
    const installed = join(folder, dependencies)
    mkdirSync(installed)
    pack(installed)
    writeFileSync(join(installed, 'package.json'), '{ "private": true }\n')
    const packages = versionsOf(dependencies).map(([name, version]) => `${name}@${version}`)
    run(
      'npm',
      ['install', '--no-audit', '--no-fund', '--no-save', '--prefer-offline', tarballIn(installed), ...packages],
      installed,
    )
  }
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

// `node test/tarball/support/pack.ts FOLDER`, so that tests run meanwhile.
if (import.meta.main) packInto(process.argv[2] as string)
