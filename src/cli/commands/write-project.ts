import { existsSync } from 'node:fs'
import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { packageSource } from '../project/package-source.ts'

/** The package's folder: above `dist` as it is published, above `src` in a checkout. */
export const PACKAGE: string =
  ['..', '../../..']
    .map((up) => fileURLToPath(new URL(up, import.meta.url)))
    .find((up) => existsSync(join(up, 'template'))) ?? ''

const SCRIPTS = {
  dev: 'edgetill dev',
  test: 'node --test "test/**/*.test.ts"',
  check: 'edgetill doctor --project && tsc && wrangler deploy --dry-run --env live',
  deploy: 'edgetill doctor --project --env test && wrangler deploy --env test',
  'deploy:live': 'edgetill doctor --project --env live && wrangler deploy --env live',
}

/** The emulator's, so that the project runs as it is. The other two are made only for this project. */
const EMULATOR_SECRETS = {
  API_KEY: 'emulator-api-key',
  API_SECRET: 'emulator-api-secret',
  ENDPOINTS_KEY: 'emulator-endpoints-key',
}

/** The folder of a project before it is moved into place: an interrupted `init` leaves it behind. */
export const UNFINISHED = '.edgetill-init'

/** Parts of `worker/` that belong to this package's own checkout. */
const OWN = /[/\\]worker[/\\](README\.md|tsconfig\.json)$/

/** Writes the project of a shop: the package's own `worker/` and `wrangler.toml`, and the files around them. */
export async function writeProject(folder: string, name: string): Promise<void> {
  const unfinished = join(folder, UNFINISHED)
  await rm(unfinished, { recursive: true, force: true })
  await writeFiles(unfinished, name)
  for (const entry of await readdir(unfinished)) await rename(join(unfinished, entry), join(folder, entry))
  await rm(unfinished, { recursive: true })
}

async function writeFiles(folder: string, name: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  await cp(join(PACKAGE, 'worker'), join(folder, 'worker'), { recursive: true, filter: (file) => !OWN.test(file) })
  await cp(join(PACKAGE, 'template'), folder, {
    recursive: true,
    filter: (file) => !/gitignore$|[/\\]starters$/.test(file),
  })
  const files: Record<string, string> = {
    // npm leaves a file of this name out of a package.
    '.gitignore': await readPackageFile('template/gitignore'),
    'README.md': (await readPackageFile('template/README.md')).replaceAll('my-shop', name),
    'wrangler.toml': (await readPackageFile('wrangler.toml')).replace(/^name = .*$/m, `name = "${name}"`),
    'package.json': `${JSON.stringify(await projectManifest(name), undefined, 2)}\n`,
  }
  for (const [file, text] of Object.entries(files)) await writeFile(join(folder, file), text)
  await writeFile(join(folder, '.dev.vars'), devVars(), { mode: 0o600 })
}

export const readPackageFile = (file: string): Promise<string> => readFile(join(PACKAGE, file), 'utf8')

async function projectManifest(name: string): Promise<object> {
  const { edgetill, hono, ...development } = await projectDependencies(
    ...['hono', '@cloudflare/workers-types', '@types/node', 'node', 'typescript', 'wrangler'],
  )
  return {
    name,
    private: true,
    type: 'module',
    scripts: SCRIPTS,
    dependencies: { edgetill, hono },
    // With its own Node, because wrangler wants 22 or newer; the scripts use it.
    devDependencies: development,
    // Packages that fetch their program when they are installed; newer npm requires a permission for each.
    allowScripts: { esbuild: true, node: true, workerd: true },
  }
}

/** This package, and others in the versions that it is tested with. */
export async function projectDependencies(...names: string[]): Promise<Record<string, string>> {
  const { version, devDependencies } = JSON.parse(await readPackageFile('package.json'))
  const tested = names.map((each) => [each, devDependencies[each]])
  return { edgetill: await packageSource(PACKAGE, version), ...Object.fromEntries(tested) }
}

function devVars(): string {
  const secrets = { ...EMULATOR_SECRETS, LINK_SECRET: randomSecret(), ADMIN_TOKEN: randomSecret() }
  const lines = Object.entries(secrets).map(([name, value]) => `${name}=${value}\n`)
  return `# For this machine, with the emulator. Git ignores this file.\n${lines.join('')}`
}

export const randomSecret = (): string => Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url')
