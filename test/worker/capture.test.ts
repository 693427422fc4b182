import { describe, expect, it } from 'vitest'
import { createKill, howsOf, killAtEach } from './support/kill.ts'
import { armed } from './support/killable.ts'
import { isHostile, KINDS, newOrderId, World, type WorldOptions } from './support/world.ts'

/** An order whose reserve is there. */
async function reserved(options: WorldOptions = {}): Promise<{ world: World; id: string }> {
  const world = new World(options)
  const id = newOrderId('auth')
  await world.pay(await world.open(await world.link({ order_id: id, method: 'auth' })))
  // Delivered however KV behaves.
  for (let i = 0; i < 8; i++) await world.advance(3_600_000)
  return { world, id }
}

interface Answer {
  status: number
  code: string | undefined
  body: Record<string, unknown>
}

async function capture(world: World, id: string, key: string | undefined, fields: object = {}): Promise<Answer> {
  const response = await world.api(`/api/orders/${id}/capture`, {
    method: 'POST',
    headers: key === undefined ? {} : { 'idempotency-key': key },
    body: JSON.stringify(fields),
  })
  const body = (await response.json()) as Record<string, unknown>
  return { status: response.status, code: body.code as string | undefined, body }
}

const captures = (world: World, id: string) =>
  (world.emulator.orders.get(id)?.operations ?? []).filter(
    ({ method, status }) => method === 'capture' && status === 'success',
  )

describe.each(KINDS)('POST /api/orders/:order_id/capture over %s KV', (kind) => {
  // Each step's answer depends on the one before: the hostile KV is stale, lagging and shows empty pages, but does not fail
  // at random. What a failing one does is told below.
  const options: WorldOptions = { kind, failures: 0 }

  it('captures in full or in part, in the order’s currency, and its webhook changes the order', async () => {
    const { world, id } = await reserved(options)
    expect(await capture(world, id, 'one', { charge_amount: 60.5 })).toMatchObject({
      status: 200,
      body: { method: 'capture', amount: 60.5, status: 'success' },
    })
    await world.emulator.deliveries.idle()
    expect((await world.order(id))?.totals).toMatchObject({ authorized: 10050, captured: 6050 })
    const other = await reserved(options)
    expect((await capture(other.world, other.id, 'one')).body.amount).toBe(100.5)
  })

  it('needs an Idempotency-Key, a JSON object, and valid fields', async () => {
    const { world, id } = await reserved(options)
    for (const key of [undefined, 'ключ'.slice(4), 'a b', 'x'.repeat(256)]) {
      expect(await capture(world, id, key)).toMatchObject({ status: 400, code: 'idempotency_key_missing' })
    }
    const response = await world.api(`/api/orders/${id}/capture`, {
      method: 'POST',
      headers: { 'idempotency-key': 'k' },
      body: '[]',
    })
    expect(response.status).toBe(400)
    expect(await capture(world, id, 'bad', { charge_amount: 0.001 })).toMatchObject({
      status: 400,
      code: 'invalid_input',
    })
    expect(captures(world, id)).toEqual([])
    expect(await capture(world, id, 'good', { charge_amount: 1 })).toMatchObject({ status: 200 })
  })

  it('returns the record of a seen key, and rejects the key for another request', async () => {
    const { world, id } = await reserved(options)
    const first = await capture(world, id, 'one', { charge_amount: 10, comment: 'x' })
    await world.advance(25 * 3_600_000)
    expect(await capture(world, id, 'one', { comment: 'x', charge_amount: 10 })).toEqual(first)
    expect(await capture(world, id, 'one', { charge_amount: 11 })).toMatchObject({
      status: 422,
      code: 'idempotency_key_reused',
    })
    expect(captures(world, id)).toHaveLength(1)
    // The same fields, of another kind.
    expect(await capture(world, id, 'rest', { comment: 'x' })).toMatchObject({ status: 200 })
    for (const kind of ['refund', 'void']) {
      const other = await world.send(`/api/orders/${id}/${kind}`, { comment: 'x' }, 'rest')
      expect(other).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } })
    }
    const refused = await capture(world, id, 'too-much', { charge_amount: 1000 })
    expect(refused).toMatchObject({ code: 'api' })
    // Not expected again: the record answers.
    world.emulator.faults.next({ kind: 'server_error', on: 'capture-payment' })
    expect(await capture(world, id, 'too-much', { charge_amount: 1000 })).toEqual(refused)
  })

  it('blocks further captures while an outcome is unknown, and settles it by asking', async () => {
    const { world, id } = await reserved(options)
    world.emulator.faults.next({ kind: 'delay', ms: 3_600_000 }, 9)
    world.emulator.faults.next({ kind: 'reset', when: 'after_commit', on: 'capture-payment' })
    expect(await capture(world, id, 'one', { charge_amount: 10 })).toMatchObject({
      status: 502,
      code: 'outcome_unknown',
    })
    // While the service cannot be expected, nothing goes on.
    world.emulator.faults.next({ kind: 'server_error', on: 'list-order-operations' }, 6)
    expect(await capture(world, id, 'two', { charge_amount: 5 })).toMatchObject({
      status: 409,
      code: 'capture_unsettled',
    })
    expect(await capture(world, id, 'one', { charge_amount: 10 })).toMatchObject({
      status: 409,
      code: 'capture_unsettled',
    })
    expect(await capture(world, id, 'one', { charge_amount: 10 })).toMatchObject({ status: 200, body: { amount: 10 } })
    expect(captures(world, id)).toHaveLength(1)
    expect(await capture(world, id, 'two', { charge_amount: 5 })).toMatchObject({ status: 200, body: { amount: 5 } })
    expect(captures(world, id)).toHaveLength(2)
  }, 60_000)

  it('does not take the 404 of a wrong address for "no such capture"', async () => {
    let wrong = false
    const world: World = new World({
      ...options,
      fetch: ((input: string, init: RequestInit) =>
        wrong
          ? Promise.resolve(new Response('{}', { status: 404 }))
          : world.emulator.fetch(input, init)) as typeof fetch,
    })
    await world.pay(await world.open(await world.link({ order_id: 'A-1', method: 'auth' })))
    await world.advance(2_000)
    world.emulator.faults.next({ kind: 'reset', when: 'before_commit', on: 'capture-payment' })
    expect(await capture(world, 'A-1', 'one')).toMatchObject({ code: 'outcome_unknown' })
    await world.advance(300_000)
    wrong = true
    expect(await capture(world, 'A-1', 'one')).toMatchObject({ status: 409, code: 'capture_unsettled' })
    wrong = false
    expect(await capture(world, 'A-1', 'one')).toMatchObject({ status: 409, code: 'capture_not_executed' })
  })

  it('does not take an earlier capture of the same amount for the one whose response was lost', async () => {
    const { world, id } = await reserved(options)
    await capture(world, id, 'one', { charge_amount: 10 })
    await world.emulator.deliveries.idle()
    await world.advance(2_000)
    world.emulator.faults.next({ kind: 'reset', when: 'before_commit', on: 'capture-payment' })
    expect(await capture(world, id, 'two', { charge_amount: 10 })).toMatchObject({ code: 'outcome_unknown' })
    expect(await capture(world, id, 'two', { charge_amount: 10 })).toMatchObject({ code: 'capture_unsettled' })
    await world.advance(121_000)
    expect(await capture(world, id, 'two', { charge_amount: 10 })).toMatchObject({ code: 'capture_not_executed' })
    expect(captures(world, id)).toHaveLength(1)
  })

  it('is not found out while KV rejects its event, also as one that was just written', async () => {
    const { world, id } = await reserved(options)
    world.emulator.faults.next({ kind: 'delay', ms: 3_600_000, on: 'webhook' }, 9)
    world.emulator.faults.next({ kind: 'reset', when: 'after_commit', on: 'capture-payment' })
    expect(await capture(world, id, 'one', { charge_amount: 10 })).toMatchObject({ code: 'outcome_unknown' })
    await world.advance(300_000)
    world.kv.before = (action, key) => {
      if (action === 'put' && key.startsWith('event/')) throw new Error('KV PUT failed: 429 Too Many Requests')
    }
    expect(await capture(world, id, 'one', { charge_amount: 10 })).toMatchObject({ status: 503 })
    world.kv.before = undefined
    expect(await capture(world, id, 'one', { charge_amount: 10 })).toMatchObject({
      status: 200,
      body: { amount: 10, operation_id: captures(world, id)[0]?.operation_id },
    })
    expect(captures(world, id)).toHaveLength(1)
  })
})

describe.each(KINDS)('a capture killed at each storage and service call over %s KV', (kind) => {
  it.each(howsOf(kind))('is made exactly once in the end (%s)', async (how) => {
    await killAtEach(kind, 6, async (killAt) => {
      const { world, id } = await reserved({ kind })
      const kill = createKill(killAt, how)
      let key = 'one'
      let answer = await armed(world, kill, () => capture(world, id, key, { charge_amount: 10 }))
      const tries = isHostile(kind) ? 100 : 6
      for (let i = 0; i < tries && answer?.status !== 200; i++) {
        // A place that has not seen the attempt yet could not know of it: KV excludes no more than that.
        await world.advance(isHostile(kind) ? 121_000 : 61_000)
        if (answer?.code === 'capture_not_executed') key = `again-${i}`
        answer = await capture(world, id, key, { charge_amount: 10 })
      }
      expect([killAt, answer?.status, captures(world, id).length]).toEqual([killAt, 200, 1])
      return kill.calls
    })
  })
})
