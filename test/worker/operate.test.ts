// Captures, refunds and voids in the cases that are rare, and in which money could move twice or not be known.
import { describe, expect, it } from 'vitest'
import type { ShopEnv as Env } from '../../src/shop/env.ts'
import type { OnEvent } from '../../src/shop/options.ts'
import { orderKeyOf } from '../../src/shop/store/event-log.ts'
import { openKvStore } from '../../src/shop/store/kv.ts'
import { putAttempt, putOutcome } from '../../src/shop/store/money-operations.ts'
import { at, payment, secondary } from './support/events.ts'
import { throughCall } from './support/kill.ts'
import { World, type WorldOptions } from './support/world.ts'

interface Answer {
  status: number
  body: Record<string, unknown>
}

/** A request with an Idempotency-Key; each key of KV may be written once a second. */
async function send(world: World, path: string, key: string, fields: object = {}): Promise<Answer> {
  await world.advance(2_000)
  const headers = { 'idempotency-key': key }
  const init = { method: 'POST', headers, body: JSON.stringify(fields) }
  const response = await world.api(`/api/orders/A-1/${path}`, init)
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

/** The bodies that were sent to the service, which responds with what `respond` says. */
function service(world: World, respond: (method: string | undefined) => Response): object[] {
  const bodies: object[] = []
  world.options.fetch = undefined as never
  ;(world.emulator as { fetch: unknown }).fetch = async (_: string, init: RequestInit) => {
    const body = init.body ? ((await new Response(init.body).json()) as Record<string, unknown>) : {}
    if (init.method === 'POST') bodies.push(body)
    return respond(init.method)
  }
  return bodies
}

/** A call may have been executed, and no look-up says so. */
const silent = (method: string | undefined) => new Response('', { status: method === 'POST' ? 500 : 403 })
const auth = payment('A-1', { method: 'auth' })
const ofAuth = { payment_id: auth.payment_id, transaction_id: auth.transaction_id }

async function reserved(options: WorldOptions): Promise<World> {
  const world = new World(options)
  await world.pay(await world.open(await world.link({ order_id: 'A-1', method: 'auth' })))
  return world
}

const made = (world: World, kind: string) =>
  (world.emulator.orders.get('A-1')?.operations ?? []).filter(({ method }) => method === kind)

describe.each(['strict', 'strict'] as const)('over %s KV', (kind) => {
  it('the same request is the same, in whatever order its fields are', async () => {
    const world = await reserved({ kind })
    const first = await send(world, 'capture', 'one', { charge_amount: 10, order_currency: 'UAH' })
    expect(first.status).toBe(200)
    const again = await send(world, 'capture', 'one', { order_currency: 'UAH', charge_amount: 10 })
    expect([again, made(world, 'capture').length]).toEqual([first, 1])
    const other = { charge_amount: 11, order_currency: 'UAH' }
    expect(await send(world, 'capture', 'one', other)).toMatchObject({ status: 422 })
  })

  it('a capture that was lost is not taken for an earlier one whose webhook had no operation_id', async () => {
    const world = await reserved({ kind })
    const { payment_id } = world.emulator.orders.get('A-1')?.payments[0] ?? {}
    const unnamed = { operation_id: undefined, transaction_id: undefined }
    await world.deliver(secondary('A-1', 'capture', { payment_id, ...unnamed, amount: 10 }))
    world.emulator.faults.next({ kind: 'reset', when: 'before_commit', on: 'capture-payment' })
    expect((await send(world, 'capture', 'one', { charge_amount: 10 })).status).toBe(502)
    await world.advance(121_000)
    expect(await send(world, 'capture', 'one', { charge_amount: 10 })).toMatchObject({
      status: 409,
      body: { code: 'capture_not_executed' },
    })
  })

  it('an order that is known from its webhooks or its link alone is captured in its currency', async () => {
    for (const known of ['webhook', 'link', 'request'] as const) {
      const world = new World({ kind })
      if (known === 'webhook') await world.deliver({ ...auth, currency: 'USD' })
      if (known === 'link') await world.open(await world.link({ order_id: 'A-1', method: 'auth', currency: 'USD' }))
      const bodies = service(world, () => new Response('{}', { status: 422 }))
      const fields = known === 'request' ? { order_currency: 'USD' } : {}
      expect([known, (await send(world, 'capture', 'one', fields)).status]).toEqual([known, 422])
      expect(bodies).toMatchObject([{ order_id: 'A-1', order_currency: 'USD' }])
    }
  })

  const LEFT = [
    auth,
    secondary('A-1', 'void', { ...ofAuth, amount: 20 }),
    secondary('A-1', 'capture', { ...ofAuth, amount: 30 }),
  ]
  it.each([
    ['capture', { charge_amount: 10 }, 10, [auth]],
    ['capture', {}, 50.5, LEFT],
    ['refund', {}, 90.5, [payment('A-1'), secondary('A-1', 'refund', { amount: 10 })]],
  ])('a lost %s of %j is found out by its webhook, which has that amount', async (path, fields, amount, before) => {
    const world = new World({ kind })
    for (const event of before) await world.deliver(event)
    service(world, silent)
    expect((await send(world, path, 'one', fields)).status).toBe(502)
    // Nothing else is made while it is not known, and one of another amount is not this one.
    const other = secondary('A-1', path, { ...ofAuth, amount: amount + 1, created_at: at(70) })
    await world.deliver(other)
    expect(await send(world, path, 'two')).toMatchObject({ status: 409, body: { code: `${path}_unsettled` } })
    await world.deliver(secondary('A-1', path, { ...ofAuth, amount, created_at: at(70) }))
    expect(await send(world, path, 'one', fields)).toMatchObject({ status: 200, body: { amount, method: path } })
  })

  it('a lost void is found out by its webhook, whatever its amount', async () => {
    const world = new World({ kind })
    await world.deliver(auth)
    service(world, silent)
    expect((await send(world, 'void', 'one')).status).toBe(502)
    await world.deliver(secondary('A-1', 'void', { ...ofAuth, amount: 7 }))
    expect(await send(world, 'void', 'one')).toMatchObject({ status: 200, body: { amount: 7 } })
  })

  it('a lost capture of everything is found out by asking, whatever was rejected before', async () => {
    const world = await reserved({ kind })
    expect((await send(world, 'capture', 'nothing', { charge_amount: 0 })).status).toBe(400)
    world.emulator.faults.next({ kind: 'delay', ms: 86_400_000, on: 'webhook' }, 9)
    world.emulator.faults.next({ kind: 'reset', when: 'after_commit', on: 'capture-payment' })
    expect((await send(world, 'capture', 'one')).status).toBe(502)
    expect(await send(world, 'capture', 'one')).toMatchObject({ status: 200, body: { amount: 100.5 } })
    expect(made(world, 'capture')).toHaveLength(1)
  })

  it.each([
    [1, 'was made', { status: 200, body: { method: 'capture', amount: 10 } }],
    [2, 'stays unknown', { status: 409, body: { code: 'capture_unsettled' } }],
  ])('a capture of which %i webhooks arrive while the service does not show it yet %s', async (count, _, then) => {
    const world = await reserved({ kind })
    const { fetch } = world.emulator
    world.emulator.faults.next({ kind: 'reset', when: 'before_commit', on: 'capture-payment' })
    expect((await send(world, 'capture', 'one', { charge_amount: 10 })).status).toBe(502)
    await world.advance(121_000)
    const { payment_id, transaction_id } = world.emulator.orders.get('A-1')?.payments[0] ?? {}
    ;(world.emulator as { fetch: unknown }).fetch = async (url: string, init: RequestInit) => {
      const response = await fetch(url, init)
      if (init.method !== 'GET') return response
      ;(world.emulator as { fetch: unknown }).fetch = fetch
      for (let i = 0; i < count; i++) {
        await world.deliver(secondary('A-1', 'capture', { payment_id, transaction_id, amount: 10 }))
      }
      return response
    }
    expect(await send(world, 'capture', 'one', { charge_amount: 10 })).toMatchObject(then)
  })

  it('what a person settled is answered so under its key', async () => {
    const world = new World({ kind })
    await world.deliver(auth)
    service(world, silent)
    expect((await send(world, 'capture', 'one', { charge_amount: 10 })).status).toBe(502)
    const { attempts } = (await (await world.api('/api/orders/A-1')).json()) as { attempts: { id: string }[] }
    await send(world, `attempts/${attempts[0]?.id}/settle`, '', { executed: true })
    expect(await send(world, 'capture', 'one', { charge_amount: 10 })).toEqual({
      status: 200,
      body: { order_id: 'A-1', method: 'capture', amount: 10, settled_by_hand: true },
    })
  })

  it('is not decided which of two operations a lost one became', async () => {
    const world = new World({ kind })
    await world.deliver(auth)
    service(world, silent)
    expect((await send(world, 'capture', 'one', { charge_amount: 10 })).status).toBe(502)
    for (let i = 0; i < 2; i++) await world.deliver(secondary('A-1', 'capture', { ...ofAuth, amount: 10 }))
    expect(await send(world, 'capture', 'one', { charge_amount: 10 })).toMatchObject({ status: 409 })
  })

  it('what the service rejected is rejected again under its key, and not sent again', async () => {
    const world = await reserved({ kind })
    const bodies = service(world, () => Response.json({ message: 'no' }, { status: 422 }))
    const first = await send(world, 'capture', 'one')
    expect([first.status, await send(world, 'capture', 'one'), bodies.length]).toEqual([422, first, 1])
    expect((await send(world, 'capture', 'two', { charge_amount: 0 })).status).toBe(400)
    expect((await send(world, 'capture', 'two', { charge_amount: 0 })).status).toBe(400)
    expect(bodies).toHaveLength(1)
  })

  it('what was done and what was rejected stay so without the personal data, with what the books need', async () => {
    const world = await reserved({ kind })
    const bodies = service(world, (method) =>
      method === 'POST'
        ? Response.json({ ...secondary('A-1', 'capture', { ...ofAuth, amount: 10 }), customer_phone: '+380441234567' })
        : silent(method),
    )
    const { body } = await send(world, 'capture', 'one', { charge_amount: 10 })
    expect((await send(world, 'capture', 'nothing', { charge_amount: 0 })).status).toBe(400)
    await world.advance(2_000)
    expect((await world.api('/api/orders/A-1/personal-data', { method: 'DELETE' })).status).toBe(200)
    const { operation_id, order_id, method, status, status_code, amount, currency, created_at } = body
    const books = { operation_id, order_id, method, status, status_code, amount, currency, created_at }
    expect(await send(world, 'capture', 'one', { charge_amount: 10 })).toEqual({ status: 200, body: books })
    expect(Object.values(books)).not.toContain(undefined)
    const rejected = { status: 400, code: 'invalid_input', title: expect.any(String) }
    expect((await send(world, 'capture', 'nothing', { charge_amount: 0 })).body).toMatchObject(rejected)
    expect(bodies).toHaveLength(1)
  })

  it('what was not sent is sent under the same key, whatever it was that kept it', async () => {
    const world = await reserved({ kind })
    const { fetch } = world.emulator
    service(world, () => {
      throw Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNREFUSED' } })
    })
    expect(await send(world, 'capture', 'one')).toMatchObject({ status: 503, body: { code: 'connection' } })
    world.options.env = { BASE_URL: 'https://[' }
    world.gate.restart()
    expect(await send(world, 'capture', 'one')).toMatchObject({ status: 500, body: { code: 'config' } })
    world.options.env = {}
    world.gate.restart()
    service(world, () => new Response('{}', { status: 429 }))
    expect(await send(world, 'capture', 'one')).toMatchObject({ status: 503, body: { code: 'api' } })
    ;(world.emulator as { fetch: unknown }).fetch = fetch
    expect((await send(world, 'capture', 'one')).status).toBe(200)
    expect(made(world, 'capture')).toHaveLength(1)
  })

  it('the response counts at once, and onEvent gets the webhook', async () => {
    const seen: unknown[] = []
    const onEvent: OnEvent = ({ event }) => void (event.kind === 'capture' && seen.push(event))
    const world = await reserved({ kind, onEvent })
    world.emulator.faults.next({ kind: 'delay', ms: 60_000, on: 'webhook' }, 1)
    expect((await send(world, 'capture', 'one', { charge_amount: 10 })).status).toBe(200)
    await world.advance(2_000)
    const { totals } = (await (await world.api('/api/orders/A-1')).json()) as { totals: object }
    expect([totals, seen.length]).toMatchObject([{ captured: 1_000 }, 0])
    await world.advance(120_000)
    await world.advance(2_000)
    expect(seen).toHaveLength(1)
  })
})

it('over KV alone, a capture whose response cannot be stored is answered, and not made again', async () => {
  const world = await reserved({ kind: 'strict' })
  world.kv.before = (action, key) => {
    if (action === 'put' && key.endsWith('/outcome')) throw new Error('KV PUT failed: 500 Internal Server Error')
  }
  expect(await send(world, 'capture', 'one')).toMatchObject({ status: 200, body: { amount: 100.5 } })
  world.kv.before = undefined
  expect(await send(world, 'capture', 'one')).toMatchObject({ status: 200, body: { amount: 100.5 } })
  expect(made(world, 'capture')).toHaveLength(1)
})

it('over KV alone, a response that KV hides at this moment does not make the capture run again', async () => {
  const world = await reserved({ kind: 'strict' })
  const first = await send(world, 'capture', 'one')
  const visible = world.env.bind(world)
  world.env = (location) => {
    const env = visible(location)
    const get = (key: string) => (key.endsWith('/outcome') ? Promise.resolve(null) : env.STATE.get(key))
    return { ...env, STATE: { ...env.STATE, get } as unknown as Env['STATE'] }
  }
  expect(await send(world, 'capture', 'one')).toMatchObject({ status: 503, body: { code: 'state' } })
  world.env = visible
  expect([await send(world, 'capture', 'one'), made(world, 'capture').length]).toEqual([first, 1])
})

it('over KV alone, a rival that gave way does not keep a capture from being made', async () => {
  const world = await reserved({ kind: 'strict' })
  const orderKey = await orderKeyOf('A-1')
  const store = openKvStore(world.env().STATE)
  let written: Promise<unknown> | undefined
  world.kv.before = (action, key) => {
    if (action !== 'put' || !key.startsWith('intent/')) return
    world.kv.before = undefined
    const rival = { id: 'r', kind: 'capture', amount: 10, started_at: world.time, request: 'r' } as const
    written = putAttempt(store, orderKey, 'rival', rival, { expected: 1_000, known: [] }).then((attempt) =>
      putOutcome(store, attempt, 'not_sent'),
    )
  }
  // Before this worker looks again, the rival has given way.
  world.options.env = {
    ...world.options.env,
    STATE: throughCall(world.kv.at<Env['STATE']>('FRA'), async (work) => {
      await written
      return work()
    }),
  }
  expect((await send(world, 'capture', 'one', { charge_amount: 10 })).status).toBe(200)
  await written
  expect(made(world, 'capture')).toHaveLength(1)
  await world.emulator.deliveries.idle()
  await world.advance(2_000)
  // It has no response that could hold a person's data.
  expect((await world.api('/api/orders/A-1/personal-data', { method: 'DELETE' })).status).toBe(200)
})
