import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { verb as init } from '../../src/cli/commands/init.ts'
import { packageSource } from '../../src/cli/project/package-source.ts'
import { createEmulator } from '../../src/emulator/index.ts'
import type { ShopEnv as Env } from '../../src/shop/env.ts'
import { configurationProblems } from '../../src/shop/lib/configuration.ts'
import { temporaryFolder } from './support/fixtures.ts'
import { filesUnder, root } from './support/runtimes.ts'
import { against, runVerb } from './support/verb.ts'

const folder = temporaryFolder()

/** Runs `edgetill init`, and returns its exit code and what it printed. */
async function run(folder: string) {
  const { code, out, err } = await runVerb(init, [folder])
  return { code, output: (out + err).trimEnd() }
}

const shop = join(folder, 'My Shop!')
let begun: Awaited<ReturnType<typeof run>>
beforeAll(async () => {
  begun = await run(shop)
})
const read = (file: string) => readFileSync(join(shop, file), 'utf8')

const WORKER = ['env.ts', 'index.ts', 'on-alert.ts', 'on-event.ts']

type Lines = Record<string, string | undefined>
const variablesIn = (text: string, line = /^(\w+)=(.*)$/gm): Lines =>
  Object.fromEntries([...text.matchAll(line)].map(([, name = '', value]) => [name, value]))

describe('edgetill init', () => {
  it('writes the worker’s files, at most 200 lines, and ends with the next commands', () => {
    const next = [`  cd '${shop}'`, '  npm install', '  npm test', '  npm run dev']
    expect([begun.code, begun.output.split('\n').slice(-4)]).toEqual([0, next])
    const own = '.dev.vars .gitignore AGENTS.md README.md package.json test/shop.test.ts tsconfig.json wrangler.toml'
    const worker = WORKER.map((file) => `worker/${file}`)
    expect(filesUnder(shop)).toEqual([...own.split(' '), ...worker].sort())
    const written = worker.map(read)
    expect(written).toEqual(worker.map((file) => readFileSync(join(root, file), 'utf8')))
    expect(written.join('').split('\n').length).toBeLessThanOrEqual(200)
    expect(read('wrangler.toml')).toMatch(/^# +SHOP_TOKEN /m)
  })

  it.each([
    ['Tea & Mugs', [], 'tea-mugs'],
    ['Мій магазин', [], 'mii-mahazyn'],
    ['Щука’s Café', [], 'shchukas-cafe'],
    ['茶', ['--name', 'Tea'], 'tea'],
  ])('names the project after %s %j: %s, in every place', async (shop, words, name) => {
    const { out } = await runVerb(init, [join(folder, shop), ...words])
    expect(out).toContain(`the worker is named ${name}.`)
    const at = (file: string) => readFileSync(join(folder, shop, file), 'utf8')
    expect(JSON.parse(at('package.json')).name).toBe(name)
    expect(at('wrangler.toml')).toMatch(new RegExp(`^name = "${name}"$`, 'm'))
    expect(at('README.md')).toMatch(new RegExp(`^# ${name}\n`))
  })

  it.each([
    [undefined, [], "missing required argument 'FOLDER'"],
    ['', [], 'The folder’s name is empty'],
    [join(folder, '茶'.repeat(2)), [], 'add --name'],
    [join(folder, 'named'), ['--name', '-'], 'add --name'],
  ])('exits 2 for %j %j, and writes nothing', async (shop, words, text) => {
    const before = [filesUnder(folder), readdirSync('.')]
    const given = shop === undefined ? words : [shop, ...words]
    expect(await runVerb(init, given)).toMatchObject({ code: 2, err: expect.stringContaining(text) })
    expect([filesUnder(folder), readdirSync('.')]).toEqual(before)
    expect(readdirSync(folder)).not.toContain('named')
  })

  it('begins again where it was interrupted', async () => {
    const shop = join(folder, 'interrupted')
    mkdirSync(join(shop, '.edgetill-init/worker'), { recursive: true })
    writeFileSync(join(shop, '.edgetill-init/worker/half.ts'), 'half')
    expect((await run(shop)).code).toBe(0)
    expect(readdirSync(shop)).not.toContain('.edgetill-init')
    expect(filesUnder(join(shop, 'worker'))).toEqual(WORKER)
  })

  it.each([
    ['file:../../made/edgetill.tgz', 'file:/made/edgetill.tgz'],
    ['https://registry.example/edgetill-1.2.3.tgz', '^1.2.3'],
  ])('depends on what the running package was installed from: %s', async (resolved, expected) => {
    const project = join(folder, 'npx')
    mkdirSync(join(project, 'node_modules'), { recursive: true })
    const packages = { 'node_modules/edgetill': { resolved } }
    writeFileSync(join(project, 'node_modules/.package-lock.json'), JSON.stringify({ packages }))
    const source = await packageSource(join(project, 'node_modules/edgetill'), '1.2.3')
    expect(source).toBe(expected.replace('/made', join(project, '../../made')))
  })

  it('asks for the versions that edgetill is tested with', () => {
    const { dependencies, devDependencies, scripts } = JSON.parse(read('package.json'))
    const own = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    expect(dependencies.edgetill).toBe(`^${own.version}`)
    for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
      if (name !== 'edgetill') expect([name, version]).toEqual([name, own.devDependencies[name]])
    }
    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(['dev', 'check', 'test', 'deploy']))
  })

  it('makes secrets that are random, that git ignores, and with which the worker runs', async () => {
    await run(join(folder, 'two'))
    const [one, two] = [read('.dev.vars'), read('../two/.dev.vars')].map((text) => variablesIn(text)) as [Lines, Lines]
    const secrets = [one.LINK_SECRET, one.ADMIN_TOKEN, two.LINK_SECRET, two.ADMIN_TOKEN]
    for (const secret of secrets) expect(secret).toMatch(/^[\w-]{43}$/)
    expect(new Set(secrets).size).toBe(4)
    expect(read('.gitignore').split('\n')).toContain('.dev.vars')
    if (process.platform !== 'win32') expect(statSync(join(shop, '.dev.vars')).mode & 0o077).toBe(0)

    const [, vars = ''] = read('wrangler.toml').split(/^\[vars\]$|^\[\[env\./m)
    const bindings = { STATE: { get() {} }, TILL: { idFromName() {}, get() {} } }
    const env = { ...variablesIn(vars, /^(\w+) = "(.*)"$/gm), ...one, ...bindings } as unknown as Env
    expect(configurationProblems(env)).toEqual([])
    const { environment } = against(createEmulator({ origin: 'http://127.0.0.1:4010' }))
    const settings = Object.entries(environment).map(([name, value]) => [name.replace('EDGETILL_', ''), value])
    expect(env).toMatchObject(Object.fromEntries(settings))
  })

  it('exits 1 and writes nothing where something is', async () => {
    mkdirSync(join(folder, 'full'))
    writeFileSync(join(folder, 'full/.hidden'), 'mine')
    writeFileSync(join(folder, 'file'), 'mine')
    for (const name of ['full', 'file']) {
      const { code, output } = await run(join(folder, name))
      expect([code, output]).toEqual([1, expect.stringContaining('Nothing was written')])
    }
    expect(filesUnder(join(folder, 'full'))).toEqual(['.hidden'])
    expect(readFileSync(join(folder, 'file'), 'utf8')).toBe('mine')
  })

  it('tells an assistant what must stay true, on a page whose files exist', () => {
    const page = read('AGENTS.md')
    const files = [...page.matchAll(/`(node_modules\/edgetill\/)?([\w./-]+\.(?:ts|md|toml))`/g)].map(
      ([, inPackage, file = '']) => join(inPackage ? root : shop, file),
    )
    expect(files).toContain(join(root, 'SKILL.md'))
    expect(files.filter((file) => !existsSync(file))).toEqual([])
    expect(page.split('\n').length).toBeLessThanOrEqual(50)
  })

  it('names the commands of package.json in its README, and no others', () => {
    const readme = read('README.md')
    const { scripts } = JSON.parse(read('package.json'))
    const rows = [...readme.matchAll(/^\| `npm (?:run )?([\w:]+)` \|/gm)].map(([, name]) => name)
    expect(rows.sort()).toEqual(Object.keys(scripts).sort())
    const names = Object.keys(variablesIn(read('.dev.vars')))
    expect(Object.keys(variablesIn(readme))).toEqual(names)
    expect(readme.split('\n').length).toBeLessThanOrEqual(80)
  })
})
