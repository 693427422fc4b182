import type { KVNamespace } from '@cloudflare/workers-types'
import { describe, expect, it, vi } from 'vitest'
import { signWebhook } from '../../src/index.ts'
import { webhookAddress } from '../../src/shop/lib/links.ts'
import type { OnEvent } from '../../src/shop/options.ts'
import type { Order } from '../../src/shop/store/order.ts'
import { at, payment, secondary } from './support/events.ts'
import { goOn } from './support/held-call.ts'
import { type Answer, LINK_SECRET, ORIGIN, World, type WorldOptions } from './support/world.ts'

const ID = 'A-1'

/** A world whose order A-1 is an authorization of 100.50 that succeeded. */
async function reserved(options: WorldOptions = {}): Promise<World> {
  const world = new World({ kind: 'strict', ...options })
  await world.pay(await world.open(await world.link({ order_id: ID, method: 'auth' })))
  return world
}

const operate = (world: World, path: string, key: string, fields: object = {}) =>
  world.send(`/api/orders/${ID}/${path}`, fields, key)

const made = (world: World, method: string) =>
  (world.emulator.orders.get(ID)?.operations ?? []).filter((one) => one.method === method)

/** What `put` does is done before KV gets a row. */
function beforePuts(world: World): { put: (key: string) => Promise<void> } {
  const kv: KVNamespace = world.kv.at('FRA')
  const during = { put: async (_key: string): Promise<void> => {} }
  const put = async (...row: Parameters<KVNamespace['put']>) => {
    await during.put(row[0])
    return kv.put(...row)
  }
  world.options.env = { STATE: new Proxy(kv, { get: (_, name) => (name === 'put' ? put : Reflect.get(kv, name)) }) }
  return during
}

const TEN = Array.from({ length: 10 }, (_, i) => i)

describe('a capture whose response is pending', () => {
  it('leaves the page right when its webhook comes while the response is being stored', async () => {
    const world = new World({ kind: 'strict' })
    const during = beforePuts(world)
    const back = (await world.pay(await world.open(await world.link({ order_id: ID, method: 'auth' })))) ?? ''
    await world.advance(3_600_000)
    const pending = secondary(ID, 'capture', {
      amount: 100.5,
      status: 'pending',
      status_code: '2001',
      processed_at: null,
    })
    const success = { ...pending, status: 'success', status_code: '1000', processed_at: at(62) }
    world.intercept = (url) => (url.includes('capture') ? Promise.resolve(Response.json(pending)) : undefined)
    let webhook: Promise<Response> | undefined
    during.put = async (key) => {
      if (!key.startsWith('event/') || webhook) return
      webhook = world.post(signWebhook(success, world.emulator.credentials.apiSecret).body)
      await goOn()
    }
    expect((await operate(world, 'capture', 'one')).status).toBe(200)
    expect((await webhook)?.status).toBe(200)
    expect((await world.order(ID))?.totals.captured).toBe(10050)
    expect(await (await world.get(back)).text()).toContain('Your payment was successful')
  })
})

it('a capture is in the order before its caller has the response, however slow KV is', async () => {
  const world = new World()
  const during = beforePuts(world)
  await world.pay(await world.open(await world.link({ order_id: ID, method: 'auth' })))
  await world.advance(2_000)
  world.emulator.faults.next({ kind: 'delay', ms: 3_600_000, on: 'webhook' })
  during.put = (key) => (key.startsWith('event/') ? goOn() : Promise.resolve())
  expect((await operate(world, 'capture', 'one')).status).toBe(200)
  const order = await (await world.api(`/api/orders/${ID}`)).json()
  expect(order).toMatchObject({ totals: { captured: 10_050 } })
})

it('an event that comes while the folded order is written to KV is in it soon after', async () => {
  const world = new World()
  const during = beforePuts(world)
  const pending = payment(ID, { status: 'pending', processed_at: at(1) })
  const success = { ...pending, status: 'success', processed_at: at(2) }
  let webhook: Promise<Response> | undefined
  during.put = async (key) => {
    if (!key.startsWith('order/') || webhook) return
    webhook = world.post(signWebhook(success, world.emulator.credentials.apiSecret).body)
    await webhook
  }
  await world.deliver(pending)
  await world.advance(1)
  const written = async () => [...(await world.stored('order/')).values()]
  expect([(await webhook)?.status, await written()]).toMatchObject([200, [{ status: 'pending' }]])
  await world.advance(10_000)
  expect(await written()).toMatchObject([{ status: 'success' }])
})

describe('ten requests at once', () => {
  it.each(['capture', 'refund'] as const)('with one key make one %s, and ten equal responses', async (what) => {
    const world = await reserved()
    if (what === 'refund') expect((await operate(world, 'capture', 'all')).status).toBe(200)
    const fields = what === 'capture' ? { charge_amount: 10 } : { refund_amount: 10 }
    const answers = await Promise.all(TEN.map(() => operate(world, what, 'one', fields)))
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
    expect(answers[0]).toMatchObject({ status: 200, body: { amount: 10 } })
    expect(made(world, what)).toHaveLength(1)
  })

  it('with ten keys make ten captures, one after another', async () => {
    const world = await reserved()
    const answers = await Promise.all(TEN.map((i) => operate(world, 'capture', `key-${i}`, { charge_amount: 10 })))
    expect(answers.map(({ status }) => status)).toEqual(TEN.map(() => 200))
    expect(new Set(answers.map(({ body }) => body.operation_id)).size).toBe(10)
    expect(made(world, 'capture')).toHaveLength(10)
    expect((await world.order(ID))?.totals.captured).toBe(10_000)
  })

  it('open one checkout by one call, although one of them claims to have waited', async () => {
    const world = new World()
    let calls = 0
    world.intercept = (url) => void (url.endsWith('/api/v1/payment') && calls++)
    const link = await world.link({ order_id: ID })
    const opened = await Promise.all([...TEN.map(() => world.get(link)), world.get(`${link}?waited=9`)])
    const url = world.emulator.orders.get(ID)?.checkout_url
    expect(new Set(opened.map(({ status, headers }) => `${status} ${headers.get('location')}`))).toEqual(
      new Set([`303 ${url}`]),
    )
    expect([calls, world.emulator.orders.list().length]).toEqual([1, 1])
  })
})

describe('onEvent behind the gate', () => {
  it('is called by an alarm that failed once: the runtime learns of the failure, and repeats the alarm', async () => {
    const calls: string[] = []
    const world = new World({ kind: 'strict', onEvent: ({ id }) => void calls.push(id) })
    const { body } = signWebhook(payment(ID), world.emulator.credentials.apiSecret)
    expect((await world.post(body)).status).toBe(200)
    const gate = world.gate
    let fails = true
    gate.through = (work) => {
      if (!fails) return work()
      fails = false
      return Promise.reject(new Error('The storage failed.'))
    }
    gate.restart()
    await expect(world.advance(1)).rejects.toThrow('The storage failed.')
    expect(calls).toEqual([])
    await world.advance(60_000)
    expect(calls).toHaveLength(1)
  })

  it('is called once for 50 copies of a webhook at once', async () => {
    const calls: string[] = []
    const world = new World({ kind: 'strict', onEvent: ({ id }) => void calls.push(id) })
    const { body } = signWebhook(payment(ID), world.emulator.credentials.apiSecret)
    const answers = await Promise.all(Array.from({ length: 50 }, () => world.post(body)))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    await world.advance(1)
    await world.deliver(payment('A-2'))
    await world.post(body)
    await world.advance(60_000)
    expect([calls.length, new Set(calls).size]).toEqual([2, 2])
  })

  it('sees both of two captures that arrive at once', async () => {
    const seen: number[] = []
    const onEvent: OnEvent = (_, order) => void seen.push(order.totals.captured)
    const world = new World({ kind: 'strict', onEvent })
    const auth = payment(ID, { method: 'auth' })
    await world.deliver(auth)
    const bodies = [1, 2].map((i) => secondary(ID, 'capture', { amount: 50, created_at: at(60 + i) }))
    await Promise.all(bodies.map((one) => world.post(signWebhook(one, world.emulator.credentials.apiSecret).body)))
    await world.advance(1)
    expect(seen.at(-1)).toBe(10_000)
  })

  it('holds up neither the service, nor money, nor another order while it hangs', async () => {
    let release = () => {}
    const hangs = new Promise<void>((resolve) => {
      release = resolve
    })
    let hanging = 0
    const others: string[] = []
    const world = await reserved()
    const slow = new World({
      kind: 'strict',
      onEvent: (_, order) => {
        if (order.order_id !== 'slow') return void others.push(order.order_id)
        hanging++
        return hangs
      },
    })
    const { body } = signWebhook(payment('slow'), slow.emulator.credentials.apiSecret)
    expect((await slow.post(body)).status).toBe(200)
    const alarms = slow.gate.runAlarms()
    const next = signWebhook(payment('slow'), slow.emulator.credentials.apiSecret).body
    expect((await slow.post(next)).status).toBe(200)
    expect((await slow.api('/api/orders/slow/cancel', { method: 'POST' })).status).toBe(404)
    expect((await slow.post(signWebhook(payment('other'), slow.emulator.credentials.apiSecret).body)).status).toBe(200)
    const more = slow.gate.runAlarms()
    await vi.waitFor(() => expect(others).toEqual(['other']))
    expect(hanging).toBeGreaterThanOrEqual(1)
    release()
    await Promise.all([alarms, more])
    expect((await operate(world, 'capture', 'one')).status).toBe(200)
  })

  it('may capture through the API', async () => {
    let answer: Answer | undefined
    const world: World = await reserved({
      onEvent: async ({ event }) => {
        if (event.kind === 'auth' && event.status === 'success') answer = await operate(world, 'capture', 'auto')
      },
    })
    await world.advance(1)
    expect(answer).toMatchObject({ status: 200, body: { amount: 100.5 } })
  })

  it('is called again with a growing pause, then given up, shown, and replayed', async () => {
    const calls: number[] = []
    const alerts: unknown[] = []
    let fails = true
    const world: World = new World({
      kind: 'strict',
      onEvent: () => {
        calls.push(world.time)
        if (fails) throw new Error('the shop is down')
      },
      onAlert: ({ text, ...alert }) => void (alert.kind === 'on_event_given_up' && alerts.push(alert)),
    })
    await world.deliver(payment(ID))
    for (let i = 0; i < 40 && world.gate.nextAlarm() !== undefined; i++) {
      await world.advance(Math.max((world.gate.nextAlarm() ?? 0) - world.time, 0))
    }
    expect(calls).toHaveLength(20)
    const pauses = calls.slice(1).map((time, i) => time - (calls[i] ?? 0))
    expect(pauses.slice(0, 4)).toEqual([1_000, 2_000, 4_000, 8_000])
    expect(Math.max(...pauses)).toBe(6 * 3_600_000)
    const failing = (await (await world.api('/api/events?failing=true')).json()) as { events: { id: string }[] }
    expect(failing.events).toEqual([
      {
        id: expect.stringMatching(/^[\w-]{43}$/),
        order_id: ID,
        attempts: 20,
        error: 'Error: the shop is down',
        given_up: true,
        next_at: null,
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
})

describe('events that wait for an `onEvent` that was taken out', () => {
  /** A world with an event that `onEvent` failed on, whose worker then begins anew without it. */
  async function waiting(): Promise<{ world: World; calls: string[]; bring: () => void }> {
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
    const bring = () => {
      fails = false
      world.options.onEvent = onEvent
      world.begin()
    }
    return { world, calls, bring }
  }

  it('wake the gate every 15 minutes, and not without end', async () => {
    const { world, calls, bring } = await waiting()
    await world.advance(3_600_000)
    expect(world.gate.nextAlarm()).toBe(world.time + 900_000)
    bring()
    await world.advance(900_000)
    expect(calls).toHaveLength(1)
    expect(world.gate.nextAlarm()).toBeUndefined()
  })

  it('are neither replayed nor dropped', async () => {
    const { world, calls, bring } = await waiting()
    const failing = async () =>
      ((await (await world.api('/api/events?failing=true')).json()) as { events: { id: string }[] }).events
    const before = await failing()
    expect(before).toHaveLength(1)
    const replay = () => world.api(`/api/events/${before[0]?.id}/replay`, { method: 'POST' })
    const response = await replay()
    expect([response.status, await response.json()]).toEqual([409, expect.objectContaining({ code: 'no_on_event' })])
    expect(await failing()).toEqual(before)
    bring()
    expect((await replay()).status).toBe(200)
    expect([calls.length, await failing()]).toEqual([1, []])
  })

  it('are called in batches of 20, one soon after the other', async () => {
    const { world, calls, bring } = await waiting()
    bring()
    for (let i = 0; i < 45; i++) {
      const event = secondary(ID, 'refund', { amount: 1, created_at: at(i) })
      expect((await world.post(signWebhook(event, world.emulator.credentials.apiSecret).body)).status).toBe(200)
    }
    const began = world.time
    while (calls.length < 46 && world.time - began < 60_000) {
      await world.advance(Math.max((world.gate.nextAlarm() ?? Number.POSITIVE_INFINITY) - world.time, 0))
    }
    expect(calls).toHaveLength(46)
    expect(world.time - began).toBeLessThan(10_000)
  })
})

describe('money', () => {
  it('is not sent again after a 429: the caller gets Retry-After and may use the same key', async () => {
    const world = await reserved()
    await world.advance(2_000)
    world.emulator.faults.next({ kind: 'too_many_requests', retryAfter: 60, on: 'capture-payment' })
    const headers = { 'idempotency-key': 'one' }
    const init = { method: 'POST', headers, body: '{"charge_amount":20}' }
    const limited = await world.api(`/api/orders/${ID}/capture`, init)
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([503, '60'])
    expect(made(world, 'capture')).toEqual([])
    await world.advance(2_000)
    expect((await world.api(`/api/orders/${ID}/capture`, init)).status).toBe(200)
    expect(made(world, 'capture')).toHaveLength(1)
  })

  it('refunds in part and whole, voids, and shows both in the order', async () => {
    const world = await reserved()
    await world.advance(2_000)
    expect((await operate(world, 'capture', 'all')).status).toBe(200)
    await world.advance(2_000)
    expect(await operate(world, 'refund', 'a', { refund_amount: 0.5 })).toMatchObject({ body: { amount: 0.5 } })
    await world.advance(2_000)
    expect(await operate(world, 'refund', 'b')).toMatchObject({ status: 200, body: { amount: 100 } })
    await world.advance(2_000)
    expect(await world.order(ID)).toMatchObject({ totals: { captured: 10_050, refunded: 10_050 }, flags: [] })
    const other = await reserved()
    await other.advance(2_000)
    expect((await operate(other, 'void', 'v')).status).toBe(200)
    expect((await operate(other, 'void', 'v')).status).toBe(200)
    expect(made(other, 'void')).toHaveLength(1)
    expect((await other.order(ID))?.totals).toMatchObject({ authorized: 10_050, voided: 10_050 })
  })

  it('lists an open attempt, which a person can settle by hand', async () => {
    const world = await reserved()
    await world.advance(2_000)
    world.emulator.faults.next({ kind: 'reset', when: 'before_commit', on: 'capture-payment' })
    expect((await operate(world, 'capture', 'one', { charge_amount: 10 })).body.detail).toMatch(/same Idempotency-Key/)
    await world.advance(2_000)
    const [attempt, ...more] = ((await world.order(ID)) as Order).attempts
    expect([attempt, more]).toEqual([
      { id: expect.any(String), kind: 'capture', amount: 10, state: 'unknown', started_at: expect.any(String) },
      [],
    ])
    const path = `/api/orders/${ID}/attempts/${attempt?.id}/settle`
    expect((await world.api(path, { method: 'POST', body: '{}' })).status).toBe(400)
    expect((await world.api(path, { method: 'POST', body: '{"executed":false}' })).status).toBe(200)
    expect((await world.order(ID))?.attempts).toEqual([])
    expect(await operate(world, 'capture', 'one', { charge_amount: 10 })).toMatchObject({ status: 409 })
    expect((await operate(world, 'capture', 'two', { charge_amount: 10 })).status).toBe(200)
    expect(made(world, 'capture')).toHaveLength(1)
  })

  it('counts what a person says was executed, although its webhook had an unknown status', async () => {
    const world = await reserved()
    await world.advance(2_000)
    world.emulator.faults.next({ kind: 'reset', when: 'after_commit', on: 'capture-payment' })
    world.emulator.faults.next({ kind: 'unknown_status' })
    expect((await operate(world, 'capture', 'one', { charge_amount: 10 })).status).toBe(502)
    await world.advance(2_000)
    const { attempts, totals } = (await world.order(ID)) as Order
    expect(totals.captured).toBe(0)
    const path = `/api/orders/${ID}/attempts/${attempts[0]?.id}/settle`
    expect((await world.api(path, { method: 'POST', body: '{"executed":true}' })).status).toBe(200)
    await world.advance(2_000)
    expect(await world.order(ID)).toMatchObject({ totals: { captured: 1_000 }, attempts: [] })
  })

  it('erases the whole order by the id of a further attempt', async () => {
    const world = new World()
    const link = await world.link({ order_id: ID })
    await world.pay(await world.open(link), 'declined')
    await world.advance(121_000)
    await world.pay(await world.open(link))
    await world.advance(121_000)
    expect(JSON.stringify([...(await world.stored('event/')).values()])).toContain('+380441234567')
    expect((await world.api(`/api/orders/${ID}~2/personal-data`, { method: 'DELETE' })).status).toBe(200)
    expect(JSON.stringify([...(await world.stored('')).values()])).not.toContain('+380441234567')
  })

  it('keeps the books and no personal data after an erasure', async () => {
    const world = new World()
    const paid = payment(ID, { customer_phone: '+380441234567', cc_token: 'tok-1', payload: { cc_number: '4111' } })
    await world.deliver(paid)
    const before = await world.order(ID)
    expect((await world.api(`/api/orders/${ID}/personal-data`, { method: 'DELETE' })).status).toBe(200)
    await world.deliver(paid)
    const kept = JSON.stringify([[...(await world.stored('')).values()], [...(world.gate.rows(ID) ?? [])]])
    for (const text of ['+380441234567', 'tok-1', '4111']) expect(kept).not.toContain(text)
    expect((await world.order(ID))?.totals).toEqual(before?.totals)
    expect((await world.order(ID))?.events).toEqual(before?.events)
  })

  it('brings what was asked for with the webhook, whatever is known of the checkout', async () => {
    const address = await webhookAddress(ORIGIN, ID, { amount: 100.5, currency: 'UAH' }, LINK_SECRET)
    const elsewhere = new World()
    const post = async (order_id: string) => {
      const { body } = signWebhook(payment(order_id), elsewhere.emulator.credentials.apiSecret)
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      return elsewhere.fetch(new Request(address, { method: 'POST', body, headers }))
    }
    expect((await post(ID)).status).toBe(200)
    expect((await elsewhere.order(ID))?.flags).toEqual([])
    // A seal of another order is not believed, and rejects nothing.
    expect((await post('A-2')).status).toBe(200)
    expect((await elsewhere.order('A-2'))?.flags).toEqual(['unknown_order'])
  })

  it('costs no list to open a link or a result page, however often', async () => {
    const world = await reserved()
    await world.advance(2_000)
    const link = await world.link({ order_id: ID, method: 'auth' })
    const result = (await world.get(link)).headers.get('location') ?? ''
    const { list } = world.kv.calls
    for (let i = 0; i < 50; i++) {
      expect((await world.get(link)).status).toBe(303)
      expect((await world.get(`${result}&look=${i}`)).status).toBe(200)
    }
    expect(world.kv.calls.list).toBe(list)
  })

  it('does not store the card token when KEEP_CARD_TOKEN is false', async () => {
    const world = new World({ env: { KEEP_CARD_TOKEN: 'false' } })
    await world.deliver(payment(ID, { cc_token: 'tok-1' }))
    expect(JSON.stringify([...(await world.stored('')).values()])).not.toContain('tok-1')
    expect((await operate(world, 'capture', 'x')).status).not.toBe(500)
  })
})
