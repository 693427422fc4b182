import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { packageExports } from '../../scripts/entries.ts'
import { command } from '../../src/cli/commands/init.ts'
import { createEmulator } from '../../src/emulator/index.ts'
import type { ShopEnv as Env } from '../../src/shop/env.ts'
import { configurationProblems } from '../../src/shop/lib/configuration.ts'
import { root } from './support/runtimes.ts'
import { runVerb } from './support/verb.ts'

const folder = mkdtempSync(join(tmpdir(), 'edgetill-init-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Runs `edgetill init`, and returns its exit code and what it printed. */
async function init(folder: string) {
  const { code, out, err } = await runVerb(command, [folder])
  return { code, output: (out + err).trimEnd() }
}

const filesIn = (at: string) =>
  readdirSync(at, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(at.length + 1))
    .sort()

const variablesIn = (text: string) =>
  Object.fromEntries([...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value] as const))

describe('edgetill init', () => {
  it('writes a project and ends with the next three commands', async () => {
    const shop = join(folder, 'My Shop!')
    const { code, output } = await init(shop)
    expect([code, output.split('\n').slice(-3)]).toEqual([0, [`  cd '${shop}'`, '  npm install', '  npm run dev']])
    const own = ['.dev.vars', '.gitignore', 'README.md', 'dev.ts', 'package.json', 'test/shop.test.ts', 'tsconfig.json']
    const worker = filesIn(join(root, 'worker')).filter((file) => file.endsWith('.ts'))
    expect(filesIn(shop)).toEqual([...own, 'wrangler.toml', ...worker.map((file) => `worker/${file}`)].sort())
  })

  it('takes the worker as it is, but for the import of the package', async () => {
    const shop = join(folder, 'same')
    await init(shop)
    const specifiers = Object.keys(packageExports()).map((subpath) => subpath.replace(/^\./, 'edgetill'))
    for (const file of filesIn(join(shop, 'worker'))) {
      const text = readFileSync(join(shop, 'worker', file), 'utf8')
      if (file !== 'sdk.ts') expect(text).toBe(readFileSync(join(root, 'worker', file), 'utf8'))
      else {
        const imported = [...text.matchAll(/from '([^']+)'/g)].map(([, specifier]) => specifier)
        expect(imported).toContain('edgetill')
        expect(imported.filter((specifier) => !specifiers.includes(`${specifier}`))).toEqual([])
      }
    }
  })

  it('names the project after the folder, in every place', async () => {
    await init(join(folder, 'Крамниця Tea & Mugs'))
    const at = (file: string) => readFileSync(join(folder, 'Крамниця Tea & Mugs', file), 'utf8')
    expect(JSON.parse(at('package.json')).name).toBe('tea-mugs')
    expect(at('wrangler.toml')).toMatch(/^name = "tea-mugs"$/m)
    expect(at('README.md')).toMatch(/^# tea-mugs\n/)
    await init(join(folder, 'чай'))
    expect(JSON.parse(readFileSync(join(folder, 'чай/package.json'), 'utf8')).name).toBe('shop')
  })

  it('asks for the versions that edgetill is tested with', async () => {
    await init(join(folder, 'versions'))
    const { dependencies, devDependencies, scripts } = JSON.parse(
      readFileSync(join(folder, 'versions/package.json'), 'utf8'),
    )
    const own = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    expect(dependencies.edgetill).toBe(`^${own.version}`)
    for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
      if (name !== 'edgetill') expect([name, version]).toEqual([name, own.devDependencies[name]])
    }
    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(['dev', 'check', 'test', 'deploy']))
  })

  it('makes secrets that are random, that git ignores, and with which the worker runs', async () => {
    const texts: string[] = []
    for (const name of ['one', 'two']) {
      await init(join(folder, name))
      texts.push(readFileSync(join(folder, name, '.dev.vars'), 'utf8'))
    }
    const [one = {}, two = {}] = texts.map(variablesIn)
    const secrets = [one.LINK_SECRET, one.ADMIN_TOKEN, two.LINK_SECRET, two.ADMIN_TOKEN]
    for (const secret of secrets) expect(secret).toMatch(/^[\w-]{43}$/)
    expect(new Set(secrets).size).toBe(4)
    expect(readFileSync(join(folder, 'one/.gitignore'), 'utf8').split('\n')).toContain('.dev.vars')
    if (process.platform !== 'win32') expect(statSync(join(folder, 'one/.dev.vars')).mode & 0o077).toBe(0)

    const [, vars = ''] = readFileSync(join(folder, 'one/wrangler.toml'), 'utf8').split(/^\[vars\]$|^\[\[env\./m)
    const variables = Object.fromEntries(
      [...vars.matchAll(/^(\w+) = "(.*)"$/gm)].map(([, name, value]) => [name, value]),
    )
    const env = { ...variables, ...one, STATE: { get: () => {} } } as unknown as Env
    expect(configurationProblems(env)).toEqual([])
    const { credentials } = createEmulator({ origin: 'http://127.0.0.1:4010' })
    expect([env.BASE_URL, env.API_URL, env.POS_ID, env.SCHEME, env.API_KEY, env.API_SECRET, env.ENDPOINTS_KEY]).toEqual(
      [
        credentials.baseUrl,
        credentials.apiUrl,
        credentials.posId,
        credentials.scheme,
        credentials.apiKey,
        credentials.apiSecret,
        credentials.endpointsKey,
      ],
    )
  })

  it('exits 2 without a folder', async () => {
    expect(await runVerb(command, [])).toMatchObject({ code: 2, out: '' })
  })

  it('writes into an empty folder', async () => {
    mkdirSync(join(folder, 'empty'))
    expect((await init(join(folder, 'empty'))).code).toBe(0)
    expect(filesIn(join(folder, 'empty'))).toContain('wrangler.toml')
  })

  it('exits 1 and writes nothing where something is', async () => {
    mkdirSync(join(folder, 'full'))
    writeFileSync(join(folder, 'full/.hidden'), 'mine')
    writeFileSync(join(folder, 'file'), 'mine')
    for (const name of ['full', 'file']) {
      const { code, output } = await init(join(folder, name))
      expect([code, output]).toEqual([1, expect.stringContaining('Nothing was written')])
    }
    expect(filesIn(join(folder, 'full'))).toEqual(['.hidden'])
    expect(readFileSync(join(folder, 'file'), 'utf8')).toBe('mine')
  })

  it('names the commands of package.json in its README, and no others', async () => {
    await init(join(folder, 'readme'))
    const readme = readFileSync(join(folder, 'readme/README.md'), 'utf8')
    const { scripts } = JSON.parse(readFileSync(join(folder, 'readme/package.json'), 'utf8'))
    const rows = [...readme.matchAll(/^\| `npm (?:run )?([\w:]+)` \|/gm)].map(([, name]) => name)
    expect(rows.sort()).toEqual(Object.keys(scripts).sort())
    const names = Object.keys(variablesIn(readFileSync(join(folder, 'readme/.dev.vars'), 'utf8')))
    expect(Object.keys(variablesIn(readme))).toEqual(names)
    expect(readme.split('\n').length).toBeLessThanOrEqual(80)
  })
})
