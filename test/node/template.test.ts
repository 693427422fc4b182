import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestHarness } from 'wrangler'
import { signWebhook } from '../../src/index.ts'
import { packedFolder, packInto } from '../tarball/support/pack.ts'
import { payment } from '../worker/support/events.ts'
import { root } from './support/runtimes.ts'

const folder = mkdtempSync(join(tmpdir(), 'edgetill-template-'))
const shop = join(folder, 'shop')
const secrets = {
  API_KEY: 'key',
  API_SECRET: 'secret',
  ENDPOINTS_KEY: 'endpoints',
  LINK_SECRET: 'a-link-secret-of-at-least-32-characters',
  ADMIN_TOKEN: 'an-admin-token-of-at-least-32-characters',
}

function run(command: string, words: string[], cwd: string): string {
  const { status, stdout, stderr } = spawnSync(command, words, {
    cwd,
    encoding: 'utf8',
    env: {
      ...process.env,
      PATH: [join(root, 'node_modules/.bin'), process.env.PATH].join(delimiter),
      WRANGLER_SEND_METRICS: 'false',
      CLOUDFLARE_CF_FETCH_ENABLED: 'false',
      NO_COLOR: '1',
    },
  })
  if (status !== 0) throw new Error(`${command} ${words.join(' ')} ended with ${status}:\n${stdout}${stderr}`)
  return stdout
}

/** What the template depends on besides the package. */
const OTHERS = ['hono', '@cloudflare/workers-types']

function install(): void {
  const modules = join(shop, 'node_modules')
  Object.assign(process.env, packInto(join(folder, 'packed')))
  cpSync(join(packedFolder(), 'node_modules'), modules, { recursive: true })
  for (const name of OTHERS) cpSync(join(root, 'node_modules', name), join(modules, name), { recursive: true })
}

describe('the template in an empty folder, with the packed tarball', () => {
  beforeAll(() => {
    mkdirSync(shop)
    cpSync(join(root, 'worker'), join(shop, 'worker'), { recursive: true })
    cpSync(join(root, 'wrangler.toml'), join(shop, 'wrangler.toml'))
    cpSync(join(root, 'tsconfig.json'), join(shop, 'tsconfig.json'))
    writeFileSync(join(shop, 'worker/sdk.ts'), "export * from 'edgetill'\nexport * from 'edgetill/orders'\n")
    writeFileSync(join(shop, 'package.json'), JSON.stringify({ name: 'shop', private: true, type: 'module' }))
    writeFileSync(
      join(shop, '.dev.vars'),
      Object.entries(secrets)
        .map(([name, value]) => `${name}=${value}\n`)
        .join(''),
    )
    install()
  }, 180_000)
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it('needs one changed file', () => {
    expect(readFileSync(join(root, 'worker/sdk.ts'), 'utf8')).toBe(
      "export * from '../src/index.ts'\nexport * from '../src/orders/index.ts'\n",
    )
    const others = readdirSync(join(shop, 'worker'), { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.ts'),
    )
    for (const file of others) {
      expect([file, readFileSync(join(shop, 'worker', file), 'utf8').includes('/src/')]).toEqual([file, false])
    }
  })

  it('compiles against the published types', () => {
    expect(run('tsc', ['-p', 'worker/tsconfig.json'], shop)).toBe('')
  }, 120_000)

  it('passes wrangler deploy --dry-run', () => {
    expect(run('wrangler', ['deploy', '--dry-run', '--outdir', 'out'], shop)).toContain('env.STATE')
    expect(readFileSync(join(shop, 'out/index.js'), 'utf8').length).toBeGreaterThan(10_000)
  }, 120_000)

  it('receives a webhook in workerd, and tells its order', async () => {
    process.env.CLOUDFLARE_CF_FETCH_ENABLED = 'false'
    process.env.WRANGLER_SEND_METRICS = 'false'
    const server = createTestHarness({ workers: [{ configPath: join(shop, 'wrangler.toml') }] })
    try {
      await server.listen()
      const { body } = signWebhook(payment('A-1'), secrets.API_SECRET)
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      const received = await server.fetch('/webhooks', { method: 'POST', body, headers })
      expect([received.status, await received.text()]).toEqual([200, ''])
      // Through the order's Durable Object: copies at once are one event.
      const copies = await Promise.all(
        Array.from({ length: 20 }, () => server.fetch('/webhooks', { method: 'POST', body, headers })),
      )
      expect(copies.map(({ status }) => status)).toEqual(copies.map(() => 200))
      const forged = await server.fetch('/webhooks', {
        method: 'POST',
        body: body.replace('data=e', 'data=f'),
        headers,
      })
      expect(forged.status).toBe(401)
      const order = await server.fetch('/api/orders/A-1', {
        headers: { authorization: `Bearer ${secrets.ADMIN_TOKEN}` },
      })
      expect(await order.json()).toMatchObject({
        order_id: 'A-1',
        status: 'success',
        totals: { captured: 10050 },
        events: { length: 1 },
        attempts: [],
      })
      await server.getWorker().scheduled({})
    } finally {
      await server.close()
    }
  }, 120_000)
})
