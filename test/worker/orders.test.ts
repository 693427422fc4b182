import { describe, expect, it } from 'vitest'
import type { ListedOrder } from '../../src/shop/routes/list-orders.ts'
import { openKvStore } from '../../src/shop/store/kv.ts'
import { prefixesOf, putRecent } from '../../src/shop/store/order-index.ts'
import { at, payment, secondary } from './support/events.ts'
import { KINDS, World } from './support/world.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

interface Page {
  orders: ListedOrder[]
  cursor: string | null
}

async function page(world: World, query: string): Promise<Page> {
  const response = await world.patient(`/api/orders?${query}`)
  expect([query, response.status]).toEqual([query, 200])
  return (await response.json()) as Page
}

/** Every page of a query, and how many there were. */
async function all(world: World, query: string): Promise<{ ids: string[]; pages: number }> {
  const ids: string[] = []
  let cursor: string | null = ''
  let pages = 0
  while (cursor !== null && pages < 200) {
    const more: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const got = await page(world, query + more)
    ids.push(...got.orders.map(({ order_id }) => order_id))
    cursor = got.cursor
    pages++
  }
  expect(cursor).toBeNull()
  return { ids, pages }
}

const idsOf = async (world: World, query: string) => (await all(world, query)).ids.sort()

/** What a call costs in KV. */
async function cost<T>(world: World, work: () => Promise<T>): Promise<{ list: number; get: number }> {
  const { list, get } = world.kv.calls
  await work()
  return { list: world.kv.calls.list - list, get: world.kv.calls.get - get }
}

describe.each(KINDS)('GET /api/orders over %s KV', (kind) => {
  const create = () => new World({ kind, failures: 0 })

  it('filters by status, flag and both', async () => {
    const world = create()
    const links = { paid: await world.link({ order_id: 'paid' }), failed: await world.link({ order_id: 'failed' }) }
    await world.pay(await world.open(links.paid))
    await world.open(links.failed)
    await world.deliver(payment('failed', { status: 'failure', status_code: '4153' }))
    await world.deliver(payment('foreign'))
    await world.advance(121_000)
    expect(await idsOf(world, 'status=success')).toEqual(['foreign', 'paid'])
    expect(await idsOf(world, 'status=failure')).toEqual(['failed'])
    expect(await idsOf(world, 'flag=unknown_order')).toEqual(['foreign'])
    expect(await idsOf(world, 'flag=unknown_order&status=failure')).toEqual([])
    expect(await idsOf(world, 'limit=1')).toEqual(['failed', 'foreign', 'paid'])
  })

  it('shows of an order what the order itself says', async () => {
    const world = create()
    await world.pay(await world.open(await world.link({ order_id: 'A-1' }, undefined, { reference: 'R-1' })))
    await world.advance(121_000)
    const [listed] = (await page(world, '')).orders
    const { operations, events, attempts, customer_email, ...order } = (await world.order('A-1')) ?? {}
    expect(listed).toEqual({ ...order, listed_at: expect.stringMatching(/^2026-03-01T10:.*Z$/) })
    expect(listed).toMatchObject({ status: 'success', reference: 'R-1', totals: { captured: 10050 } })
  })

  it('finds an order by its reference, and every order of it', async () => {
    const world = create()
    for (const [order_id, reference] of [
      ['A-1', 'R'],
      ['A-2', 'R'],
      ['A-3', 'R/'],
      ['A-4', ''],
    ] as const) {
      await world.open(await world.link({ order_id }, undefined, reference ? { reference } : {}))
    }
    await world.deliver(payment('A-2', { status: 'failure' }))
    await world.advance(121_000)
    expect(await idsOf(world, 'reference=R')).toEqual(['A-1', 'A-2'])
    expect(await idsOf(world, 'reference=R&limit=1')).toEqual(['A-1', 'A-2'])
    expect(await idsOf(world, 'reference=R&status=failure')).toEqual(['A-2'])
    expect(await idsOf(world, 'reference=R%2F')).toEqual(['A-3'])
    expect(await idsOf(world, 'reference=r')).toEqual([])
  })

  it('finds the orders of a period at its limits, whatever it is combined with', async () => {
    const world = create()
    const begin = world.time
    const times = [0, 1, 3 * HOUR_MS, DAY_MS, 40 * DAY_MS]
    for (const [i, time] of times.entries()) {
      world.time = begin + time - 2_000
      await world.deliver(payment(`order-${i}`, { status: i % 2 ? 'failure' : 'success' }))
    }
    world.time = begin + 50 * DAY_MS
    const iso = (ms: number) => new Date(begin + ms).toISOString()
    const of = (query: string) => idsOf(world, query)
    expect(await of(`from=${iso(0)}&to=${iso(1)}`)).toEqual(['order-0'])
    expect(await of(`from=${iso(1)}&to=${iso(3 * HOUR_MS)}`)).toEqual(['order-1'])
    expect(await of(`from=${iso(1)}&to=${iso(3 * HOUR_MS + 1)}`)).toEqual(['order-1', 'order-2'])
    expect(await of(`from=2026-03-02&to=2026-03-03`)).toEqual(['order-3'])
    expect(await of(`from=${iso(2)}`)).toEqual(['order-2', 'order-3', 'order-4'])
    expect(await of(`to=${iso(2)}`)).toEqual(['order-0', 'order-1'])
    expect(await of(`to=${iso(2)}&status=failure`)).toEqual(['order-1'])
    expect(await of('from=2027-01-01')).toEqual([])
    expect((await all(world, `to=${iso(2 * DAY_MS)}&limit=1`)).ids).toEqual([
      'order-3',
      'order-2',
      'order-1',
      'order-0',
    ])
  })

  it('shows an order that has events on several days once, where it is newest', async () => {
    const world = create()
    await world.deliver(payment('A-1'))
    await world.deliver(payment('A-2'))
    await world.advance(2 * DAY_MS)
    await world.deliver(secondary('A-1', 'refund', { amount: 0.5 }))
    await world.advance(121_000)
    await world.advance(121_000)
    const { ids } = await all(world, 'limit=1')
    expect(ids).toEqual(['A-1', 'A-2'])
    const [first] = (await page(world, '')).orders
    expect(first).toMatchObject({
      order_id: 'A-1',
      totals: { refunded: 50 },
      listed_at: expect.stringContaining('03-03'),
    })
  })

  it('lists what is open', async () => {
    const world = create()
    await world.open(await world.link({ order_id: 'open' }))
    await world.pay(await world.open(await world.link({ order_id: 'paid' })))
    await world.advance(121_000)
    expect(await idsOf(world, 'open=true')).toEqual(['open'])
    expect(await idsOf(world, 'open=true&status=success')).toEqual([])
  })
})

describe('GET /api/orders', () => {
  it.each([
    ['state=paid', 'unknown_parameter'],
    ['limit=5&limit=6', 'invalid_parameter'],
    ['flag=paid', 'invalid_parameter'],
    ['status=', 'invalid_parameter'],
    ['reference=', 'invalid_parameter'],
    ['open=false', 'invalid_parameter'],
    ['open=true&reference=R', 'invalid_parameter'],
    ['from=yesterday', 'invalid_parameter'],
    ['from=2026-03-01T10:00:00', 'invalid_parameter'],
    ['from=2026-02-30T99:00:00Z', 'invalid_parameter'],
    ['from=2026-02-30', 'invalid_parameter'],
    ['from=2026-02-29', 'invalid_parameter'],
    ['to=2026-04-31T10:00:00%2B03:00', 'invalid_parameter'],
    ['to=2026-02-00', 'invalid_parameter'],
    ['from=2026-03-02&to=2026-03-02', 'invalid_parameter'],
    ['limit=101', 'invalid_limit'],
    ['limit=', 'invalid_limit'],
    ['cursor=', 'invalid_cursor'],
    ['cursor=garbage', 'invalid_cursor'],
  ])('rejects %s', async (query, code) => {
    const response = await new World().api(`/api/orders?${query}`)
    expect([response.status, await response.json()]).toEqual([400, expect.objectContaining({ code })])
  })

  it('takes the days of a leap year', async () => {
    for (const from of ['2028-02-29', '2028-02-29T23:59:59-11:00', '2026-12-31T24:00:00Z']) {
      expect([from, (await new World().api(`/api/orders?from=${from}`)).status]).toEqual([from, 200])
    }
  })

  it('rejects a cursor that was changed, and one of another query', async () => {
    const world = new World()
    for (const id of ['A-1', 'A-2', 'A-3']) await world.deliver(payment(id))
    const { cursor } = await page(world, 'limit=1')
    const status = async (query: string) => (await world.api(`/api/orders?${query}`)).status
    expect(await status(`limit=2&cursor=${cursor}`)).toBe(200)
    expect(await status(`limit=1&status=success&cursor=${cursor}`)).toBe(400)
    expect(await status(`limit=1&cursor=${cursor?.slice(0, -1)}`)).toBe(400)
    expect((await world.api(`/api/strays?cursor=${cursor}`)).status).toBe(400)
  })
})

describe('a page of GET /api/orders', () => {
  const create = () => new World({ kind: 'strict' })

  it('costs one list and no read, also when it is filtered', async () => {
    const world = create()
    for (let i = 0; i < 30; i++) await world.deliver(payment(`order-${i}`))
    for (const query of ['', '?limit=5', '?limit=100', '?status=failure', '?status=success&limit=3']) {
      world.gate.calls.gate = 0
      expect([query, await cost(world, () => world.api(`/api/orders${query}`))]).toEqual([query, { list: 1, get: 0 }])
      expect(world.gate.calls.gate).toBe(0)
    }
  })

  it('costs a read for a row that does not fit, and is right all the same', async () => {
    const world = create()
    const long = '€'.repeat(250)
    await world.open(await world.link({ order_id: long }, undefined, { reference: '€'.repeat(128), longOrderId: true }))
    await world.deliver(payment(long))
    await world.deliver(payment('A-1'))
    let orders: ListedOrder[] = []
    const calls = await cost(world, async () => {
      orders = (await page(world, '')).orders
    })
    expect(calls).toEqual({ list: 1, get: 1 })
    expect(orders.map(({ order_id, totals }) => [order_id, totals.captured])).toEqual([
      ['A-1', 10050],
      [long, 10050],
    ])
  })

  it('writes a row at most once in 10 seconds, and at the end it is right', async () => {
    const world = create()
    const rows = () => world.kv.writes.filter(({ key }) => key.startsWith('recent/'))
    const status = async () => (await page(world, '')).orders[0]?.status
    const init = payment('A-1', { status: 'init', processed_at: undefined })
    const begin = world.time
    await world.deliver(init)
    expect([rows().length, await status()]).toEqual([1, 'init'])
    for (const processed_at of [at(1), at(2), at(3)]) await world.deliver({ ...init, status: 'pending', processed_at })
    expect(world.time - begin).toBe(8_000)
    expect([rows().length, await status()]).toEqual([1, 'init'])
    await world.advance(3_999)
    expect(rows()).toHaveLength(1)
    await world.advance(1)
    expect([rows().length, await status()]).toEqual([2, 'pending'])
    await world.deliver({ ...init, status: 'success', processed_at: at(9) })
    await world.advance(10_000)
    expect([rows().length, await status()]).toEqual([3, 'success'])
    await world.advance(DAY_MS)
    expect([rows().length, world.gate.nextAlarm()]).toEqual([3, undefined])
    expect(new Set(rows().map(({ key }) => key)).size).toBe(1)
  })

  it('keeps a row right through KV that fails when it is written again', async () => {
    const world = create()
    const init = payment('A-1', { status: 'init', processed_at: undefined })
    await world.deliver(init)
    await world.advance(20_000)
    let failures = 3
    world.kv.before = (action, key) => {
      if (action === 'put' && key.startsWith('recent/') && failures-- > 0) throw new Error('KV PUT failed: 500')
    }
    await world.deliver({ ...init, status: 'success', processed_at: at(5) })
    expect((await page(world, '')).orders[0]?.status).toBe('init')
    for (let i = 0; i < 4; i++) await world.advance(10_000)
    expect((await page(world, '')).orders[0]?.status).toBe('success')
  })

  it('stays right when it loses its memory in between', async () => {
    const world = create()
    const init = payment('A-1', { status: 'init', processed_at: undefined })
    await world.deliver(init)
    await world.deliver({ ...init, status: 'success', processed_at: at(5) })
    world.gate.restart()
    await world.advance(10_000)
    expect((await page(world, '')).orders[0]?.status).toBe('success')
  })

  it('names a further attempt in the row of its order', async () => {
    const world = create()
    const link = await world.link({ order_id: 'A-1' })
    await world.pay(await world.open(link), 'declined')
    await world.pay(await world.open(link))
    await world.advance(20_000)
    const { orders } = await page(world, '')
    expect(orders.find(({ order_id }) => order_id === 'A-1')).toMatchObject({ status: 'failure', replaced_by: 'A-1~2' })
    expect(orders.find(({ order_id }) => order_id === 'A-1~2')).toMatchObject({ status: 'success', replaces: 'A-1' })
  })

  it('looks at 1,000 rows for a filtered page, at no more, and goes on behind them', async () => {
    const world = create()
    const store = openKvStore(world.env().STATE)
    const begin = world.time
    const totals = { authorized: 0, captured: 0, refunded: 0, voided: 0, fee: 0 }
    const row = { method: 'purchase', amount: 1, currency: 'UAH', totals, flags: [], updated_at: null }
    for (let i = 0; i < 2_500; i++) {
      const status = i === 100 || i === 2_400 ? 'failure' : 'success'
      await putRecent(store, { ...row, order_id: `order-${i}`, status } as never, begin + i)
    }
    const calls = await cost(world, () => page(world, 'status=failure'))
    expect(calls).toEqual({ list: 1, get: 0 })
    const first = await page(world, 'status=failure')
    expect([first.orders.map(({ order_id }) => order_id), first.cursor !== null]).toEqual([['order-2400'], true])
    expect(await all(world, 'status=failure')).toEqual({ ids: ['order-2400', 'order-100'], pages: 3 })
    expect((await all(world, 'status=success&limit=100')).ids).toHaveLength(2_498)
  })
})

describe('the listings of a period', () => {
  const NOW = Date.parse('2026-03-01T10:00:00Z')
  const FAR = 9_999_999_999_999

  /** Whether one of the prefixes covers a row of this time. */
  const covers = (prefixes: string[], time: number) =>
    prefixes.filter((prefix) => `recent/${String(FAR - time).padStart(13, '0')}`.startsWith(prefix)).length

  it('are few, and each moment lies in exactly one of them', () => {
    const lengths = [1, 1_000, HOUR_MS, DAY_MS, 31 * DAY_MS, 400 * DAY_MS]
    for (let step = 0; step < 60; step++) {
      for (const length of lengths) {
        const to = NOW - step * 7_654_321
        const from = to - length
        const prefixes = prefixesOf(from, to, NOW)
        expect(prefixes.length).toBeLessThanOrEqual(100)
        for (const time of [from, from + Math.floor(length / 2), to - 1]) expect(covers(prefixes, time)).toBe(1)
        // A quarter of an hour of rows from outside, at each end.
        for (const time of [from - 1_000_000, to + 1_000_000]) if (time < NOW) expect(covers(prefixes, time)).toBe(0)
        expect([...prefixes].sort()).toEqual(prefixes)
      }
    }
  })

  it('are a few for this month', () => {
    expect(prefixesOf(NOW - 28 * DAY_MS, NOW + 1, NOW).length).toBeLessThanOrEqual(40)
  })
})
