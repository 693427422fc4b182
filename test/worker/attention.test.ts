import { describe, expect, it } from 'vitest'
import type { Alert, OnEvent } from '../../src/shop/index.ts'
import { Browser, mount } from '../console/support/browser.ts'
import { payment } from './support/events.ts'
import { newOrderId, World, type WorldOptions } from './support/world.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

interface Item extends Alert {
  at: string
}

const json = async (world: World, path: string): Promise<Record<string, unknown>> =>
  (await (await world.api(path)).json()) as Record<string, unknown>
const attention = async (world: World) => (await json(world, '/api/attention')) as { items: Item[]; more: boolean }

function create(options: WorldOptions = {}): { world: World; alerts: Alert[] } {
  const alerts: Alert[] = []
  return { alerts, world: new World({ failures: 0, onAlert: (alert) => void alerts.push(alert), ...options }) }
}

describe('an onEvent that fails', () => {
  it('is an alert after five failures, once an hour for the whole shop, and a number in /health', async () => {
    let isBroken = true
    const onEvent: OnEvent = () => {
      if (isBroken) throw new Error('no stock')
    }
    const { world, alerts } = create({ onEvent })
    const failing = () => alerts.filter(({ kind }) => kind === 'on_event_failing')
    const orders = [newOrderId('first'), newOrderId('second'), newOrderId('third')]
    for (const id of orders) await world.deliver(payment(id))
    await world.advance(1)
    expect([failing(), await json(world, '/health')]).toMatchObject([[], { waiting_events: 3 }])
    for (let second = 0; second < 60; second++) await world.advance(1_000)
    await world.idle()
    expect(failing()).toMatchObject([
      { attempts: 5, waiting: 3, text: expect.stringMatching(/failed 5 times, and 3 events wait/) },
    ])
    // Without a link their flag is shown too.
    const waiting = async () => (await attention(world)).items.filter(({ kind }) => kind !== 'flag')
    expect((await waiting()).map(({ kind, order_id }) => [kind, order_id])).toEqual(
      orders.map((id) => ['on_event_failing', id]),
    )
    for (let minute = 0; minute < 59; minute++) await world.advance(MINUTE_MS)
    expect(failing()).toHaveLength(1)
    for (let minute = 0; minute < 61; minute++) await world.advance(MINUTE_MS)
    await world.idle()
    expect(failing()).toHaveLength(2)
    isBroken = false
    await world.untilHandled()
    expect([await waiting(), await json(world, '/health')]).toEqual([[], { status: 'ok', waiting_events: 0 }])
  })
})

describe('GET /api/attention', () => {
  it('says what needs a person, the oldest first, each in a sentence', async () => {
    const { world } = create()
    const [wrong, lost, open, fine] = ['wrong', 'lost', 'open', 'fine'].map((name) => newOrderId(name)) as string[]
    await world.pay(await world.open(await world.link({ order_id: String(lost), method: 'auth' })))
    await world.advance(2_000)
    await world.deliver(payment(String(wrong), { amount: 1 }))
    await world.pay(await world.open(await world.link({ order_id: String(fine) })))
    await world.advance(2_000)
    await world.open(await world.link({ order_id: String(open) }))
    // Its outcome cannot be found out.
    world.intercept = () => Promise.reject(new TypeError('reset'))
    await world.send(`/api/orders/${lost}/capture`, { charge_amount: 10 })
    await world.advance(11 * MINUTE_MS)
    for (let hour = 0; hour < 25; hour++) await world.advance(HOUR_MS)
    world.intercept = undefined
    const { items, more } = await attention(world)
    expect([more, items.map(({ kind, order_id }) => [kind, order_id])]).toEqual([
      false,
      [
        ['operation_unsettled', lost],
        ['flag', wrong],
        ['checkout_open', open],
      ],
    ])
    expect(items.map(({ at }) => at)).toEqual(items.map(({ at }) => at).sort())
    expect(items.map(({ text }) => text)).toMatchObject([
      expect.stringMatching(/^Order lost-\d+ \(100\.50 UAH\): it is not known how a capture ended\./),
      expect.stringMatching(/^Order wrong-\d+: no link of this shop opened it\./),
      expect.stringMatching(/^Order open-\d+ \(100\.50 UAH\): its payment has not ended for a day\./),
    ])
  })
})

it.each([1_000, 1])(
  'is counted by the books (%i orders each), which a page of the console asks by one call beside that for its session',
  async (bookSize) => {
    let isBroken = true
    const onEvent: OnEvent = () => {
      if (isBroken) throw new Error('no stock')
    }
    const { world } = create({ onEvent, bookSize })
    const counted = async () => {
      const { items, count } = (await attention(world)) as { items: Item[]; count?: number }
      const only = await json(world, '/api/attention?limit=0')
      expect([only, count]).toEqual([{ items: [], more: items.length > 0, count: items.length }, items.length])
      const { orders } = (await json(world, '/api/orders')) as { orders: object[] }
      expect((await json(world, '/health')).waiting_events).toBe(isBroken ? orders.length : 0)
      return items.length
    }
    expect(await counted()).toBe(0)
    for (const id of ['A-1', 'A-2', 'A-3']) await world.deliver(payment(id, { amount: 1 }))
    const { order_id: _, ...stray } = payment('')
    await world.deliver(stray)
    await world.idle()
    await world.advance(20_000)
    expect(await counted()).toBe(4)
    for (let minute = 0; minute < 20; minute++) await world.advance(MINUTE_MS)
    expect(await counted()).toBe(7)
    expect((await world.send('/api/orders/A-2/attention/done', { kind: 'flag', flag: 'unknown_order' })).status).toBe(
      200,
    )
    expect(await counted()).toBe(6)
    const browser = await new Browser(mount(world)).signIn()
    const [{ gate }, { list, get }] = [{ ...world.gate.calls }, { ...world.kv.calls }]
    const { text } = await browser.open('/console/more')
    expect(/<b class="count">(\d+)</.exec(text)?.[1]).toBe('6')
    expect([world.gate.calls.gate - gate, world.kv.calls.list - list, world.kv.calls.get - get]).toEqual([2, 0, 0])
    isBroken = false
    await world.untilHandled()
    await world.advance(20_000)
    expect(await counted()).toBe(3)
  },
)

it('an order is found by reference, amount, last four digits and e-mail, until its personal data is removed', async () => {
  const { world } = create()
  const id = newOrderId('mugs')
  const order = { order_id: id, customer_fname: 'Olena', customer_lname: 'Petrenko', customer_email: 'olena@shop.test' }
  await world.pay(await world.open(await world.link(order, undefined, { reference: 'R-17' })))
  await world.pay(await world.open(await world.link({ order_id: newOrderId('cup'), amount: 7 })))
  await world.advance(21_000)
  const found = async (search: string) =>
    ((await json(world, `/api/orders?search=${encodeURIComponent(search)}`)) as { orders: object[] }).orders
  for (const search of [id, 'R-1', '100.50', '100,5', 'OLENA@S']) {
    expect([search, await found(search)]).toMatchObject([
      search,
      [{ order_id: id, description: 'Two mugs', customer_name: 'Olena Petrenko' }],
    ])
  }
  expect(await found('1111')).toHaveLength(2)
  expect((await world.api(`/api/orders/${id}/personal-data`, { method: 'DELETE' })).status).toBe(200)
  await world.advance(21_000)
  expect([await found('OLENA@S'), await found('1111')]).toMatchObject([[], [{}]])
  const [row] = await found(id)
  expect(JSON.stringify(row)).not.toMatch(/Olena|mugs"/i)
})
