// When a capture is still sent, and when what became of it counts as known: to the millisecond, or because a person says so.
import { describe, expect, it } from 'vitest'
import type { Order } from '../../src/shop/lib/shown-order.ts'
import { secondary } from './support/events.ts'
import { goOn, holdCall } from './support/held-call.ts'
import { createKill } from './support/kill.ts'
import { authorized, delayWebhooks, loseCapture, made, send } from './support/money.ts'
import type { Answer, World } from './support/world.ts'

const settle = (world: World, id: string | undefined, executed: boolean) =>
  send(world, `attempts/${id}/settle`, 'settle', { executed })
const attemptOf = async (world: World) => (await world.order('A-1'))?.attempts[0]
const unknown = { status: 502, body: { code: 'outcome_unknown' } }
const inProgress = { status: 409, body: { code: 'capture_in_progress' } }
const alreadySettled = { status: 409, body: { code: 'already_settled' } }
const TEN = { charge_amount: 10 }

describe('a capture whose worker died', () => {
  /** An authorization, and an attempt that was written a moment ago and has no outcome: the call never left. */
  async function died(): Promise<{ world: World; asked: () => number; id: string }> {
    let asked = 0
    const world = await authorized()
    const kill = createKill(Number.POSITIVE_INFINITY, 'dies before')
    world.begin(kill)
    const isMade = new Promise<void>((resolve) => {
      world.intercept = () => {
        resolve()
        return new Promise(() => {})
      }
    })
    void send(world, 'capture', 'one', TEN)
    await isMade
    kill.end()
    world.begin()
    world.intercept = (_, init) => void (init?.method === 'GET' && asked++)
    const { attempts } = (await (await world.api('/api/orders/A-1')).json()) as { attempts: { id: string }[] }
    return { world, asked: () => asked, id: String(attempts[0]?.id) }
  }

  it('may be in progress for 60 seconds: it blocks others, and nobody settles it', async () => {
    const { world, asked, id } = await died()
    await world.advance(60_000)
    expect(await send(world, 'capture', 'two')).toMatchObject(inProgress)
    expect(asked()).toBe(0)
    expect(await settle(world, id, false)).toMatchObject(inProgress)
    await world.advance(1)
    expect(await send(world, 'capture', 'two')).toMatchObject(inProgress)
    expect(asked()).toBeGreaterThan(0)
    const notExecuted = { outcome: { code: 'capture_not_executed' } }
    expect(await settle(world, id, false)).toMatchObject({ status: 200, body: notExecuted })
    expect(await settle(world, id, false)).toMatchObject(alreadySettled)
    expect(await send(world, 'capture', 'two')).toMatchObject({ status: 200, body: { amount: 100.5 } })
  })

  it('was not made when the service does not know it after 120 seconds, and not before', async () => {
    const { world } = await died()
    await world.advance(119_999)
    expect((await send(world, 'capture', 'two')).status).toBe(409)
    await world.advance(1)
    expect(await send(world, 'capture', 'two')).toMatchObject({ status: 200, body: { amount: 100.5 } })
  })
})

describe('a capture whose attempt took long to be written', () => {
  async function heldUp(ms: number): Promise<{ world: World; first: Answer }> {
    const world = await authorized()
    world.object.before = (action, key) => {
      if (action !== 'put' || !key.includes('/operation/')) return
      world.object.before = undefined
      world.time += ms
    }
    return { world, first: await send(world, 'capture', 'two') }
  }

  it('is sent within 30 seconds, and not later', async () => {
    expect((await heldUp(29_000)).first).toMatchObject({ status: 200, body: { amount: 100.5 } })
    const { world, first } = await heldUp(30_001)
    expect(first).toMatchObject(inProgress)
    expect(world.emulator.orders.get('A-1')?.operations).toEqual([])
  })
})

describe('a capture that a person settled', () => {
  it('is not said to be made before the order has what the service lists', async () => {
    const world = await authorized()
    delayWebhooks(world)
    loseCapture(world, 'after_commit')
    expect(await send(world, 'capture', 'one', TEN)).toMatchObject(unknown)
    const { isMade, respond } = holdCall(world)
    let isSaid = false
    const { attempts } = (await (await world.api('/api/orders/A-1')).json()) as Order
    const byHand = settle(world, attempts[0]?.id, true).finally(() => {
      isSaid = true
    })
    await isMade
    await goOn()
    expect(isSaid).toBe(false)
    respond()
    expect((await byHand).status).toBe(200)
    expect((await world.order('A-1'))?.totals.captured_minor).toBe(1_000)
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

  it('is not said to be made where another key has the only one that it could be, after a backup was restored', async () => {
    const world = await authorized()
    await send(world, 'capture', 'forgotten', TEN)
    world.object.rows("DELETE FROM edgetill_log WHERE kind IN ('operation', 'end')")
    world.object.rows('UPDATE edgetill_version SET recovered_at = ?, backup_at = ?', world.time, world.time - 1)
    await world.advance(61_000)
    const [one, two] = [await send(world, 'capture', 'one', TEN), await send(world, 'capture', 'two', TEN)]
    expect(await settle(world, String(one.body.attempt_id), true)).toMatchObject({ status: 200 })
    const none = { status: 409, body: { code: 'capture_not_executed' } }
    expect(await settle(world, String(two.body.attempt_id), true)).toMatchObject(none)
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
