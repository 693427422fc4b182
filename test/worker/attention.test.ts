import { describe, expect, it } from 'vitest'
import type { Alert, OnEvent } from '../../src/shop/index.ts'
import { payment } from './support/events.ts'
import { instead, send, silent } from './support/money.ts'
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
    // The cron calls it again each minute.
    for (let minute = 0; minute < 6; minute++) await world.advance(MINUTE_MS)
    await world.idle()
    expect(failing()).toMatchObject([
      { attempts: 5, waiting: 3, text: expect.stringMatching(/failed 5 times, and 3 events wait/) },
    ])
    // Without a link their flag is shown too.
    const waiting = async () => (await attention(world)).items.filter(({ kind }) => kind !== 'flag')
    expect((await waiting()).map(({ kind, order_id }) => [kind, order_id])).toEqual(
      orders.map((id) => ['on_event_failing', id]),
    )
    for (let minute = 0; minute < 50; minute++) await world.advance(MINUTE_MS)
    expect(failing()).toHaveLength(1)
    for (let minute = 0; minute < 60; minute++) await world.advance(MINUTE_MS)
    await world.idle()
    expect(failing()).toHaveLength(2)
    isBroken = false
    await world.untilHandled()
    expect([await waiting(), await json(world, '/health')]).toEqual([
      [],
      { status: 'ok', mode: 'test', waiting_events: 0 },
    ])
  })
})

it('a pending refund needs a person after a day, also beside one of which nothing is known for ten minutes', async () => {
  const { world } = create()
  await world.pay(await world.open(await world.link({ order_id: 'A-1' })))
  await world.advance(2_000)
  world.emulator.faults.next({ kind: 'status_code', status_code: '2000', on: 'refund-payment' })
  expect((await send(world, 'refund', 'pending', { refund_amount: 1 })).status).toBe(200)
  instead(world, silent)
  expect((await send(world, 'refund', 'lost', { refund_amount: 2 })).status).toBe(502)
  for (const [minutes, count] of [
    [11, 1],
    [24 * 60, 2],
  ] as const) {
    await world.advance(minutes * MINUTE_MS)
    const { items } = await attention(world)
    expect([minutes, items.length]).toEqual([minutes, count])
  }
})

it('everything that failed since a time is called again at once, what was given up included', async () => {
  let isDown = true
  const handled: string[] = []
  const world = new World({
    onEvent: ({ event }) => {
      if (isDown) throw new Error('the shop is down')
      handled.push(String(event.order_id))
    },
  })
  const replay = (fields: object) => world.send('/api/events/replay', fields)
  const ids = [newOrderId(), newOrderId()]
  await world.deliver(payment(ids[0] as string))
  await world.idle()
  while (world.waiting().length > 0) await world.untilDue()
  const [last, since, after] = [0, 1, 60_000].map((ms) => new Date(world.time + ms).toISOString())
  await world.advance(1_000)
  await world.deliver(payment(ids[1] as string))
  await world.advance(1_000)
  const page = (more = '') => json(world, `/api/events?failing=true&limit=1${more}`)
  const first = await page()
  const pages = [first, await page(`&cursor=${first.cursor}`)] as { events: { order_id: string }[] }[]
  expect(pages).toMatchObject([{ events: { length: 1 } }, { cursor: null }])
  expect(pages.flatMap(({ events }) => events.map(({ order_id }) => order_id)).sort()).toEqual([...ids].sort())
  isDown = false
  expect(await replay({})).toMatchObject({ status: 400, body: { code: 'invalid_input' } })
  expect(await replay({ since: after })).toMatchObject({ status: 202, body: { queued: 0, cursor: null } })
  expect(await replay({ since })).toMatchObject({ status: 202, body: { queued: 1, cursor: null } })
  await world.advance(60_000)
  expect(handled).toEqual([ids[1]])
  expect(await replay({ since: last, cursor: null })).toMatchObject({ status: 202, body: { queued: 1 } })
  await world.advance(60_000)
  expect(handled).toEqual([ids[1], ids[0]])
})

describe('GET /api/attention', () => {
  it('also where more than 500 orders have news, which the lists fold in few calls', async () => {
    const { world } = create()
    for (let order = 0; order < 1010; order++) await world.post(world.signed(payment(`A-${order}`)))
    await world.idle()
    const counted = async <T>(what: () => Promise<T>): Promise<[T, boolean]> => {
      const before = world.object.calls.object
      return [await what(), world.object.calls.object - before < 250]
    }
    expect((await world.api('/api/orders')).status).toBe(503)
    const [first, isCheap] = await counted(() => json(world, '/api/attention'))
    expect([isCheap, first]).toMatchObject([true, { items: { length: 200 }, more: true, behind: true, count: 1000 }])
    expect(await counted(() => json(world, '/api/attention?limit=0'))).toEqual([
      { items: [], more: true, count: 1010 },
      true,
    ])
    expect((await world.api('/api/orders')).status).toBe(200)
  })

  it('says what needs a person, the oldest first, each in a sentence', async () => {
    const { world } = create()
    expect(await json(world, '/api/attention?limit=0')).toEqual({ items: [], more: false, count: 0 })
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
    expect([more, items.map(({ kind, order_id }) => `${kind} ${order_id}`)]).toEqual([
      ...[false, [`operation_unsettled ${lost}`, `flag ${wrong}`, `checkout_open ${open}`]],
    ])
    expect(items.map(({ at }) => at)).toEqual(items.map(({ at }) => at).sort())
    expect(items.map(({ text }) => text)).toMatchObject([
      expect.stringMatching(/^Order lost-\d+ \(100\.50 UAH\): it is not known how a capture ended\./),
      expect.stringMatching(/^Order wrong-\d+: no link of this shop opened it\./),
      expect.stringMatching(/^Order open-\d+ \(100\.50 UAH\): its payment has not ended for a day\./),
    ])
  })
})
