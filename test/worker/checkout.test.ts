import { afterAll, describe, expect, it } from 'vitest'
import { seal } from '../../worker/lib/crypto.ts'
import { createCheckoutLink } from '../../worker/lib/links.ts'
import { attemptId } from '../../worker/store/checkouts.ts'
import { createKill, howsOf, type Kill, killAtEach } from './support/kill.ts'
import { armed } from './support/killable.ts'
import {
  ADMIN_TOKEN,
  isHostile,
  KINDS,
  LINK_SECRET,
  log,
  newOrderId,
  ORDER,
  ORIGIN,
  World,
  type WorldOptions,
} from './support/world.ts'

afterAll(() => {
  const text = log
    .flat()
    .map((part) =>
      part instanceof Error ? `${part.stack} ${String(part.cause)} ${JSON.stringify(part)}` : String(part),
    )
  expect(text.length).toBeGreaterThan(10)
  // What the worker writes to its log holds neither a credential nor anything of the customer.
  for (const secret of [
    'emulator-api-',
    'emulator-endpoints',
    'link secret',
    'admin-token',
    ORDER.customer_email,
    ORDER.customer_phone,
  ]) {
    expect(text.filter((line) => line.includes(secret))).toEqual([])
  }
})

/** The payments that the customer could still pay, of an order and its further attempts. */
const payable = (world: World, order_id: string): string[] =>
  world.emulator.orders
    .list()
    .filter((order) => order.order_id.startsWith(order_id) && order.payments[0]?.status === 'init')
    .map((order) => order.order_id)

for (const kind of KINDS) {
  describe(`a checkout link over ${kind} KV`, () => {
    const create = (options: WorldOptions = {}) => new World({ kind, ...options })

    it('leads to one checkout, however often it is opened', async () => {
      const world = create()
      const id = newOrderId()
      const link = await world.link({ order_id: id })
      const first = await world.open(link)
      await world.advance(121_000)
      const again = await world.open(link)
      expect(payable(world, id)).toHaveLength(1)
      if (kind !== 'hostile') expect(again).toBe(first)
      expect(world.emulator.orders.list().at(-1)?.checkout_url).toBe(again)
    })

    it('makes one payment when it is opened twice at the same moment', async () => {
      const world = create({ failures: 0 })
      const id = newOrderId()
      const link = await world.link({ order_id: id })
      const [a, b] = await Promise.all([world.open(link), world.open(link)])
      expect(a).toBe(b)
      expect(world.emulator.orders.list().map(({ order_id }) => order_id)).toEqual([id])
    })

    it('knows a webhook’s order, and flags another amount than the one expected for', async () => {
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

    it('finds its way after an answer was lost, with one payment that can be paid', async () => {
      for (const when of ['before_commit', 'after_commit'] as const) {
        const world = create()
        const id = newOrderId(when)
        world.emulator.faults.next({ kind: 'reset', when, on: 'create-payment' })
        const url = await world.open(await world.link({ order_id: id }))
        expect(payable(world, id)).toHaveLength(1)
        const [paid = ''] = payable(world, id)
        expect(world.emulator.orders.get(paid)?.checkout_url).toBe(url)
        if (kind !== 'hostile') expect(paid).toBe(when === 'before_commit' ? id : attemptId(id, 2))
      }
    })
  })
}

describe.each(KINDS)('a checkout link over %s KV that does not fail at random', (kind) => {
  const create = (options: WorldOptions = {}) => new World({ kind, failures: 0, ...options })

  it('creates nothing when it is only looked at (HEAD)', async () => {
    const world = create()
    const link = await world.link({ order_id: 'A-1' })
    const response = await world.fetch(new Request(link, { method: 'HEAD' }))
    expect([response.status, world.emulator.orders.list(), world.kv.calls.put]).toEqual([200, [], 0])
  })

  it('leads to the same checkout with one call to the service and one write', async () => {
    const world = create()
    const link = await world.link({ order_id: 'A-1' })
    const urls: string[] = []
    for (let look = 0; look < 3; look++) {
      urls.push(await world.open(link))
      if (kind === 'hostile') await world.advance(61_000)
    }
    expect(new Set(urls).size).toBe(1)
    expect([world.kv.calls.put, world.emulator.orders.list().length]).toEqual([1, 1])
  })

  it('is refused when it was changed, cut off, made with another secret, or has expired', async () => {
    const world = create()
    const link = await world.link({ order_id: 'A-1' }, world.time + 60_000)
    const [path = ''] = [new URL(link).pathname]
    const token = path.slice('/checkout/'.length)
    for (let i = 0; i < token.length; i += 5) {
      const letter = token[i] === 'A' ? 'B' : 'A'
      const changed = token.slice(0, i) + letter + token.slice(i + 1)
      expect((await world.get(`/checkout/${changed}`)).status).toBe(404)
    }
    // The last letter has unused bits: other letters that decode to the same bytes are another link all the same.
    for (const letter of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_') {
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

  it('shows nothing of the order, and is another one each time', async () => {
    const world = create()
    const links = [await world.link({ order_id: 'A-1' }), await world.link({ order_id: 'A-1' })]
    expect(links[0]).not.toBe(links[1])
    for (const link of links) expect(link).toMatch(/^https:\/\/pay\.shop\.example\.com\/checkout\/[\w-]+$/)
  })

  it.each([
    ['an order that is not hosted', { order: { ...ORDER, mode: 'direct', order_id: 'A-1' } }],
    ['an order_id that no address can carry', { order: { ...ORDER, order_id: '..' } }],
    ['an order_id that looks like a further attempt', { order: { ...ORDER, order_id: 'A-1~2' } }],
    ['half a surrogate pair', { order: { ...ORDER, order_id: 'A\ud800' } }],
    ['an empty secret', { linkSecret: '' }],
    ['a link that is too long', { order: { ...ORDER, order_id: 'A-1', payload: 'Щ'.repeat(4000) } }],
  ])('is not made for %s', async (_, change) => {
    const options = { origin: ORIGIN, linkSecret: LINK_SECRET, order: { ...ORDER, order_id: 'A-1' }, ...change }
    await expect(createCheckoutLink(options as Parameters<typeof createCheckoutLink>[0])).rejects.toThrow(TypeError)
  })

  it('creates purchases, reserves, splits and subscriptions', async () => {
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

  it('takes a hosted reserve that is answered with a record', async () => {
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

  it('is not opened for another price than before', async () => {
    const world = create()
    await world.open(await world.link({ order_id: 'A-1' }))
    // Until it can be seen everywhere.
    await world.advance(61_000)
    const response = await world.get(await world.link({ order_id: 'A-1', amount: 1 }))
    expect([response.status, (await response.text()).includes('has changed')]).toEqual([409, true])
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
    expect(await world.order('A-1')).toMatchObject({ status: 'failure', replaced_by: 'A-1~2', flags: [] })
    expect(await world.order('A-1~2')).toMatchObject({
      status: 'success',
      replaces: 'A-1',
      flags: [],
      totals: { captured: 10050 },
    })
    expect(await world.open(await world.link({ order_id: 'A-1' }))).toMatch(/\/return\/A-1~2\?t=/)
  })

  it('does not wait for an address after an answer that is known to be lost', async () => {
    const world = create()
    world.emulator.faults.next({ kind: 'reset', when: 'after_commit', on: 'create-payment' })
    const link = await world.link({ order_id: 'A-1' })
    expect((await world.get(link)).status).toBe(503)
    if (kind === 'hostile') await world.advance(61_000)
    expect((await world.get(link)).status).toBe(303)
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

  it('stays as it is when the shop itself cancelled the order', async () => {
    const world = create()
    const link = await world.link({ order_id: 'A-1' })
    await world.open(link)
    expect((await world.api('/api/orders/A-1/cancel', { method: 'POST' })).status).toBe(200)
    await world.emulator.deliveries.idle()
    expect(await world.open(link)).toMatch(/\/return\/A-1\?t=/)
    expect(world.emulator.orders.list()).toHaveLength(1)
  })
})

describe('a checkout link', () => {
  it('waits for the address that another location has just written, instead of replacing its checkout', async () => {
    const world = new World({ kind: 'hostile', failures: 0 })
    const link = await world.link({ order_id: 'A-1' })
    const at = async (location: string) => world.fetch(new Request(link), world.env(location))
    // The second location has already looked, and keeps the absence for a minute.
    await world.fetch(
      new Request(`${ORIGIN}/api/orders/A-1`, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } }),
      world.env('WAW'),
    )
    const first = (await at('FRA')).headers.get('location')
    const second = await at('WAW')
    expect([second.status, second.headers.get('retry-after')]).toEqual([503, '10'])
    expect(await second.text()).toContain('<meta http-equiv="refresh" content="10;url=')
    await world.advance(61_000)
    expect((await at('WAW')).headers.get('location')).toBe(first)
    expect(world.emulator.orders.get('A-1')?.status).toBe('init')
  })
})

/** Opens a link as a patient customer does, with the kill about until it has struck. */
async function openThrough(world: World, link: string, kill: Kill): Promise<string> {
  let url = link
  for (let attempt = 0; attempt < 60; attempt++) {
    const look = () => world.get(url)
    const response = kill.struck ? await look() : await armed(world, kill, look)
    if (response?.status === 303) return response.headers.get('location') ?? ''
    const text = (await response?.text()) ?? ''
    if (response) expect(response.status).toBe(503)
    url = /<a href="([^"]+)">/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? url
    await world.advance(11_000)
  }
  throw new Error('The link never led anywhere.')
}

const LOST = KINDS.flatMap((kind) => [false, true].map((lost) => ({ kind, lost })))

describe.each(LOST)('killed at each storage and service call over $kind KV (answer lost: $lost)', ({ kind, lost }) => {
  it.each(howsOf(kind))('leaves one payment that can be paid (%s)', async (how) => {
    await killAtEach(kind, lost ? 10 : 3, async (killAt) => {
      const world = new World({ kind })
      const id = newOrderId()
      if (lost) world.emulator.faults.next({ kind: 'reset', when: 'after_commit', on: 'create-payment' })
      const kill = createKill(killAt, how)
      const link = await world.link({ order_id: id })
      let url = await openThrough(world, link, kill)
      // A place that sees the cancellation and not yet what replaces it shows the result; a minute later the link leads on.
      for (let look = 0; isHostile(kind) && look < 20 && url.includes('/return/'); look++) {
        await world.advance(121_000)
        url = await world.open(link)
      }
      const [left = '', ...more] = payable(world, id)
      expect([killAt, more, world.emulator.orders.get(left)?.checkout_url]).toEqual([killAt, [], url])
      return kill.calls
    })
  })
})

/** A link of an order that `createCheckoutLink` would reject. */
async function unchecked(order_id: string): Promise<string> {
  const order = { ...ORDER, order_id, amount: 10.005 }
  const link = { order, origin: ORIGIN, expiresAt: Number.MAX_SAFE_INTEGER }
  return `${ORIGIN}/checkout/${await seal(LINK_SECRET, 'checkout link', link)}`
}

describe('a link that cannot lead anywhere', () => {
  it.each([
    [{ amount: 0 }, /amount/],
    [{ amount: 10.555 }, /amount/],
    [{ currency: 'usd' }, /currency/],
    [{ description: '' }, /description/],
    [{ order_idd: 'x' }, /order_idd/],
    [{ method: 'auth', order_id: 'x'.repeat(30) }, /at most 29 characters to be captured/],
    [{ order_id: 'x'.repeat(254) }, /at most 253 characters/],
  ] as const)('is not made of %j', async (change, message) => {
    const order = { order_id: 'A-1', ...change } as { order_id: string }
    await expect(new World().link(order)).rejects.toThrow(message)
  })

  it('is made for the longest authorization that can be captured', async () => {
    expect(await new World().link({ method: 'auth', order_id: 'x'.repeat(29) })).toContain('/checkout/')
  })

  it.each([
    ['127.0.0.1:8787', /is not an address|must begin with/],
    ['https://pay.example.com/path', /without a path/],
  ])('is not made for the origin %s', async (origin, message) => {
    const order = { ...ORDER, order_id: 'A-1' }
    await expect(createCheckoutLink({ origin, linkSecret: LINK_SECRET, order })).rejects.toThrow(message)
  })

  it('is not made with a secret that can be guessed', async () => {
    const order = { ...ORDER, order_id: 'A-1' }
    const made = createCheckoutLink({ origin: ORIGIN, linkSecret: 'x'.repeat(31), order })
    await expect(made).rejects.toThrow(/at least 32 characters/)
  })

  it.each([new Date('2999-01-01'), '2999-01-01', Number.NaN, Number.POSITIVE_INFINITY, 1])(
    'is not made: it ends at %s',
    async (expiresAt) => {
      const world = new World()
      await expect(world.link({ order_id: 'A-1' }, expiresAt as number)).rejects.toThrow(
        /expiresAt must be a time in the future/,
      )
    },
  )

  it('of an order that the service could not take does not invite the customer to try again', async () => {
    const world = new World()
    const response = await world.get(await unchecked(newOrderId()))
    const text = await response.text()
    expect([response.status, text]).toEqual([422, expect.stringContaining('This order cannot be paid')])
    expect(text).not.toContain('Try again')
    expect(world.emulator.orders.list()).toEqual([])
  })
})
