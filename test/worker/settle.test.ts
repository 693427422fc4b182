// When a capture is still sent, and when what became of it counts as known, to the millisecond.
import { describe, expect, it } from 'vitest'
import type { ShopEnv as Env } from '../../src/shop/env.ts'
import { orderKeyOf } from '../../src/shop/store/event-log.ts'
import { openKvStore } from '../../src/shop/store/kv.ts'
import { putAttempt } from '../../src/shop/store/money-operations.ts'
import { secondary } from './support/events.ts'
import { World } from './support/world.ts'

interface Answer {
  status: number
  body: Record<string, unknown>
}

async function post(world: World, path: string, body: object = {}, key = 'two'): Promise<Answer> {
  const init = { method: 'POST', headers: { 'idempotency-key': key }, body: JSON.stringify(body) }
  const response = await world.api(`/api/orders/A-1/${path}`, init)
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

describe.each(['strict', 'strict'] as const)('over %s KV, a capture whose worker died', (kind) => {
  /** An authorization, and an attempt that was written a moment ago and has no outcome. */
  async function died(): Promise<{ world: World; asked: () => number }> {
    let asked = 0
    const world: World = new World({
      kind,
      fetch: (async (input: string, init: RequestInit) => {
        if (init.method === 'GET') asked++
        return world.emulator.fetch(input, init)
      }) as typeof fetch,
    })
    await world.pay(await world.open(await world.link({ order_id: 'A-1', method: 'auth' })))
    await world.advance(2_000)
    const attempt = { id: 'x', kind: 'capture', amount: 10, started_at: world.time, request: 'r' } as const
    const store = openKvStore(world.env().STATE)
    await putAttempt(store, await orderKeyOf('A-1'), 'hash', attempt, { expected: 1_000, known: [] })
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

describe('over KV alone, two requests that settle one void at once', () => {
  /** A void that never reached the service, and a request for it whose look-up takes long. */
  async function slow(): Promise<{ world: World; attempt_id: string; answered: Promise<Answer>; release: () => void }> {
    const world = new World()
    await world.pay(await world.open(await world.link({ order_id: 'A-1', method: 'auth' })))
    await world.advance(2_000)
    world.intercept = () => Promise.reject(new TypeError('The connection was reset.'))
    expect(await post(world, 'void', {}, 'one')).toMatchObject({ status: 502, body: { code: 'outcome_unknown' } })
    await world.advance(120_000)
    const attempt_id = (await world.order('A-1'))?.attempts[0]?.id ?? ''
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const asked = new Promise<void>((resolve) => {
      world.intercept = (url, init) => {
        resolve()
        return held.then(() => world.emulator.fetch(url, init))
      }
    })
    const answered = post(world, 'void', {}, 'one')
    await asked
    world.intercept = undefined
    return { world, attempt_id, answered, release }
  }

  it('get one answer, though another void is made between them', async () => {
    const { world, answered, release } = await slow()
    const first = await post(world, 'void', {}, 'one')
    expect(first).toMatchObject({ status: 409, body: { code: 'void_not_executed' } })
    expect(await post(world, 'void', {}, 'two')).toMatchObject({ status: 200, body: { status: 'success' } })
    release()
    expect(await answered).toEqual(first)
    expect(await post(world, 'void', {}, 'one')).toEqual(first)
  })

  it('do not change what a person has said meanwhile', async () => {
    const { world, attempt_id, answered, release } = await slow()
    const byHand = await post(world, `attempts/${attempt_id}/settle`, { executed: true })
    expect(byHand).toMatchObject({ status: 200, body: { outcome: { settled_by_hand: true } } })
    release()
    expect(await answered).toEqual({ status: 200, body: byHand.body.outcome })
  })
})

describe('over KV alone, a capture whose attempt took long to be written', () => {
  async function heldUp(ms: number, then: 'is listed' | 'cannot be listed'): Promise<{ world: World; first: Answer }> {
    const world = new World()
    await world.pay(await world.open(await world.link({ order_id: 'A-1', method: 'auth' })))
    await world.advance(2_000)
    let isWritten = false
    world.kv.before = (action, key) => {
      if (!key.startsWith('intent/')) return
      if (action === 'put' && !isWritten) world.time += ms
      if (action === 'list' && isWritten && then !== 'is listed') throw new Error('KV LIST failed: 500')
      isWritten ||= action === 'put'
    }
    const first = await post(world, 'capture')
    world.kv.before = undefined
    return { world, first }
  }

  it('is sent after 30 seconds, and not later', async () => {
    expect((await heldUp(30_000, 'is listed')).first).toMatchObject({ status: 200, body: { amount: 100.5 } })
    const { world, first } = await heldUp(30_001, 'is listed')
    expect(first).toMatchObject({ status: 409, body: { code: 'capture_in_progress' } })
    expect(world.emulator.orders.get('A-1')?.operations).toEqual([])
  })

  it('is given up after 30 seconds when its rivals cannot be listed; later it may be settled already', async () => {
    for (const [ms, status] of [
      [30_000, 200],
      [30_001, 409],
    ] as const) {
      const { world, first } = await heldUp(ms, 'cannot be listed')
      expect(first).toMatchObject({ status: 503, body: { code: 'state' } })
      expect([ms, (await post(world, 'capture', {}, 'another')).status]).toEqual([ms, status])
    }
  })
})

it('over KV alone, an attempt that KV hides while it is settled is settled all the same', async () => {
  const world = new World()
  await world.pay(await world.open(await world.link({ order_id: 'A-1', method: 'auth' })))
  await world.advance(2_000)
  world.emulator.faults.next({ kind: 'reset', when: 'before_commit', on: 'capture-payment' })
  expect((await post(world, 'capture')).status).toBe(502)
  await world.advance(121_000)
  const { STATE } = world.env()
  let looks = 0
  const list = async (options: { prefix: string }) => {
    const page = await STATE.list(options)
    return options.prefix.startsWith('intent/') && ++looks > 1 ? { ...page, keys: [] } : page
  }
  world.options.env = { STATE: { ...STATE, list } as unknown as Env['STATE'] }
  const settled = await post(world, 'capture')
  expect(settled).toMatchObject({ status: 409, body: { code: 'capture_not_executed' } })
  expect(looks).toBeGreaterThan(1)
  world.options.env = {}
  expect(await post(world, 'capture')).toEqual(settled)
})

describe('over KV alone, a capture whose call is still waiting when its webhook has settled it', () => {
  it('stays settled, though the call then ends without a response', async () => {
    const world = new World()
    await world.pay(await world.open(await world.link({ order_id: 'A-1', method: 'auth' })))
    await world.advance(2_000)
    let lose = () => {}
    const lost = new Promise<void>((resolve) => {
      lose = resolve
    })
    let one: Promise<Answer> | undefined
    await new Promise<void>((executed) => {
      world.intercept = async (url, init) => {
        world.intercept = undefined
        await world.emulator.fetch(url, init)
        await world.emulator.deliveries.idle()
        executed()
        await lost
        throw new TypeError('The connection was reset.')
      }
      one = post(world, 'capture', { charge_amount: 10 }, 'one')
    })
    await world.advance(2_000)
    expect(await post(world, 'capture', { charge_amount: 10 }, 'two')).toMatchObject({ status: 200 })
    await world.advance(2_000)
    lose()
    expect(await one).toMatchObject({ status: 502, body: { code: 'outcome_unknown' } })
    expect((await world.order('A-1'))?.attempts).toEqual([])
    const [made] = world.emulator.orders.get('A-1')?.operations ?? []
    const settled = { status: 200, body: { operation_id: made?.operation_id } }
    expect(await post(world, 'capture', { charge_amount: 10 }, 'one')).toMatchObject(settled)
  })
})

it('over KV alone, what a person has settled is not taken for another capture, while the service is asked for it', async () => {
  let isLost = false
  const deliver = (input: string | URL | Request, init?: RequestInit) =>
    isLost ? Promise.resolve(new Response('lost', { status: 503 })) : world.fetch(new Request(input, init))
  const world: World = new World({ emulator: { fetch: deliver, retryDelaysMs: [] } })
  await world.pay(await world.open(await world.link({ order_id: 'A-1', method: 'auth' })))
  await world.advance(2_000)
  const capture = (key: string) => post(world, 'capture', { charge_amount: 10 }, key)
  const { faults } = world.emulator
  isLost = true
  faults.next({ kind: 'reset', when: 'after_commit', on: 'capture-payment' })
  expect((await capture('one')).status).toBe(502)
  await world.advance(121_000)
  const [{ id = '' } = {}] = (await world.order('A-1'))?.attempts ?? []
  let show = () => {}
  const shown = new Promise<void>((resolve) => {
    show = resolve
  })
  let byHand: Promise<Answer> | undefined
  await new Promise<void>((asked) => {
    world.intercept = async (url, init) => {
      world.intercept = undefined
      const response = await world.emulator.fetch(url, init)
      asked()
      await shown
      return response
    }
    byHand = post(world, `attempts/${id}/settle`, { executed: true })
  })
  faults.next({ kind: 'reset', when: 'before_commit', on: 'capture-payment' })
  expect((await capture('two')).status).toBe(502)
  show()
  await byHand
  await world.advance(121_000)
  expect(await capture('two')).toMatchObject({ status: 409, body: { code: 'capture_not_executed' } })
  expect((await capture('one')).status).toBe(200)
})

describe.each(['strict', 'strict'] as const)('over %s KV, a capture that a person settled', (kind) => {
  it('is not taken for a later one, though its webhook comes after that', async () => {
    const world = new World({ kind })
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
