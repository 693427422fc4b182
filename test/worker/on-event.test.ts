import { beforeEach, describe, expect, it } from 'vitest'
import { signWebhook } from '../../src/index.ts'
import type { OnEvent } from '../../src/shop/options.ts'
import type { Order } from '../../src/shop/store/order.ts'
import { at, payment, secondary } from './support/events.ts'
import { createKill, howsOf, killAtEach } from './support/kill.ts'
import { armed, expectEachHandled, killable } from './support/killable.ts'
import { ALONE, log, newOrderId, SENDS, World } from './support/world.ts'

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

for (const kind of ALONE) {
  for (const sends of SENDS) {
    describe(`onEvent over ${kind} KV, each webhook sent ${sends}`, () => {
      it('runs at least once for each event, with the order folded so far', async () => {
        const { calls, onEvent } = recorder()
        const world = new World({ kind, sends, onEvent })
        const id = newOrderId()
        const first = payment(id, { status: 'pending', processed_at: at(1) })
        await world.deliver(first)
        await world.deliver({ ...first, status: 'success', processed_at: at(2) })
        await world.deliver(secondary(id, 'refund', { amount: 1 }))
        const events = (await world.order(id))?.events ?? []
        expect(new Set(calls.map((call) => call.id))).toEqual(new Set(events.map((event) => event.id)))
        const last = calls.at(-1)?.order
        expect(last?.totals.refunded).toBe(100)
        // Where reads are stale, the order can lack what another location stored; this event is always in it.
        for (const call of calls) expect(call.order.events.map((event) => event.id)).toContain(call.id)
      })

      it('runs again after it threw, at the next delivery or by the cron', async () => {
        const record = recorder()
        const world = new World({ kind, sends, onEvent: record.onEvent })
        const id = newOrderId()
        const event = payment(id)
        record.fails = () => true
        await world.deliver(event)
        await world.deliver(event)
        const failed = record.calls.length
        expect(failed).toBeGreaterThan(0)
        record.fails = () => false
        for (let run = 0; run < 20; run++) {
          await world.advance(121_000)
          await world.cron().catch(() => {})
        }
        const succeeded = record.calls.slice(failed)
        expect(succeeded.length).toBeGreaterThan(0)
        expect(new Set(record.calls.map((call) => call.id)).size).toBe(1)
      })
    })
  }
}

const EACH = ALONE.flatMap((kind) => SENDS.map((sends) => ({ kind, sends })))

describe.each(EACH)('onEvent over $kind KV, each webhook sent $sends,', ({ kind, sends }) => {
  let world: World
  let record: ReturnType<typeof recorder>
  /** Whether numbers of calls are exact: KV neither fails nor hides anything, and no two deliveries overlap. */
  const isExact = kind !== 'hostile' && sends !== 'together'
  beforeEach(() => {
    record = recorder()
    world = new World({ kind, sends, onEvent: record.onEvent })
  })

  it('runs once when nothing fails, and never again once that can be seen: next time, and after 25 hours', async () => {
    const event = payment(newOrderId())
    await world.deliver(event)
    if (isExact) expect(record.calls).toHaveLength(1)
    await world.untilHandled()
    await world.advance(121_000)
    const before = [record.calls.length, world.kv.writes.length]
    await world.deliver(event)
    await world.advance(25 * 3_600_000)
    await world.deliver(event)
    await world.cron().catch(() => {})
    expect([record.calls.length, world.kv.writes.length]).toEqual(before)
    expect(new Set(record.calls.map((call) => call.id)).size).toBe(1)
  })

  it('keeps what it threw under retry/, responds 200, and deletes it when it succeeds', async () => {
    record.fails = () => true
    const event = payment(newOrderId())
    await world.deliver(event)
    expect(await world.keys('done/')).toEqual([])
    const [kept, ...more] = (await world.stored('retry/')).values()
    expect(more).toEqual([])
    const { attempts } = kept as { attempts: number }
    expect(kept).toMatchObject({ order_id: event.order_id, error: 'Error: the shop is down' })
    // A failure between two that KV refused to write down is not counted.
    expect(attempts).toBeGreaterThanOrEqual(1)
    expect(attempts).toBeLessThanOrEqual(record.calls.length)
    record.fails = () => false
    await world.deliver(event)
    // Where KV fails or hides what was kept, the cron sees to the rest.
    if (kind === 'hostile') await world.untilHandled()
    expect([await world.keys('retry/'), (await world.keys('done/')).length]).toEqual([[], 1])
    if (kind !== 'hostile' && sends === 'once') expect([attempts, record.calls.length]).toEqual([1, 2])
  })

  it('responds 503 when neither done/ nor retry/ can be written, and runs again', async () => {
    const event = payment(newOrderId())
    const { body } = signWebhook(event, world.emulator.credentials.apiSecret)
    world.kv.before = (action, key) => {
      if (action === 'put' && /^(done|retry)\//.test(key)) throw new Error('KV PUT failed: 500')
    }
    for (const { status } of await world.answers(body)) expect(status).toBe(503)
    world.kv.before = undefined
    const before = record.calls.length
    if (kind !== 'hostile') expect(before).toBeGreaterThan(0)
    await world.deliver(event)
    if (isExact) expect(record.calls.length - before).toBe(1)
    await world.untilHandled()
    expect(record.calls.length).toBeGreaterThan(before)
    expect(await world.keys('done/')).toHaveLength(1)
  })

  it('is left to the cron when done/ cannot be written', async () => {
    world.kv.before = (action, key) => {
      if (action === 'put' && key.startsWith('done/')) throw new Error('KV PUT failed: 500')
    }
    await world.deliver(payment(newOrderId()))
    expect(await world.keys('retry/')).toHaveLength(1)
    world.kv.before = undefined
    await world.advance(kind === 'strict' && sends === 'once' ? 121_000 : 600_000)
    if (kind === 'hostile') await world.untilHandled()
    else expect(await world.cron()).toEqual({ finished: 1, failed: 0 })
    expect([await world.keys('retry/'), (await world.keys('done/')).length]).toEqual([[], 1])
  })

  it('does not let one event that always fails hold up the others, and tries it ever more seldom', async () => {
    const poison = payment(newOrderId())
    record.fails = ({ order }) => order.order_id === poison.order_id
    await world.deliver(poison)
    await world.deliver({ order_id: poison.order_id, method: 'purchase', amount: 'much' })
    const good = payment(newOrderId())
    await world.deliver(good)
    const goods = () => record.calls.filter(({ order }) => order.order_id === good.order_id).length
    expect(goods()).toBeGreaterThan(0)
    if (isExact) expect(goods()).toBe(1)
    const before = record.calls.length - goods()
    for (let run = 0; run < 24 * 12; run++) {
      await world.advance(300_000)
      await world.cron().catch(() => {})
    }
    const done = (await world.keys('done/')).length
    expect(done).toBe(1)
    const tries = record.calls.length - goods() - before
    expect(tries).toBeGreaterThan(10)
    expect(tries).toBeLessThan(60)
  })

  it('gets events of unexpected shape and unknown method too, in a delivery and by the cron', async () => {
    const seen: unknown[] = []
    let thrown = 0
    world = new World({
      kind,
      sends,
      onEvent: ({ event }) => {
        seen.push(event.record)
        if (thrown++ < 2) throw 'a text, not an error'
      },
    })
    const odd = { order_id: newOrderId(), method: 'purchase' }
    await world.deliver(odd)
    const byDelivery = seen.length
    await world.untilHandled()
    const byCron = seen.length
    await world.deliver({ order_id: odd.order_id, method: 'chargeback' })
    if (sends === 'once' && kind !== 'hostile') expect([byDelivery, byCron, seen.length]).toEqual([1, 3, 4])
    expect(byCron).toBeGreaterThan(2)
    for (const [i, event] of seen.entries())
      expect(event).toEqual(i < byCron ? odd : { order_id: odd.order_id, method: 'chargeback' })
    expect(seen.length).toBeGreaterThan(byCron)
  })

  it('is found by the cron when its worker died after storing the event and it was not delivered again', async () => {
    const dies = async (event: object) => {
      world.kv.before = (action, key) => {
        if (action === 'put' && /^(done|retry)\//.test(key)) throw new Error('died')
      }
      await world.answers(signWebhook(event, world.emulator.credentials.apiSecret).body)
      world.kv.before = undefined
    }
    // A call of KV that fails in the cron's own look can only be made good by its next one, hours later: see "killed".
    world = new World({ kind, sends, onEvent: record.onEvent, failures: 0 })
    const first = payment(newOrderId())
    await dies(first)
    // It could still be in somebody's hands.
    await world.advance(60_000)
    expect(await world.cron()).toEqual({ finished: 0, failed: 0 })
    for (let i = 0; i < 20; i++) await world.deliver(payment(newOrderId()))
    const before = record.calls.length
    const runFor = async (hours: number) => {
      for (let run = 0; run < hours * 4; run++) {
        await world.advance(15 * 60_000)
        await world.cron()
      }
    }
    await runFor(2)
    expect(record.calls.slice(before).map(({ order }) => order.order_id)).toEqual([first.order_id])
    const again = record.calls.length
    // Later on the same day, when the order has been looked through already.
    const second = secondary(first.order_id, 'refund')
    await dies(second)
    const died = record.calls.length
    expect(died).toBeGreaterThan(again)
    await runFor(25)
    expect(record.calls.slice(died).map(({ method }) => method)).toEqual(['refund'])
  })
})

describe.each(ALONE)('onEvent over %s KV', (kind) => {
  it('is done once when two deliveries finish it at the same moment', async () => {
    const record = recorder()
    const world = new World({ kind, onEvent: record.onEvent })
    record.fails = () => true
    const event = payment(newOrderId())
    await world.deliver(event)
    record.fails = () => false
    await world.advance(2_000)
    const { body } = signWebhook(event, world.emulator.credentials.apiSecret)
    const answers = await Promise.all([world.post(body), world.post(body)])
    if (kind === 'hostile') await world.untilHandled()
    else expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect([await world.keys('retry/'), (await world.keys('done/')).length]).toEqual([[], 1])
  })
})

// What calls cost is told of a KV that does not fail, and of single deliveries.
describe.each(ALONE.filter((kind) => kind !== 'hostile'))('what onEvent costs over %s KV', (kind) => {
  it('makes the cron list little: its day costs about 250 lists, and three for each order', async () => {
    const world = new World({ kind, onEvent: recorder().onEvent })
    for (let i = 0; i < 20; i++) await world.deliver(payment(newOrderId()))
    const before = world.kv.calls.list
    for (let run = 0; run < 96 + 12; run++) {
      await world.advance(15 * 60_000)
      await world.cron()
    }
    expect(world.kv.calls.list - before).toBeLessThanOrEqual((96 + 12) * 2.5 + 3 * 20)
  })

  it('costs two more reads, one more list and one more write an event, and none of it is there without it', async () => {
    const world = new World({ kind, onEvent: recorder().onEvent })
    await world.deliver(payment(newOrderId()))
    const { get, put, list } = world.kv.calls
    expect({ get, put, list }).toEqual({ get: 3, put: 4, list: 2 })
    const without = new World({ kind })
    await without.deliver(payment(newOrderId()))
    expect(await without.keys('done/')).toEqual([])
    expect(await without.cron()).toEqual({ finished: 0, failed: 0 })
    // The webhook's, and the one that looks for what is open.
    expect(without.kv.calls.list).toBe(2)
  })
})

it('the cron stays below the 1,000 calls of KV that one run may make, and leaves no order out at each look', async () => {
  const handled = new Set<string>()
  const world = new World({ onEvent: (_, { order_id }) => void handled.add(order_id) })
  const [orders, events] = [60, 20]
  for (let order = 0; order < orders; order++) {
    for (let event = 0; event < events; event++) {
      const fields = { transaction_id: `t-${event}`, payment_id: `p-${order}` }
      const { body } = signWebhook(payment(`A-${order}`, fields), world.emulator.credentials.apiSecret)
      world.time += 1
      // The worker of each order's last event dies.
      world.kv.before = (action, key) => {
        if (event === events - 1 && /^(done|retry)\//.test(key)) throw new Error(`KV ${action} failed: 500`)
      }
      await world.post(body)
    }
  }
  handled.clear()
  log.length = 0
  const end = world.time + 26 * 3_600_000
  let most = 0
  while (world.time < end) {
    world.time += 900_000 - (world.time % 900_000)
    let calls = 0
    world.kv.before = () => {
      most = Math.max(most, ++calls)
    }
    await world.cron()
  }
  expect([most <= 1000, handled.size]).toEqual([true, orders])
  const [reported] = log.map(([line]) => JSON.parse(String(line))).filter(({ kind }) => kind === 'cron_overloaded')
  expect(reported).toMatchObject({ orders, looked_at: expect.any(Number) })
  expect(reported.looked_at).toBeLessThan(orders)
}, 60_000)

it('an event that was removed by hand is given up after two days, so that it keeps no place for ever', async () => {
  const world = new World({
    onEvent: () => {
      throw new Error('the shop is down')
    },
  })
  await world.deliver(payment('A-1'))
  await world.advance(2_000)
  for (const key of await world.keys('event/')) await world.env().STATE.delete(key)
  await world.advance(24 * 3_600_000)
  await world.cron()
  expect(await world.keys('retry/')).toHaveLength(1)
  await world.advance(25 * 3_600_000)
  await world.cron()
  expect(await world.keys('retry/')).toEqual([])
})

describe.each(EACH)('killed at each await over $kind KV, each webhook sent $sends,', ({ kind, sends }) => {
  // Over the runtime's own KV, which is slow, one event: each of its calls, with each kind of delivery.
  const scenarioOf = (id: string) => {
    const auth = payment(id, { method: 'auth', status: 'pending', processed_at: at(1) })
    return [
      auth,
      { ...auth, status: 'success', processed_at: at(2) },
      secondary(id, 'capture', { amount: 50 }),
      { order_id: id },
    ]
  }

  it.each(howsOf(kind))('%s: state right, onEvent run for each event', async (how) => {
    await killAtEach(kind, 6, async (killAt) => {
      const { world, handled } = killable({ kind, sends })
      const id = newOrderId()
      const events = kind === 'real' ? [payment(id)] : scenarioOf(id)
      const kill = createKill(killAt, how)
      for (const event of events) {
        await world.advance(2_000)
        const { body } = signWebhook(event, world.emulator.credentials.apiSecret)
        const answers = (await armed(world, kill, () => world.answers(body))) ?? []
        // Nobody heard a 200: the service delivers again.
        if (!answers.some(({ status }) => status === 200)) await world.deliver(event)
      }
      await world.untilHandled()
      const order = await world.order(id)
      const captured = events.length === 1 ? 10050 : 5000
      expect([how, killAt, order?.status, order?.totals, order?.events.length]).toEqual([
        how,
        killAt,
        'success',
        { authorized: 10050, captured, refunded: 0, voided: 0, fee: 0 },
        events.length,
      ])
      await expectEachHandled(world, handled)
      return kill.calls
    })
  })
})
