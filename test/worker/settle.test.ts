// When a capture is still sent, and when what became of it counts as known: to the millisecond, or because a person says so.
import { describe, expect, it } from 'vitest'
import type { MoneyOperation } from '../../src/shop/protocol.ts'
import { orderKeyOf } from '../../src/shop/store/event-log.ts'
import { putOperation } from '../../src/shop/store/order.ts'
import { openOrderStore } from '../../src/shop/store/order-store.ts'
import { secondary } from './support/events.ts'
import { goOn, holdCall } from './support/held-call.ts'
import { authorized, loseCapture, made, send } from './support/money.ts'
import type { Answer, World } from './support/world.ts'

const settle = (world: World, id: string | undefined, executed: boolean) =>
  send(world, `attempts/${id}/settle`, 'settle', { executed })
const attemptOf = async (world: World) => (await world.order('A-1'))?.attempts[0]
const unknown = { status: 502, body: { code: 'outcome_unknown' } }
const inProgress = { status: 409, body: { code: 'capture_in_progress' } }
const alreadySettled = { status: 409, body: { code: 'already_settled' } }
const TEN = { charge_amount: 10 }

describe('a capture whose worker died', () => {
  /** An authorization, and an attempt that was written a moment ago and has no outcome. */
  async function died(): Promise<{ world: World; asked: () => number }> {
    let asked = 0
    const world = await authorized()
    world.intercept = (_, init) => void (init?.method === 'GET' && asked++)
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
    expect(await send(world, 'capture', 'two')).toMatchObject(inProgress)
    expect(asked()).toBe(0)
    expect(await settle(world, 'x', false)).toMatchObject(inProgress)
    await world.advance(1)
    expect(await send(world, 'capture', 'two')).toMatchObject(inProgress)
    expect(asked()).toBeGreaterThan(0)
    const notExecuted = { outcome: { code: 'capture_not_executed' } }
    expect(await settle(world, 'x', false)).toMatchObject({ status: 200, body: notExecuted })
    expect(await settle(world, 'x', false)).toMatchObject(alreadySettled)
    expect(await send(world, 'capture', 'two')).toMatchObject({ status: 200, body: { amount: 100.5 } })
  })

  it('was not made when the service does not know it after 120 seconds, and not before', async () => {
    const { world } = await died()
    await world.advance(119_999)
    expect((await send(world, 'capture', 'two')).status).toBe(409)
    await world.advance(1)
    expect(await send(world, 'capture', 'two')).toMatchObject({ status: 200, body: { amount: 100.5 } })
  })

  it('is settled by its webhook at once', async () => {
    const { world } = await died()
    await world.deliver(secondary('A-1', 'capture', { amount: 10 }))
    expect(await send(world, 'capture', 'two', { charge_amount: 20 })).toMatchObject({ status: 200 })
    expect(await settle(world, 'nobody', true)).toMatchObject({ status: 404 })
  })
})

describe('a capture whose attempt took long to be written', () => {
  async function heldUp(ms: number): Promise<{ world: World; first: Answer }> {
    const world = await authorized()
    world.gate.before = (action, key) => {
      if (action !== 'put' || !key.startsWith('operation/')) return
      world.gate.before = undefined
      world.time += ms
    }
    return { world, first: await send(world, 'capture', 'two') }
  }

  it('is sent after 30 seconds, and not later', async () => {
    expect((await heldUp(30_000)).first).toMatchObject({ status: 200, body: { amount: 100.5 } })
    const { world, first } = await heldUp(30_001)
    expect(first).toMatchObject(inProgress)
    expect(world.emulator.orders.get('A-1')?.operations).toEqual([])
  })
})

it('a request that comes while another one settles its void waits, and both get one answer', async () => {
  const world = await authorized()
  world.intercept = () => Promise.reject(new TypeError('The connection was reset.'))
  expect(await send(world, 'void', 'one')).toMatchObject(unknown)
  await world.advance(120_000)
  const id = (await attemptOf(world))?.id
  const { isMade, respond } = holdCall(world)
  const settling = send(world, 'void', 'one')
  await isMade
  respond()
  const [first, second, byHand, other] = await Promise.all([
    settling,
    send(world, 'void', 'one'),
    settle(world, id, true),
    send(world, 'void', 'two'),
  ])
  expect(first).toMatchObject({ status: 409, body: { code: 'void_not_executed' } })
  expect(second).toEqual(first)
  expect(byHand).toMatchObject(alreadySettled)
  expect(other).toMatchObject({ status: 200, body: { status: 'success' } })
})

it('what a person says while the service is asked waits for its response, and that counts', async () => {
  const world = await authorized()
  world.emulator.faults.rate({ kind: 'drop' }, 1)
  loseCapture(world, 'after_commit')
  expect(await send(world, 'capture', 'one', TEN)).toMatchObject(unknown)
  const { attempts } = (await (await world.api('/api/orders/A-1')).json()) as { attempts: [{ id: string }] }
  const { isMade, respond } = holdCall(world)
  const asking = send(world, 'capture', 'one', TEN)
  await isMade
  const byHand = settle(world, attempts[0].id, false)
  await goOn()
  respond()
  expect(await byHand).toMatchObject(alreadySettled)
  expect(await asking).toMatchObject({ status: 200, body: { amount: 10 } })
})

describe('a capture that a person settled', () => {
  it('is not said to be made before the order has what the service lists', async () => {
    const world = await authorized()
    world.emulator.faults.rate({ kind: 'drop' }, 1)
    loseCapture(world, 'after_commit')
    expect(await send(world, 'capture', 'one', TEN)).toMatchObject(unknown)
    const { isMade, respond } = holdCall(world)
    let isSaid = false
    const byHand = settle(world, (await attemptOf(world))?.id, true).finally(() => {
      isSaid = true
    })
    await isMade
    await goOn()
    expect(isSaid).toBe(false)
    respond()
    expect((await byHand).status).toBe(200)
    expect((await world.order('A-1'))?.totals.captured).toBe(1_000)
  })

  it('is listed until then; as one that was not made, its key makes no other', async () => {
    const world = await authorized()
    loseCapture(world, 'before_commit')
    expect(await send(world, 'capture', 'one', TEN)).toMatchObject(unknown)
    const attempt = await attemptOf(world)
    const started_at = new Date(world.time - 121_000).toISOString()
    expect(attempt).toEqual({ id: expect.any(String), kind: 'capture', amount: 10, state: 'unknown', started_at })
    expect((await send(world, `attempts/${attempt?.id}/settle`, 'settle')).status).toBe(400)
    expect((await settle(world, attempt?.id, false)).status).toBe(200)
    expect(await attemptOf(world)).toBeUndefined()
    expect(await send(world, 'capture', 'one', TEN)).toMatchObject({ status: 409 })
    expect((await send(world, 'capture', 'two', TEN)).status).toBe(200)
    expect(made(world, 'capture')).toHaveLength(1)
  })

  it('as one that was made, counts, although its webhook had an unknown status', async () => {
    const world = await authorized()
    loseCapture(world, 'after_commit')
    world.emulator.faults.next({ kind: 'unknown_status' })
    expect(await send(world, 'capture', 'one', TEN)).toMatchObject(unknown)
    await world.advance(2_000)
    expect((await settle(world, (await attemptOf(world))?.id, true)).status).toBe(200)
    await world.advance(2_000)
    expect(await world.order('A-1')).toMatchObject({ totals: { captured: 1_000 }, attempts: [] })
  })

  it('is not taken for another capture, however late the service shows it', async () => {
    const world = await authorized()
    world.emulator.faults.rate({ kind: 'drop' }, 1)
    loseCapture(world, 'after_commit')
    expect(await send(world, 'capture', 'one', TEN)).toMatchObject(unknown)
    const id = (await attemptOf(world))?.id
    loseCapture(world, 'before_commit')
    // The second one waits for its turn.
    const [, two] = await Promise.all([settle(world, id, true), send(world, 'capture', 'two', TEN)])
    expect(two).toMatchObject(unknown)
    await world.advance(121_000)
    expect(await send(world, 'capture', 'two', TEN)).toMatchObject({ body: { code: 'capture_not_executed' } })
    expect((await send(world, 'capture', 'one', TEN)).status).toBe(200)
  })

  it('is not taken for a later one, though its webhook comes after that', async () => {
    const world = await authorized()
    world.intercept = () => Promise.reject(new TypeError('The connection was reset.'))
    expect(await send(world, 'capture', 'one', TEN)).toMatchObject(unknown)
    const outcome = { order_id: 'A-1', method: 'capture', amount: 10, settled_by_hand: true }
    expect(await settle(world, (await attemptOf(world))?.id, true)).toMatchObject({ status: 200, body: { outcome } })
    expect(await send(world, 'capture', 'one', TEN)).toEqual({ status: 200, body: outcome })
    expect(await send(world, 'capture', 'two', TEN)).toMatchObject(unknown)
    await world.deliver(secondary('A-1', 'capture', { amount: 10 }))
    await world.advance(121_000)
    const unsettled = { status: 409, body: { code: 'capture_unsettled' } }
    expect(await send(world, 'capture', 'two', TEN)).toMatchObject(unsettled)
    world.intercept = undefined
    expect(await send(world, 'capture', 'two', TEN)).toMatchObject(unsettled)
  })
})
