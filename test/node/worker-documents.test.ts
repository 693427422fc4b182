import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import ts from 'typescript'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { unstable_readConfig } from 'wrangler'
import { checkoutLinkId, openCheckoutLink } from '../../src/checkout-link/index.ts'
import { createEmulator } from '../../src/emulator/index.ts'
import { signWebhook } from '../../src/index.ts'
import { createApp } from '../../src/shop/app.ts'
import type { ShopEnv } from '../../src/shop/env.ts'
import type { OnEvent, Shop } from '../../src/shop/index.ts'
import { configurationProblems } from '../../src/shop/lib/configuration.ts'
import { at, payment } from '../worker/support/events.ts'
import { LINK_SECRET, ORDER, World } from '../worker/support/world.ts'
import { Document, quoted } from './support/document.ts'
import { complaintsOf, load, programOf } from './support/program.ts'
import { root } from './support/runtimes.ts'
import { blocks, examples } from './support/snippets.ts'

const readme = new Document('worker/README.md')
const reference = new Document('guides/shop-reference.md')
const textOf = (file: string) => readFileSync(join(root, file), 'utf8')
const folder = mkdtempSync(join(tmpdir(), 'edgetill-worker-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The members of an interface, or of a union of texts, in a file. */
function namesIn(file: string, declaration: string, name: RegExp): string[] {
  const text =
    textOf(file)
      .split(declaration)[1]
      ?.split(/\n\}|\n\n/)[0] ?? ''
  return [...text.matchAll(name)].map(([, found]) => found as string)
}

const wrangler = (...words: string[]) =>
  spawnSync(join(root, 'node_modules/.bin/wrangler'), words, {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, WRANGLER_SEND_METRICS: 'false', CLOUDFLARE_CF_FETCH_ENABLED: 'false', NO_COLOR: '1' },
  })

describe('"What is stored" of guides/shop-reference.md', () => {
  /** Everything that the worker ever writes, from a day in which everything happens: to KV, and to the gates. */
  async function written(): Promise<{ kv: World['kv']['writes']; rows: Set<string> }> {
    let fails = true
    const options = { onAlert: () => {}, env: { RETENTION_DAYS: '30' } }
    const world = new World({
      ...options,
      onEvent: () => {
        if (fails) throw new Error('not yet')
      },
    })
    const rows = new Set<string>()
    const look = () => {
      for (const key of world.gate.keys('')) rows.add(key)
    }
    const auth = await world.open(await world.link({ order_id: 'A-1', method: 'auth' }))
    await world.pay(auth)
    const event = payment('A-2')
    await world.deliver(event)
    await world.advance(2_000)
    look()
    fails = false
    await world.advance(2_000)
    const capture = () =>
      world.api('/api/orders/A-1/capture', {
        method: 'POST',
        headers: { 'idempotency-key': 'k' },
        body: '{"charge_amount":1}',
      })
    world.emulator.faults.next({ kind: 'reset', when: 'after_commit', on: 'capture-payment' })
    expect((await capture()).status).toBe(502)
    look()
    await world.advance(2_000)
    expect((await capture()).status).toBe(200)
    const link = await world.link({ order_id: 'A-3' }, undefined, { reference: 'cart-77' })
    await world.open(link)
    const revoked = `/api/links/${await checkoutLinkId(link, LINK_SECRET)}`
    expect((await world.api(revoked, { method: 'DELETE' })).status).toBe(200)
    await world.open(await world.link({ order_id: 'A-4' }))
    const post = (path: string, body: object) => world.api(path, { method: 'POST', body: JSON.stringify(body) })
    expect((await post('/api/links', { order: { ...ORDER, order_id: 'A-5' } })).status).toBe(201)
    expect((await post('/api/orders/A-2/attention/done', { kind: 'flag' })).status).toBe(200)
    expect((await world.api('/api/orders/A-4/cancel', { method: 'POST' })).status).toBe(200)
    await world.get(`${world.emulator.orders.get('A-3')?.payments[0]?.result_url}&look=9`)
    await world.idle()
    look()
    await world.advance(15 * 60_000)
    await world.cron()
    look()
    // Without RETENTION_DAYS a stray is kept permanently.
    const forever = new World({ onAlert: () => {} })
    expect((await forever.post(signWebhook('[]', forever.emulator.credentials.apiSecret).body)).status).toBe(200)
    for (const each of [world, forever]) await each.idle()
    return { kv: [...world.kv.writes, ...forever.kv.writes], rows }
  }

  const patternOf = (key: string) => new RegExp(`^${key.replaceAll(/<[^>]+>/g, '[^/]+')}$`)
  const [kvRows = [], gateRows = []] = [4, 2].map((cells) =>
    reference.rows('What is stored').filter((row) => row.length === cells),
  )

  it('names every key of KV with its metadata and its life, every row of a gate, and no other', async () => {
    const { kv, rows } = await written()
    const keys = kvRows.map(([key = '', , metadata = '', life = '']) => ({
      pattern: patternOf(quoted(key)[0] ?? ''),
      ...{ key, metadata, life },
    }))
    const lives: Record<string, number> = { '1 hour': 3_600 }
    for (const { key, deleted, metadata, ttl } of kv) {
      const found = keys.filter(({ pattern }) => pattern.test(key))
      expect([key, found.length]).toEqual([key, 1])
      const [row] = found
      expect([key, deleted]).toEqual([key, false])
      expect([key, row?.metadata === 'none']).toEqual([key, metadata === undefined || metadata === null])
      expect([key, ttl]).toEqual([key, lives[row?.life ?? '']])
    }
    expect(keys.filter(({ pattern }) => !kv.some(({ key }) => pattern.test(key))).map(({ key }) => key)).toEqual([])
    const own = gateRows.flatMap(([key = '']) => quoted(key))
    const none = (patterns: readonly string[], one: string) => !patterns.some((key) => patternOf(key).test(one))
    expect([...rows].filter((row) => none(own, row))).toEqual([])
    expect(own.filter((key) => ![...rows].some((row) => patternOf(key).test(row)))).toEqual([])
  })
})

describe('worker/README.md and guides/shop-reference.md', () => {
  it('list every route, and no other', () => {
    const documented = reference
      .rows('Routes')
      .flatMap(([cell = '']) => [...cell.matchAll(/`(\w+) ([^`?]+)/g)].map(([, verb, path]) => `${verb} ${path}`))
    const routes = createApp({ now: Date.now })
      .routes.filter(({ method }) => method !== 'ALL')
      // Each has a twin with a slash at its end.
      .map(({ method, path }) => `${method} ${path.replace(/\/$/, '')}`)
    // The result page takes the form post of some payment pages too.
    expect([...documented, 'POST /return/:order_id'].sort()).toEqual([...new Set(routes)].sort())
  })

  it('start with what edgetill init prints, and deploy in three commands', () => {
    const commands = (section: string) =>
      /```sh\n([\s\S]*?)```/.exec(readme.section(section))?.[1]?.trim().split('\n') ?? []
    expect(readme.text.indexOf('\n## Start\n')).toBe(readme.text.indexOf('\n## '))
    expect(commands('Start')).toEqual(['npx edgetill init my-shop', 'cd my-shop', 'npm install', 'npm run dev'])
    expect(commands('Deploy')).toHaveLength(3)
    expect(commands('Deploy').at(-1)).toBe('npm run deploy')
  })

  it('have at most 250 and 300 lines', () => {
    expect(readme.text.split('\n').length - 1).toBeLessThanOrEqual(250)
    expect(reference.text.split('\n').length - 1).toBeLessThanOrEqual(300)
  })

  it('name every file of the template', () => {
    const shown = readme.rows('Start').flatMap(([file = '']) => quoted(file))
    const files = readdirSync(join(root, 'worker')).filter((file) => file.endsWith('.ts'))
    expect(shown).toEqual(expect.arrayContaining(files.map((file) => `worker/${file}`)))
  })

  it('name every variable and secret, flag and alert', () => {
    const bindings = [
      ...namesIn('src/shop/env.ts', 'interface ShopEnv {', /^ {2}([A-Z_]+)\??:/gm),
      ...namesIn('worker/env.ts', 'interface Env extends ShopEnv {', /^ {2}([A-Z_]+)\??:/gm),
    ]
    expect(bindings.length).toBeGreaterThan(20)
    const first = (title: string) => reference.rows(title).flatMap(([cell = '']) => quoted(cell))
    expect(first('Variables').toSorted()).toEqual(bindings.toSorted())
    expect(first('An order')).toEqual(namesIn('src/orders/order.ts', 'type OrderFlag =', /'(\w+)'/g))
    expect(first('Alerts')).toEqual(namesIn('src/shop/options.ts', 'type AlertKind =', /^ {2}\| '(\w+)'/gm))
  })

  it('show an order as it is', async () => {
    const world = new World()
    await world.open(await world.link({ order_id: 'A-1' }, undefined, { reference: 'cart-77' }))
    await world.deliver(payment('A-1'))
    const shown = JSON.parse(blocks(reference.file, 'json')[0]?.code ?? '')
    const order = await world.order('A-1')
    expect(Object.keys(shown)).toEqual(Object.keys(order ?? {}))
    expect(Object.keys(shown.operations[0])).toEqual(Object.keys(order?.operations[0] ?? {}))
    expect(Object.keys(shown.totals)).toEqual(Object.keys(order?.totals ?? {}))
  })
})

describe('the programs of worker/README.md', () => {
  const LINK = readme.program('Sell something')
  const ON_EVENT = readme.program('Your code')
  const PAGES = readme.program('What customers see')

  it('are all tested here', () => {
    expect([...readme.untested(), ...reference.untested()]).toEqual([])
  })

  it('run with the settings of "Run it on your machine": those of the emulator, and nothing is missing', () => {
    const [file = ''] = blocks(readme.file, 'text').map(({ code }) => code)
    const local = Object.fromEntries([...file.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]))
    const { vars } = unstable_readConfig({ config: join(root, 'wrangler.toml') })
    const env = { ...vars, ...local, ...STATE } as unknown as ShopEnv
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

  it('make a link that opens', async () => {
    const logged = vi.spyOn(console, 'log').mockImplementation(() => {})
    await load(LINK)
    const [[link]] = logged.mock.calls as [[string]]
    logged.mockRestore()
    const token = link.replace('https://pay.shop.example.com/checkout/', '')
    const opened = await openCheckoutLink(token, ['the LINK_SECRET of the worker, 32 characters or more'])
    expect(opened?.order).toMatchObject({ order_id: 'mugs-1001', amount: 100.5 })
  })

  it('change what customers see', async () => {
    const { shop } = (await load(PAGES)) as { shop: Shop }
    const request = new Request('https://pay.shop.example.com/checkout/x', { headers: { 'accept-language': 'pl' } })
    const context = { waitUntil() {}, passThroughOnException() {}, props: {} }
    const page = await (await shop.fetch(request, new World().env(), context)).text()
    for (const text of ['lang="pl"', '/logo.svg', '#7a3e9d', '+380 44 123 45 67', 'Georgia'])
      expect(page).toContain(text)
  })

  it('are the same onEvent and onAlert in every place', () => {
    const code = (file: string, name: string) =>
      examples(file).flatMap((one) => one.code.split(/^(?=export const )/m).filter((part) => part.includes(name)))[0]
    const onEvent = ON_EVENT.slice(ON_EVENT.indexOf('export const'))
    for (const file of ['worker/on-event.ts', 'src/shop/options.ts']) {
      expect([file, code(file, 'const onEvent')?.trim()]).toEqual([file, onEvent.trim()])
    }
    expect(code('worker/on-alert.ts', 'const onAlert')).toBe(code('src/shop/options.ts', 'const onAlert'))
  })

  it.each(['event', 'alert'])(
    'compile in worker/on-%s.ts in place of its last line',
    (name) => {
      const path = join(root, `worker/on-${name}.ts`)
      const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
      expect(lines.at(-1)).toMatch(/^export const on\w+: .* = undefined$/)
      const [{ code } = { code: '' }] = examples(`worker/on-${name}.ts`)
      expect(compile(new Map([[path, [...lines.slice(0, -1), code].join('\n')]]))).toEqual([])
    },
    60_000,
  )

  it('have a queue when it is added as "Much work per event" says', () => {
    const text = /\*\*Much work per event\*\*([\s\S]*?)\n- /.exec(readme.text)?.[1] ?? ''
    const has = (part: string) => quoted(text).find((code) => code.includes(part)) ?? ''
    const env = textOf('worker/env.ts').replace(/(interface Env extends ShopEnv \{)/, `$1\n  ${has('QUEUE: ')}`)
    const lines = textOf('worker/on-event.ts').trimEnd().split('\n').slice(0, -1)
    const onEvent = `export const onEvent: OnEvent<Env> = async ({ id }, order, env) => {\n  ${has('.send(')}\n}\n`
    const files = new Map([
      [join(root, 'worker/env.ts'), `${has('@cloudflare/')}\n${env}`],
      [join(root, 'worker/on-event.ts'), [...lines, onEvent].join('\n')],
    ])
    expect(compile(files)).toEqual([])
  }, 60_000)

  /** Runs `act` over a worker with the example, and returns what the shop's server received. */
  async function received(act: (world: World) => Promise<void>, statuses: number[] = []): Promise<RequestInit[]> {
    const { onEvent } = (await load(ON_EVENT)) as { onEvent: OnEvent }
    const world = new World({ onEvent, env: { SHOP_TOKEN: 'token-of-the-shop' } as object })
    const requests: RequestInit[] = []
    vi.stubGlobal('fetch', async (_: string, init: RequestInit) => {
      requests.push(init)
      return new Response(null, { status: statuses.shift() ?? 200 })
    })
    try {
      await act(world)
    } finally {
      vi.unstubAllGlobals()
    }
    return requests
  }

  it('notify the shop once of an order that is paid, whatever comes late or again, and authenticate themselves', async () => {
    const [request, ...more] = await received(async (world) => {
      await world.open(await world.link({ order_id: 'A-1' }))
      const paid = payment('A-1')
      // A second try at paying is flagged `paid_after_failure`, which keeps no order back.
      const first = { payment_id: crypto.randomUUID(), status: 'failure', created_at: at(-9), processed_at: at(-8) }
      await world.deliver({ ...paid, ...first })
      await world.deliver(paid)
      await world.deliver({ ...paid, status: 'pending', status_code: '2122', processed_at: paid.created_at })
      await world.deliver(paid)
      await world.deliver(payment('A-2', { status: 'failure' }))
      await world.advance(2_000)
    })
    expect(more).toEqual([])
    expect(request?.body).toBe('{"order_id":"A-1","captured":10050}')
    const headers = new Headers(request?.headers)
    expect(headers.get('authorization')).toBe('Bearer token-of-the-shop')
    expect(headers.get('idempotency-key')).toMatch(/^[\w-]{43}$/)
  })

  it('name the shop’s own order when the customer paid with a further attempt', async () => {
    const requests = await received(async (world) => {
      const link = await world.link({ order_id: 'A-1' })
      await world.pay(await world.open(link), 'declined')
      await world.pay(await world.open(link))
      await world.untilHandled()
      expect(world.emulator.orders.list().map(({ order_id }) => order_id)).toEqual(['A-1', 'A-1~2'])
    })
    expect(requests.map(({ body }) => body)).toEqual(['{"order_id":"A-1","captured":10050}'])
  })

  it('keep a paid order while the shop’s server responds 500, and show it as failing', async () => {
    const failing = async (world: World) =>
      ((await (await world.api('/api/events?failing=true')).json()) as { events: object[] }).events
    const requests = await received(
      async (world) => {
        await world.open(await world.link({ order_id: 'A-1' }))
        await world.deliver(payment('A-1'))
        await world.advance(100)
        expect(await failing(world)).toMatchObject([{ order_id: 'A-1', error: 'Error: the shop responded with 500' }])
        await world.untilHandled()
        expect(await failing(world)).toEqual([])
      },
      [500, 500],
    )
    expect(requests).toHaveLength(3)
  })

  it('keep a paid order whose checkout is not visible yet', async () => {
    const requests = await received(async (world) => {
      await world.deliver(payment('A-1'))
      await world.advance(1_000)
      expect((await world.order('A-1'))?.flags).toEqual(['unknown_order'])
      // The link's record appears after the webhook.
      await world.get(await world.link({ order_id: 'A-1' }))
      await world.untilHandled()
    })
    expect(requests).toHaveLength(1)
  })
})

/** Bindings that look right. */
const STATE = { STATE: { get() {} }, ORDER_GATE: { get() {}, idFromName() {} } }

/** What the compiler says of files of the worker, which need not be there as they are given. */
function compile(files: ReadonlyMap<string, string>): string[] {
  const { options } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(join(root, 'worker/tsconfig.json'), ts.sys.readFile).config,
    ts.sys,
    join(root, 'worker'),
  )
  // A shop has the package installed.
  const paths = { ...options.paths, edgetill: [join(root, 'src/index.ts')] }
  const program = programOf(files, { ...options, paths })
  return [...files.keys()].flatMap((name) => complaintsOf(program, name))
}

describe('the template’s files', () => {
  it('agree with wrangler.toml: what `wrangler types` says is what ShopEnv says', () => {
    const path = join(folder, 'env.d.ts')
    const more = ['--include-runtime', 'false', '--strict-vars', 'false', '--env-file', '.dev.vars.example']
    const run = wrangler('types', path, ...more)
    expect([run.status, run.stderr]).toEqual([0, ''])
    const generated = /interface __BaseEnv_Env \{([\s\S]*?)\n\}/.exec(readFileSync(path, 'utf8'))?.[1] ?? ''
    const required = [...generated.matchAll(/^\s*([A-Z_]+\??):/gm)].map(([, name]) => name)
    const ours = namesIn('src/shop/env.ts', 'interface ShopEnv {', /^ {2}([A-Z_]+\??):/gm)
    expect(required.toSorted()).toEqual(ours.filter((name) => !name.endsWith('?')).toSorted())
    expect(ours.filter((name) => name.endsWith('?'))).toHaveLength(3)
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
    const secrets = { ...given, LINK_SECRET: 'l'.repeat(32), ADMIN_TOKEN: 'a'.repeat(32), ...STATE }
    const wrong = configurationProblems({ ...vars, ...secrets } as unknown as ShopEnv)
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
    expect(configurationProblems({ ...vars, ...secrets, ...filled } as unknown as ShopEnv)).toEqual([])
  })

  it('make a bundle of at most 120 kB, compressed, its console included', () => {
    const run = wrangler('deploy', '--dry-run', '--env', 'live', '--outdir', folder)
    expect([run.status, run.stderr]).toEqual([0, ''])
    const bundle = readFileSync(join(folder, 'index.js'))
    expect(statSync(join(folder, 'index.js')).size).toBeGreaterThan(10_000)
    expect(gzipSync(bundle).length).toBeLessThanOrEqual(120 * 1024)
  }, 60_000)
})
