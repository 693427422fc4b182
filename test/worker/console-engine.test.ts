import { describe, expect, it } from 'vitest'
import type { ShopEnv } from '../../src/shop/env.ts'
import { at, payment } from './support/events.ts'
import { LINK_SECRET, ORDER, ORIGIN, World, type WorldOptions } from './support/world.ts'

type Json = Record<string, unknown>
const json = async (world: World, path: string): Promise<Json> => (await (await world.api(path)).json()) as Json
const post = (world: World, path: string, body: object) =>
  world.api(path, { method: 'POST', body: JSON.stringify(body) })
const CONTEXT = { waitUntil: () => {} }
/** A request inside the Worker, as a person. */
const as = (world: World, by: string, path: string, init: RequestInit = {}) =>
  world.shop.api(new Request(`${ORIGIN}${path}`, init), world.env(), CONTEXT, by)

async function paid(world: World, order_id: string, order: object = {}): Promise<void> {
  await world.pay(await world.open(await world.link({ order_id, ...order })))
  await world.advance(20_000)
}
const make = async (world: World, order_id: string, fields: object = {}): Promise<Json> => {
  const response = await post(world, '/api/links', { order: { ...ORDER, order_id }, ...fields })
  expect(response.status).toBe(201)
  return (await response.json()) as Json
}
const create = (options: WorldOptions = {}) => new World({ failures: 0, ...options })

describe('shop.api', () => {
  it('runs a route of /api without a token, also where there is none, and only inside the Worker', async () => {
    const world = create({ env: { ADMIN_TOKEN: '' } })
    const own = await as(world, 'olena', '/api/orders')
    expect([own.status, await own.json()]).toEqual([200, { orders: [], cursor: null }])
    expect((await as(world, 'olena', '/api/nothing')).status).toBe(404)
    const statuses = await Promise.all(
      ['/api/orders', '/api/nothing'].map(async (path) => (await world.get(path)).status),
    )
    expect(statuses).toEqual([500, 500])
  })
})

describe('the record', () => {
  it('says who did what, once for one Idempotency-Key, with the outcome', async () => {
    const world = create()
    await paid(world, 'A-1', { amount: 100.5 })
    const refund = { method: 'POST', headers: { 'idempotency-key': 'k' }, body: '{"refund_amount":10}' }
    for (let i = 0; i < 2; i++) expect((await as(world, 'olena', '/api/orders/A-1/refund', refund)).status).toBe(200)
    await world.send('/api/orders/A-1/refund', { refund_amount: 500 }, 'too much')
    expect((await post(world, '/api/orders/A-1/notes', { text: ' Called Olena ' })).status).toBe(201)
    const { record } = await json(world, '/api/orders/A-1')
    expect(record).toMatchObject([
      { by: 'olena', action: 'refund', amount: 1000, result: 'done' },
      { by: 'api', action: 'note', text: 'Called Olena', result: 'done' },
    ])
    await world.advance(20_000)
    const { entries } = (await json(world, '/api/audit?limit=2')) as { entries: Json[] }
    expect(entries.map(({ action, by, order_id, text }) => [action, by, order_id, text])).toEqual([
      ['note', 'api', 'A-1', undefined],
      ['refund', 'olena', 'A-1', undefined],
    ])
  })

  it('loses a note’s text with the personal data, and keeps nothing of what was no action', async () => {
    const world = create()
    await paid(world, 'A-1')
    await post(world, '/api/orders/A-1/notes', { text: 'A secret' })
    expect((await post(world, '/api/orders/A-1/notes', { text: 'x'.repeat(1001) })).status).toBe(400)
    expect((await post(world, '/api/orders/nobody/notes', { text: 'x' })).status).toBe(404)
    await world.api('/api/orders/A-1/personal-data', { method: 'DELETE' })
    const { record } = (await json(world, '/api/orders/A-1')) as { record: Json[] }
    expect(record.map(({ action, text }) => [action, text])).toEqual([
      ['note', undefined],
      ['erase', undefined],
    ])
    expect((await world.api('/api/orders/nobody')).status).toBe(404)
  })
})

describe('attention that is done', () => {
  it('leaves the list, and comes back when something new happens of it', async () => {
    const world = create()
    await world.deliver(payment('A-1'))
    await world.advance(20_000)
    const kinds = async () => ((await json(world, '/api/attention')).items as Json[]).map(({ flag }) => flag)
    expect(await kinds()).toEqual(['unknown_order'])
    const done = (body: object) => post(world, '/api/orders/A-1/attention/done', body)
    expect((await done({ kind: 'flag', flag: 'paid_twice' })).status).toBe(404)
    expect((await done({ kind: 'flag', flag: 'unknown_order' })).status).toBe(200)
    expect(await kinds()).toEqual([])
    await world.advance(60_000)
    expect(await kinds()).toEqual([])
    expect((await json(world, '/api/orders/A-1')).record).toMatchObject([
      { by: 'api', action: 'attention_done', text: 'unknown_order', result: 'done' },
    ])
    await world.deliver(payment('A-1', { transaction_id: crypto.randomUUID(), payment_id: crypto.randomUUID() }))
    await world.advance(20_000)
    expect(await kinds()).toContain('unknown_order')
  })
})

describe('short links', () => {
  it('lead to the link, and are listed with what became of it', async () => {
    const world = create()
    const { short_url, url } = await make(world, 'A-1', { order: undefined }).catch(() => make(world, 'A-1'))
    const short = String(short_url)
    expect(short).toMatch(/^https:\/\/pay\.shop\.example\.com\/p\/[\w-]{16}$/)
    const states = async (query = '') =>
      ((await json(world, `/api/links${query}`)).links as Json[]).map(({ order_id, state }) => [order_id, state])
    expect(await states()).toEqual([['A-1', 'sent']])
    const response = await world.get(short)
    expect([response.status, response.headers.get('location')]).toEqual([302, new URL(String(url)).pathname])
    const page = await world.open(String(url))
    await world.advance(20_000)
    expect(await states()).toEqual([['A-1', 'opened']])
    await world.pay(page)
    await world.advance(20_000)
    world.time += 1_000
    const { id } = await make(world, 'A-2')
    world.time += 1_000
    await make(world, 'A-3', { expires_at: world.time + 60_000 })
    await world.api(`/api/links/${id}`, { method: 'DELETE' })
    await world.advance(120_000)
    expect(await states()).toEqual([
      ['A-3', 'expired'],
      ['A-2', 'revoked'],
      ['A-1', 'paid'],
    ])
    expect(await states('?state=paid')).toEqual([['A-1', 'paid']])
    const first = await json(world, '/api/links?limit=2')
    expect(await states(`?limit=2&cursor=${first.cursor}`)).toEqual([['A-1', 'paid']])
    expect((first.links as Json[])[1]).toMatchObject({ by: 'api', amount: Math.round(ORDER.amount * 100) })
  })

  it('show a closed page where there is none, and lose what is personal', async () => {
    const world = create()
    for (const path of ['/p/x', '/p/AAAAAAAAAAAA']) expect((await world.get(path)).status).toBe(404)
    const { short_url } = await make(world, 'A-1')
    await world.api('/api/orders/A-1/personal-data', { method: 'DELETE' })
    expect((await world.get(String(short_url))).status).toBe(404)
    expect((await json(world, '/api/links')).links).toMatchObject([{ description: null, url: null, short_url: null }])
  })

  it('cost no call of an object when they are guessed; those without a mark work until they expire', async () => {
    const env: Partial<ShopEnv> = {}
    const world = create({ env })
    const { short_url } = await make(world, 'A-1', { expires_at: world.time + 60_000 })
    const short = String(short_url).slice(-16)
    const calls = async (name: string) => {
      const { gate } = world.gate.calls
      const { status } = await world.get(`/p/${name}`)
      return [status, world.gate.calls.gate - gate]
    }
    const other = (at: number) => short.slice(0, at) + (short[at] === 'A' ? 'B' : 'A') + short.slice(at + 1)
    for (const guess of ['x', 'A'.repeat(16), other(0), other(15), `${short}A`])
      expect(await calls(guess)).toEqual([404, 0])
    // Of an engine that made names of 12 characters.
    world.gate.storage('', 'shop').sql.exec('UPDATE link SET short = substr(short, 1, 12)')
    expect([await calls(short.slice(0, 12)), await calls('A'.repeat(12))]).toEqual([
      [302, 1],
      [404, 1],
    ])
    world.time += 60_000
    expect([await calls('A'.repeat(12)), await calls(short.slice(0, 12))]).toEqual([
      [404, 0],
      [404, 0],
    ])
    Object.assign(env, { LINK_SECRET_PREVIOUS: LINK_SECRET, LINK_SECRET: 'another-link-secret-of-32-characters' })
    world.begin()
    expect(await calls(short)).toEqual([404, 1])
    delete env.LINK_SECRET_PREVIOUS
    expect(await calls(short)).toEqual([404, 0])
  })

  it('are left out when the shop’s object fails: the link works without', async () => {
    const world = create()
    world.gate.before = () => {
      throw new Error('down')
    }
    const made = await make(world, 'A-1')
    expect([made.short_url, typeof made.url]).toEqual([undefined, 'string'])
  })
})

describe('the days', () => {
  it('add up what was taken, in the shop’s time zone, once however often it is published', async () => {
    const world = create({ env: { SHOP_TZ: 'Europe/Kyiv' } })
    await paid(world, 'A-1', { amount: 100.5 })
    await paid(world, 'A-2', { amount: 50, method: 'auth' })
    await world.send('/api/orders/A-1/refund', { refund_amount: 20.25 }, 'r')
    await world.send('/api/orders/A-2/capture', { charge_amount: 30 }, 'c')
    await world.advance(20_000)
    await world.deliver(payment('A-1', { status: 'pending' })).catch(() => {})
    await world.advance(60_000)
    const query = 'from=2026-03-01&to=2026-03-01'
    const { days } = (await json(world, `/api/days?${query}`)) as { days: Json[] }
    const sum = (name: string) => days.reduce((total, day) => total + Number(day[name]), 0)
    expect(['authorized', 'paid', 'captured', 'refunded', 'voided', 'taken', 'count'].map(sum)).toEqual([
      5000, 10050, 3000, 2025, 0, 11025, 4,
    ])
    const { operations } = (await json(world, `/api/operations?${query}`)) as { operations: Json[] }
    expect(operations.map(({ order_id, kind, amount, day }) => [order_id, kind, amount, day])).toEqual([
      ['A-1', 'paid', 10050, '2026-03-01'],
      ['A-2', 'authorized', 5000, '2026-03-01'],
      ['A-1', 'refunded', 2025, '2026-03-01'],
      ['A-2', 'captured', 3000, '2026-03-01'],
    ])
    const page = await json(world, `/api/operations?${query}&limit=3`)
    expect((await json(world, `/api/operations?${query}&limit=3&cursor=${page.cursor}`)).operations).toHaveLength(1)
  })

  it.each([[['no_transaction_id']], [['no_transaction_id', 'second_card']]] as const)(
    'count a payment once where one event has its transaction_id and another one has not: %j',
    async (perturbations) => {
      const world = create({ emulator: { perturbations } })
      await paid(world, 'A-1', { amount: 100.5 })
      await world.send('/api/orders/A-1/resend', { operation: 'purchase' })
      await world.advance(60_000)
      const { days } = (await json(world, '/api/days?from=2026-03-01&to=2026-03-01')) as { days: Json[] }
      expect(days).toMatchObject([{ paid: 10050, count: 1 }])
    },
  )

  it('lose a payment that the service has taken back', async () => {
    const world = create()
    const days = async (event: object) => {
      await world.deliver(event)
      await world.advance(60_000)
      return (await json(world, '/api/days?from=2026-03-01&to=2026-03-01')).days as Json[]
    }
    const event = payment('A-1')
    expect(await days(event)).toMatchObject([{ paid: 10050, count: 1 }])
    const taken = { ...event, status: 'failure', status_code: '2122', processed_at: at(60) }
    expect((await days(taken)).filter(({ count }) => count !== 0)).toEqual([])
  })

  it('count an operation in the month in which it was received, on the day of the zone', async () => {
    const world = create({ env: { SHOP_TZ: 'Europe/Kyiv' } })
    world.time = Date.parse('2026-03-31T20:00:00Z')
    await paid(world, 'A-1', { amount: 10 })
    // 00:30 of the next day in Kyiv, 31 March in UTC.
    await world.advance(Date.parse('2026-03-31T21:30:00Z') - world.time)
    await world.send('/api/orders/A-1/refund', { refund_amount: 1 }, 'a')
    await world.advance(Date.parse('2026-04-01T09:00:00Z') - world.time)
    await world.send('/api/orders/A-1/refund', { refund_amount: 2 }, 'b')
    await world.advance(60_000)
    const { days } = (await json(world, '/api/days?from=2026-03-31&to=2026-04-01')) as { days: Json[] }
    expect(days.map(({ day, taken }) => [day, taken])).toEqual([
      ['2026-03-31', 1000],
      ['2026-04-01', -300],
    ])
    expect(await world.gate.storage('A-1').sql.exec('SELECT payway FROM event LIMIT 1').toArray()).toHaveLength(1)
  })

  it.each([
    '',
    'from=2026-03-01',
    'from=2026-02-30&to=2026-03-01',
    'from=2026-03-02&to=2026-03-01',
    'from=2026-01-01&to=2026-04-03',
  ])('reject %j', async (query) => {
    const response = await create().api(`/api/days?${query}`)
    expect([response.status, ((await response.json()) as Json).code]).toEqual([400, 'invalid_parameter'])
  })

  it('need a zone that there is', async () => {
    const response = await create({ env: { SHOP_TZ: 'Europe/Nowhere' } }).get('/health')
    expect(response.status).toBe(503)
  })
})
