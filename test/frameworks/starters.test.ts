import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { verb as init } from '../../src/cli/commands/init.ts'
import { createClient } from '../../src/index.ts'
import { pay } from '../../src/testing/index.ts'
import { serveNewEmulator } from '../node/support/fixtures.ts'
import { runVerb } from '../node/support/verb.ts'
import { root } from '../tarball/support/pack.ts'
import { Project } from './project.ts'

// `edgetill init` in what each framework's own tool writes: built, started, paid, and refunded once.

const INSTALLED = join(root, 'test/frameworks/node_modules')
const PASSWORD = 'a-password-of-the-staff'

let project: Project | undefined
afterEach(() => project?.close())

/** The files that a tool writes into a new folder. */
function written(program: string, words: readonly string[]): Record<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'edgetill-starter-'))
  try {
    execFileSync(process.execPath, [join(INSTALLED, program), ...words], { cwd: folder, stdio: 'pipe' })
    const all = readdirSync(join(folder, 'shop'), { recursive: true, withFileTypes: true })
    const files = all.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
    const texts = files.filter((file) => !/\.(ico|png|woff2?)$|[/\\]\.git[/\\]/.test(file))
    return Object.fromEntries(
      texts.map((file) => [file.slice(join(folder, 'shop/').length), readFileSync(file, 'utf8')]),
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The environment of a shop and an emulator that are served. */
async function environment() {
  const served = await serveNewEmulator()
  const { emulator } = served
  const own = Object.entries(emulator.credentials).map(([name, value]) => [
    `EDGETILL_${name.replaceAll(/[A-Z]/g, '_$&').toUpperCase()}`,
    `${value}`,
  ])
  return { emulator, env: { ...Object.fromEntries(own), STAFF_PASSWORD: PASSWORD, DATABASE: ':memory:' } }
}

/** Buys, signs in and refunds, as a browser does. */
async function play(origin: string, emulator: Awaited<ReturnType<typeof environment>>['emulator']): Promise<void> {
  const cookies = new Map<string, string>()
  async function browse(path: string, form?: Record<string, string>, from = origin) {
    const headers = { cookie: [...cookies].map((pair) => pair.join('=')).join('; '), origin: from }
    const body = form && new URLSearchParams(form)
    const response = await fetch(`${origin}${path}`, {
      method: form ? 'POST' : 'GET',
      headers,
      redirect: 'manual',
      ...(body && { body }),
    })
    for (const set of response.headers.getSetCookie()) {
      const [name = '', value = ''] = set.split(';')[0]?.split('=') ?? []
      cookies.set(name, value)
    }
    return { status: response.status, location: response.headers.get('location') ?? '', text: await response.text() }
  }
  const fields = (text: string): Record<string, string> =>
    Object.fromEntries(
      [...text.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]),
    )
  const { cart = '' } = fields((await browse('/shop')).text)
  const { location } = await browse('/shop/pay', { cart })
  await pay(location)
  const order = `/shop/orders/${cart}`
  await expect.poll(async () => (await browse(order)).text, { timeout: 10_000 }).toContain('Paid: 100.50 UAH.')
  expect((await browse('/shop/staff/refund', { order: cart, key: 'k', amount: '30' })).status).toBe(403)
  expect((await browse('/shop/staff/login', { password: PASSWORD })).status).toBe(303)
  const form = { ...fields((await browse(`/shop/staff?order=${cart}`)).text), amount: '30' }
  await Promise.all([1, 2].map(() => browse('/shop/staff/refund', form)))
  await expect.poll(async () => (await browse(order)).text, { timeout: 10_000 }).toContain('Refunded: 30.00 UAH.')
  const client = createClient(emulator.credentials)
  const operations = await client.listOrderOperations({ order_id: cart })
  expect(operations.filter(({ method }) => method === 'refund')).toHaveLength(1)
}

/** Runs `edgetill init` in a project. */
async function add(folder: string, kind: string): Promise<void> {
  const ran = await runVerb(init, [folder, `--${kind}`])
  expect([ran.code, ran.err]).toEqual([0, ''])
}

const changed = (folder: string, file: string, from: RegExp, to: string): void => {
  const text = readFileSync(join(folder, file), 'utf8')
  expect(text).toMatch(from)
  writeFileSync(join(folder, file), text.replace(from, to))
}

describe('edgetill init', () => {
  it('--express', async () => {
    const { emulator, env } = await environment()
    const folder = mkdtempSync(join(tmpdir(), 'edgetill-starter-'))
    await add(folder, 'express')
    const files = Object.fromEntries(
      ['server.ts', 'shop.ts', 'shop.test.mjs', 'package.json'].map((file) => [
        file,
        readFileSync(join(folder, file), 'utf8'),
      ]),
    )
    rmSync(folder, { recursive: true })
    project = new Project('starter-express', files, undefined, env)
    const test = execFileSync(process.execPath, ['--test', 'shop.test.mjs'], { cwd: project.folder, encoding: 'utf8' })
    expect(test).toContain('fail 0')
    await play(await project.start('server.ts'), emulator)
  })

  it('--next, in what create-next-app --ts writes', async () => {
    const { emulator, env } = await environment()
    const files = written('create-next-app/dist/index.js', [
      'shop',
      '--ts',
      '--yes',
      '--skip-install',
      '--disable-git',
      '--empty',
      '--no-tailwind',
      '--no-linter',
      '--no-agents-md',
    ])
    project = new Project('starter-next', { ...files, 'package.json': files['package.json'] ?? '' }, undefined, env)
    await add(project.folder, 'next')
    await project.run('next/dist/bin/next', 'build')
    await play(await project.start('node_modules:next/dist/bin/next', 'start'), emulator)
  })

  it('--sveltekit, in what sv create writes', async () => {
    const { emulator, env } = await environment()
    const files = written('sv/dist/bin.mjs', [
      'create',
      'shop',
      '--template',
      'minimal',
      '--types',
      'ts',
      '--no-add-ons',
      '--no-install',
    ])
    files['vite.config.ts'] ??= ''
    files['vite.config.ts'] = files['vite.config.ts'].replace('adapter-auto', 'adapter-node')
    project = new Project('starter-sveltekit', files, undefined, env)
    await add(project.folder, 'sveltekit')
    // The change that init asks for; and two that SvelteKit 3 wants, since this sv writes for SvelteKit 2.
    changed(project.folder, 'tsconfig.json', /\.\/\.svelte-kit\/tsconfig\.json/, '$app/tsconfig')
    const own = "sveltekit({ alias: { $lib: 'src/lib' }, csrf: { trustedOrigins: ['*'] },"
    changed(project.folder, 'vite.config.ts', /sveltekit\(\{?/, own)
    await project.run('@sveltejs/kit/svelte-kit.js', 'sync')
    await project.run('vite/bin/vite.js', 'build')
    await play(await project.start('build/index.js'), emulator)
  })
})
