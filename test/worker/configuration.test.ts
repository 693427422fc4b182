import { describe, expect, it } from 'vitest'
import { checkoutLinkId } from '../../src/checkout-link/index.ts'
import { createClient } from '../../src/index.ts'
import { clientConfig, type ShopEnv as Env } from '../../src/shop/env.ts'
import { API } from '../../src/shop/routes/api.ts'
import { signWebhook } from '../../src/webhooks/index.ts'
import { payment as paid } from './support/events.ts'
import { LINK_SECRET, log, World } from './support/world.ts'

const SECRETS = ['API_KEY', 'API_SECRET', 'ENDPOINTS_KEY', 'LINK_SECRET', 'ADMIN_TOKEN'] as const

/** A configuration that could be a live shop's. */
const REAL = {
  ...{ BASE_URL: 'https://pay.example.com', API_URL: 'https://api.example.com/balances', ENDPOINTS_KEY: 'endpoints' },
  ...{ POS_ID: '3f1c2c1e-6a5c-4b8e-9d53-0a4c1c7d2b11', API_KEY: 'key', API_SECRET: 'secret' },
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

const objectOf = (fetch: () => Promise<Response>) =>
  ({ idFromName: (name: string) => name, get: () => ({ fetch }) }) as Env['TILL']

describe('configuration', () => {
  it.each([...SECRETS, 'BASE_URL', 'POS_ID', 'API_URL'] as const)(
    'names a missing %s, without any value',
    async (name) => {
      for (const value of ['', ` ${new World().env()[name]}\n`]) {
        const world = new World({ env: { [name]: value } })
        const from = log.length
        const health = await world.get('/health')
        expect([health.status, await health.json()]).toEqual([503, { status: 'misconfigured', mode: 'test' }])
        expect(JSON.stringify(log.slice(from))).toContain(`${name}: `)
        if (name !== 'ADMIN_TOKEN') expect(await problemsOf(world)).toEqual([name])
        const { body } = signWebhook({}, 'some secret')
        const called = ['/api/orders/A-1', '/api/balances'].map((path) => world.api(path))
        const answers = await Promise.all([world.post(body), world.get('/checkout/token'), ...called])
        const texts = await Promise.all(answers.map((answer) => answer.text()))
        for (const text of texts) expectNoSecret(world, text)
        expect(answers.map(({ status }, i) => status === 500 && texts[i]?.includes(name))).toContain(true)
      }
    },
  )

  it('names a wrong STORAGE_GB, and stores webhooks all the same', async () => {
    for (const STORAGE_GB of ['0', '0.0', 'ten', '-1', '5 GB']) {
      const world = new World({ env: { STORAGE_GB } })
      expect(await problemsOf(world)).toEqual(['STORAGE_GB'])
      expect((await world.post(world.signed(paid('A-1')))).status).toBe(200)
    }
    for (const STORAGE_GB of ['', '5', '0.5'])
      expect((await new World({ env: { STORAGE_GB } }).api('/health')).status).toBe(200)
  })

  it.each([
    ['STATE', undefined],
    ...[undefined, 'till', { idFromName: () => 'x' }].map((value) => ['TILL', value] as const),
  ] as const)('names a namespace that is none, in each route that needs it: %s = %j', async (name, value) => {
    const world = new World()
    const link = await world.link({ order_id: 'A-1' })
    await world.open(link)
    const result = `${world.emulator.orders.get('A-1')?.payments[0]?.result_url}`
    world.options.env = { [name]: value }
    const from = log.length
    expect(await (await world.get('/health')).json()).toEqual({ status: 'misconfigured', mode: 'test' })
    expect([(await world.api('/health')).status, await problemsOf(world)]).toEqual([503, [name]])
    const pages = [await world.get(link), await world.get(result), await world.post('data=a&signature=b')]
    for (const page of pages) expect([page.status, await page.text()]).toEqual([500, expect.stringContaining(name)])
    const revoked = `/api/links/${await checkoutLinkId(link, LINK_SECRET)}`
    for (const call of [
      'GET /api/orders/A-1',
      'GET /api/events?failing=true',
      'POST /api/events/x/replay',
      ...['capture', 'cancel', 'resend', 'attempts/x/settle'].map((path) => `POST /api/orders/A-1/${path}`),
      'DELETE /api/orders/A-1/personal-data',
      `DELETE ${revoked}`,
      ...(name === 'STATE' ? ['GET /api/strays'] : []),
    ]) {
      const [method = '', path = ''] = call.split(' ')
      const headers = { 'idempotency-key': 'k' }
      const response = await world.api(path, { method, headers, ...(method === 'POST' && { body: '{}' }) })
      const { code, missing } = (await response.json()) as Record<string, unknown>
      expect([call, response.status, code, missing]).toEqual([call, 500, 'config', [name]])
    }
    expect(log.slice(from).join()).toContain(`"misconfigured":["${name}: m`)
    const before = log.length
    await world.cron()
    expect(log.slice(before).join()).toContain(`"misconfigured":["${name}: m`)
  })

  it.each([
    ['responds with something else', async () => Response.json({ value: 'pong' })],
    ['throws', () => Promise.reject(new Error('no such method'))],
  ])('finds an TILL of another class, which %s, for the bearer of the token alone', async (_, fetch) => {
    const world = new World({ env: { TILL: objectOf(fetch) } })
    expect((await world.get('/health')).status).toBe(200)
    const from = log.length
    expect([(await world.api('/health')).status, await problemsOf(world)]).toEqual([503, ['TILL']])
    expect(log.slice(from).flat().join('\n')).toContain('TILL: does not respond as the class ShopObject')
  })

  it('asks of a route for what it needs alone: API_URL for the balances', async () => {
    const world = new World({ env: { API_URL: '' } })
    for (const [call, { needs }] of Object.entries(API)) {
      const [method = '', path = ''] = call.split(' ')
      const init = { method, headers: { 'idempotency-key': 'k' }, ...(method === 'POST' && { body: '{}' }) }
      const { code } = (await (await world.api(path, init)).json()) as { code?: string }
      expect([call, code === 'config']).toEqual([call, needs === 'balances'])
    }
  })

  it('receives webhooks although something that they do not need is missing', async () => {
    const world = new World({ env: { ADMIN_TOKEN: '', LINK_SECRET: '', BASE_URL: '' } })
    await world.deliver({ order_id: 'A-1', method: 'x' })
    expect(await world.keys('event/')).toHaveLength(1)
  })

  it('names a setting that cannot work to a customer too, and a previous secret with white space around it', async () => {
    const world = new World({ env: { POS_ID: 'x' } })
    for (const path of [await world.link({ order_id: 'A-1' }), '/return/A-1', '/p/x']) {
      const opened = await world.get(path)
      const says = path === '/p/x' ? /POS_ID/ : /<main>.*could not be opened.*POS_ID/s
      expect([path, opened.status, await opened.text()]).toEqual([path, 500, expect.stringMatching(says)])
    }
    const padded = new World({ env: { API_SECRET_PREVIOUS: 'old ' } })
    const response = await padded.post('data=a&signature=b')
    expect([response.status, await response.text()]).toEqual([500, expect.stringContaining('API_SECRET_PREVIOUS')])
  })

  it.each([
    ...['SENDER_CHECK=Enforce', 'SENDER_IP=35.187.74 .148', 'POS_ID=00000000-0000-4000-8000-000000000000', 'MODE=Live'],
    ...['AUTHENTICATION=Plain', 'API_SECRET_PREVIOUS=old\n', 'LINK_SECRET_PREVIOUS=x', 'KEEP_CARD_TOKEN=maybe'],
    ...['PUBLIC_ORIGIN=https://pay.example.com/path', 'PUBLIC_ORIGIN=https://user@pay.example.com'],
    ...['API_URL=https://pay.example.com/api/v1/', 'API_URL=https://user@pay.example.com', 'RETENTION_DAYS=1.5'],
    'BASE_URL=ftp://pay.example.com',
    ...[`ADMIN_TOKEN_PREVIOUS=${'é'.repeat(32)}`, 'BASE_URL=https://pay.example.com:99999'],
  ])('names a setting that cannot work in /health: %j', async (setting) => {
    const [name = '', value = ''] = setting.split('=')
    const world = new World({ env: { ALLOW_INSECURE_HTTP: 'true', [name]: value } })
    const from = log.length
    expect((await world.get('/health')).status).toBe(503)
    expect(await problemsOf(world)).toEqual([name])
    expect(JSON.stringify(log.slice(from))).not.toContain(JSON.stringify(value.padEnd(8)).slice(1, -1))
  })

  it.each(['x'.repeat(31), `${'x'.repeat(32)} y`])('rejects the admin token %j everywhere', async (token) => {
    const world = new World({ env: { ADMIN_TOKEN: token } })
    const headers = { authorization: `Bearer ${token}` }
    const health = await world.get('/health', headers)
    expect([health.status, await health.json()]).toEqual([503, { status: 'misconfigured', mode: 'test' }])
    expect((await world.api('/api/orders', { headers })).status).toBe(500)
  })

  it('is checked as the SDK checks it: what no call could use is not healthy', async () => {
    const values = ['', ...'a b|a:b|é|a\tb|x\n|https://[::1|https://a/api/v1|https://a.example|svc'.split('|')]
    for (const name of ['BASE_URL', 'API_URL', 'POS_ID', 'API_KEY', 'API_SECRET', 'ENDPOINTS_KEY', 'SCHEME'] as const) {
      for (const value of values) {
        const world = new World({ env: { [name]: value } })
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

  it('accepts the previous secrets while they are being replaced, and makes what is new with the new ones', async () => {
    const previous = 'an-old-link-secret-of-32-characters!'
    const old = new World({ env: { LINK_SECRET: previous } })
    const link = await old.link({ order_id: 'A-1' })
    const sent: { result_url: string; server_url: string }[] = []
    old.intercept = (_, init) => void new Response(init?.body).json().then((body) => sent.push(body))
    await old.open(link)
    const ADMIN_TOKEN_PREVIOUS = 'o'.repeat(32)
    const world = new World({ env: { LINK_SECRET_PREVIOUS: previous, ADMIN_TOKEN_PREVIOUS } })
    const headers = { authorization: `Bearer ${ADMIN_TOKEN_PREVIOUS}` }
    expect((await world.api('/api/orders', { headers })).status).toBe(200)
    // Nothing was opened here: what was asked for comes from the address alone.
    const forgotten = new World()
    const body = world.signed(paid('A-1', { amount: 1 }))
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    for (const [at, flag, isShown] of [
      [world, 'amount_mismatch', true],
      [forgotten, 'unknown_order', false],
    ] as const) {
      const page = await (await at.get(`${sent[0]?.result_url}`)).text()
      expect(page.includes('Your payment is being confirmed')).toBe(isShown)
      await at.fetch(new Request(`${sent[0]?.server_url}`, { method: 'POST', body, headers: form }))
      expect((await at.order('A-1'))?.flags).toEqual([flag])
    }
    await world.open(await old.link({ order_id: 'A-2' }))
    const renewed = `${world.emulator.orders.get('A-2')?.payments[0]?.result_url}`
    expect(await (await forgotten.get(renewed)).text()).toContain('Your payment is being confirmed')
  })

  it('says on every page and in /health that no money moves when MODE is test', async () => {
    const real = new World({ env: { ...REAL, MODE: 'live' } })
    expect(await (await real.get('/health')).json()).toEqual({ status: 'ok' })
    expect(await (await real.get('/checkout/x')).text()).not.toMatch(/test mode/i)
    // Neither is assumed: a live shop that leaves it out would run without the checks of live.
    const unsaid = new World({ env: { MODE: '' } })
    expect([await problemsOf(unsaid), (await unsaid.get('/checkout/x')).status]).toEqual([['MODE'], 500])
    expect((await unsaid.post(unsaid.signed(paid('A-1')))).status).toBe(200)
    const world = new World({ env: { MODE: 'test' } })
    expect(await (await world.get('/health')).json()).toEqual({ status: 'ok', mode: 'test' })
    await world.open(await world.link({ order_id: 'A-1' }))
    const result = world.emulator.orders.get('A-1')?.payments[0]?.result_url
    const expired = await world.link({ order_id: 'A-2' })
    const pages = ['/checkout/x', '/return/A-1', `${result}`]
    for (const page of pages) expect(await (await world.get(page)).text()).toContain('Test mode: no money moves.')
    world.time += 25 * 3_600_000
    expect(await (await world.get(expired)).text()).toContain('Test mode: no money moves.')
    const wrong = new World({ env: { MODE: 'test', SCHEME: 'two words' } })
    expect(await (await wrong.get('/health')).json()).toEqual({ status: 'misconfigured', mode: 'test' })
  })

  it.each([
    ...['BASE_URL=http://127.0.0.1:4010', 'API_URL=http://127.0.0.1:4010/balances-api', 'ALLOW_INSECURE_HTTP=true'],
    ...['PUBLIC_ORIGIN=http://pay.shop.example.com', 'API_KEY=emulator-api-key', 'API_SECRET=emulator-api-secret'],
    ...['POS_ID=ed9e7111-0000-4000-8000-000000000001', 'POS_ID=00000000-0000-4000-8000-000000000000'],
    ...['API_SECRET_PREVIOUS=emulator-api-secret', 'ENDPOINTS_KEY=emulator-endpoints-key'],
    'LINK_SECRET=local-link-secret-of-at-least-32-characters',
    'ADMIN_TOKEN_PREVIOUS=local-admin-token-of-at-least-32-characters',
  ])('does not take for live what belongs to a test: %j', async (setting) => {
    const [name = '', value = ''] = setting.split('=')
    const world = new World({ env: { ...REAL, MODE: 'live', [name]: value } })
    expect(await (await world.get('/health')).json()).toEqual({ status: 'misconfigured' })
    expect(new Set(await problemsOf(world))).toEqual(new Set([name]))
  })

  it('calls the emulator’s address wrong where the worker is deployed, and right on the developer’s machine', async () => {
    const env = { BASE_URL: 'http://127.0.0.1:4010', API_URL: 'http://127.0.0.1:4010/balances-api' }
    const world = new World({ env })
    const problem = 'is still the address of the emulator on your machine'
    expect(await (await world.api('/health')).json()).toMatchObject({ problems: [{ binding: 'BASE_URL', problem }] })
    expect((await world.api('http://localhost:8787/health')).status).toBe(200)
  })

  it('sends credentials over http beyond loopback only with ALLOW_INSECURE_HTTP', async () => {
    const asked: string[] = []
    const spy = (async (url: string) => {
      asked.push(url)
      return Response.json({ data: [] })
    }) as unknown as typeof fetch
    const urls = { BASE_URL: 'http://emulator:4010', API_URL: 'http://emulator:4010/balances-api' }
    const rejected = await new World({ fetch: spy, env: urls }).api('/api/balances')
    expect([rejected.status, asked]).toEqual([500, []])
    const allowed = new World({ fetch: spy, env: { ...urls, ALLOW_INSECURE_HTTP: 'true' } })
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
    const plain = new World({ fetch: spy, env: { AUTHENTICATION: 'plain', SCHEME: 'PAY' } })
    await plain.open(await plain.link({ order_id: 'A-1' }))
    const documented = new World({ fetch: spy })
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
      const names = ['cache-control', 'referrer-policy', 'x-content-type-options', 'strict-transport-security']
      const values = ['no-store', 'no-referrer', 'nosniff', 'max-age=31536000']
      expect([path, ...names.map((name) => headers.get(name))]).toEqual([path, ...values])
    }
    expect((await world.get('/')).status).toBe(404)
    expect((await world.api('/api/nothing')).headers.get('content-type')).toBe('application/problem+json')
  })
})
