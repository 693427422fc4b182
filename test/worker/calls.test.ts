import type { KVNamespace } from '@cloudflare/workers-types'
import { describe, expect, it } from 'vitest'
import { webhookAddress } from '../../src/shop/lib/links.ts'
import type { OnEvent } from '../../src/shop/options.ts'
import { at, payment, secondary } from './support/events.ts'
import { goOn } from './support/held-call.ts'
import { authorized, made, send } from './support/money.ts'
import { type Answer, failing, LINK_SECRET, ORIGIN, World } from './support/world.ts'

const ID = 'A-1'

it('a capture is in the order before its caller has the response, however slow KV is', async () => {
  const world = await authorized()
  const kv: KVNamespace = world.kv.at('FRA')
  const put = (...row: Parameters<KVNamespace['put']>) => goOn().then(() => kv.put(...row))
  world.options.env = { STATE: new Proxy(kv, { get: (_, name) => (name === 'put' ? put : Reflect.get(kv, name)) }) }
  world.emulator.faults.next({ kind: 'delay', ms: 3_600_000, on: 'webhook' })
  expect((await send(world, 'capture', 'one')).status).toBe(200)
  const order = await (await world.api(`/api/orders/${ID}`)).json()
  expect(order).toMatchObject({ totals: { captured_minor: 10_050 } })
})

it('ten requests at once with one key make one capture, and get ten equal responses', async () => {
  const world = await authorized()
  const calls = Array.from({ length: 10 }, () => send(world, 'capture', 'one', { charge_amount: 10 }))
  const answers = await Promise.all(calls)
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
  expect([answers[0], made(world, 'capture').length]).toMatchObject([{ status: 200, body: { amount: 10 } }, 1])
})

describe('onEvent', () => {
  it('may capture through the API', async () => {
    let answer: Answer | undefined
    const world: World = new World({
      onEvent: async ({ event }) => {
        if (event.kind === 'auth' && event.status === 'success') answer = await send(world, 'capture', 'auto')
      },
    })
    await world.pay(await world.open(await world.link({ order_id: ID, method: 'auth' })))
    await world.advance(1)
    expect(answer).toMatchObject({ status: 200, body: { amount: 100.5 } })
  })

  it('is called again with a growing pause, then given up, shown, and replayed', async () => {
    const calls: number[] = []
    const alerts: unknown[] = []
    let fails = true
    const world: World = new World({
      onEvent: () => {
        calls.push(world.time)
        if (fails) throw new Error('the shop is down')
      },
      onAlert: ({ text, ...alert }) => void (alert.kind === 'on_event_given_up' && alerts.push(alert)),
    })
    await world.deliver(payment(ID))
    await world.idle()
    for (let i = 0; i < 40 && world.waiting().length > 0; i++) await world.untilDue()
    expect(calls).toHaveLength(20)
    const pauses = calls.slice(1).map((time, i) => time - (calls[i] ?? 0))
    // In the next minute.
    for (const [i, pause] of pauses.entries()) {
      const own = Math.min(1_000 * 2 ** i, 6 * 3_600_000)
      expect([i, pause >= own, pause <= own + 60_000]).toEqual([i, true, true])
    }
    const failing = (await (await world.api('/api/events?failing=true')).json()) as { events: { id: string }[] }
    expect(failing.events).toEqual([
      {
        ...{ id: expect.stringMatching(/^[\w-]{43}$/), order_id: ID, attempts: 20 },
        ...{ error: 'Error: the shop is down', given_up: true, next_at: null },
      },
    ])
    await world.advance(7 * 86_400_000)
    await world.cron()
    const given_up = { kind: 'on_event_given_up', order_id: ID, event_id: failing.events[0]?.id, attempts: 20 }
    // Nothing waits for an alert.
    await expect.poll(() => [calls.length, alerts]).toEqual([20, [given_up]])
    fails = false
    const path = `/api/events/${failing.events[0]?.id}/replay`
    expect((await world.api(path, { method: 'POST' })).status).toBe(200)
    expect((await world.api(path, { method: 'POST' })).status).toBe(404)
    expect(calls).toHaveLength(21)
  })

  it('is called again by the cron where the database failed after the call', async () => {
    const calls: string[] = []
    const world = new World({ onEvent: ({ id }) => void calls.push(id) })
    // The event itself is stored.
    world.object.before = failing('edgetill_log/', 1)
    expect((await world.post(world.signed(payment(ID)))).status).toBe(200)
    await world.idle()
    world.object.before = undefined
    expect(calls).toHaveLength(1)
    await world.advance(60_000)
    expect(calls).toHaveLength(2)
  })
})

it('events that wait for an `onEvent` that was taken out are kept until it is back', async () => {
  const calls: string[] = []
  let fails = true
  const onEvent: OnEvent = ({ id }) => {
    if (fails) throw new Error('the shop is down')
    calls.push(id)
  }
  const world = new World({ onEvent })
  await world.deliver(payment(ID))
  await world.advance(5_000)
  delete world.options.onEvent
  world.begin()
  await world.advance(3_600_000)
  const failing = async () =>
    ((await (await world.api('/api/events?failing=true')).json()) as { events: { id: string }[] }).events
  const before = await failing()
  const replayed = await world.api(`/api/events/${before[0]?.id}/replay`, { method: 'POST' })
  expect([replayed.status, await replayed.json()]).toMatchObject([409, { code: 'no_on_event' }])
  expect([before.length, await failing()]).toEqual([1, before])
  fails = false
  world.options.onEvent = onEvent
  world.begin()
  await world.advance(60_000)
  expect([calls.length, await failing(), world.waiting()]).toEqual([1, [], []])
  for (let i = 0; i < 45; i++) {
    const event = secondary(ID, 'refund', { amount: 1, created_at: at(i) })
    expect((await world.post(world.signed(event))).status).toBe(200)
  }
  await world.idle()
  expect(calls).toHaveLength(46)
})

it('a webhook’s address brings what was asked for, whatever is known of the checkout', async () => {
  const address = await webhookAddress(ORIGIN, ID, { amount: 100.5, currency: 'UAH' }, LINK_SECRET)
  const elsewhere = new World()
  const post = async (order_id: string) => {
    const body = elsewhere.signed(payment(order_id))
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    return elsewhere.fetch(new Request(address, { method: 'POST', body, headers }))
  }
  expect((await post(ID)).status).toBe(200)
  expect((await elsewhere.order(ID))?.flags).toEqual([])
  // A seal of another order is not believed, and rejects nothing.
  expect((await post('A-2')).status).toBe(200)
  expect((await elsewhere.order('A-2'))?.flags).toEqual(['unknown_order'])
})
