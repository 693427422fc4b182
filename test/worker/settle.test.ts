// When a capture is still sent, and when what became of it counts as known, to the millisecond.
import { describe, expect, it } from 'vitest'
import type { MoneyOperation } from '../../src/shop/protocol.ts'
import { orderKeyOf } from '../../src/shop/store/event-log.ts'
import { putOperation } from '../../src/shop/store/order.ts'
import { openOrderStore } from '../../src/shop/store/order-store.ts'
import { secondary } from './support/events.ts'
import { goOn, holdCall } from './support/held-call.ts'
import { type Answer, World } from './support/world.ts'

const post = (world: World, path: string, body: object = {}, key = 'two') =>
  world.send(`/api/orders/A-1/${path}`, body, key)

describe('a capture whose worker died', () => {
  /** An authorization, and an attempt that was written a moment ago and has no outcome. */
  async function died(): Promise<{ world: World; asked: () => number }> {
    let asked = 0
    const world: World = new World({
      fetch: (async (input: string, init: RequestInit) => {
        if (init.method === 'GET') asked++
        return world.emulator.fetch(input, init)
      }) as typeof fetch,
    })
    await world.pay(await world.open(await world.link({ order_id: 'A-1', method: 'auth' })))
    await world.advance(2_000)
    const attempt: MoneyOperation = {
      id: 'x',
      keyHash: 'hash',
      kind: 'capture',
      amount: 10,
      started_at: world.time,
      fingerprint: 'r',
      expected: 1_000,
      known: [],
    }
    const store = openOrderStore(world.gate.storage('A-1'), () => world.time)
    await putOperation(store, await orderKeyOf('A-1'), attempt)
    return { world, asked: () => asked }
  }

  it('may be in progress for 60 seconds: it blocks others, and nobody settles it', async () => {
    const { world, asked } = await died()
    await world.advance(60_000)
    const inProgress = { status: 409, body: { code: 'capture_in_progress' } }
    expect(await post(world, 'capture')).toMatchObject(inProgress)
    expect(asked()).toBe(0)
    expect(await post(world, 'attempts/x/settle', { executed: false })).toMatchObject(inProgress)
    await world.advance(1)
    expect(await post(world, 'capture')).toMatchObject(inProgress)
    expect(asked()).toBeGreaterThan(0)
    expect(await post(world, 'attempts/x/settle', { executed: false })).toMatchObject({
      status: 200,
      body: { outcome: { code: 'capture_not_executed' } },
    })
    expect(await post(world, 'attempts/x/settle', { executed: false })).toMatchObject({
      status: 409,
      body: { code: 'already_settled' },
    })
    await world.advance(2_000)
    expect(await post(world, 'capture')).toMatchObject({ status: 200, body: { amount: 100.5 } })
  })

  it('was not made when the service does not know it after 120 seconds, and not before', async () => {
    const { world } = await died()
    await world.advance(119_999)
    expect((await post(world, 'capture')).status).toBe(409)
    await world.advance(1)
    expect(await post(world, 'capture')).toMatchObject({ status: 200, body: { amount: 100.5 } })
  })

  it('is settled by its webhook at once, or by a person who says that it was made', async () => {
    const { world } = await died()
    await world.deliver(secondary('A-1', 'capture', { amount: 10 }))
    expect(await post(world, 'capture', { charge_amount: 20 })).toMatchObject({ status: 200, body: { amount: 20 } })
    const other = await died()
    await other.world.advance(60_001)
    expect(await post(other.world, 'attempts/nobody/settle', { executed: true })).toMatchObject({ status: 404 })
    expect(await post(other.world, 'attempts/x/settle', { executed: true })).toMatchObject({
      status: 200,
      body: { executed: true, outcome: { order_id: 'A-1', method: 'capture', amount: 10, settled_by_hand: true } },
    })
    expect((await other.world.order('A-1'))?.attempts).toEqual([])
  })
})

describe('a capture whose attempt took long to be written', () => {
  async function heldUp(ms: number): Promise<{ world: World; first: Answer }> {
    const world = new World()
    await world.pay(await world.open(await world.link({ order_id: 'A-1', method: 'auth' })))
    await world.advance(2_000)
    world.gate.before = (action, key) => {
      if (action !== 'put' || !key.startsWith('operation/')) return
      world.gate.before = undefined
      world.time += ms
    }
    return { world, first: await post(world, 'capture') }
  }

  it('is sent after 30 seconds, and not later', async () => {
    expect((await heldUp(30_000)).first).toMatchObject({ status: 200, body: { amount: 100.5 } })
    const { world, first } = await heldUp(30_001)
    expect(first).toMatchObject({ status: 409, body: { code: 'capture_in_progress' } })
    expect(world.emulator.orders.get('A-1')?.operations).toEqual([])
  })
})

it('a request that comes while another one settles its void waits, and both get one answer', async () => {
  const world = new World()
  await world.pay(await world.open(await world.link({ order_id: 'A-1', method: 'auth' })))
  await world.advance(2_000)
  world.intercept = () => Promise.reject(new TypeError('The connection was reset.'))
  expect(await post(world, 'void', {}, 'one')).toMatchObject({ status: 502, body: { code: 'outcome_unknown' } })
  await world.advance(120_000)
  const attempt_id = (await world.order('A-1'))?.attempts[0]?.id ?? ''
  const { isMade, respond } = holdCall(world)
  const settling = post(world, 'void', {}, 'one')
  await isMade
  respond()
  const [first, second, byHand, other] = await Promise.all([
    settling,
    post(world, 'void', {}, 'one'),
    post(world, `attempts/${attempt_id}/settle`, { executed: true }),
    post(world, 'void', {}, 'two'),
  ])
  expect(first).toMatchObject({ status: 409, body: { code: 'void_not_executed' } })
  expect(second).toEqual(first)
  expect(byHand).toMatchObject({ status: 409, body: { code: 'already_settled' } })
  expect(other).toMatchObject({ status: 200, body: { status: 'success' } })
})

it('what a person says while the service is asked waits for its response, and that counts', async () => {
  const { world, loseWebhooks } = await reserved()
  loseWebhooks()
  world.emulator.faults.next({ kind: 'reset', when: 'after_commit', on: 'capture-payment' })
  expect((await post(world, 'capture', { charge_amount: 10 }, 'one')).status).toBe(502)
  const attempt_id = (await world.order('A-1'))?.attempts[0]?.id ?? ''
  const { isMade, respond } = holdCall(world)
  const asking = post(world, 'capture', { charge_amount: 10 }, 'one')
  await isMade
  const byHand = post(world, `attempts/${attempt_id}/settle`, { executed: false })
  await goOn()
  respond()
  expect(await byHand).toMatchObject({ status: 409, body: { code: 'already_settled' } })
  expect(await asking).toMatchObject({ status: 200, body: { amount: 10 } })
})

/** An authorization, whose further webhooks can be lost. */
async function reserved(): Promise<{ world: World; loseWebhooks: () => void }> {
  let isLost = false
  const deliver = (input: string | URL | Request, init?: RequestInit) =>
    isLost ? Promise.resolve(new Response('lost', { status: 503 })) : world.fetch(new Request(input, init))
  const world: World = new World({ emulator: { fetch: deliver, retryDelaysMs: [] } })
  await world.pay(await world.open(await world.link({ order_id: 'A-1', method: 'auth' })))
  await world.advance(2_000)
  const loseWebhooks = () => {
    isLost = true
  }
  return { world, loseWebhooks }
}

it('what a person has settled is not taken for another capture, however late the service shows it', async () => {
  const { world, loseWebhooks } = await reserved()
  const capture = (key: string) => post(world, 'capture', { charge_amount: 10 }, key)
  const { faults } = world.emulator
  loseWebhooks()
  faults.next({ kind: 'reset', when: 'after_commit', on: 'capture-payment' })
  expect((await capture('one')).status).toBe(502)
  await world.advance(121_000)
  const [{ id = '' } = {}] = (await world.order('A-1'))?.attempts ?? []
  faults.next({ kind: 'reset', when: 'before_commit', on: 'capture-payment' })
  // The second one waits for its turn.
  const [, two] = await Promise.all([post(world, `attempts/${id}/settle`, { executed: true }), capture('two')])
  expect(two.status).toBe(502)
  await world.advance(121_000)
  expect(await capture('two')).toMatchObject({ status: 409, body: { code: 'capture_not_executed' } })
  expect((await capture('one')).status).toBe(200)
})

describe('a capture that a person settled', () => {
  it('is not said to be made before the order has what the service lists', async () => {
    const { world, loseWebhooks } = await reserved()
    loseWebhooks()
    world.emulator.faults.next({ kind: 'reset', when: 'after_commit', on: 'capture-payment' })
    expect((await post(world, 'capture', { charge_amount: 10 }, 'one')).status).toBe(502)
    const { attempts: [attempt] = [] } = (await world.order('A-1')) ?? {}
    const { isMade, respond } = holdCall(world)
    let isSaid = false
    const byHand = post(world, `attempts/${attempt?.id}/settle`, { executed: true }).finally(() => {
      isSaid = true
    })
    await isMade
    await goOn()
    expect(isSaid).toBe(false)
    respond()
    expect((await byHand).status).toBe(200)
    expect((await world.order('A-1'))?.totals.captured).toBe(1_000)
  })

  it('is not taken for a later one, though its webhook comes after that', async () => {
    const world = new World()
    await world.pay(await world.open(await world.link({ order_id: 'A-1', method: 'auth' })))
    await world.advance(2_000)
    world.intercept = () => Promise.reject(new TypeError('The connection was reset.'))
    const unknown = { status: 502, body: { code: 'outcome_unknown' } }
    expect(await post(world, 'capture', { charge_amount: 10 }, 'one')).toMatchObject(unknown)
    const [attempt] = (await world.order('A-1'))?.attempts ?? []
    const byHand = await post(world, `attempts/${attempt?.id}/settle`, { executed: true })
    expect(byHand).toMatchObject({ status: 200, body: { outcome: { settled_by_hand: true } } })
    expect(await post(world, 'capture', { charge_amount: 10 }, 'two')).toMatchObject(unknown)
    await world.deliver(secondary('A-1', 'capture', { amount: 10 }))
    await world.advance(121_000)
    const unsettled = { status: 409, body: { code: 'capture_unsettled' } }
    expect(await post(world, 'capture', { charge_amount: 10 }, 'two')).toMatchObject(unsettled)
    world.intercept = undefined
    expect(await post(world, 'capture', { charge_amount: 10 }, 'two')).toMatchObject(unsettled)
  })
})
