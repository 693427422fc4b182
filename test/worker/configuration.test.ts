import { describe, expect, it } from 'vitest'
import { checkoutLinkId } from '../../src/checkout-link/index.ts'
import { createClient, signWebhook } from '../../src/index.ts'
import { clientConfig, type ShopEnv as Env } from '../../src/shop/env.ts'
import { payment as paid } from './support/events.ts'
import { ADMIN_TOKEN, LINK_SECRET, log, newOrderId, ORIGIN, World, type WorldOptions } from './support/world.ts'

const SECRETS = ['API_KEY', 'API_SECRET', 'ENDPOINTS_KEY', 'LINK_SECRET', 'ADMIN_TOKEN'] as const

/** A configuration that could be a live shop's. */
const REAL = {
  BASE_URL: 'https://pay.example.com',
  API_URL: 'https://api.example.com/balances',
  POS_ID: '3f1c2c1e-6a5c-4b8e-9d53-0a4c1c7d2b11',
  API_KEY: 'key',
  API_SECRET: 'secret',
  ENDPOINTS_KEY: 'endpoints',
}

/** The bindings that `/health` names to the bearer of the admin token. */
async function problemsOf(world: World): Promise<string[]> {
  const { problems } = (await (await world.api('/health')).json()) as { problems: { binding: string }[] }
  return problems.map(({ binding }) => binding)
}

/** No answer holds a value of the configuration. */
function expectNoSecret(world: World, text: string): void {
  const env = world.env()
  for (const name of SECRETS) if (env[name]) expect(text).not.toContain(env[name].trim())
}

const gateOf = (fetch: () => Promise<Response>) =>
  ({ idFromName: (name: string) => name, get: () => ({ fetch }) }) as Env['ORDER_GATE']

describe('configuration', () => {
  const create = (options: WorldOptions = {}) => new World(options)

  it('is healthy when everything is there', async () => {
    const response = await create().get('/health')
    expect([response.status, await response.json()]).toEqual([200, { status: 'ok' }])
  })

  it.each([...SECRETS, 'BASE_URL', 'POS_ID', 'API_URL'] as const)(
    'names a missing %s, without any value',
    async (name) => {
      for (const value of ['', ` ${create().env()[name]}\n`]) {
        const world = create({ env: { [name]: value } })
        const from = log.length
        const health = await world.get('/health')
        expect([health.status, await health.json()]).toEqual([503, { status: 'misconfigured' }])
        expect(JSON.stringify(log.slice(from))).toContain(`${name}: `)
        if (name !== 'ADMIN_TOKEN') expect(await problemsOf(world)).toEqual([name])
        const { body } = signWebhook({}, 'some secret')
        const answers = await Promise.all([
          world.post(body),
          world.get('/checkout/token'),
          world.api('/api/orders/A-1'),
          world.api('/api/balances'),
        ])
        const texts = await Promise.all(answers.map((answer) => answer.text()))
        for (const text of texts) expectNoSecret(world, text)
        expect(answers.map(({ status }, i) => status === 500 && texts[i]?.includes(name))).toContain(true)
      }
    },
  )

  it.each([
    ['STATE', undefined],
    ...[undefined, null, '', 'gate', 1, {}].map((value) => ['ORDER_GATE', value] as const),
  ] as const)('names a namespace that is none, in each route that needs it: %s = %j', async (name, value) => {
    const world = create({ failures: 0 })
    const link = await world.link({ order_id: 'A-1' })
    await world.open(link)
    const result = `${world.emulator.orders.get('A-1')?.payments[0]?.result_url}`
    world.options.env = { [name]: value }
    const from = log.length
    expect(await (await world.get('/health')).json()).toEqual({ status: 'misconfigured' })
    expect([(await world.api('/health')).status, await problemsOf(world)]).toEqual([503, [name]])
    const pages = [await world.get(link), await world.get(result), await world.post('data=a&signature=b')]
    for (const page of pages) expect([page.status, await page.text()]).toEqual([500, expect.stringContaining(name)])
    const order = '/api/orders/A-1'
    const posts = ['capture', 'refund', 'void', 'cancel', 'resend', 'attempts/x/settle'].map(
      (path) => `${order}/${path}`,
    )
    for (const [method, paths] of [
      ['GET', [order, '/api/events?failing=true']],
      ['POST', [...posts, '/api/events/x/replay']],
      ['DELETE', [`${order}/personal-data`, `/api/links/${await checkoutLinkId(link, LINK_SECRET)}`]],
    ] as const) {
      for (const path of paths) {
        const headers = { 'idempotency-key': 'k' }
        const response = await world.api(path, { method, headers, ...(method === 'POST' && { body: '{}' }) })
        const { code, missing } = (await response.json()) as Record<string, unknown>
        expect([path, response.status, code, missing]).toEqual([path, 500, 'config', [name]])
      }
    }
    expect(String(log.slice(from).at(-1)?.[0])).toContain(`"misconfigured":["${name}: m`)
    const before = log.length
    await world.cron()
    expect(String(log[before]?.[0])).toContain(`"misconfigured":["${name}: m`)
  })

  it.each([
    ['responds with something else', async () => Response.json({ value: 'pong' })],
    ['responds with no JSON', async () => new Response('ok')],
    ['throws', () => Promise.reject(new Error('no such method'))],
  ])('finds an ORDER_GATE of another class, which %s, for the bearer of the token alone', async (_, fetch) => {
    const world = create({ env: { ORDER_GATE: gateOf(fetch) } })
    expect((await world.get('/health')).status).toBe(200)
    const from = log.length
    expect([(await world.api('/health')).status, await problemsOf(world)]).toEqual([503, ['ORDER_GATE']])
    expect(log.slice(from).flat().join('\n')).toContain('ORDER_GATE')
  })

  it('receives webhooks although something that they do not need is missing', async () => {
    const world = create({ env: { ADMIN_TOKEN: '', LINK_SECRET: '', BASE_URL: '' } })
    await world.deliver({ order_id: 'A-1', method: 'x' })
    expect(await world.keys('event/')).toHaveLength(1)
  })

  it('names a setting that cannot work to a customer too, and a previous secret with white space around it', async () => {
    const world = create({ failures: 0, env: { POS_ID: 'x' } })
    const opened = await world.get(await world.link({ order_id: 'A-1' }))
    expect([opened.status, await opened.text()]).toEqual([
      500,
      expect.stringMatching(/<main>.*could not be opened.*POS_ID/s),
    ])
    const padded = create({ env: { API_SECRET_PREVIOUS: 'old ' } })
    const response = await padded.post('data=a&signature=b')
    expect([response.status, await response.text()]).toEqual([500, expect.stringContaining('API_SECRET_PREVIOUS')])
  })

  it.each([
    [{ SENDER_CHECK: 'Enforce' }, 'SENDER_CHECK'],
    [{ SENDER_IP: '35.187.74 .148' }, 'SENDER_IP'],
    [{ POS_ID: '00000000-0000-4000-8000-000000000000' }, 'POS_ID'],
    [{ BASE_URL: 'https://pay.example.com/api/v1' }, 'BASE_URL'],
    [{ BASE_URL: 'http://127.0.0.1:4010' }, 'BASE_URL'],
    [{ AUTHENTICATION: 'Plain' }, 'AUTHENTICATION'],
    [{ API_SECRET_PREVIOUS: 'old\n' }, 'API_SECRET_PREVIOUS'],
    [{ LINK_SECRET: 'x'.repeat(31) }, 'LINK_SECRET'],
    [{ LINK_SECRET_PREVIOUS: 'x' }, 'LINK_SECRET_PREVIOUS'],
    [{ PUBLIC_ORIGIN: 'https://pay.example.com/path' }, 'PUBLIC_ORIGIN'],
    [{ RETENTION_DAYS: '1.5' }, 'RETENTION_DAYS'],
    [{ KEEP_CARD_TOKEN: 'maybe' }, 'KEEP_CARD_TOKEN'],
    [{ MODE: 'Live' }, 'MODE'],
    [{ ALLOW_INSECURE_HTTP: 'perhaps' }, 'ALLOW_INSECURE_HTTP'],
    [{ BASE_URL: 'ftp://pay.example.com', ALLOW_INSECURE_HTTP: 'true' }, 'BASE_URL'],
    [{ ADMIN_TOKEN_PREVIOUS: 'x' }, 'ADMIN_TOKEN_PREVIOUS'],
    [{ ADMIN_TOKEN_PREVIOUS: 'é'.repeat(32) }, 'ADMIN_TOKEN_PREVIOUS'],
    [{ API_KEY: 'key:secret' }, 'API_KEY'],
    [{ API_KEY: 'the key' }, 'API_KEY'],
    [{ API_SECRET: 'the secret' }, 'API_SECRET'],
    [{ ENDPOINTS_KEY: 'ключ' }, 'ENDPOINTS_KEY'],
    [{ API_URL: 'https://pay.example.com/api/v1/' }, 'API_URL'],
    [{ API_URL: 'https://user@pay.example.com' }, 'API_URL'],
    [{ BASE_URL: 'https://user:word@pay.example.com' }, 'BASE_URL'],
    [{ BASE_URL: 'https://pay.example.com:99999' }, 'BASE_URL'],
    [{ PUBLIC_ORIGIN: 'https://pay.example.com:port' }, 'PUBLIC_ORIGIN'],
    [{ PUBLIC_ORIGIN: 'https://user@pay.example.com' }, 'PUBLIC_ORIGIN'],
  ])('names a setting that cannot work in /health: %j', async (env, name) => {
    const world = create({ env })
    const from = log.length
    expect((await world.get('/health')).status).toBe(503)
    expect(await problemsOf(world)).toEqual([name])
    const [value = ''] = Object.values(env)
    expect(JSON.stringify(log.slice(from))).not.toContain(JSON.stringify(value.padEnd(8)).slice(1, -1))
  })

  it.each(['x'.repeat(31), `${'x'.repeat(32)} y`])('rejects the admin token %j everywhere', async (token) => {
    const world = create({ env: { ADMIN_TOKEN: token } })
    expect((await world.get('/health')).status).toBe(503)
    expect((await world.api('/api/orders', { headers: { authorization: `Bearer ${token}` } })).status).toBe(500)
  })

  it('is checked as the SDK checks it: what no call could use is not healthy', async () => {
    const values = [
      '',
      'a b',
      'a:b',
      'é',
      'a\tb',
      'x\n',
      'https://[::1',
      'https://a/api/v1',
      'https://a.example',
      'svc',
    ]
    for (const name of ['BASE_URL', 'API_URL', 'POS_ID', 'API_KEY', 'API_SECRET', 'ENDPOINTS_KEY', 'SCHEME'] as const) {
      for (const value of values) {
        const world = create({ env: { [name]: value } })
        let isUsable = true
        try {
          createClient(clientConfig(world.env(), undefined))
        } catch {
          isUsable = false
        }
        const { status } = await world.get('/health')
        if (!isUsable) expect([name, value, status]).toEqual([name, value, 503])
      }
    }
  })

  it('accepts the previous secrets while they are being replaced', async () => {
    const old = create({ env: { LINK_SECRET: 'an-old-link-secret-of-32-characters!' } })
    const link = await old.link({ order_id: 'A-1' })
    const world = create({
      failures: 0,
      env: { LINK_SECRET_PREVIOUS: 'an-old-link-secret-of-32-characters!', ADMIN_TOKEN_PREVIOUS: 'o'.repeat(32) },
    })
    expect((await world.get(link)).status).toBe(303)
    const response = await world.api('/api/orders', { headers: { authorization: `Bearer ${'o'.repeat(32)}` } })
    expect(response.status).toBe(200)
  })

  it('opens with the previous secret what was made with it: the result page and the webhook’s address too', async () => {
    const previous = 'an-old-link-secret-of-32-characters!'
    const bodies: { result_url: string; server_url: string }[] = []
    const spy = (async (_: string, init: RequestInit) => {
      bodies.push(await new Response(init.body).json())
      return new Response(null, { status: 303, headers: { location: '/api/v1/checkout/x/form' } })
    }) as unknown as typeof fetch
    const old = create({ failures: 0, env: { LINK_SECRET: previous }, fetch: spy })
    await old.open(await old.link({ order_id: 'A-1' }))
    const [sent] = bodies
    const world = create({ failures: 0, env: { LINK_SECRET_PREVIOUS: previous } })
    const forgotten = create({ failures: 0 })
    const pageOf = async (at: World) => (await at.get(`${sent?.result_url}`)).text()
    expect(await pageOf(world)).toContain('Your payment is being confirmed')
    expect(await pageOf(forgotten)).not.toContain('Your payment is being confirmed')
    // Nothing was opened here: what was asked for comes from the address alone.
    const { body } = signWebhook(paid('A-1', { amount: 1 }), world.emulator.credentials.apiSecret)
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const flagsAt = async (at: World) => {
      await at.fetch(new Request(`${sent?.server_url}`, { method: 'POST', body, headers }))
      return (await at.order('A-1'))?.flags
    }
    expect(await flagsAt(world)).toEqual(['amount_mismatch'])
    expect(await flagsAt(forgotten)).toEqual(['unknown_order'])
  })

  it('makes new links with the new secret alone', async () => {
    const previous = 'an-old-link-secret-of-32-characters!'
    const world = create({ failures: 0, env: { LINK_SECRET_PREVIOUS: previous } })
    await world.open(await world.link({ order_id: 'A-1' }))
    const address = world.emulator.orders.get('A-1')?.payments[0]?.result_url
    const afterwards = create({ failures: 0 })
    expect(await (await afterwards.get(`${address}`)).text()).toContain('Your payment is being confirmed')
  })

  it.each(['', 'live'])('says nothing of a mode on the pages and in /health when MODE is %j', async (MODE) => {
    const world = create({ env: { ...REAL, MODE } })
    expect(await (await world.get('/health')).json()).toEqual({ status: 'ok' })
    for (const path of ['/checkout/x', '/return/A-1']) {
      expect(await (await world.get(path)).text()).not.toMatch(/test mode/i)
    }
  })

  it('says on every page and in /health that no money moves when MODE is test', async () => {
    const world = create({ failures: 0, env: { MODE: 'test' } })
    expect(await (await world.get('/health')).json()).toEqual({ status: 'ok', mode: 'test' })
    await world.open(await world.link({ order_id: 'A-1' }))
    const result = world.emulator.orders.get('A-1')?.payments[0]?.result_url
    const expired = await world.link({ order_id: 'A-2' })
    const pages = ['/checkout/x', '/return/A-1', `${result}`]
    for (const page of pages) expect(await (await world.get(page)).text()).toContain('Test mode: no money moves.')
    world.time += 25 * 3_600_000
    expect(await (await world.get(expired)).text()).toContain('Test mode: no money moves.')
    const wrong = create({ env: { MODE: 'test', SCHEME: 'two words' } })
    expect(await (await wrong.get('/health')).json()).toEqual({ status: 'misconfigured', mode: 'test' })
  })

  it.each([
    [{ BASE_URL: 'http://127.0.0.1:4010' }, 'BASE_URL'],
    [{ API_URL: 'http://127.0.0.1:4010/balances-api' }, 'API_URL'],
    [{ PUBLIC_ORIGIN: 'http://pay.shop.example.com' }, 'PUBLIC_ORIGIN'],
    [{ ALLOW_INSECURE_HTTP: 'true' }, 'ALLOW_INSECURE_HTTP'],
    [{ POS_ID: 'ed9e7111-0000-4000-8000-000000000001' }, 'POS_ID'],
    [{ POS_ID: '00000000-0000-4000-8000-000000000000' }, 'POS_ID'],
    [{ API_KEY: 'emulator-api-key' }, 'API_KEY'],
    [{ API_SECRET: 'emulator-api-secret' }, 'API_SECRET'],
    [{ API_SECRET_PREVIOUS: 'emulator-api-secret' }, 'API_SECRET_PREVIOUS'],
    [{ ENDPOINTS_KEY: 'emulator-endpoints-key' }, 'ENDPOINTS_KEY'],
    [{ LINK_SECRET: 'local-link-secret-of-at-least-32-characters' }, 'LINK_SECRET'],
    [{ ADMIN_TOKEN_PREVIOUS: 'local-admin-token-of-at-least-32-characters' }, 'ADMIN_TOKEN_PREVIOUS'],
  ])('does not take for live what belongs to a test: %j', async (env, name) => {
    const world = create({ env: { ...REAL, MODE: 'live', ...env } })
    expect(await (await world.get('/health')).json()).toEqual({ status: 'misconfigured' })
    expect(new Set(await problemsOf(world))).toEqual(new Set([name]))
  })

  it('rejects a webhook that anybody could have signed with the emulator’s secret when MODE is live', async () => {
    const world = create({ env: { ...REAL, MODE: 'live', API_SECRET: 'emulator-api-secret' } })
    const { body } = signWebhook(paid('A-1'), 'emulator-api-secret')
    expect((await world.post(body)).status).toBe(500)
    expect(await world.keys('event/')).toEqual([])
  })

  it('sends credentials over http beyond loopback only with ALLOW_INSECURE_HTTP', async () => {
    const asked: string[] = []
    const spy = (async (url: string) => {
      asked.push(url)
      return Response.json({ data: [] })
    }) as unknown as typeof fetch
    const urls = { BASE_URL: 'http://emulator:4010', API_URL: 'http://emulator:4010/balances-api' }
    const rejected = await create({ fetch: spy, env: urls }).api('/api/balances')
    expect([rejected.status, asked]).toEqual([500, []])
    const allowed = create({ fetch: spy, env: { ...urls, ALLOW_INSECURE_HTTP: 'true' } })
    expect(await problemsOf(allowed).catch(() => 'none')).toBe('none')
    await allowed.api('/api/balances')
    expect(asked).toEqual([expect.stringMatching(/^http:\/\/emulator:4010\/balances-api\//)])
  })

  it('uses the plain scheme on every call when AUTHENTICATION says so', async () => {
    const headers: string[] = []
    const spy = (async (_: string, init: RequestInit) => {
      headers.push(new Headers(init.headers).get('x-api-auth') ?? '')
      return new Response(null, { status: 303, headers: { location: '/api/v1/checkout/x/form' } })
    }) as unknown as typeof fetch
    const plain = create({ fetch: spy, env: { AUTHENTICATION: 'plain', SCHEME: 'PAY' } })
    await plain.open(await plain.link({ order_id: 'A-1' }))
    const documented = create({ fetch: spy })
    await documented.open(await documented.link({ order_id: 'A-1' }))
    expect(headers).toEqual(['PAY emulator-api-key:emulator-api-secret', expect.stringMatching(/^SVC-HMAC-SHA1 /)])
  })
})

describe('every answer', () => {
  it('has the security headers, and an unknown path a 404', async () => {
    const world = new World()
    const link = await world.link({ order_id: 'A-1' })
    for (const path of ['/', '/health', '/webhooks', '/checkout/x', link, '/return/A-1', '/api/orders', '/console']) {
      const { headers } = await world.get(path)
      expect([
        path,
        headers.get('cache-control'),
        headers.get('referrer-policy'),
        headers.get('x-content-type-options'),
        headers.get('strict-transport-security'),
      ]).toEqual([path, 'no-store', 'no-referrer', 'nosniff', 'max-age=31536000'])
    }
    expect((await world.get('/')).status).toBe(404)
    expect(
      (
        await world.fetch(new Request(`${ORIGIN}/api/nothing`, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } }))
      ).headers.get('content-type'),
    ).toBe('application/problem+json')
  })
})

describe('a response of 500 and above', () => {
  const replied =
    (status: number, body = '{}') =>
    () =>
      Promise.resolve(new Response(body, { status }))
  const refused = Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNREFUSED' } })
  const service = (intercept: World['intercept']) => (world: World) => {
    world.intercept = intercept
  }
  const settings = (env: Partial<Env>) => (world: World) => {
    world.options.env = env
  }
  const kvIsDown = (world: World) => {
    world.kv.before = () => {
      throw new Error('KV failed: 500')
    }
  }
  const CALLS = ['checkout', 'capture', 'refund', 'void', 'cancel', 'resend', 'balances']
  const STORED = ['webhook', 'checkout', 'result', 'order', 'capture', 'settle', 'erase', 'replay', 'revoke']
  const LISTED = ['orders', 'events', 'replay']
  const ADMIN = ['order', 'capture', 'erase', 'events', 'replay', 'revoke', 'balances', 'strays']
  /** What goes wrong, and which of the requests below lead to such a response, at least. */
  const TROUBLES: Record<string, [happens: (world: World) => void, requests: string[]]> = {
    'the service responds 500': [service(replied(500)), CALLS],
    'the service responds in an unknown form': [service(replied(200, '"x"')), CALLS],
    'the service cannot be reached': [service(() => Promise.reject(refused)), CALLS],
    'KV fails': [kvIsDown, ['webhook', 'stray', 'event', 'erase', 'strays']],
    'a credential is missing': [settings({ API_SECRET: '' }), [...CALLS, 'webhook']],
    'the namespace is missing': [settings({ STATE: undefined as never }), STORED],
    'the admin token is missing': [settings({ ADMIN_TOKEN: '' }), ADMIN],
    'onEvent fails': [() => {}, ['replay']],
    'the storage of the gate fails': [
      ({ gate }) => {
        gate.before = () => {
          throw new Error('failed')
        }
      },
      [...STORED, ...LISTED],
    ],
    'the shop’s objects fail': [
      (world) => {
        const gates = world.env().ORDER_GATE
        const get = (name: string) =>
          name.startsWith('shop') ? { fetch: () => Promise.reject(new Error('reset')) } : gates.get(name as never)
        world.options.env = { ORDER_GATE: { ...gates, get } as Env['ORDER_GATE'] }
      },
      LISTED,
    ],
    'the gate fails': [
      settings({ ORDER_GATE: gateOf(() => Promise.reject(new Error('The object was reset.'))) }),
      STORED,
    ],
    'ORDER_GATE is missing': [settings({ ORDER_GATE: undefined as never }), STORED],
  }
  const init = (method: string, body?: object) => ({
    method,
    headers: { 'idempotency-key': 'k' },
    ...(body && { body: JSON.stringify(body) }),
  })
  // No other test's orders: a worker that died there logs something in the end.
  const [ID, OPENED] = [newOrderId('failing'), newOrderId('failing')]
  /** Every route that does something. Of an order that is paid, whose first event `onEvent` has failed on. */
  const REQUESTS: Record<string, (world: World) => Promise<Response>> = {
    webhook: (world) => world.post(signWebhook(paid(ID), world.emulator.credentials.apiSecret).body),
    stray: (world) => world.post(signWebhook('[]', world.emulator.credentials.apiSecret).body),
    checkout: async (world) => world.get(await linkOf(world, OPENED)),
    result: (world) => world.get(String(world.emulator.orders.get(ID)?.payments[0]?.result_url)),
    health: (world) => world.get('/health'),
    orders: (world) => world.api('/api/orders'),
    order: (world) => world.api(`/api/orders/${ID}`),
    event: (world) => world.api(`/api/orders/${ID}/events/x`),
    capture: (world) => world.api(`/api/orders/${ID}/capture`, init('POST', { charge_amount: 1 })),
    refund: (world) => world.api(`/api/orders/${ID}/refund`, init('POST', { refund_amount: 1 })),
    void: (world) => world.api(`/api/orders/${ID}/void`, init('POST', {})),
    settle: (world) => world.api(`/api/orders/${ID}/attempts/x/settle`, init('POST', { executed: true })),
    cancel: (world) => world.api(`/api/orders/${ID}/cancel`, init('POST')),
    resend: (world) => world.api(`/api/orders/${ID}/resend`, init('POST', { operation: 'auth' })),
    erase: (world) => world.api(`/api/orders/${ID}/personal-data`, init('DELETE')),
    events: (world) => world.api('/api/events?failing=true'),
    replay: async (world) => world.api(`/api/events/${eventOf.get(world)}/replay`, init('POST')),
    revoke: async (world) =>
      world.api(`/api/links/${await checkoutLinkId(await linkOf(world, OPENED), LINK_SECRET)}`, init('DELETE')),
    balances: (world) => world.api('/api/balances'),
    strays: (world) => world.api('/api/strays'),
  }
  const linesSince = (from: number) =>
    log.slice(from).map(([line]) => JSON.parse(String(line)) as { kind: string; order_id?: string | null })
  const links = new WeakMap<World, Promise<string>>()
  const eventOf = new WeakMap<World, string>()
  const linkOf = async (world: World, order_id: string): Promise<string> =>
    (await links.get(world)) ?? world.link({ order_id })

  async function prepared(): Promise<World> {
    const world: World = new World({
      onEvent: () => {
        throw new Error('the shop is down')
      },
    })
    links.set(world, world.link({ order_id: OPENED }))
    await world.pay(await world.open(await world.link({ order_id: ID, method: 'auth' })))
    await world.advance(2_000)
    await world.idle()
    // A webhook that the request below leads to would log a line too.
    world.emulator.faults.next({ kind: 'delay', ms: 86_400_000, on: 'webhook' }, 9)
    eventOf.set(world, world.gate.keys('failing/')[0]?.slice('failing/'.length) ?? '')
    return world
  }

  it.each(Object.keys(TROUBLES))('is one line in the log, whatever was asked for: %s', async (name) => {
    const [happens, requests] = TROUBLES[name] ?? [() => {}, []]
    const lines: [string, number, number][] = []
    const start = log.length
    for (const [request, send] of Object.entries(REQUESTS)) {
      const world = await prepared()
      happens(world)
      const from = log.length
      const { status } = await send(world)
      await world.idle()
      const own = linesSince(from).filter(({ order_id }) => [ID, OPENED, null, undefined].includes(order_id))
      if (status >= 500) lines.push([request, status, own.length])
    }
    expect(lines).toEqual(lines.map(([request, status]) => [request, status, 1]))
    const failures = linesSince(start).filter(({ kind }) => kind === 'failure')
    // A list is about no order.
    expect(requests === LISTED || failures.length === 0 || failures.some(({ order_id }) => order_id === ID)).toBe(true)
    expect(JSON.stringify(failures)).not.toMatch(/customer|olena/)
    expect(lines.map(([request]) => request)).toEqual(expect.arrayContaining(requests))
  })
})
