import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import ts from 'typescript'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { unstable_readConfig } from 'wrangler'
import { checkoutLinkId, openCheckoutLink } from '../../src/checkout-link/index.ts'
import { createEmulator } from '../../src/emulator/index.ts'
import { signWebhook } from '../../src/index.ts'
import { createApp } from '../../src/shop/app.ts'
import type { ShopEnv as Env } from '../../src/shop/env.ts'
import { configurationProblems } from '../../src/shop/lib/configuration.ts'
import type { OnEvent } from '../../src/shop/options.ts'
import { payment } from '../worker/support/events.ts'
import { LINK_SECRET, World } from '../worker/support/world.ts'
import { complaintsOf, load, programOf } from './support/program.ts'
import { root } from './support/runtimes.ts'
import { blocks } from './support/snippets.ts'

const readme = readFileSync(join(root, 'worker/README.md'), 'utf8')
const folder = mkdtempSync(join(tmpdir(), 'edgetill-worker-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The rows of the table whose first column has this title, as plain cells. */
function table(title: string): string[][] {
  const lines = readme.split('\n')
  const start = lines.findIndex((line) => line.startsWith(`| ${title} |`))
  if (start < 0) throw new Error(`worker/README.md has no table "${title}".`)
  const rows = lines.slice(start + 2)
  return rows
    .slice(
      0,
      rows.findIndex((line) => !line.startsWith('|')),
    )
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
}

const wrangler = (...words: string[]) =>
  spawnSync(join(root, 'node_modules/.bin/wrangler'), words, {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, WRANGLER_SEND_METRICS: 'false', CLOUDFLARE_CF_FETCH_ENABLED: 'false', NO_COLOR: '1' },
  })

describe('the key table of worker/README.md', () => {
  /** Everything that the worker ever writes, from a day in which everything happens. */
  async function written(): Promise<World['kv']['writes']> {
    let fails = true
    const world = new World({
      onEvent: () => {
        if (fails) throw new Error('not yet')
      },
      onAlert: () => {},
    })
    const auth = await world.open(await world.link({ order_id: 'A-1', method: 'auth' }))
    await world.pay(auth)
    const event = payment('A-2')
    await world.deliver(event)
    fails = false
    await world.deliver(event)
    await world.advance(2_000)
    const capture = () =>
      world.api('/api/orders/A-1/capture', {
        method: 'POST',
        headers: { 'idempotency-key': 'k' },
        body: '{"charge_amount":1}',
      })
    world.emulator.faults.next({ kind: 'reset', when: 'after_commit', on: 'capture-payment' })
    expect((await capture()).status).toBe(502)
    await world.advance(2_000)
    expect((await capture()).status).toBe(200)
    const link = await world.link({ order_id: 'A-3' }, undefined, { reference: 'cart-77' })
    await world.open(link)
    const revoked = `/api/links/${await checkoutLinkId(link, LINK_SECRET)}`
    expect((await world.api(revoked, { method: 'DELETE' })).status).toBe(200)
    await world.open(await world.link({ order_id: 'A-4' }))
    expect((await world.api('/api/orders/A-4/cancel', { method: 'POST' })).status).toBe(200)
    await world.get(`${world.emulator.orders.get('A-3')?.payments[0]?.result_url}&look=9`)
    expect((await world.post(signWebhook('[]', world.emulator.credentials.apiSecret).body)).status).toBe(200)
    await world.advance(15 * 60_000)
    await world.cron()
    await world.idle()
    const withRetention = new World({ env: { RETENTION_DAYS: '30' } })
    await withRetention.cron()
    const gated = new World({ kind: 'strict' })
    await gated.cron()
    return [...world.kv.writes, ...withRetention.kv.writes, ...gated.kv.writes]
  }

  it('names every key that is written, with its metadata and its life, and no other', async () => {
    const rows = table('key').map(([key = '', , metadata = '', life = '']) => ({
      key,
      metadata,
      life,
      pattern: new RegExp(`^${key.replaceAll('`', '').replaceAll(/<[^>]+>/g, '[^/]+')}$`),
    }))
    const writes = await written()
    for (const { key, deleted, metadata, ttl } of writes) {
      const found = rows.filter(({ pattern }) => pattern.test(key))
      expect([key, found.length]).toEqual([key, 1])
      const [row] = found
      if (deleted) expect([key, row?.life]).toEqual([key, expect.stringMatching(/^until it (succeeds|ends)/)])
      else expect([key, row?.metadata === 'none']).toEqual([key, metadata === undefined || metadata === null])
      const lives = {
        '400 days': 400 * 86_400,
        '1 day': 86_400,
        '1 hour': 3_600,
        '1 minute': 60,
        'until it ends, or 8 days': 8 * 86_400,
        '14 minutes': 840,
        'until the link would have expired': 86_400,
      }
      const seconds = (lives as Record<string, number>)[row?.life ?? '']
      if (!deleted) expect([key, ttl]).toEqual([key, seconds])
    }
    expect(rows.filter(({ pattern }) => !writes.some(({ key }) => pattern.test(key))).map(({ key }) => key)).toEqual([])
  })
})

describe('worker/README.md', () => {
  it('lists every route, and no other', () => {
    const documented = [...table('route'), ...table('route of `/api`')].flatMap(([cell = '']) =>
      [...cell.matchAll(/`(\w+) ([^`?]+)/g)].map(([, verb, path]) => `${verb} ${path}`),
    )
    const routes = createApp()
      .routes.filter(({ method }) => method !== 'ALL')
      .map(({ method, path }) => `${method} ${path}`)
    // The result page takes the form post of some payment pages too.
    expect([...documented, 'POST /return/:order_id'].sort()).toEqual([...new Set(routes)].sort())
  })

  it('starts with what edgetill init prints, and deploys in three commands', () => {
    const commands = (section: string) => {
      const text = readme.split(`\n## ${section}\n`)[1] ?? ''
      return /```sh\n([\s\S]*?)```/.exec(text)?.[1]?.trim().split('\n')
    }
    expect(readme.indexOf('\n## Start\n')).toBe(readme.indexOf('\n## '))
    expect(commands('Start')).toEqual(['npx edgetill init my-shop', 'cd my-shop', 'npm install', 'npm run dev'])
    expect(commands('Deploy')).toHaveLength(3)
    expect(commands('Deploy')?.at(-1)).toBe('npm run deploy')
  })

  it('names every variable, secret and flag', () => {
    const env = readFileSync(join(root, 'worker/env.ts'), 'utf8')
    const names = [...(/interface Env \{([\s\S]*?)\n\}/.exec(env)?.[1] ?? '').matchAll(/^ {2}([A-Z_]+)\??:/gm)].map(
      ([, name]) => name as string,
    )
    expect(names.length).toBeGreaterThan(12)
    expect(names.filter((name) => !readme.includes(name))).toEqual([])
    const source = readFileSync(join(root, 'src/orders/order.ts'), 'utf8')
    const flags = [...(/type OrderFlag =([^/]+)/.exec(source)?.[1] ?? '').matchAll(/'(\w+)'/g)].map(
      ([, flag]) => `\`${flag}\``,
    )
    expect(table('flag').map(([flag]) => flag)).toEqual(flags)
  })

  it('shows an order as it is', async () => {
    const world = new World()
    await world.open(await world.link({ order_id: 'A-1' }, undefined, { reference: 'cart-77' }))
    await world.deliver(payment('A-1'))
    const shown = JSON.parse(/## An order\s+```json\n([\s\S]*?)```/.exec(readme)?.[1] ?? '')
    const order = await world.order('A-1')
    expect(Object.keys(shown)).toEqual(Object.keys(order ?? {}))
    expect(Object.keys(shown.operations[0])).toEqual(Object.keys(order?.operations[0] ?? {}))
    expect(Object.keys(shown.totals)).toEqual(Object.keys(order?.totals ?? {}))
  })
})

describe('the programs of worker/README.md', () => {
  const programs = blocks('worker/README.md', 'ts').map(({ code }) => code)
  const [WEBHOOK = '', LINK = '', ON_EVENT = ''] = programs

  it('are three', () => {
    expect(programs).toHaveLength(3)
  })

  it('run with the settings of "Run it on your machine": those of the emulator, and nothing is missing', () => {
    const [file = ''] = blocks('worker/README.md', 'text').map(({ code }) => code)
    const local = Object.fromEntries([...file.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]))
    const { vars } = unstable_readConfig({ config: join(root, 'wrangler.toml') })
    const env = { ...vars, ...local, STATE: { get: () => {} } } as unknown as Env
    expect(configurationProblems(env)).toEqual([])
    const { credentials } = createEmulator({ origin: 'http://127.0.0.1:4010' })
    expect({
      baseUrl: env.BASE_URL,
      apiUrl: env.API_URL,
      posId: env.POS_ID,
      apiKey: env.API_KEY,
      apiSecret: env.API_SECRET,
      endpointsKey: env.ENDPOINTS_KEY,
      scheme: env.SCHEME,
    }).toEqual(credentials)
  })

  it('make a webhook that is taken, and whose order nobody created', async () => {
    const world = new World()
    const logged = vi.spyOn(console, 'log').mockImplementation(() => {})
    vi.stubGlobal('fetch', (input: string, init: RequestInit) => world.fetch(new Request(input, init)))
    try {
      await load(WEBHOOK)
      expect(logged.mock.calls).toEqual([[200]])
    } finally {
      vi.unstubAllGlobals()
      logged.mockRestore()
    }
    expect(await world.order('tea-7')).toMatchObject({ status: 'success', flags: ['unknown_order'] })
  })

  it('make a link that opens', async () => {
    const logged = vi.spyOn(console, 'log').mockImplementation(() => {})
    await load(LINK)
    const [[link]] = logged.mock.calls as [[string]]
    logged.mockRestore()
    const token = link.replace('https://pay.shop.example.com/checkout/', '')
    const opened = await openCheckoutLink(token, ['the LINK_SECRET of the worker, 32 characters or more'])
    expect(opened?.order).toMatchObject({ order_id: 'mugs-1001', amount: 100.5 })
  })

  it('compile in worker/on-event.ts when they are put there as it says', () => {
    const path = join(root, 'worker/on-event.ts')
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
    expect(lines.at(-1)).toMatch(/^export const onEvent\b/)
    const [first, ...rest] = ON_EVENT.split('\n')
    expect(first).toMatch(/^import type/)
    expect(compile(new Map([[path, [...lines.slice(0, -1), ...rest].join('\n')]]))).toEqual([])
  }, 60_000)

  it('have a queue when it is added as "Grow" says', () => {
    const text = /\*\*Much work per event\*\*([\s\S]*?)\n- /.exec(readme)?.[1] ?? ''
    const codes = [...text.matchAll(/`([^`]+)`/g)].map(([, code]) => code as string)
    const has = (part: string) => codes.find((code) => code.includes(part)) ?? ''
    const [send, member, from] = [has('.send('), has('QUEUE: '), has('@cloudflare/')]
    const envPath = join(root, 'worker/env.ts')
    const onEventPath = join(root, 'worker/on-event.ts')
    const env = readFileSync(envPath, 'utf8')
      .replace('export interface Env {', `export interface Env {\n  ${member}`)
      .replace(` } from '${from}'`, `, ${member.split(': ')[1]} } from '${from}'`)
    const lines = readFileSync(onEventPath, 'utf8').trimEnd().split('\n')
    const onEvent = `export const onEvent: OnEvent = async ({ id }, order, env) => {\n  ${send}\n}\n`
    const files = new Map([
      [envPath, env],
      [onEventPath, [...lines.slice(0, -1), onEvent].join('\n')],
    ])
    expect(compile(files)).toEqual([])
  }, 60_000)

  it('notify the shop once of an order that is paid, whatever comes late or again', async () => {
    const { onEvent } = (await load(ON_EVENT)) as { onEvent: OnEvent }
    const world = new World({ onEvent })
    const told: string[] = []
    vi.stubGlobal('fetch', async (_: string, init: RequestInit) => {
      told.push(`${new Headers(init.headers).get('idempotency-key')} ${init.body}`)
      return new Response()
    })
    try {
      await world.open(await world.link({ order_id: 'A-1' }))
      const paid = payment('A-1')
      await world.deliver(paid)
      await world.deliver({ ...paid, status: 'pending', status_code: '2122', processed_at: paid.created_at })
      await world.deliver(paid)
      await world.deliver(payment('A-2', { status: 'failure' }))
    } finally {
      vi.unstubAllGlobals()
    }
    expect(told).toEqual([expect.stringMatching(/^[\w-]{43} \{"order_id":"A-1","captured":10050\}$/)])
  })

  it('name the shop’s own order when the customer paid with a further attempt', async () => {
    const { onEvent } = (await load(ON_EVENT)) as { onEvent: OnEvent }
    const world = new World({ kind: 'strict', onEvent })
    const notified: unknown[] = []
    vi.stubGlobal('fetch', async (_: string, init: RequestInit) => {
      notified.push(JSON.parse(String(init.body)))
      return new Response()
    })
    try {
      const link = await world.link({ order_id: 'A-1' })
      await world.pay(await world.open(link), 'declined')
      await world.pay(await world.open(link))
      await world.untilHandled()
    } finally {
      vi.unstubAllGlobals()
    }
    expect(world.emulator.orders.list().map(({ order_id }) => order_id)).toEqual(['A-1', 'A-1~2'])
    expect(notified).toEqual([{ order_id: 'A-1', captured: 10050 }])
  })

  it('keep a paid order whose checkout is not visible yet, and authenticate themselves to the shop', async () => {
    const { onEvent } = (await load(ON_EVENT)) as { onEvent: OnEvent }
    const world = new World({ kind: 'strict', onEvent, env: { SHOP_TOKEN: 'token-of-the-shop' } })
    const told: (string | null)[] = []
    vi.stubGlobal('fetch', async (_: string, init: RequestInit) => {
      told.push(new Headers(init.headers).get('authorization'))
      return new Response()
    })
    try {
      await world.deliver(payment('A-1'))
      await world.advance(1_000)
      expect(told).toEqual([])
      // The link's record appears after the webhook.
      await world.get(await world.link({ order_id: 'A-1' }))
      expect((await world.order('A-1'))?.flags).toEqual([])
      await world.untilHandled()
    } finally {
      vi.unstubAllGlobals()
    }
    expect(told).toEqual(['Bearer token-of-the-shop'])
  })
})

/** What the compiler says of files of the worker, which need not be there as they are given. */
function compile(files: ReadonlyMap<string, string>): string[] {
  const { options } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(join(root, 'worker/tsconfig.json'), ts.sys.readFile).config,
    ts.sys,
    join(root, 'worker'),
  )
  const program = programOf(files, options)
  return [...files.keys()].flatMap((name) => complaintsOf(program, name))
}

describe('the worker’s files', () => {
  const files = readdirSync(join(root, 'worker'), { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  )

  it('agree with wrangler.toml: what `wrangler types` says is what env.ts says', () => {
    const path = join(folder, 'env.d.ts')
    const run = wrangler(
      'types',
      path,
      '--include-runtime',
      'false',
      '--strict-vars',
      'false',
      '--env-file',
      '.dev.vars.example',
    )
    expect([run.status, run.stderr]).toEqual([0, ''])
    const generated = /interface __BaseEnv_Env \{([\s\S]*?)\n\}/.exec(readFileSync(path, 'utf8'))?.[1] ?? ''
    const members = (text: string) =>
      [...text.matchAll(/^\s*([A-Z_]+\??): (\w+);?$/gm)].map(([, name, type]) => `${name}: ${type}`).sort()
    const env = readFileSync(join(root, 'worker/env.ts'), 'utf8')
    const ours = members(/interface Env \{([\s\S]*?)\n\}/.exec(env)?.[1] ?? '')
    // Optional, so that neither file sets them; the gate's class has a type of its own there.
    const optional = ['ADMIN_TOKEN', 'API_SECRET', 'LINK_SECRET'].map((name) => `${name}_PREVIOUS?: string`)
    const more = [...optional, 'SHOP_TOKEN?: string', 'CHAT_URL?: string', 'ORDER_GATE?: DurableObjectNamespace']
    expect(generated).toContain('ORDER_GATE: DurableObjectNamespace')
    expect([...members(generated).filter((member) => !member.startsWith('ORDER_GATE')), ...more].sort()).toEqual(ours)
  })

  it('agree with wrangler.toml in each environment, none of which inherits a binding', () => {
    const shapeOf = (env: string | undefined) => {
      const config = unstable_readConfig({ config: join(root, 'wrangler.toml'), env })
      const { vars, kv_namespaces, durable_objects, migrations, triggers, observability } = config
      const namespaces = kv_namespaces.map(({ binding }: { binding: string }) => binding)
      return { names: Object.keys(vars), namespaces, durable_objects, migrations, triggers, observability }
    }
    const local = shapeOf(undefined)
    expect(local.namespaces).toEqual(['STATE'])
    expect(local.durable_objects.bindings).toMatchObject([{ name: 'ORDER_GATE' }])
    for (const env of ['test', 'live']) expect([env, shapeOf(env)]).toEqual([env, local])
  })

  it.each(['test', 'live'])('are configured in the environment %s once its empty values are filled in', (env) => {
    const { vars } = unstable_readConfig({ config: join(root, 'wrangler.toml'), env })
    expect(vars.MODE).toBe(env)
    const given = { API_KEY: 'key', API_SECRET: 'secret', ENDPOINTS_KEY: 'key' }
    const secrets = { ...given, LINK_SECRET: 'l'.repeat(32), ADMIN_TOKEN: 'a'.repeat(32) }
    const state = { STATE: { get: () => {} } }
    const wrong = configurationProblems({ ...vars, ...secrets, ...state } as unknown as Env)
    expect(wrong.map(({ binding, problem }) => `${binding} ${problem}`).sort()).toEqual([
      'API_URL missing',
      'BASE_URL missing',
      'POS_ID missing',
    ])
    const filled = {
      BASE_URL: 'https://pay.example.com',
      API_URL: 'https://api.example.com',
      POS_ID: '3f1c2c1e-6a5c-4b8e-9d53-0a4c1c7d2b11',
    }
    expect(configurationProblems({ ...vars, ...secrets, ...state, ...filled } as unknown as Env)).toEqual([])
  })

  it('use web standards alone', () => {
    for (const file of files) {
      const text = readFileSync(join(root, 'worker', file), 'utf8')
      expect([file, /from 'node:|\bprocess\.|\bBuffer\b|\brequire\(/.test(text)]).toEqual([file, false])
      expect([file, text.split('\n').length <= 270]).toEqual([file, true])
    }
  })

  it('make a bundle of at most 68 kB, compressed', () => {
    const run = wrangler('deploy', '--dry-run', '--env', 'live', '--outdir', folder)
    expect([run.status, run.stderr]).toEqual([0, ''])
    const bundle = readFileSync(join(folder, 'index.js'))
    expect(statSync(join(folder, 'index.js')).size).toBeGreaterThan(10_000)
    expect(gzipSync(bundle).length).toBeLessThanOrEqual(68 * 1024)
  }, 60_000)

  it('have examples that compile', () => {
    const snippets = new Map<string, string>()
    for (const file of files) {
      const text = readFileSync(join(root, 'worker', file), 'utf8')
      for (const [comment] of text.matchAll(/\/\*\*[\s\S]*?\*\//g)) {
        const code = comment.replace(/\s*\*\/$/, '').split(/^\s*\* ?@example\b/m)[1]
        if (code === undefined) continue
        snippets.set(
          join(root, 'worker', dirname(file), `example-${snippets.size}.ts`),
          `${code.replace(/^\s*\* ?/gm, '')}\nexport {}\n`,
        )
      }
    }
    expect(snippets.size).toBeGreaterThanOrEqual(2)
    expect(compile(snippets)).toEqual([])
  }, 60_000)
})
