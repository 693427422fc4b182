import { describe, expect, it } from 'vitest'
import { orderKey } from '../../src/orders/index.ts'
import { actShop } from '../../src/shop/books/actions.ts'
import { putInList } from '../../src/shop/books/orders.ts'
import { type ListedRow, listBook, putListed, SHOP } from '../../src/shop/books/tables.ts'
import { openTables } from '../../src/shop/lib/tables.ts'
import type { GateNamespace } from '../../src/shop/runtime.ts'
import { at, payment, secondary } from './support/events.ts'
import { World } from './support/world.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

interface Page {
  orders: { order_id: string; status: string | null; listed_at: string; description?: string }[]
  cursor: string | null
}

async function page(world: World, query: string): Promise<Page> {
  const response = await world.api(`/api/orders?${query}`)
  expect([query, response.status]).toEqual([query, 200])
  return (await response.json()) as Page
}

/** Every page of a query: each but the last is full. */
async function all(world: World, query: string, limit = 20): Promise<string[]> {
  const ids: string[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const more: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const got = await page(world, `${query}&limit=${limit}${more}`)
    ids.push(...got.orders.map(({ order_id }) => order_id))
    cursor = got.cursor
    expect([query, got.orders.length === limit || cursor === null]).toEqual([query, true])
    if (ids.length > 0 || cursor !== null) expect([query, got.orders.length]).not.toEqual([query, 0])
  }
  return ids
}

/** The tables of a book. */
const tablesOf = (world: World, book = 1) =>
  openTables(world.gate.storage(book === 1 ? 'shop' : `shop/${book}`, ''), SHOP)

const EMPTY = { authorized: 0, captured: 0, refunded: 0, voided: 0, fee: null }

/** A row as a gate reports it. */
function rowOf(order_id: string, since: number, { status = 'success', ...rest }: Row = {}): ListedRow {
  const { reference, flags = [], ...fields } = rest
  const order = { order_id, status, method: 'purchase', amount: 100.5, currency: 'UAH', totals: EMPTY, flags }
  const summary = { ...order, updated_at: at(5), ...(reference !== undefined && { reference }) } as ListedRow['summary']
  return {
    ...{ summary, order_id, since, version: 1, email: null, last_four: '1111', isOpen: false, due_at: null },
    ...{ attention: [], failing: [], attempts: [order_id], money: [], audit: [], ...fields },
  }
}

type Row = Partial<ListedRow> & { status?: string; reference?: string; flags?: ListedRow['summary']['flags'] }

describe('GET /api/orders', () => {
  it('keeps an order in the book that it came into, with all that happens to it', async () => {
    const world = new World({ bookSize: 1 })
    await world.deliver(payment('A-1', { status: 'pending', processed_at: at(1) }))
    const { time } = world
    await world.advance(20_000)
    for (const id of ['A-2', 'A-3']) await world.deliver(payment(id))
    await world.advance(20_000)
    await world.deliver(secondary('A-1', 'refund', { amount: 0.5 }))
    await world.advance(121_000)
    expect(await all(world, '', 1)).toEqual(['A-3', 'A-2', 'A-1'])
    const [, , last] = (await page(world, '')).orders
    expect(last).toMatchObject({ totals: { refunded: 50 }, listed_at: new Date(time).toISOString() })
    const ids = (book: number) => tablesOf(world, book).all<{ order_id: string }>('SELECT order_id FROM listed')
    expect([1, 2, 3].map((book) => ids(book).map(({ order_id }) => order_id))).toEqual([['A-1'], ['A-2'], ['A-3']])
  })

  it('begins another book at the hundredth order, and lists all of them exactly', async () => {
    const world = new World({ bookSize: 100 })
    const put = (number: number, row: ListedRow, book: number | null) =>
      actShop({ env: world.env() }, number, putInList, { ...row, book })
    const ids = Array.from({ length: 250 }, (_, index) => `A-${index}`)
    for (const [index, order_id] of ids.entries()) {
      const row = rowOf(order_id, world.time + index)
      const { book } = await put(1, row, null)
      if (book > 1) await put(book, row, book)
    }
    const counts = [1, 2, 3].map((book) => tablesOf(world, book).all('SELECT order_id FROM listed').length)
    expect([counts, await all(world, '', 100)]).toEqual([[100, 100, 50], ids.reverse()])
  })

  it.each([
    ...[
      ...['state=paid', 'limit=5&limit=6', 'flag=paid', 'status=', 'open=false', 'from=yesterday'],
      ...['from=2026-03-01T10:00:00', 'from=2026-02-30T99:00:00Z', 'to=2026-04-31T10:00:00%2B03:00'],
      ...['from=2026-03-02&to=2026-03-02', 'limit=0', 'limit=101', 'limit=1.5', 'limit='],
    ].map((query) => [query, 'invalid_parameter']),
    ['cursor=a%20b', 'invalid_cursor'],
  ])('rejects %s', async (query, code) => {
    const response = await new World().api(`/api/orders?${query}`)
    expect([response.status, await response.json()]).toEqual([400, expect.objectContaining({ code })])
  })

  it.each([
    ...['2026-03-01', '2026-03-01T10:00Z', '2026-03-01T10:00:00.5Z', '2026-03-01T10:00:00.123Z', '2027-01-01'],
    ...['2026-03-01T10:00:00%2B02:00', '2026-03-01T10:00:00-0200', '2026-03-01&to=2026-03-02&reference=77&limit=100'],
  ])('takes from=%s', async (query) => {
    expect(await page(new World(), `from=${query}`)).toEqual({ orders: [], cursor: null })
  })

  it('says what is wrong with a parameter, and which ones there are', async () => {
    const said = async (path: string) => (await (await new World().api(path)).json()) as Record<string, unknown>
    expect((await said('/api/balances?x=1')).issues).toEqual([
      { path: 'x', message: 'is unknown: this route takes none', received: 'string of 1 characters' },
    ])
    expect((await said('/api/orders?x=1')).detail).toMatch(/takes status, flag, /)
    expect((await said('/api/orders?open=true&open=true')).detail).toMatch(/^open: was given more than once/)
  })

  it('finds words in the orders of 92 days', async () => {
    const world = new World()
    const since = world.time - 92 * DAY_MS
    for (const row of [rowOf('A-1', since), rowOf('A-2', since - 1)])
      putListed(tablesOf(world), { ...row, summary: { ...row.summary, description: 'A mug' } })
    expect(await all(world, 'search=mug')).toEqual(['A-1'])
    expect(await all(world, `search=mug&to=${new Date(world.time - 1).toISOString()}`)).toEqual(['A-1', 'A-2'])
  })

  it('rejects a cursor that was changed, and one of another query', async () => {
    const world = new World()
    for (const id of ['A-1', 'A-2', 'A-3']) await world.deliver(payment(id))
    await world.advance(0)
    const { cursor } = await page(world, 'limit=1')
    const status = async (query: string) => (await world.api(`/api/orders?${query}`)).status
    expect(await status(`limit=2&cursor=${cursor}`)).toBe(200)
    for (const other of ['status=success', 'open=true'])
      expect([other, await status(`limit=1&${other}&cursor=${cursor}`)]).toEqual([other, 400])
    expect(await status(`limit=1&cursor=${cursor?.slice(0, -1)}`)).toBe(400)
    expect((await world.api(`/api/strays?cursor=${cursor}`)).status).toBe(400)
  })

  it.each([
    [undefined, { 'orders?': 1, 'orders?limit=1': 1, 'orders?status=failure': 1, 'attention?limit=0': 1 }],
    [
      1,
      {
        ...{ 'orders?': 4, 'orders?limit=1': 3, 'orders?limit=2': 4, 'orders?limit=1&cursor=': 4 },
        ...{ 'orders?from=2026-05-01&status=failure': 3, 'orders?to=2026-04-01': 1, 'orders?status=failure': 4 },
        'attention?limit=1': 3,
      },
    ],
  ])('asks no KV, and only the books that it needs (orders of a book: %s)', async (bookSize, calls) => {
    const world = new World(bookSize === undefined ? {} : { bookSize })
    for (let i = 0; i < 4; i++) {
      await world.deliver(payment(`month-${i}`))
      await world.advance(31 * DAY_MS)
    }
    const { cursor } = await page(world, 'limit=1')
    for (const [query, objects] of Object.entries(calls)) {
      const [{ list, get }, before] = [world.kv.calls, world.gate.calls.gate]
      expect((await world.api(`/api/${query.replace('cursor=', `cursor=${cursor}`)}`)).status).toBe(200)
      expect([query, world.gate.calls.gate - before]).toEqual([query, objects])
      expect([world.kv.calls.list, world.kv.calls.get]).toEqual([list, get])
    }
  })

  it('writes KV at most once in 10 seconds, lists at once what it said nothing of, and at the end both are right', async () => {
    const world = new World()
    const writes: number[] = []
    world.gate.before = (action, key) => void (action === 'put' && key.startsWith('listed/') && writes.push(world.time))
    const status = async () => (await page(world, '')).orders[0]?.status
    const init = payment('A-1', { status: 'init', processed_at: undefined })
    await world.deliver(init)
    await world.advance(0)
    expect([writes.length, await status()]).toEqual([1, 'init'])
    for (const processed_at of [at(1), at(2), at(3)]) await world.deliver({ ...init, status: 'pending', processed_at })
    expect([writes.length, await status()]).toEqual([2, 'pending'])
    // The memory is lost.
    world.gate.restart()
    await world.advance(3_999)
    expect(writes).toHaveLength(2)
    await world.advance(1)
    expect([writes.length, await status()]).toEqual([3, 'pending'])
    await world.deliver({ ...init, status: 'success', processed_at: at(9) })
    await world.advance(10_000)
    await world.advance(DAY_MS)
    expect([writes.length, await status(), world.gate.nextAlarm()]).toEqual([5, 'success', undefined])
    const orders = world.kv.writes.filter(({ key }) => key.startsWith('order/'))
    expect(orders.map(({ key }) => key)).toEqual(Array(3).fill(`order/${orderKey('A-1')}`))
  })
})

describe('the orders of a book', () => {
  const FILTERS: [string, Parameters<typeof listBook>[1]][] = [
    ['no filter', {}],
    ['status', { status: 'failure' }],
    ['flag', { flag: 'over_refund' }],
    ['flag=any', { flag: 'any' }],
    ['reference', { reference: 'R-7' }],
    ['open', { open: true }],
    ['from and to', { from: 1, to: 2 }],
    ['search', { search: 'order-77' }],
    ['search of a status', { search: 'order-77', status: 'success', to: 5 }],
    ['search of a flag', { search: 'order-77', flag: 'over_refund' }],
  ]

  it.each(FILTERS)('are found by an index, and not sorted, for %s', (_, filter) => {
    const tables = tablesOf(new World())
    const plans: string[] = []
    const explain: typeof tables.all = (query, ...bindings) => {
      const plan = tables.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${query}`, ...bindings)
      plans.push(plan.map(({ detail }) => detail).join())
      return []
    }
    listBook({ ...tables, all: explain }, filter, 20, filter.search === undefined ? [5, 'A'] : undefined)
    expect(plans.join()).toMatch(/USING (COVERING )?INDEX|USING PRIMARY KEY/)
    if (filter.search === undefined) return expect(plans.join()).not.toMatch(/TEMP B-TREE|SCAN/)
    // A search goes through the newest 1,000 first, then through what it finds alone.
    expect(plans[1]).toMatch(/SEARCH l USING PRIMARY KEY \(order_id=\?\)/)
    expect(plans[1]).not.toMatch(/SCAN (l|f|listed)/)
  })

  it('are taken in by indexes alone', () => {
    const tables = tablesOf(new World())
    const plans: unknown[] = []
    const all: typeof tables.all = (query, ...bindings) => {
      plans.push(...tables.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${query}`, ...bindings).map((row) => row.detail))
      return tables.all(query, ...bindings)
    }
    for (const flags of [['over_refund' as const], []]) putListed({ ...tables, all }, rowOf('A-1', 1, { flags }))
    expect(plans.filter((plan) => /^SCAN (?!json_each)/.test(String(plan)))).toEqual([])
    expect(plans.length).toBeGreaterThan(5)
  })

  it('take at most 650 bytes each, and every one of 8,000 is found', () => {
    const tables = tablesOf(new World())
    const count = 8_000
    tables.atomically(() => {
      for (let i = 0; i < count; i++) {
        const email = `customer-${i}@shop.example.com`
        const row = { email, reference: `cart-${i}`, status: i % 10 ? 'success' : 'failure', isOpen: i % 50 === 0 }
        putListed(
          tables,
          rowOf(`order-${i}`, 1_772_000_000_000 + i * 20_000, { ...row, flags: i % 100 ? [] : ['over_refund'] }),
        )
      }
    })
    const [{ bytes } = { bytes: 0 }] = tables.all<{ bytes: number }>(
      'SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()',
    )
    expect(bytes / count).toBeLessThan(650)
    const found = (filter: Parameters<typeof listBook>[1]) => listBook(tables, filter, 20, undefined).length
    expect(FILTERS.filter(([name]) => !name.startsWith('from')).map(([, filter]) => found(filter))).toEqual([
      ...[20, 20, 20, 20, 0, 20, 20, 0, 1],
    ])
    expect([found({ search: 'customer-7999@' }), found({ reference: 'cart-4' })]).toEqual([1, 1])
    // Broad, with its newest first or far down; narrow, old.
    const first = (search: string) => listBook(tables, { search }, 2, undefined).map(({ order_id }) => order_id)
    expect(['order-', 'CUSTOMER-7', 'order-6'].map(first)).toEqual([
      ['order-7999', 'order-7998'],
      ['order-7999', 'order-7998'],
      ['order-6999', 'order-6998'],
    ])
    expect(listBook(tables, { search: 'cart-40' }, 2000, undefined).at(-1)?.order_id).toBe('order-40')
  }, 60_000)
})

it('money and webhooks do not wait while the shop’s objects fail for an hour, and the lists catch up', async () => {
  const handled = new Set<string>()
  const world = new World({ onEvent: (_, { order_id }) => void handled.add(order_id) })
  const gates = world.env().ORDER_GATE as GateNamespace
  const end = world.time + HOUR_MS
  const get = (name: string) => {
    const gate = gates.get(name as never)
    const fetch = async (...call: Parameters<typeof gate.fetch>) => {
      if (name.startsWith('shop') && world.time < end) throw new Error('The object was reset.')
      return gate.fetch(...call)
    }
    return { fetch }
  }
  world.options.env = { ORDER_GATE: { ...gates, get } as never }
  world.gate.restart()
  await world.pay(await world.open(await world.link({ order_id: 'A-1', method: 'auth' })))
  expect((await world.send('/api/orders/A-1/capture', {})).status).toBe(200)
  await world.deliver(payment('A-2'))
  await world.advance(60_000)
  expect([...handled].sort()).toEqual(['A-1', 'A-2'])
  expect([(await world.order('A-1'))?.totals.captured, await world.keys('order/')]).toMatchObject([
    10050,
    { length: 2 },
  ])
  while (world.time < end + 120_000) await world.advance(60_000)
  const { orders } = await page(world, '')
  expect(orders.map(({ order_id }) => order_id)).toEqual(['A-2', 'A-1'])
  for (const { description, listed_at, ...row } of orders) expect(await world.order(row.order_id)).toMatchObject(row)
  expect(await all(world, 'open=true')).toEqual([])
})
