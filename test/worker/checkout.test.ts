import { afterAll, describe, expect, it } from 'vitest'
import { type CheckoutOrder, createCheckoutLink } from '../../src/checkout-link/index.ts'
import { expectNoSecretInLog, linesOf } from './support/log.ts'
import { newOrderId, ORDER, ORIGIN, World, type WorldOptions } from './support/world.ts'

afterAll(expectNoSecretInLog)

const create = (options: WorldOptions = {}) => new World(options)
const MONTHLY = { interval_unit: 'month', interval_count: 1 } as const

describe('a checkout link', () => {
  it.each<[string, Record<string, string>]>([
    ['HEAD', {}],
    ['GET', { 'user-agent': 'TelegramBot (like TwitterBot)' }],
    ['GET', { 'user-agent': 'Viber' }],
    ['GET', { 'user-agent': 'Mozilla/5.0 (Macintosh) Safari/601.2.4 facebookexternalhit/1.1 Facebot Twitterbot/1.0' }],
    ['GET', { 'user-agent': 'Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5' }],
    ['GET', { 'sec-purpose': 'prefetch;prerender' }],
    ['GET', { purpose: 'prefetch' }],
    ['GET', { 'x-purpose': 'preview' }],
  ])('creates nothing for a look at it: %s %j; the link then leads to the payment', async (method, headers) => {
    const world = create({ env: { SHOP_NAME: 'Glechyk' }, pages: { logo: 'https://a.test/l.svg' } })
    const link = await world.link({ order_id: 'A-1' })
    const response = await world.fetch(new Request(link, { method, headers }))
    expect([response.status, world.emulator.orders.list(), world.kv.calls.put]).toEqual([200, [], 0])
    if (method === 'GET') {
      const page = await response.text()
      expect(page).toContain('<meta property="og:title" content="Glechyk: Two mugs">')
      expect(page).toContain('<meta property="og:description" content="UAH\u00a0100.50">')
      expect(page).toContain('<meta property="og:image" content="https://a.test/l.svg">')
    }
    expect(await world.open(link)).toContain('/checkout/')
  })

  it.each([
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5) AppleWebKit/605.1.15 Mobile/15E148 [FBAN/FBIOS;FBAV/1]',
    'Mozilla/5.0 (Linux; Android 14; wv) AppleWebKit/537.36 Chrome/120.0 Mobile Safari/537.36 Viber/22.0',
  ])('leads a person on at once, also inside of an app: %s', async (agent) => {
    const world = create()
    expect((await world.get(await world.link({ order_id: 'A-1' }), { 'user-agent': agent })).status).toBe(303)
  })

  it('with a landing page shows what is bought, and opens the payment by its button alone', async () => {
    const world = create()
    const body = JSON.stringify({ order: { ...ORDER, order_id: 'A-1', customer_lang: 'UK' }, landing: true })
    const { url } = (await (await world.api('/api/links', { method: 'POST', body })).json()) as { url: string }
    const landing = await world.get(url)
    const text = await landing.text()
    expect(text).toContain('Two mugs')
    expect(text).toContain(
      `<form method="post" action="${new URL(url).pathname}"><button>Сплатити 100,50\u00a0грн</button>`,
    )
    const service = new URL(world.emulator.credentials.baseUrl).origin
    expect(landing.headers.get('content-security-policy')).toContain(`form-action 'self' https: ${service};`)
    expect(world.emulator.orders.list()).toEqual([])
    const press = () => world.fetch(new Request(url, { method: 'POST', redirect: 'manual' }))
    const opened = await press()
    expect([opened.status, (await press()).headers.get('location')]).toEqual([303, opened.headers.get('location')])
    await world.pay(opened.headers.get('location') ?? '')
    await world.advance(121_000)
    expect((await world.get(url)).headers.get('location')).toContain('/return/A-1')
    const expired = await world.link({ order_id: 'A-2' }, world.time + 1, { landing: true })
    await world.advance(1)
    expect((await world.get(expired)).status).toBe(410)
  })

  it('with a landing page shows no purchase once it is closed: its button would lead nowhere', async () => {
    const world = create()
    const body = JSON.stringify({ order: { ...ORDER, order_id: 'A-3' }, landing: true })
    const { id, url } = (await (await world.api('/api/links', { method: 'POST', body })).json()) as Record<
      'id' | 'url',
      string
    >
    expect((await world.get(url)).status).toBe(200)
    await world.api(`/api/links/${id}`, { method: 'DELETE' })
    const closed = await world.get(url)
    expect([closed.status, (await closed.text()).includes('<form')]).toEqual([410, false])
  })

  it('is rejected when it was changed, made with another secret, or has expired', async () => {
    const world = create()
    const link = await world.link({ order_id: 'A-1' }, world.time + 60_000)
    const token = new URL(link).pathname.slice('/checkout/'.length)
    const linkSecret = 'another-link-secret-of-32-characters'
    const foreign = await createCheckoutLink({ origin: ORIGIN, linkSecret, order: { ...ORDER, order_id: 'A-1' } })
    for (const bad of [`/checkout/${token}A`, '/checkout/x', '/checkout/%00', foreign]) {
      const response = await world.get(bad)
      expect([response.status, (await response.text()).includes('This payment link is not valid')]).toEqual([404, true])
    }
    await world.advance(60_000)
    const expired = await world.get(link)
    expect([expired.status, (await expired.text()).includes('has expired')]).toEqual([410, true])
    expect(world.emulator.orders.list()).toEqual([])
  })

  it('creates purchases, authorizations, splits and subscriptions', async () => {
    const world = create()
    const split = [{ amount: 100.5, sub_merchant_id: '3f1c2c1e-6a5c-4b8e-9d53-0a4c1c7d2b11' }]
    for (const [order_id, fields] of Object.entries({
      purchase: {},
      auth: { method: 'auth' as const },
      split: { split },
      recurring: { init_recurring: MONTHLY },
    })) {
      const checkout_url = await world.open(await world.link({ ...fields, order_id } as { order_id: string }))
      expect(world.emulator.orders.get(order_id)).toMatchObject({ checkout_url, split: order_id === 'split' })
    }
    expect(world.emulator.orders.get('auth')?.payments[0]?.method).toBe('auth')
    expect(world.emulator.orders.get('recurring')?.recurring).toBeDefined()
  })

  it('takes a hosted authorization whose response is a record', async () => {
    const world = create({ emulator: { hostedAuthResponse: 'record' } })
    expect(await world.open(await world.link({ order_id: 'A-1', method: 'auth' }))).toMatch(/^http/)
  })

  it('fills in where webhooks and the customer go, unless the shop says so', async () => {
    const bodies: Record<string, unknown>[] = []
    const world: World = create({
      fetch: (async (_: string, init: RequestInit) => {
        bodies.push(JSON.parse(await (init.body as Blob).text()))
        return new Response(null, { status: 303, headers: { location: '/api/v1/checkout/x/form' } })
      }) as unknown as typeof fetch,
    })
    await world.open(await world.link({ order_id: 'a/b ?' }))
    await world.open(
      await world.link({ order_id: 'A-2', server_url: 'https://a.example.com/', result_url: 'https://b.example.com/' }),
    )
    expect(bodies[0]).toMatchObject({
      server_url: expect.stringMatching(/^https:\/\/pay\.shop\.example\.com\/webhooks\?expected=[\w-]{60,200}$/),
      result_url: expect.stringMatching(/^https:\/\/pay\.shop\.example\.com\/return\/a%2Fb%20%3F\?t=[\w-]{43}$/),
    })
    expect(bodies[1]).toMatchObject({ server_url: 'https://a.example.com/', result_url: 'https://b.example.com/' })
  })

  it.each([
    ['another price', {}, { amount: 1 }],
    ['another currency', {}, { currency: 'USD' }],
    ['an authorization in place of a purchase', {}, { method: 'auth' }],
    ['a subscription', {}, { init_recurring: MONTHLY }],
    ['other charges of its subscription', { init_recurring: MONTHLY }, { init_recurring: { ...MONTHLY, amount: 500 } }],
  ] as [string, Partial<CheckoutOrder>, Partial<CheckoutOrder>][])(
    'is not opened for %s than before',
    async (_, first, second) => {
      const world = create()
      const order_id = newOrderId('changed')
      const link = await world.link({ ...first, order_id })
      const url = await world.open(link)
      await world.advance(61_000)
      const response = await world.get(await world.link({ ...second, order_id }))
      expect([response.status, (await response.text()).includes('has changed')]).toEqual([409, true])
      expect(linesOf(order_id)).toEqual([{ kind: 'link_changed', order_id }])
      expect(await world.open(link)).toBe(url)
    },
  )

  it('that is dear never leads to the cheap checkout of the same order, opened at the same moment', async () => {
    const world = new World()
    const [cheap, dear] = await Promise.all([1, 1000].map((amount) => world.link({ order_id: 'A-1', amount })))
    const answers = await Promise.all([world.get(cheap ?? ''), world.get(dear ?? '')])
    expect(answers.map(({ status }) => status).filter((status) => status === 303)).toHaveLength(1)
    const [first, second] = answers[0]?.status === 303 ? [cheap, dear] : [dear, cheap]
    expect((await world.get(first ?? '')).status).toBe(303)
    expect((await world.get(second ?? '')).status).toBe(409)
  })

  it('that has expired does not cancel what another link has opened, until that one has expired too', async () => {
    const world = create()
    const first = await world.link({ order_id: 'A-1' }, world.time + 60_000)
    const url = await world.open(first)
    await world.advance(121_000)
    expect(await world.open(await world.link({ order_id: 'A-1' }))).toBe(url)
    for (const payable of [['A-1'], []]) {
      expect([(await world.get(first)).status, world.payable('A-1')]).toEqual([410, payable])
      await world.advance(86_400_000)
    }
  })

  it('does not end earlier what a longer one has opened, when it is opened a day later', async () => {
    const world = create()
    const [short, long] = [26, 72].map((hours) => world.link({ order_id: 'A-1' }, world.time + hours * 3_600_000))
    const url = await world.open(await (long as Promise<string>))
    await world.advance(25 * 3_600_000)
    expect(await world.open(await (short as Promise<string>))).toBe(url)
    await world.advance(2 * 3_600_000)
    expect((await world.get(await (short as Promise<string>))).status).toBe(410)
    expect(await world.open(await (long as Promise<string>))).toBe(url)
    expect(world.payable('A-1')).toEqual(['A-1'])
  })

  it('of a paid order does not say that nothing was paid, while the service cannot be asked', async () => {
    const world = create({ emulator: { fetch: async () => new Response('', { status: 503 }) } })
    const link = await world.link({ order_id: 'A-1' }, world.time + 60_000)
    await world.pay(await world.open(link))
    await world.advance(121_000)
    world.intercept = async () => new Response('', { status: 500 })
    const response = await world.get(link)
    expect(response.status).toBe(503)
    expect(await response.text()).not.toMatch(/not paid|Nothing was charged/)
    world.intercept = undefined
    expect(await world.open(link)).toMatch(/\/return\/A-1\?t=/)
  })

  it('that cannot be opened now shows a page with a way to try again, and no detail', async () => {
    const world = create()
    const fault = { kind: 'server_error', body: 'html', when: 'before_commit', on: 'create-payment' } as const
    world.emulator.faults.next(fault)
    const link = await world.link({ order_id: 'secret-order' })
    const response = await world.get(link)
    const text = await response.text()
    expect(response.status).toBe(503)
    expect(text).toContain(`<a href="${new URL(link).pathname}">Try again</a>`)
    // Without the link, whose random letters can spell anything.
    for (const word of ['secret-order', 'UAH', 'olena', 'emulator', '500', '429', 'Error'])
      expect(text.replaceAll(new URL(link).pathname, '')).not.toContain(word)
    expect(await world.open(link)).toMatch(/\/form$/)
  })
})
