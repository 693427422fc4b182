import { describe, expect, it } from 'vitest'
import type { ShopEnv } from '../../src/shop/env.ts'
import { payment, secondary } from './support/events.ts'
import { failing, LINK_SECRET, ORDER, ORIGIN, World, type WorldOptions } from './support/world.ts'

type Json = Record<string, unknown>
const json = async (world: World, path: string): Promise<Json> => (await (await world.api(path)).json()) as Json
const post = (world: World, path: string, body: object) =>
  world.api(path, { method: 'POST', body: JSON.stringify(body) })
const CONTEXT = { waitUntil: () => {} }
/** A request inside the Worker, as a person. */
const as = (world: World, by: string, path: string, init: RequestInit = {}) =>
  world.shop.api(new Request(`${ORIGIN}${path}`, init), world.env(), CONTEXT, by, 'all')

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
    // Another request under the key says nothing of the first one.
    expect((await world.send('/api/orders/A-1/refund', { refund_amount: 4 }, 'k')).status).toBe(422)
    expect((await post(world, '/api/orders/A-1/notes', { text: ' Called Olena ' })).status).toBe(201)
    const { record } = await json(world, '/api/orders/A-1')
    expect(record).toMatchObject([
      { by: 'olena', action: 'refund', amount_minor: 1000, result: 'done' },
      { by: 'api', action: 'refund', amount_minor: 400, result: 'idempotency_key_reused' },
      { by: 'api', action: 'note', text: 'Called Olena', result: 'done' },
    ])
  })

  it('keeps nothing of what was no action', async () => {
    const world = create()
    await paid(world, 'A-1')
    expect((await post(world, '/api/orders/A-1/notes', { text: 'x'.repeat(1001) })).status).toBe(400)
    expect((await post(world, '/api/orders/nobody/notes', { text: 'x' })).status).toBe(404)
    expect((await json(world, '/api/orders/A-1')).record).toEqual([])
    expect((await world.api('/api/orders/nobody')).status).toBe(404)
    expect((await post(world, '/api/orders/A-1/notes', { text: 'x'.repeat(1000) })).status).toBe(201)
  })
})

describe('attention that is done', () => {
  it('leaves the list, one flag at a time, until there is news of it; an erasure takes a note’s text alone', async () => {
    const world = create()
    await world.deliver(payment('A-1', { amount: 7 }))
    await world.deliver(secondary('A-1', 'refund', { amount: 8 }))
    await world.advance(20_000)
    const flags = async () => ((await json(world, '/api/attention')).items as Json[]).map(({ flag }) => flag)
    const done = (flag: string) => post(world, '/api/orders/A-1/attention/done', { kind: 'flag', flag })
    expect((await done('paid_twice')).status).toBe(404)
    for (const [flag, left] of [
      ['unknown_order', ['over_refund']],
      ['over_refund', []],
    ] as const) {
      expect([(await done(flag)).status, await flags()]).toEqual([200, left])
      await world.advance(60_000)
    }
    for (const kind of ['refund', 'void'] as const) {
      await world.deliver(secondary('A-1', kind, { amount: 9 }))
      expect([kind, ...(await flags())]).toEqual([kind, 'over_refund'])
    }
    await post(world, '/api/orders/A-1/notes', { text: 'She called.' })
    await world.advance(20_000)
    // The whole shop's list has no note's text at all.
    const entries = JSON.stringify((await json(world, '/api/audit')).entries)
    expect([/"note"/.test(entries), /called/.test(entries)]).toEqual([true, false])
    await world.api('/api/orders/A-1/personal-data', { method: 'DELETE' })
    const { record } = (await json(world, '/api/orders/A-1')) as { record: Json[] }
    expect(record.map(({ by, action, text, result }) => [by, action, text, result])).toEqual([
      ['api', 'attention_done', 'unknown_order', 'done'],
      ['api', 'attention_done', 'over_refund', 'done'],
      ['api', 'note', undefined, 'done'],
      ['api', 'erase', undefined, 'done'],
    ])
  })
})

it('the record of the shop has each act of one moment on one of its pages', async () => {
  const world = create()
  const ids = ['A-1', 'A-2', 'A-3']
  for (const id of ids) await world.deliver(payment(id))
  for (const id of ids) await post(world, `/api/orders/${id}/notes`, { text: 'x' })
  const found: unknown[] = []
  for (let cursor: unknown = '', page = 0; cursor !== null && page < 5; page++) {
    const { entries, ...next } = await json(world, `/api/audit?limit=1${cursor && `&cursor=${cursor}`}`)
    found.push(...(entries as Json[]).map(({ order_id }) => order_id))
    cursor = next.cursor
  }
  expect(found.sort()).toEqual(ids)
})

describe('short links', () => {
  it('show a closed page where there is none, and lose what is personal', async () => {
    const world = create()
    for (const path of ['/p/x', '/p/AAAAAAAAAAAA']) expect((await world.get(path)).status).toBe(404)
    const { short_url, url } = await make(world, 'A-1')
    expect((await world.get(String(short_url))).headers.get('location')).toBe(new URL(String(url)).pathname)
    await world.api('/api/orders/A-1/personal-data', { method: 'DELETE' })
    expect((await world.get(String(short_url))).status).toBe(404)
    expect((await json(world, '/api/links')).links).toMatchObject([{ description: null, url: null, short_url: null }])
  })

  it('cost no call of an object when they are guessed, and work with the previous secret', async () => {
    const env: Partial<ShopEnv> = {}
    const world = create({ env })
    const { short_url } = await make(world, 'A-1', { expires_at: world.time + 60_000 })
    const short = String(short_url).slice(-16)
    const calls = async (name: string) => {
      const { object } = world.object.calls
      const { status } = await world.get(`/p/${name}`)
      return [status, world.object.calls.object - object]
    }
    const other = (at: number) => short.slice(0, at) + (short[at] === 'A' ? 'B' : 'A') + short.slice(at + 1)
    for (const guess of ['x', 'A'.repeat(16), other(0), other(15), `${short}A`])
      expect(await calls(guess)).toEqual([404, 0])
    expect(await calls(short.slice(0, 12))).toEqual([404, 0])
    expect(await calls(short)).toEqual([302, 1])
    Object.assign(env, { LINK_SECRET_PREVIOUS: LINK_SECRET, LINK_SECRET: 'another-link-secret-of-32-characters' })
    world.begin()
    expect(await calls(short)).toEqual([302, 1])
    delete env.LINK_SECRET_PREVIOUS
    expect(await calls(short)).toEqual([404, 0])
  })

  it('are left out when the shop’s object fails: the link works without', async () => {
    const world = create()
    world.object.before = failing()
    const made = await make(world, 'A-1')
    expect([made.short_url, typeof made.url]).toEqual([undefined, 'string'])
  })
})

describe('the days', () => {
  it('count an operation where its success was received first, until the service takes that back', async () => {
    const world = create({ env: { SHOP_TZ: 'Europe/Kyiv' } })
    world.time = Date.parse('2026-03-31T20:59:00Z')
    // A fee of another currency is not added.
    const fee = { amount: 1, currency: 'USD' }
    const [paid, back] = [payment('A-1', { fee }), secondary('A-1', 'refund', { amount: 2 })]
    const released = [payment('A-2', { method: 'auth' }), secondary('A-2', 'void')]
    for (const event of [paid, back, ...released]) await world.deliver(event)
    // A copy comes after midnight, and before the first list.
    world.time += 60_000
    await world.post(world.signed({ ...back, processed_at: '2026-03-01T10:30:00.000' }))
    await world.advance(120_000)
    const taken = async () => {
      const { days } = (await json(world, '/api/days?from=2026-03-31&to=2026-04-01')) as { days: Json[] }
      return days.map(({ day, taken_minor, fee_minor, count }) => [day, taken_minor, fee_minor, count])
    }
    expect(await taken()).toEqual([['2026-03-31', 9850, 0, 4]])
    await world.deliver({ ...paid, processed_at: '2026-03-01T11:00:00.000' })
    await world.deliver({ ...back, status: 'failure', processed_at: '2026-03-01T11:00:00.000' })
    await world.advance(20_000)
    expect(await taken()).toEqual([['2026-03-31', 10_050, 0, 3]])
    const received_at = '2026-03-31T20:59:02.000Z'
    expect(await json(world, '/api/orders/A-1')).toMatchObject({
      status_at: received_at,
      operations: [{ received_at }, {}],
    })
  })

  it.each([
    ['invalid_parameter', ['', 'from=2026-03-01', 'from=2026-02-30&to=2026-03-01', 'from=2026-03-02&to=2026-03-01']],
    ['invalid_parameter', ['from=2026-01-01&to=2026-04-03']],
    [undefined, ['from=2026-01-01&to=2026-04-02', 'from=2026-03-01&to=2026-03-01']],
  ])('are %s: %j', async (code, queries) => {
    for (const path of queries.flatMap((query) => [`/api/days?${query}`, `/api/operations?${query}`]))
      expect([path, (await json(create(), path)).code]).toEqual([path, code])
  })

  it('need a zone that there is', async () => {
    const response = await create({ env: { SHOP_TZ: 'Europe/Nowhere' } }).get('/health')
    expect(response.status).toBe(503)
  })
})
