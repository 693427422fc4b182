import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { UsageError } from '../terminal/errors.ts'
import { PACKAGE, projectDependencies, randomSecret, readPackageFile } from './write-project.ts'

/** A shop with the till for a framework: the same shop.ts, and the routes that call it. */
interface Starter {
  /** The folder of shop.ts, its test and its README. */
  shop: string
  /** Starts the framework's server. */
  run: string
  port: number
  /** A file of the project that it is written into; absent if it is a project of its own. */
  into?: { file: string; by: string }
  next: readonly string[]
}

const ENVIRONMENT = '--env-file=.env.shop --env-file=.env.emulator'
/** Next starts a child with its own options of Node, where --env-file is not allowed. It reads this file itself. */
const NEXT_ENVIRONMENT = '.env.local'

export const STARTERS: Readonly<Record<'express' | 'next' | 'sveltekit', Starter>> = {
  express: { shop: '.', run: `node ${ENVIRONMENT} server.ts`, port: 3000, next: ['npm install', 'npm test'] },
  next: {
    shop: 'shop',
    run: 'npx next dev',
    port: 3000,
    into: { file: 'next.config.ts', by: 'npx create-next-app --ts' },
    next: ['npm install edgetill', 'node --test shop/shop.test.mjs'],
  },
  sveltekit: {
    shop: 'src/lib/server',
    run: `node ${ENVIRONMENT} node_modules/vite/bin/vite.js dev`,
    port: 5173,
    into: { file: 'vite.config.ts', by: 'npx sv create --types ts' },
    next: [
      "in vite.config.ts: sveltekit({ csrf: { trustedOrigins: ['*'] }, … })  # src/hooks.server.ts checks forms",
      'npm install edgetill',
      'node --test src/lib/server/shop.test.mjs',
    ],
  },
}

/** Writes a starter, and returns the files and the next steps. No file that exists is replaced. */
export async function writeStarter(kind: keyof typeof STARTERS, folder: string, name: string) {
  const { shop, run, port, into, next } = STARTERS[kind]
  if (into && !existsSync(join(folder, into.file)))
    throw new UsageError(`${folder} has no ${into.file}. Nothing was written; make the project with ${into.by} first.`)
  // create-next-app lets you choose whether the code stands in src.
  const base = kind === 'next' && existsSync(join(folder, 'src/app')) ? 'src' : ''
  const place = join(base, shop)
  const test = `node --test ${join(place, 'shop.test.mjs')}`
  const envFile = (file: string): string => (kind === 'next' ? NEXT_ENVIRONMENT : file)
  const files: Record<string, string> = {
    [join(place, 'shop.ts')]: await readPackageFile('template/starters/shared/shop.ts'),
    [join(place, 'shop.test.mjs')]: await readPackageFile('template/starters/shared/shop.test.mjs'),
    [into ? 'SHOP.md' : 'README.md']: (await readPackageFile('template/starters/shared/README.md'))
      .replace('RUN', run)
      .replace('TEST', test)
      .replaceAll(/\.env\.(shop|emulator)/g, envFile),
    [envFile('.env.shop')]: `STAFF_PASSWORD=${randomSecret()}\nSHOP_ORIGIN=http://127.0.0.1:${port}\n`,
    ...(into ? {} : { 'package.json': `${JSON.stringify(await manifestOf(name, run), undefined, 2)}\n` }),
  }
  const all = { ...files, ...(await filesOf(kind, base)) }
  await writeNew(folder, all)
  const lines = next.map((line) => line.replace(join(shop, 'shop.test'), join(place, 'shop.test')))
  return {
    files: Object.keys(all),
    next: [...lines, `npx edgetill emulator --write-env ${envFile('.env.emulator')}`, run],
  }
}

/** Writes the project of a shop on a server, and returns the files and the next steps. */
export async function writeServer(folder: string, name: string) {
  const serverFiles = await filesOf('server', '')
  const { edgetill, hono, postgres, ...types } = await projectDependencies(
    'hono',
    'postgres',
    '@types/node',
    'typescript',
  )
  const scripts = { start: 'node --env-file=.env start.ts', test: 'node --test shop.test.ts' }
  const files = {
    ...serverFiles,
    'README.md': String(serverFiles['README.md']).replace('my-shop', name),
    '.dockerignore': 'node_modules\n.env\n',
    '.env': ENV.replaceAll(/=SECRET$/gm, () => `=${randomSecret()}`),
    'package.json': `${JSON.stringify(
      {
        ...{ name, private: true, type: 'module', engines: { node: '>=22.18' }, scripts },
        ...{ dependencies: { edgetill, hono, postgres }, devDependencies: types },
      },
      undefined,
      2,
    )}\n`,
  }
  await writeNew(folder, files)
  return { files: Object.keys(files), next: ['npm install', 'npm test', 'npm start'] }
}

/** The settings for the emulator on this machine. */
const ENV = `# For this machine, with the emulator. Git ignores this file.
EDGETILL_MODE=test
EDGETILL_BASE_URL=http://127.0.0.1:4010
EDGETILL_API_URL=http://127.0.0.1:4010/balances-api
EDGETILL_POS_ID=ed9e7111-0000-4000-8000-000000000001
EDGETILL_SCHEME=SVC
EDGETILL_API_KEY=emulator-api-key
EDGETILL_API_SECRET=emulator-api-secret
EDGETILL_ENDPOINTS_KEY=emulator-endpoints-key
# Where people and the service reach the shop, such as https://pay.shop.example.com. Empty: on this machine alone.
EDGETILL_PUBLIC_ORIGIN=
EDGETILL_LINK_SECRET=SECRET
EDGETILL_ADMIN_TOKEN=SECRET
# Of compose.yaml.
POSTGRES_PASSWORD=SECRET
PORT=3000
`

/** The files of a starter's own folder, by the path that they get. */
async function filesOf(kind: string, base: string): Promise<Record<string, string>> {
  const source = join(PACKAGE, 'template/starters', kind)
  const files: Record<string, string> = {}
  for (const entry of await readdir(source, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const file = join(entry.parentPath, entry.name)
    // npm leaves a file of this name out of a package.
    files[join(base, file.slice(source.length + 1)).replace(/gitignore$/, '.gitignore')] = await readFile(file, 'utf8')
  }
  return files
}

/** Writes files. @throws {UsageError} before the first one if one of them exists. */
async function writeNew(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  const existing = Object.keys(files).filter((file) => existsSync(join(folder, file)))
  if (existing.length > 0) throw new UsageError(`${existing.join(', ')} exist in ${folder}. Nothing was written.`)
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, file)), { recursive: true })
    await writeFile(join(folder, file), text, { flag: 'wx', mode: file.startsWith('.env') ? 0o600 : 0o644 })
  }
}

async function manifestOf(name: string, run: string): Promise<object> {
  const { edgetill, express, ...types } = await projectDependencies(
    'express',
    '@types/express',
    '@types/node',
    'typescript',
  )
  return {
    ...{ name, private: true, type: 'module', engines: { node: '>=22.18' } },
    scripts: { start: run, test: 'node --test shop.test.mjs' },
    ...{ dependencies: { edgetill, express }, devDependencies: types },
  }
}
