import { describe, expect, it } from 'vitest'
import type { ShopEnv } from '../../src/shop/env.ts'
import { Browser, mount } from '../console/support/browser.ts'
import { type Payload, payment, secondary } from './support/events.ts'
import { unmarked } from './support/money.ts'
import { createRandom, isLong, seedOfRun } from './support/random.ts'
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
      { by: 'olena', action: 'refund', amount_minor: 1000, result: 'done' },
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
    expect((first.links as Json[])[1]).toMatchObject({ by: 'api', amount_minor: Math.round(ORDER.amount * 100) })
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

  it('in one state fill every page but the last, however many others lie between', async () => {
    const world = create()
    for (const id of ['A-1', 'A-2', 'A-3']) {
      await world.pay(await world.open(String((await make(world, id)).url)))
      await world.advance(20_000)
    }
    world.gate.storage('', 'shop').sql.exec(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1200)
       INSERT INTO link (short, id, order_id, amount, currency, created_at, expires_at, revoked_at, by)
       SELECT 'short' || i, 'id', 'O-' || i, 5, 'UAH', ? + i, ? + i % 2, iif(i % 3 = 0, 1, NULL), 'api' FROM n`,
      ...[world.time, world.time],
    )
    const wanted = { paid: 3, revoked: 400, expired: 400, sent: 400, opened: 0 }
    const lengths = async (state: string, limit: number) => {
      const pages: number[] = []
      for (let cursor: unknown = ''; cursor !== null; ) {
        const page = await json(world, `/api/links?state=${state}&limit=${limit}${cursor && `&cursor=${cursor}`}`)
        pages.push((page.links as Json[]).filter((link) => link.state === state).length)
        cursor = page.cursor
      }
      return pages
    }
    expect(await lengths('paid', 2)).toEqual([2, 1])
    for (const [state, count] of Object.entries(wanted)) {
      const full = Array.from({ length: Math.max(1, Math.ceil(count / 100)) }, () => Math.min(count, 100))
      expect([state, await lengths(state, 100)]).toEqual([state, full])
    }
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
    const sum = (name: string) => unmarked<Json>(days).reduce((total, day) => total + Number(day[name]), 0)
    expect(['authorized', 'paid', 'captured', 'refunded', 'voided', 'taken', 'count'].map(sum)).toEqual([
      5000, 10050, 3000, 2025, 0, 11025, 4,
    ])
    const { operations } = (await json(world, `/api/operations?${query}`)) as { operations: Json[] }
    expect(operations.map(({ order_id, kind, amount_minor, day }) => [order_id, kind, amount_minor, day])).toEqual([
      ['A-1', 'paid', 10050, '2026-03-01'],
      ['A-2', 'authorized', 5000, '2026-03-01'],
      ['A-1', 'refunded', 2025, '2026-03-01'],
      ['A-2', 'captured', 3000, '2026-03-01'],
    ])
    const page = await json(world, `/api/operations?${query}&limit=3`)
    expect((await json(world, `/api/operations?${query}&limit=3&cursor=${page.cursor}`)).operations).toHaveLength(1)
  })

  it('count an operation on the day of the zone on which it was received', async () => {
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
    expect(days.map(({ day, taken_minor }) => [day, taken_minor])).toEqual([
      ['2026-03-31', 1000],
      ['2026-04-01', -300],
    ])
    expect(await world.gate.storage('A-1').sql.exec('SELECT payway FROM event LIMIT 1').toArray()).toHaveLength(1)
  })

  const histories = isLong() ? 200 : 6
  it(`say what the orders say, after any history (${histories} histories)`, async () => {
    const random = createRandom(seedOfRun())
    const pick = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T
    for (let history = 0; history < histories; history++) await play(history)

    async function play(history: number): Promise<void> {
      const world = create()
      const told: Payload[] = []
      const later = (seconds: number) => new Date(world.time + seconds * 1_000).toISOString().replace('Z', '')
      const tell = async (event: Payload) => {
        expect((await world.post(world.signed(event))).status).toBe(200)
        told.push(event)
      }
      const amount = () => ({ amount: pick([0.29, 8.2, 100.5, 7]), created_at: later(0), processed_at: later(1) })
      const status = () => ({ status: pick(['pending', 'success', 'success', 'failure']) })
      /** The same report, in other words. */
      const again = ({ created_at, ...event }: Payload): Payload => ({
        ...event,
        created_at: pick([created_at, `${created_at}000`, String(created_at).replace(/\.?0+$/, '')]),
        transaction_id: pick([event.transaction_id, undefined, null]),
        payment_id: pick([event.payment_id, String(event.payment_id).toUpperCase()]),
        ...pick([{}, { fee: { amount: pick([0.5, 1]), currency: 'UAH' } }, { processed_at: later(2), ...status() }]),
      })
      const steps: (() => Promise<unknown> | unknown)[] = [
        () =>
          tell(payment(pick(['A', 'A~2', 'B', 'Ї']), { ...amount(), ...status(), method: pick(['purchase', 'auth']) })),
        async () => told.length > 0 && tell(again(pick(told))),
        async () => told.length > 0 && tell(again(pick(told))),
        // A further charge of a subscription, a refund …
        async () => told.length > 0 && tell({ ...pick(told), ...amount(), operation_id: crypto.randomUUID() }),
        async () =>
          told.length > 0 &&
          tell(secondary(pick(told).order_id, pick(['capture', 'refund', 'void']), { ...amount(), ...status() })),
        async () => {
          for (let charge = told.length < 60 ? 0 : 60; charge < 60; charge++) {
            world.time += 50
            await tell(payment('B', amount()))
          }
        },
        () => world.advance(pick([1_000, 20_000, 86_400_000])),
        () => world.begin(),
        // The storage of an order, or of the book, is lost.
        () =>
          pick([
            ['A', 'order/'],
            ['B', 'order/'],
            ['shop', ''],
          ] as const),
      ]
      for (let step = 0; step < 25; step++) {
        world.time += 1_500
        const lost = await pick(steps)()
        if (!Array.isArray(lost)) continue
        const { sql } = world.gate.storage(lost[0], lost[1])
        for (const { name } of sql.exec("SELECT name FROM sqlite_master WHERE type = 'table'").toArray())
          sql.exec(`DELETE FROM ${name} WHERE '${name}' <> 'version'`)
        world.begin()
      }
      // An order of which something is heard is published as a whole.
      for (const event of [...new Map(told.map((one) => [one.order_id, one])).values()]) {
        world.time += 1_500
        await tell(secondary(event.order_id, 'capture', { ...amount(), status: 'pending' }))
      }
      for (let time = 0; time < 4; time++) await world.advance(61_000)
      const query = `from=2026-03-01&to=${later(0).slice(0, 10)}`
      const sums = (rows: Json[]) =>
        ['authorized', 'captured', 'refunded', 'voided', 'fee', 'count'].map((name) =>
          rows.reduce((sum, row) => sum + Number(row[name] ?? 0), 0),
        )
      const attempts = [...new Set(told.map(({ order_id }) => order_id))].map((id) => (id === 'A' ? 'A~1' : id))
      const orders = await Promise.all(attempts.map((id) => json(world, `/api/orders/${encodeURIComponent(id)}`)))
      const ofOrders = orders.map(({ totals, operations }) => {
        const made = (operations as Json[]).filter((one) => one.status === 'success')
        return { ...(totals as Json), count: made.length }
      })
      // A purchase is authorized and captured at once.
      const row = ({ kind, amount, fee }: Json) => ({ [String(kind)]: amount, fee, count: 1 })
      const both = ({ paid = 0, authorized = 0, captured = 0, ...rest }: Json) => ({
        ...rest,
        authorized: Number(paid) + Number(authorized),
        captured: Number(paid) + Number(captured),
      })
      const { days } = (await json(world, `/api/days?${query}`)) as { days: Json[] }
      const operations: Json[] = []
      for (let cursor: unknown = ''; cursor !== null; ) {
        const page = await json(world, `/api/operations?${query}&limit=50${cursor && `&cursor=${cursor}`}`)
        operations.push(...unmarked<Json>(page.operations as Json[]))
        cursor = page.cursor
      }
      const browser = await new Browser(mount(world)).signIn()
      const csv = (await browser.open(`/console/day.csv?${query}`)).text.split('\r\n').slice(1, -1)
      const file = csv.map((line) => line.split(',').map((cell) => cell.slice(1, -1)))
      const ofFile = file.map(([, , , kind, , amount, , fee]) =>
        row({ kind, amount: Math.round(Number(amount) * 100), fee: Math.round(Number(fee) * 100) }),
      )
      const wanted = [history, sums(ofOrders)]
      expect([history, sums(unmarked<Json>(days).map(both))]).toEqual(wanted)
      expect([history, sums(operations.map(row).map(both))]).toEqual(wanted)
      expect([history, sums(ofFile.map(both))]).toEqual(wanted)
    }
  }, 900_000)

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
