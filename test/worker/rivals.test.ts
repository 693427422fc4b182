// Over KV alone, two operations that were written at once: one gives way, and dies before it says so.
import { describe, expect, it } from 'vitest'
import type { Env } from '../../worker/env.ts'
import { sha256 } from '../../worker/lib/crypto.ts'
import { type Attempt, putAttempt, putOutcome } from '../../worker/store/attempts.ts'
import { orderKeyOf } from '../../worker/store/event-log.ts'
import { openKvStore } from '../../worker/store/kv.ts'
import { payment, secondary } from './support/events.ts'
import { ADMIN_TOKEN, ORIGIN, World } from './support/world.ts'

interface Answer {
  status: number
  body: Record<string, unknown>
}

const FIELDS = { charge_amount: 10 }

/** A capture of 10 under a key, at a place with these bindings. */
async function capture(world: World, key: string, env: Env = world.env()): Promise<Answer> {
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, 'idempotency-key': key }
  const init = { method: 'POST', headers, body: JSON.stringify(FIELDS) }
  const response = await world.fetch(new Request(`${ORIGIN}/api/orders/A-1/capture`, init), env)
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

const made = (world: World) =>
  (world.emulator.orders.get('A-1')?.operations ?? []).map(({ operation_id }) => operation_id)

/**
 * An authorization, and a capture under the key `one` that waits with the write of its attempt until `release`, then sees
 * its rival, and cannot write that it gave way.
 */
async function held(): Promise<{ world: World; answered: Promise<Answer>; release: () => void }> {
  const world = new World()
  await world.pay(await world.open(await world.link({ order_id: 'A-1', method: 'auth' })))
  await world.advance(2_000)
  const env = world.env()
  let release = () => {}
  const written = new Promise<void>((resolve) => {
    release = resolve
  })
  let answered: Promise<Answer> | undefined
  await new Promise<void>((reached) => {
    const put = async (key: string, ...rest: [string, object]) => {
      if (/^intent\/.*\/outcome$/.test(key)) throw new Error('KV PUT failed: 500 Internal Server Error')
      if (key.startsWith('intent/')) {
        reached()
        await written
      }
      return env.STATE.put(key, ...rest)
    }
    const state = new Proxy(env.STATE, {
      get: (target, name) => (name === 'put' ? put : Reflect.get(target, name).bind(target)),
    })
    answered = capture(world, 'one', { ...env, STATE: state as Env['STATE'] })
  })
  return { world, answered: answered as Promise<Answer>, release }
}

describe('over KV alone, a capture that gave way and could not say so', () => {
  it('does not take the capture of its rival for its own', async () => {
    const { world, answered, release } = await held()
    const two = await capture(world, 'two')
    expect(two.status).toBe(200)
    release()
    expect(await answered).toMatchObject({ status: 409, body: { code: 'capture_in_progress' } })
    await world.advance(121_000)
    expect(await capture(world, 'one')).toMatchObject({ status: 409, body: { code: 'capture_not_executed' } })
    expect(await capture(world, 'two')).toEqual(two)
    await world.advance(2_000)
    const three = await capture(world, 'three')
    expect(made(world)).toEqual([two, three].map(({ body }) => body.operation_id))
  })

  it('is answered with the capture of its rival under the same key', async () => {
    for (let time = 0; time < 10; time++) {
      const { world, answered, release } = await held()
      const other = await capture(world, 'one')
      expect(other.status).toBe(200)
      release()
      expect(await answered).toMatchObject({ status: 409, body: { code: 'capture_in_progress' } })
      await world.advance(121_000)
      expect(await capture(world, 'one')).toMatchObject({
        status: 200,
        body: { operation_id: other.body.operation_id },
      })
      await world.advance(2_000)
      const three = await capture(world, 'three')
      expect(await capture(world, 'one')).toMatchObject({
        status: 200,
        body: { operation_id: other.body.operation_id },
      })
      expect(made(world)).toEqual([other, three].map(({ body }) => body.operation_id))
    }
  })

  it('does not take it either while its rival is still in progress', async () => {
    const { world, answered, release } = await held()
    let respond = () => {}
    const responded = new Promise<void>((resolve) => {
      respond = resolve
    })
    let two: Promise<Answer> | undefined
    await new Promise<void>((executed) => {
      world.intercept = async (url, init) => {
        world.intercept = undefined
        const response = await world.emulator.fetch(url, init)
        await world.emulator.deliveries.idle()
        executed()
        await responded
        return response
      }
      two = capture(world, 'two')
    })
    release()
    await answered
    await world.advance(2_000)
    expect(await capture(world, 'one')).toMatchObject({ status: 409, body: { code: 'capture_in_progress' } })
    respond()
    expect(await two).toMatchObject({ status: 200, body: { operation_id: made(world)[0] } })
    await world.advance(121_000)
    expect(await capture(world, 'one')).toMatchObject({ status: 409, body: { code: 'capture_not_executed' } })
  })

  it('is left to a person where its rival died too, and one of the two was made', async () => {
    const { world, answered, release } = await held()
    world.emulator.faults.next({ kind: 'reset', when: 'after_commit', on: 'capture-payment' })
    expect(await capture(world, 'two')).toMatchObject({ status: 502, body: { code: 'outcome_unknown' } })
    release()
    await answered
    await world.advance(121_000)
    for (const key of ['one', 'two']) expect((await capture(world, key)).status).toBe(409)
    const attempts = (await world.order('A-1'))?.attempts ?? []
    const [first, second] = ['in_progress', 'unknown'].map((of) => attempts.find(({ state }) => state === of)?.id)
    const settle = async (id = '', executed: boolean) => {
      const init = { method: 'POST', body: JSON.stringify({ executed }) }
      expect((await world.api(`/api/orders/A-1/attempts/${id}/settle`, init)).status).toBe(200)
    }
    await settle(second, true)
    // What the person said of the other one does not make this one known.
    expect(await capture(world, 'one')).toMatchObject({ status: 409, body: { code: 'capture_in_progress' } })
    await settle(first, false)
    expect(await capture(world, 'one')).toMatchObject({ status: 409, body: { code: 'capture_not_executed' } })
    expect(await capture(world, 'two')).toMatchObject({ status: 200, body: { settled_by_hand: true } })
  })
})

describe('over KV alone, the only capture that is found', () => {
  interface Other extends Partial<Attempt> {
    later?: number
    expected?: number
  }

  /** Two attempts at a capture of 10, of which the second one is given, then one webhook. @returns Those that stay open. */
  async function stayOpen({ later = 0, expected = 1_000, keyHash = 'other', ...rest }: Other): Promise<string[]> {
    const world = new World()
    await world.deliver(payment('A-1', { method: 'auth' }))
    const store = openKvStore(world.env().STATE)
    const [orderKey, known] = [await orderKeyOf('A-1'), [] as string[]]
    const first = { id: 'first', kind: 'capture', amount: 10, started_at: world.time, request: 'r' } as const
    await putAttempt(store, orderKey, 'hash', first, { expected: 1_000, known })
    const { outcome, operation_id, ...fields } = { ...first, id: 'second', started_at: world.time + later, ...rest }
    const second = await putAttempt(store, orderKey, keyHash, fields, { expected, known })
    if (outcome) await putOutcome(store, second, outcome, { status: 200, body: {} }, operation_id)
    await world.deliver(secondary('A-1', 'capture', { amount: 10 }))
    await capture(world, 'third')
    return ((await world.order('A-1'))?.attempts ?? []).map(({ id }) => id)
  }

  it.each<[string, Other]>([
    ['began at the same moment', {}],
    ['began up to 60 seconds later', { later: 60_000 }],
    ['began up to 60 seconds before', { later: -60_000 }],
    ['does not know what became of it', { outcome: 'unknown' }],
    ['was made, as a person says', { outcome: 'done' }],
  ])('may be that of another one which %s', async (_, other) => {
    expect(await stayOpen(other)).toContain('first')
  })

  it.each<[string, Other]>([
    ['began more than 60 seconds later', { later: 60_001 }],
    ['began more than 60 seconds before', { later: -60_001 }],
    ['has the same key', { keyHash: 'hash' }],
    ['is a refund', { kind: 'refund' }],
    ['was of another amount', { expected: 2_000 }],
    ['was rejected', { outcome: 'rejected' }],
    ['was not sent', { outcome: 'not_sent' }],
    ['became another operation', { outcome: 'done', operation_id: 'another' }],
  ])('is not that of another one which %s', async (_, other) => {
    expect(await stayOpen(other)).toEqual(other.outcome ? [] : ['second'])
  })
})

it.each([
  ['first', [[], ['made']]],
  ['second', [['made'], []]],
])('over KV alone, of two attempts under one key that both died, the %s was made', async (_, [first, second]) => {
  const world = new World()
  await world.pay(await world.open(await world.link({ order_id: 'A-1', method: 'auth' })))
  await world.advance(2_000)
  const store = openKvStore(world.env().STATE)
  const [orderKey, keyHash, request] = await Promise.all([
    orderKeyOf('A-1'),
    sha256('one'),
    sha256('["capture",["charge_amount",10]]'),
  ])
  for (const [id, known] of Object.entries({ first, second })) {
    const fields = { id, kind: 'capture', amount: 10, started_at: world.time, request } as const
    await putAttempt(store, orderKey, keyHash, fields, { expected: 1_000, known: known ?? [] })
  }
  await world.deliver(secondary('A-1', 'capture', { operation_id: 'made', amount: 10 }))
  await world.advance(121_000)
  expect(await capture(world, 'one')).toMatchObject({ status: 200, body: { operation_id: 'made' } })
})
