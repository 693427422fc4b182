import { beforeEach, describe, expect, it } from 'vitest'
import type { OnEvent } from '../../worker/on-event.ts'
import { isUnexpectedEvent, signWebhook } from '../../worker/sdk.ts'
import type { Order } from '../../worker/store/order.ts'
import { at, payment, secondary } from './support/events.ts'
import { KINDS, newOrderId, World } from './support/world.ts'

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

const keysOf = (world: World, prefix: string): string[] =>
  [...world.kv.dump().keys()].filter((key) => key.startsWith(prefix))

for (const kind of KINDS) {
  for (const sends of ['once', 'twice', 'together'] as const) {
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

describe('onEvent', () => {
  let world: World
  let record: ReturnType<typeof recorder>
  beforeEach(() => {
    record = recorder()
    world = new World({ onEvent: record.onEvent })
  })

  it('runs once when nothing fails: a duplicate, next time and after 25 hours, writes nothing', async () => {
    const event = payment(newOrderId())
    await world.deliver(event)
    const writes = world.kv.writes.length
    await world.deliver(event)
    await world.advance(25 * 3_600_000)
    await world.deliver(event)
    await world.cron()
    expect([record.calls.length, world.kv.writes.length]).toEqual([1, writes])
  })

  it('keeps what it threw under retry/, answers 200, and deletes it when it succeeds', async () => {
    record.fails = () => true
    const event = payment(newOrderId())
    await world.deliver(event)
    expect(keysOf(world, 'done/')).toEqual([])
    const [key = ''] = keysOf(world, 'retry/')
    const kept = JSON.parse(world.kv.dump().get(key)?.value ?? '')
    expect(kept).toMatchObject({ order_id: event.order_id, attempts: 1, error: 'Error: the shop is down' })
    record.fails = () => false
    await world.deliver(event)
    expect([keysOf(world, 'retry/'), keysOf(world, 'done/').length, record.calls.length]).toEqual([[], 1, 2])
  })

  it('is done once when two deliveries finish it at the same moment', async () => {
    record.fails = () => true
    const event = payment(newOrderId())
    await world.deliver(event)
    record.fails = () => false
    await world.advance(2_000)
    const { body } = signWebhook(event, world.emulator.credentials.apiSecret)
    const answers = await Promise.all([world.post(body), world.post(body)])
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect([keysOf(world, 'retry/'), keysOf(world, 'done/').length]).toEqual([[], 1])
  })

  it('answers 503 when neither done/ nor retry/ can be written, and runs again', async () => {
    const event = payment(newOrderId())
    const { body } = signWebhook(event, world.emulator.credentials.apiSecret)
    world.kv.before = (action, key) => {
      if (action === 'put' && /^(done|retry)\//.test(key)) throw new Error('KV PUT failed: 500')
    }
    expect((await world.post(body)).status).toBe(503)
    world.kv.before = undefined
    await world.deliver(event)
    expect([record.calls.length, keysOf(world, 'done/').length]).toEqual([2, 1])
  })

  it('is left to the cron when done/ cannot be written', async () => {
    world.kv.before = (action, key) => {
      if (action === 'put' && key.startsWith('done/')) throw new Error('KV PUT failed: 500')
    }
    await world.deliver(payment(newOrderId()))
    expect(keysOf(world, 'retry/')).toHaveLength(1)
    world.kv.before = undefined
    await world.advance(121_000)
    expect(await world.cron()).toEqual({ finished: 1, failed: 0 })
    expect([keysOf(world, 'retry/'), keysOf(world, 'done/').length]).toEqual([[], 1])
  })

  it('does not let one event that always fails hold up the others, and tries it ever more seldom', async () => {
    const poison = payment(newOrderId())
    record.fails = ({ order }) => order.order_id === poison.order_id
    await world.deliver(poison)
    await world.deliver({ order_id: poison.order_id, method: 'purchase', amount: 'much' })
    const good = payment(newOrderId())
    await world.deliver(good)
    expect(record.calls.filter(({ order }) => order.order_id === good.order_id)).toHaveLength(1)
    let tries = 0
    for (let run = 0; run < 24 * 12; run++) {
      await world.advance(300_000)
      tries += (await world.cron()).failed
    }
    expect(tries).toBeGreaterThan(10)
    expect(tries).toBeLessThan(60)
  })

  it('is found by the cron when its worker died after storing the event and nobody delivered it again', async () => {
    const dies = async (event: object) => {
      world.kv.before = (action, key) => {
        if (action === 'put' && /^(done|retry)\//.test(key)) throw new Error('died')
      }
      await world.post(signWebhook(event, world.emulator.credentials.apiSecret).body)
      world.kv.before = undefined
    }
    const first = payment(newOrderId())
    await dies(first)
    // It could still be in somebody's hands.
    await world.advance(60_000)
    expect(await world.cron()).toEqual({ finished: 0, failed: 0 })
    for (let i = 0; i < 100; i++) await world.deliver(payment(newOrderId()))
    const before = record.calls.length
    const runFor = async (hours: number) => {
      for (let run = 0; run < hours * 4; run++) {
        await world.advance(15 * 60_000)
        await world.cron()
      }
    }
    await runFor(2)
    expect(record.calls.slice(before).map(({ order }) => order.order_id)).toEqual([first.order_id])
    // Later on the same day, when the order has been looked through already.
    const second = secondary(first.order_id, 'refund')
    await dies(second)
    await runFor(24)
    expect(record.calls.slice(before + 2).map(({ method }) => method)).toEqual(['refund'])
  })

  it('makes the cron list little: its day costs about 150 lists, and two for each order', async () => {
    for (let i = 0; i < 20; i++) await world.deliver(payment(newOrderId()))
    const before = world.kv.calls.list
    for (let run = 0; run < 96 + 8; run++) {
      await world.advance(15 * 60_000)
      await world.cron()
    }
    expect(world.kv.calls.list - before).toBeLessThanOrEqual((96 + 8) * 1.5 + 2 * 20)
  })

  it('gets events of unexpected shape and unknown method too, in a delivery and by the cron', async () => {
    const seen: unknown[] = []
    world = new World({
      onEvent: ({ event }) => {
        seen.push(isUnexpectedEvent(event) ? event.record : event)
        if (seen.length === 1) throw 'a text, not an error'
      },
    })
    const odd = { order_id: newOrderId(), method: 'purchase' }
    await world.deliver(odd)
    await world.advance(121_000)
    await world.cron()
    await world.deliver({ order_id: odd.order_id, method: 'chargeback' })
    expect(seen).toEqual([odd, odd, { order_id: odd.order_id, method: 'chargeback' }])
  })

  it('costs one more read and one more write an event, and none of it is there without it', async () => {
    await world.deliver(payment(newOrderId()))
    const { get, put, list } = world.kv.calls
    expect({ get, put, list }).toEqual({ get: 2, put: 3, list: 1 })
    const without = new World()
    await without.deliver(payment(newOrderId()))
    expect(keysOf(without, 'done/')).toEqual([])
    expect(await without.cron()).toEqual({ finished: 0, failed: 0 })
    expect(without.kv.calls.list).toBe(1)
  })
})

describe('killed at each await', () => {
  const scenarioOf = (id: string) => {
    const auth = payment(id, { method: 'auth', status: 'pending', processed_at: at(1) })
    return [
      auth,
      { ...auth, status: 'success', processed_at: at(2) },
      secondary(id, 'capture', { amount: 50 }),
      { order_id: id },
    ]
  }

  /** Delivers the scenario with the n-th KV call failing or hanging for good; answers how many calls there were. */
  async function play(killAt: number, how: 'throws before' | 'throws after' | 'hangs' | 'onEvent'): Promise<number> {
    const record = recorder()
    const world = new World({ onEvent: record.onEvent })
    const id = newOrderId()
    const events = scenarioOf(id)
    let calls = 0
    const never = new Promise<never>(() => {})
    const env = world.env('FRA')
    const { STATE } = env
    const guarded = new Proxy(STATE, {
      get:
        (target, name) =>
        (...parts: unknown[]) => {
          const call = (target as unknown as Record<PropertyKey, (...parts: unknown[]) => Promise<unknown>>)[name]
          const dies = ++calls === killAt
          if (dies && how === 'throws before') return Promise.reject(new Error('KV failed: 500'))
          const result = call?.(...parts) as Promise<unknown>
          if (dies && how === 'throws after') return result.then(() => Promise.reject(new Error('KV failed: 500')))
          // The isolate is gone: nothing after this point ever runs.
          if (dies && how === 'hangs') return never
          return result
        },
    })
    if (how === 'onEvent') record.fails = () => ++calls === killAt
    for (const event of events) {
      await world.advance(2_000)
      const { body } = signWebhook(event, world.emulator.credentials.apiSecret)
      const request = () =>
        new Request('https://pay.shop.example.com/webhooks', {
          method: 'POST',
          body,
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
        })
      const answered = world.fetch(request(), { ...env, STATE: guarded })
      // A killed worker answers nothing; the service notices and delivers again.
      const status = await Promise.race([answered.then(({ status }) => status), ...(how === 'hangs' ? [quiet()] : [])])
      if (status !== 200) {
        await world.advance(2_000)
        expect((await world.fetch(request(), env)).status).toBe(200)
      }
    }
    await world.advance(300_000)
    await world.cron()
    const order = await world.order(id)
    expect([how, killAt, order?.status, order?.totals, order?.events.length]).toEqual([
      how,
      killAt,
      'success',
      { authorized: 10050, captured: 5000, refunded: 0, voided: 0, fee: 0 },
      events.length,
    ])
    expect(new Set(record.calls.map((call) => call.id))).toEqual(new Set(order?.events.map((event) => event.id)))
    const done = keysOf(world, 'done/').map((key) => key.slice(5))
    expect(new Set(done)).toEqual(new Set(order?.events.map((event) => event.id)))
    return calls
  }

  /** Resolves with 0 after many turns: everything that can still run has run, on each runtime. */
  async function quiet(): Promise<number> {
    for (let turn = 0; turn < 30; turn++) await new Promise((resolve) => setTimeout(resolve, 0))
    return 0
  }

  it.each(['throws before', 'throws after', 'hangs', 'onEvent'] as const)(
    '%s: state right, onEvent run for each event',
    async (how) => {
      const total = await play(Number.POSITIVE_INFINITY, how === 'hangs' ? 'throws before' : how)
      expect(total).toBeGreaterThanOrEqual(4)
      for (let killAt = 1; killAt <= total; killAt++) await play(killAt, how)
    },
  )
})
