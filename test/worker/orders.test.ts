import { describe, expect, it } from 'vitest'
import { orderKey } from '../../src/orders/index.ts'
import { at, payment } from './support/events.ts'
import { World } from './support/world.ts'

const DAY_MS = 86_400_000

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

describe('GET /api/orders', () => {
  it.each([
    ...[
      ...[
        'state=sent',
        'state=paid,',
        'states=paid',
        'limit=5&limit=6',
        'flag=paid',
        'status=',
        'open=false',
        'from=yesterday',
      ],
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
    const read = async (path: string) => (await (await new World().api(path)).json()) as Record<string, unknown>
    expect((await read('/api/balances?x=1')).issues).toEqual([
      { path: 'x', message: 'is unknown: this route takes none', received: 'string of 1 characters' },
    ])
    expect((await read('/api/orders?x=1')).detail).toMatch(/takes status, flag, /)
    expect((await read('/api/orders?open=true&open=true')).detail).toMatch(/^open: was given more than once/)
  })

  it('finds words in the orders of 92 days', async () => {
    const world = new World()
    for (const order_id of ['A-2', 'A-1']) {
      await world.advance(2_000)
      await world.open(await world.link({ order_id, description: 'A mug' }))
    }
    await world.advance(92 * DAY_MS)
    expect(await all(world, 'search=mug')).toEqual(['A-1'])
    const to = new Date(world.time - 92 * DAY_MS + 1).toISOString()
    expect(await all(world, `search=mug&to=${to}`)).toEqual(['A-1', 'A-2'])
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

  it('asks no KV, and the shop’s object twice', async () => {
    const world = new World()
    for (let i = 0; i < 4; i++) {
      await world.deliver(payment(`month-${i}`))
      await world.advance(31 * DAY_MS)
    }
    const { cursor } = await page(world, 'limit=1')
    for (const query of ['orders?', 'orders?limit=1', 'orders?limit=1&cursor=', 'orders?status=failure']) {
      const [{ list, get }, before] = [world.kv.calls, world.object.calls.object]
      expect((await world.api(`/api/${query.replace('cursor=', `cursor=${cursor}`)}`)).status).toBe(200)
      expect([query, world.object.calls.object - before]).toEqual([query, 2])
      expect([world.kv.calls.list, world.kv.calls.get]).toEqual([list, get])
    }
  })

  it('show each event at once, and KV gets the order at most once in 10 seconds, and its last state', async () => {
    const world = new World()
    const status = async () => (await page(world, '')).orders[0]?.status
    const written = () => world.kv.writes.filter(({ key }) => key === `order/${orderKey('A-1')}`).length
    const inKv = async () => ([...(await world.stored('order/')).values()] as Page['orders'])[0]?.status
    const init = payment('A-1', { status: 'init', processed_at: undefined })
    await world.deliver(init)
    await world.idle()
    expect([written(), await inKv(), await status()]).toEqual([1, 'init', 'init'])
    for (const processed_at of [at(1), at(2), at(3)]) {
      await world.deliver({ ...init, status: 'pending', processed_at })
      await world.idle()
      expect([written(), await status()]).toEqual([1, 'pending'])
    }
    // The memory is lost.
    world.object.restart()
    world.begin()
    await world.advance(60_000)
    expect([written(), await inKv()]).toEqual([2, 'pending'])
    await world.deliver({ ...init, status: 'success', processed_at: at(9) })
    await world.advance(DAY_MS)
    expect([written(), await inKv(), await status(), world.due()]).toEqual([3, 'success', 'success', undefined])
  })
})
