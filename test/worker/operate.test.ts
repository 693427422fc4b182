// Captures, refunds and voids in the cases that are rare, and in which money could move twice or not be known.
import { describe, expect, it } from 'vitest'
import { signWebhook } from '../../src/index.ts'
import type { OnEvent } from '../../src/shop/options.ts'
import { at, payment, secondary } from './support/events.ts'
import { type Answer, World, type WorldOptions } from './support/world.ts'

/** A request with an Idempotency-Key; each key of KV may be written once a second. */
async function send(world: World, path: string, key: string, fields: object = {}): Promise<Answer> {
  await world.advance(2_000)
  return world.send(`/api/orders/A-1/${path}`, fields, key)
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

/** An order whose payment was made by its link: the gate knows each operation that it has made. */
async function opened(): Promise<World> {
  const world = new World()
  await world.open(await world.link({ order_id: 'A-1', method: 'auth' }))
  return world
}

async function reserved(options: WorldOptions = {}): Promise<World> {
  const world = new World(options)
  await world.pay(await world.open(await world.link({ order_id: 'A-1', method: 'auth' })))
  return world
}

const made = (world: World, kind: string) =>
  (world.emulator.orders.get('A-1')?.operations ?? []).filter(({ method }) => method === kind)

describe('a capture, refund or void', () => {
  it('the same request is the same, in whatever order its fields are', async () => {
    const world = await reserved()
    const first = await send(world, 'capture', 'one', { charge_amount: 10, order_currency: 'UAH' })
    expect(first.status).toBe(200)
    const again = await send(world, 'capture', 'one', { order_currency: 'UAH', charge_amount: 10 })
    expect([again, made(world, 'capture').length]).toEqual([first, 1])
    const other = { charge_amount: 11, order_currency: 'UAH' }
    expect(await send(world, 'capture', 'one', other)).toMatchObject({ status: 422 })
  })

  it('a capture that was lost is not taken for an earlier one whose webhook had no operation_id', async () => {
    const world = await reserved()
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
      const world = new World()
      if (known === 'webhook') await world.deliver({ ...auth, currency: 'USD' })
      if (known === 'link') await world.open(await world.link({ order_id: 'A-1', method: 'auth', currency: 'USD' }))
      const bodies = service(world, () => new Response('{}', { status: 404 }))
      const fields = known === 'request' ? { order_currency: 'USD' } : {}
      expect([known, (await send(world, 'capture', 'one', fields)).status]).toEqual([known, 404])
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
    const world = await opened()
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
    const world = await opened()
    await world.deliver(auth)
    service(world, silent)
    expect((await send(world, 'void', 'one')).status).toBe(502)
    await world.deliver(secondary('A-1', 'void', { ...ofAuth, amount: 7 }))
    expect(await send(world, 'void', 'one')).toMatchObject({ status: 200, body: { amount: 7 } })
  })

  it('a lost capture of everything is found out by asking, whatever was rejected before', async () => {
    const world = await reserved()
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
    const world = await reserved()
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
        // Not by `deliver`: its alarms wait for this capture.
        world.time += 2_000
        const event = secondary('A-1', 'capture', { payment_id, transaction_id, amount: 10 })
        await world.post(signWebhook(event, world.emulator.credentials.apiSecret).body)
      }
      return response
    }
    expect(await send(world, 'capture', 'one', { charge_amount: 10 })).toMatchObject(then)
  })

  it('what a person settled is answered so under its key', async () => {
    const world = await opened()
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

  it('what the service rejected is rejected again under its key, and not sent again', async () => {
    const world = await reserved()
    const bodies = service(world, () => Response.json({ message: 'no' }, { status: 422 }))
    const first = await send(world, 'capture', 'one')
    expect([first.status, await send(world, 'capture', 'one'), bodies.length]).toEqual([422, first, 1])
    expect((await send(world, 'capture', 'two', { charge_amount: 0 })).status).toBe(400)
    expect((await send(world, 'capture', 'two', { charge_amount: 0 })).status).toBe(400)
    expect(bodies).toHaveLength(1)
  })

  it('what was done and what was rejected stay so without the personal data, with what the books need', async () => {
    const world = await reserved()
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
    const world = await reserved()
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
    const world = await reserved({ onEvent })
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

it('a capture that cannot be stored is not sent, and its key may try again', async () => {
  const world = await reserved()
  world.gate.before = (action, key) => {
    if (action === 'put' && key.startsWith('operation/')) throw new Error('The storage failed.')
  }
  expect(await send(world, 'capture', 'one')).toMatchObject({ status: 503, body: { code: 'state' } })
  expect(made(world, 'capture')).toEqual([])
  world.gate.before = undefined
  expect(await send(world, 'capture', 'one')).toMatchObject({ status: 200, body: { amount: 100.5 } })
  expect(made(world, 'capture')).toHaveLength(1)
})

it('a capture whose response cannot be stored is answered, and not made again', async () => {
  const world = await reserved()
  let puts = 0
  world.gate.before = (action, key) => {
    // The first write is that of the intent.
    if (action === 'put' && key.startsWith('operation/') && puts++ > 0) throw new Error('The storage failed.')
  }
  expect(await send(world, 'capture', 'one')).toMatchObject({ status: 200, body: { amount: 100.5 } })
  world.gate.before = undefined
  expect(await send(world, 'capture', 'one')).toMatchObject({ status: 200, body: { amount: 100.5 } })
  expect(made(world, 'capture')).toHaveLength(1)
})

it('a capture whose gate’s response was lost may have been made, and its key gives that operation afterwards', async () => {
  const world = await reserved()
  await world.idle()
  const { ORDER_GATE } = world.env()
  const lossy = {
    idFromName: ORDER_GATE.idFromName,
    get: (id: never) => ({
      fetch: async (url: string, init: { method: string; body: string }) => {
        await ORDER_GATE.get(id).fetch(url, init)
        throw new TypeError('Network connection lost.')
      },
    }),
  }
  world.options.env = { ORDER_GATE: lossy }
  expect(await send(world, 'capture', 'one', { charge_amount: 10 })).toMatchObject({
    status: 502,
    body: { code: 'outcome_unknown', detail: expect.stringContaining('same Idempotency-Key') },
  })
  world.options.env = {}
  const [first] = made(world, 'capture')
  world.options.env = { ORDER_GATE: lossy }
  expect(await send(world, 'cancel', 'two')).toMatchObject({
    status: 502,
    body: { code: 'outcome_unknown', detail: expect.stringContaining('stays cancelled') },
  })
  world.options.env = {}
  const again = await send(world, 'capture', 'one', { charge_amount: 10 })
  expect(again).toMatchObject({ status: 200, body: { operation_id: first?.operation_id } })
  expect(made(world, 'capture')).toHaveLength(1)
})
