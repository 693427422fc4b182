import { beforeEach, describe, expect, it } from 'vitest'
import type { Order } from '../../src/shop/lib/shown-order.ts'
import type { OnEvent } from '../../src/shop/options.ts'
import { at, payment, secondary } from './support/events.ts'
import { createKill, howsOf, killAtEach } from './support/kill.ts'
import { armed, expectEachHandled, killable } from './support/killable.ts'
import { newOrderId, World } from './support/world.ts'

interface Call {
  id: string
  method: unknown
  order: Order
}

/** An `onEvent` that notes its calls, and throws while `fails` says so. */
function recorder(): { calls: Call[]; onEvent: OnEvent; fails: (call: Call) => boolean } {
  const record = {
    calls: [] as Call[],
    fails: (_: Call): boolean => false,
    onEvent: (async ({ id, event }, order) => {
      const call = { id, method: event.method, order }
      record.calls.push(call)
      await Promise.resolve()
      if (record.fails(call)) throw new Error('the shop is down')
    }) as OnEvent,
  }
  return record
}

describe('onEvent over hostile KV, each webhook sent twice at once,', () => {
  let world: World
  let record: ReturnType<typeof recorder>
  beforeEach(() => {
    record = recorder()
    world = new World({ kind: 'hostile', sends: 'together', onEvent: record.onEvent })
  })

  it('runs once for each event, with the order folded so far', async () => {
    const id = newOrderId()
    const first = payment(id, { status: 'pending', processed_at: at(1) })
    await world.deliver(first)
    await world.deliver({ ...first, status: 'success', processed_at: at(2) })
    await world.deliver(secondary(id, 'refund', { amount: 1 }))
    const events = (await world.order(id))?.events ?? []
    expect(record.calls.map((call) => call.id).sort()).toEqual(events.map((event) => event.id).sort())
    expect(record.calls.at(-1)?.order.totals.refunded_minor).toBe(100)
    for (const call of record.calls) expect(call.order.events.map((event) => event.id)).toContain(call.id)
  })

  it('runs once for an operation and its status, whatever else an event of it says', async () => {
    const event = payment(newOrderId(), { payment_id: 'aaaaaaaa-0000-4000-8000-000000000001' })
    const same = [{}, { processed_at: at(9) }, { transaction_id: undefined }, { transaction_id: 'other' }]
    const others = [{ payment_id: String(event.payment_id).toUpperCase() }, { created_at: at(0, '') }]
    for (const fields of [...same, ...others, { status: 'pending' }]) await world.deliver({ ...event, ...fields })
    // One of an odd shape may have told the shop nothing.
    await world.deliver({ ...event, amount: 'much' })
    await world.untilHandled()
    expect([(await world.order(event.order_id))?.events.length, record.calls.length]).toEqual([8, 3])
  })

  it('gets events of unexpected shape and unknown method too, also when it is called again', async () => {
    const seen: unknown[] = []
    world = new World({
      kind: 'hostile',
      sends: 'together',
      onEvent: ({ event }) => {
        seen.push(event.record)
        if (seen.length < 3) throw 'a text, not an error'
      },
    })
    const odd = { order_id: newOrderId(), method: 'purchase' }
    const unknown = { order_id: odd.order_id, method: 'chargeback' }
    await world.deliver(odd)
    await world.untilHandled()
    await world.deliver(unknown)
    await world.untilHandled()
    expect(seen).toEqual([odd, odd, odd, unknown])
  })
})

const throws = (): never => {
  throw new Error('no text')
}

it.each<[string, unknown]>([
  ['undefined', undefined],
  ['a proxy of which nothing can be read', new Proxy({}, { get: throws, getPrototypeOf: throws, has: throws })],
])('onEvent that throws %s is called again, and counted', async (_, thrown) => {
  let calls = 0
  const world: World = new World({
    onEvent: () => {
      calls++
      throw thrown
    },
  })
  await world.deliver(payment(newOrderId()))
  while (calls < 3) await world.untilDue()
  const { events } = (await (await world.api('/api/events?failing=true')).json()) as { events: object[] }
  expect(events).toMatchObject([{ attempts: 3, error: expect.any(String) }])
})

it('an event whose call died with its process is called again by the cron', async () => {
  const handled: string[] = []
  const world = new World({ onEvent: ({ id }) => void handled.push(id) })
  const kill = createKill(Number.POSITIVE_INFINITY, 'dies before')
  world.begin(kill)
  expect((await world.post(world.signed(payment(newOrderId())))).status).toBe(200)
  kill.end()
  // The end of this call was not written.
  handled.length = 0
  world.begin()
  await world.untilHandled()
  expect(handled).toHaveLength(1)
})

describe('killed at each await over hostile KV, each webhook sent twice,', () => {
  const scenarioOf = (id: string) => {
    const auth = payment(id, { method: 'auth', status: 'pending', processed_at: at(1) })
    return [
      auth,
      { ...auth, status: 'success', processed_at: at(2) },
      secondary(id, 'capture', { amount: 50 }),
      { order_id: id },
    ]
  }

  it.each(howsOf('strict'))('%s: state right, onEvent run for each event', async (how) => {
    await killAtEach('hostile', 6, async (killAt) => {
      const { world, handled } = killable({ kind: 'hostile', sends: 'twice' })
      const id = newOrderId()
      const events = scenarioOf(id)
      const kill = createKill(killAt, how)
      for (const event of events) {
        // The cron too: it calls onEvent.
        await armed(world, kill, () => world.advance(2_000))
        const body = world.signed(event)
        const answers = (await armed(world, kill, () => world.answers(body))) ?? []
        // Nobody heard a 200: the service delivers again.
        if (!answers.some(({ status }) => status === 200)) await world.deliver(event)
      }
      await world.untilHandled()
      const order = await world.order(id)
      expect([how, killAt, order?.status, order?.totals, order?.events.length]).toEqual([
        how,
        killAt,
        'success',
        { authorized_minor: 10050, captured_minor: 5000, refunded_minor: 0, voided_minor: 0, fee_minor: null },
        events.length,
      ])
      await expectEachHandled(world, handled)
      return kill.calls
    })
  })
})
