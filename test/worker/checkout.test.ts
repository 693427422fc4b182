import { afterAll, describe, expect, it } from 'vitest'
import { type CheckoutOrder, createCheckoutLink } from '../../src/checkout-link/index.ts'
import { seal } from '../../src/checkout-link/seal.ts'
import { attemptId } from '../../src/shop/store/checkouts.ts'
import { expectNoSecretInLog, linesOf } from './support/log.ts'
import { KINDS, LINK_SECRET, newOrderId, ORDER, ORIGIN, World, type WorldOptions } from './support/world.ts'

afterAll(expectNoSecretInLog)

for (const kind of KINDS) {
  describe(`a checkout link over ${kind} KV`, () => {
    const create = (options: WorldOptions = {}) => new World({ kind, ...options })

    it('knows a webhook’s order, and flags another amount than the one that the link asks for', async () => {
      const world = create()
      const [right, wrong] = [newOrderId(), newOrderId()]
      await world.pay(await world.open(await world.link({ order_id: right })))
      await world.pay(await world.open(await world.link({ order_id: wrong })), 'payer_changes_amount')
      for (let i = 0; i < 10; i++) await world.advance(3_600_000)
      // Where the write of the checkout failed, the order is not known: never the other way round.
      const flags = async (id: string) =>
        ((await world.order(id))?.flags ?? []).filter((flag) => flag !== 'unknown_order')
      if (kind === 'hostile') {
        expect(await flags(right)).toEqual([])
      } else {
        expect((await world.order(right))?.flags).toEqual([])
        expect((await world.order(wrong))?.flags).toEqual(['amount_mismatch'])
      }
    })

    it('finds its way after a response was lost, with one payment that can be paid', async () => {
      for (const when of ['before_commit', 'after_commit'] as const) {
        const world = create()
        const id = newOrderId(when)
        world.emulator.faults.next({ kind: 'reset', when, on: 'create-payment' })
        const url = await world.open(await world.link({ order_id: id }))
        expect(world.payable(id)).toHaveLength(1)
        const [paid = ''] = world.payable(id)
        expect(world.emulator.orders.get(paid)?.checkout_url).toBe(url)
        if (kind !== 'hostile') expect(paid).toBe(when === 'before_commit' ? id : attemptId(id, 2))
      }
    })
  })
}

describe.each(KINDS)('a checkout link over %s KV that does not fail at random', (kind) => {
  const create = (options: WorldOptions = {}) => new World({ kind, failures: 0, ...options })

  it.each<[string, Record<string, string>]>([
    ['HEAD', {}],
    ['GET', { 'user-agent': 'TelegramBot (like TwitterBot)' }],
    ['GET', { 'user-agent': 'WhatsApp/2.23.20.0 A' }],
    ['GET', { 'user-agent': 'Viber' }],
    ['GET', { 'user-agent': 'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)' }],
    ['GET', { 'user-agent': 'Mozilla/5.0 (Macintosh) Safari/601.2.4 facebookexternalhit/1.1 Facebot Twitterbot/1.0' }],
    ['GET', { 'user-agent': 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)' }],
    ['GET', { 'user-agent': 'Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)' }],
    ['GET', { 'user-agent': 'Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5' }],
    ['GET', { 'user-agent': 'LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)' }],
    ['GET', { 'sec-purpose': 'prefetch;prerender' }],
  ])('creates nothing for a look at it: %s %j; the link then leads to the payment', async (method, headers) => {
    const world = create({ env: { SHOP_NAME: 'Glechyk' } })
    const link = await world.link({ order_id: 'A-1' })
    const response = await world.fetch(new Request(link, { method, headers }))
    expect([response.status, world.emulator.orders.list(), world.kv.calls.put]).toEqual([200, [], 0])
    if (method === 'GET') {
      const page = await response.text()
      expect(page).toContain('<meta property="og:title" content="Glechyk: Two mugs">')
      expect(page).toContain('<meta property="og:description" content="UAH\u00a0100.50">')
    }
    expect(await world.open(link)).toContain('/checkout/')
  })

  it.each([
    'Mozilla/5.0 (Linux; Android 9; CUBOT_X18_Plus) AppleWebKit/537.36 Chrome/120.0 Mobile Safari/537.36',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5) AppleWebKit/605.1.15 Mobile/15E148 [FBAN/FBIOS;FBAV/1]',
    'Mozilla/5.0 (Linux; Android 14; wv) AppleWebKit/537.36 Chrome/120.0 Mobile Safari/537.36 Viber/22.0',
    'Mozilla/5.0 (Linux; Android 14) Chrome/120.0 Mobile Safari/537.36 Telegram-Android/10.9',
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

  it('leads to the same checkout with one call to the service and no write to KV', async () => {
    const world = create()
    const link = await world.link({ order_id: 'A-1' })
    const urls: string[] = []
    for (let look = 0; look < 3; look++) {
      urls.push(await world.open(link))
      if (kind === 'hostile') await world.advance(61_000)
    }
    expect(new Set(urls).size).toBe(1)
    expect([world.kv.calls.put, world.emulator.orders.list().length]).toEqual([0, 1])
  })

  it('is rejected when it was changed, cut off, made with another secret, or has expired', async () => {
    const world = create()
    const link = await world.link({ order_id: 'A-1' }, world.time + 60_000)
    const [path = ''] = [new URL(link).pathname]
    const token = path.slice('/checkout/'.length)
    for (let i = 0; i < token.length; i += 25) {
      const letter = token[i] === 'A' ? 'B' : 'A'
      const changed = token.slice(0, i) + letter + token.slice(i + 1)
      expect((await world.get(`/checkout/${changed}`)).status).toBe(404)
    }
    // The last letter has unused bits: other letters that decode to the same bytes are another link all the same.
    for (const letter of 'ABCDEFGHIJKLMNOP') {
      if (!token.endsWith(letter))
        expect((await world.get(`/checkout/${token.slice(0, -1)}${letter}`)).status).toBe(404)
    }
    const foreign = await createCheckoutLink({
      origin: ORIGIN,
      linkSecret: 'another-link-secret-of-32-characters',
      order: { ...ORDER, order_id: 'A-1' },
    })
    for (const bad of [
      `/checkout/${token.slice(0, -1)}`,
      `/checkout/${token}A`,
      '/checkout/x',
      '/checkout/%00',
      foreign,
    ]) {
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
    const { method: _, ...rest } = ORDER
    for (const order of [
      { ...rest, order_id: 'purchase', method: 'purchase' as const },
      { ...rest, order_id: 'auth', method: 'auth' as const },
      { ...rest, order_id: 'split', method: 'purchase' as const, split },
      {
        ...rest,
        order_id: 'recurring',
        method: 'purchase' as const,
        init_recurring: { interval_unit: 'month' as const, interval_count: 1 },
      },
    ]) {
      const url = await world.open(await world.link(order))
      expect(world.emulator.orders.get(order.order_id)).toMatchObject({
        checkout_url: url,
        split: order.order_id === 'split',
      })
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

  it('leads to the result once it is paid, and to another try after a decline', async () => {
    const world = create()
    const link = await world.link({ order_id: 'A-1' })
    await world.pay(await world.open(link))
    expect(await world.open(link)).toMatch(/\/return\/A-1\?t=/)
    const declined = await world.link({ order_id: 'A-2' })
    const first = await world.open(declined)
    await world.pay(first, 'declined')
    const second = await world.open(declined)
    expect(second).not.toBe(first)
    await world.pay(second)
    expect(await world.open(declined)).toMatch(/\/return\/A-2~2\?t=/)
    expect(await world.order('A-2~2')).toMatchObject({ status: 'success', replaces: 'A-2', flags: [] })
  })

  it.each([
    ['another price', {}, { amount: 1 }],
    ['another currency', {}, { currency: 'USD' }],
    ['an authorization in place of a purchase', {}, { method: 'auth' }],
    ['a subscription', {}, { init_recurring: { interval_unit: 'month', interval_count: 1 } }],
    ['no subscription', { init_recurring: { interval_unit: 'month', interval_count: 1 } }, {}],
    [
      'other charges of its subscription',
      { init_recurring: { interval_unit: 'month', interval_count: 1 } },
      { init_recurring: { interval_unit: 'month', interval_count: 1, amount: 500 } },
    ],
  ] as [string, Partial<CheckoutOrder>, Partial<CheckoutOrder>][])(
    'is not opened for %s than before',
    async (_, first, second) => {
      const world = create()
      const order_id = newOrderId()
      const link = await world.link({ ...first, order_id })
      const url = await world.open(link)
      await world.advance(61_000)
      const response = await world.get(await world.link({ ...second, order_id }))
      expect([response.status, (await response.text()).includes('has changed')]).toEqual([409, true])
      expect(linesOf(order_id)).toEqual([{ kind: 'link_changed', order_id }])
      expect(await world.open(link)).toBe(url)
    },
  )

  it('that was made after another one had expired can be paid', async () => {
    const world = create()
    const first = await world.link({ order_id: 'A-1' }, world.time + 60_000)
    await world.open(first)
    await world.advance(121_000)
    expect((await world.get(first)).status).toBe(410)
    await world.advance(121_000)
    const second = await world.link({ order_id: 'A-1' })
    const url = await world.open(second)
    expect(world.payable('A-1')).toEqual(['A-1~2'])
    await world.pay(url)
    await world.advance(121_000)
    expect(await world.order('A-1~2')).toMatchObject({ status: 'success', replaces: 'A-1', flags: [] })
    for (const link of [first, second]) expect(await world.open(link)).toMatch(/\/return\/A-1~2\?t=/)
  })

  it('that has expired does not cancel what another link has opened', async () => {
    const world = create()
    const first = await world.link({ order_id: 'A-1' }, world.time + 60_000)
    const url = await world.open(first)
    await world.advance(121_000)
    const second = await world.link({ order_id: 'A-1' })
    expect(await world.open(second)).toBe(url)
    await world.advance(121_000)
    expect((await world.get(first)).status).toBe(410)
    expect(world.payable('A-1')).toEqual(['A-1'])
    await world.advance(86_400_000)
    // Then that one has expired too.
    expect((await world.get(first)).status).toBe(410)
    expect(world.payable('A-1')).toEqual([])
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
    for (const language of ['en', 'uk']) {
      const response = await world.get(link, { 'accept-language': language })
      expect(response.status).toBe(503)
      expect(await response.text()).not.toMatch(/not paid|Nothing was charged|ще не заплатили|не списано/)
    }
    world.intercept = undefined
    expect(await world.open(link)).toMatch(/\/return\/A-1\?t=/)
  })

  it.each([
    ['an error inside the service', { kind: 'server_error', body: 'html', when: 'before_commit' }],
    ['a connection that breaks', { kind: 'reset', when: 'before_commit' }],
    ['too many requests', { kind: 'too_many_requests', retryAfter: 3600 }],
  ] as const)('shows a page with a way to try again, and no detail, after %s', async (_, fault) => {
    const world = create()
    world.emulator.faults.next({ ...fault, on: 'create-payment' })
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

  it('is linked to its further attempt in both directions', async () => {
    const world = create()
    world.emulator.faults.next({ kind: 'reset', when: 'after_commit', on: 'create-payment' })
    await world.pay(await world.open(await world.link({ order_id: 'A-1' })))
    expect(await world.order('A-1~1')).toMatchObject({ status: 'failure', replaced_by: 'A-1~2', flags: [] })
    expect(await world.order('A-1~2')).toMatchObject({
      status: 'success',
      replaces: 'A-1',
      flags: [],
      totals: { captured: 10050 },
    })
    expect(await world.open(await world.link({ order_id: 'A-1' }))).toMatch(/\/return\/A-1~2\?t=/)
  })

  it('is not replaced when the lost payment was paid in the meantime', async () => {
    const world = create()
    world.emulator.faults.next({ kind: 'reset', when: 'after_commit', on: 'create-payment' })
    const link = await world.link({ order_id: 'A-1' })
    expect((await world.get(link)).status).toBe(503)
    // The webhook is lost too, so that only the service can tell.
    world.emulator.faults.next({ kind: 'delay', ms: 86_400_000 }, 9)
    await world.pay(world.emulator.orders.get('A-1')?.checkout_url ?? '')
    expect(await world.open(link)).toMatch(/\/return\/A-1\?t=/)
    expect(world.emulator.orders.list()).toHaveLength(1)
    expect((await world.order('A-1'))?.status).toBe('success')
  })
})

/** A link of an order that `createCheckoutLink` would reject. */
async function unchecked(order_id: string): Promise<string> {
  const order = { ...ORDER, order_id, amount: 10.005 }
  const link = { order, origin: ORIGIN, expiresAt: Number.MAX_SAFE_INTEGER }
  return `${ORIGIN}/checkout/${await seal(LINK_SECRET, 'checkout link', link)}`
}

describe('a link that cannot lead anywhere', () => {
  it('of an order that the service could not take does not invite the customer to try again', async () => {
    const world = new World()
    const response = await world.get(await unchecked(newOrderId()))
    const text = await response.text()
    expect([response.status, text]).toEqual([422, expect.stringContaining('This order cannot be paid')])
    expect(text).not.toContain('Try again')
    expect(world.emulator.orders.list()).toEqual([])
  })
})
