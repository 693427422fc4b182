import { describe, expect, it } from 'vitest'
import { KINDS, newOrderId, World, type WorldOptions } from './support/world.ts'

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

describe('POST /api/orders/:order_id/capture', () => {
  it('captures in full or in part, in the order’s currency, and its webhook changes the order', async () => {
    const { world, id } = await reserved()
    expect(await capture(world, id, 'one', { charge_amount: 60.5 })).toMatchObject({
      status: 200,
      body: { method: 'capture', amount: 60.5, status: 'success' },
    })
    await world.emulator.deliveries.idle()
    expect((await world.order(id))?.totals).toMatchObject({ authorized: 10050, captured: 6050 })
    const other = await reserved()
    expect((await capture(other.world, other.id, 'one')).body.amount).toBe(100.5)
  })

  it('needs an Idempotency-Key, a JSON object, and valid fields', async () => {
    const { world, id } = await reserved()
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

  it('answers a seen key with its record, and refuses it for another request', async () => {
    const { world, id } = await reserved()
    const first = await capture(world, id, 'one', { charge_amount: 10, comment: 'x' })
    await world.advance(25 * 3_600_000)
    expect(await capture(world, id, 'one', { comment: 'x', charge_amount: 10 })).toEqual(first)
    expect(await capture(world, id, 'one', { charge_amount: 11 })).toMatchObject({
      status: 422,
      code: 'idempotency_key_reused',
    })
    expect(captures(world, id)).toHaveLength(1)
    const refused = await capture(world, id, 'too-much', { charge_amount: 1000 })
    expect(refused).toMatchObject({ code: 'api' })
    // Not asked again: the record answers.
    world.emulator.faults.next({ kind: 'server_error', on: 'capture-payment' })
    expect(await capture(world, id, 'too-much', { charge_amount: 1000 })).toEqual(refused)
  })

  it('makes one capture of two at once with one key, and at most one with two keys', async () => {
    for (const keys of [
      ['one', 'one'],
      ['one', 'two'],
    ]) {
      const { world, id } = await reserved()
      const answers = await Promise.all(keys.map((key) => capture(world, id, key, { charge_amount: 10 })))
      expect(captures(world, id).length).toBeLessThanOrEqual(1)
      for (const { status, code } of answers)
        expect([200, 409]).toContain(status === 409 && code === 'capture_in_progress' ? 409 : status)
      await world.advance(2_000)
      const made = new Set(keys.filter((_, i) => answers[i]?.status === 200)).add('one')
      expect((await capture(world, id, 'one', { charge_amount: 10 })).status).toBe(200)
      expect(captures(world, id)).toHaveLength(made.size)
    }
  })

  it('tries again under the same key when nothing was sent', async () => {
    const { world, id } = await reserved()
    world.emulator.faults.next({ kind: 'too_many_requests', retryAfter: 3600, on: 'capture-payment' })
    expect(await capture(world, id, 'one')).toMatchObject({ status: 503, code: 'api' })
    expect(await capture(world, id, 'one')).toMatchObject({ status: 200 })
    expect(captures(world, id)).toHaveLength(1)
  })

  it('blocks further captures while an outcome is unknown, and settles it by asking', async () => {
    const { world, id } = await reserved()
    world.emulator.faults.next({ kind: 'delay', ms: 3_600_000 }, 9)
    world.emulator.faults.next({ kind: 'reset', when: 'after_commit', on: 'capture-payment' })
    expect(await capture(world, id, 'one', { charge_amount: 10 })).toMatchObject({
      status: 502,
      code: 'outcome_unknown',
    })
    // While the service cannot be asked, nothing goes on.
    world.emulator.faults.next({ kind: 'server_error', on: 'resend-webhook' }, 6)
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

  it('can be tried again at once when KV failed before anything was sent', async () => {
    const { world, id } = await reserved()
    let lists = 0
    world.kv.before = (action, key) => {
      if (action === 'list' && key.startsWith('intent/') && ++lists === 2) throw new Error('KV LIST failed: 500')
    }
    expect(await capture(world, id, 'one')).toMatchObject({ status: 503, code: 'state' })
    expect(await capture(world, id, 'one')).toMatchObject({ status: 200 })
    expect(captures(world, id)).toHaveLength(1)
  })

  it('does not take the 404 of a wrong address for "no such capture"', async () => {
    let wrong = false
    const world: World = new World({
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

  it('does not take an earlier capture of the same amount for the one whose answer was lost', async () => {
    const { world, id } = await reserved()
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

  it('does not take an earlier capture whose webhook comes late for the one whose answer was lost', async () => {
    const { world, id } = await reserved()
    world.emulator.faults.next({ kind: 'delay', ms: 30_000, on: 'webhook' })
    const first = await capture(world, id, 'one', { charge_amount: 10 })
    await world.advance(2_000)
    world.emulator.faults.next({ kind: 'reset', when: 'before_commit', on: 'capture-payment' })
    expect(await capture(world, id, 'two', { charge_amount: 10 })).toMatchObject({ code: 'outcome_unknown' })
    await world.advance(60_000)
    expect((await world.order(id))?.operations.map((operation) => operation.id)).toContain(first.body.operation_id)
    expect(await capture(world, id, 'two', { charge_amount: 10 })).toMatchObject({ code: 'capture_not_executed' })
    expect(captures(world, id)).toHaveLength(1)
  })

  it('settles an unknown outcome by the capture’s webhook alone', async () => {
    const { world, id } = await reserved()
    world.emulator.faults.next({ kind: 'reset', when: 'after_commit', on: 'capture-payment' })
    expect(await capture(world, id, 'one', { charge_amount: 10 })).toMatchObject({ code: 'outcome_unknown' })
    await world.emulator.deliveries.idle()
    world.emulator.faults.next({ kind: 'server_error', on: 'resend-webhook' }, 9)
    expect(await capture(world, id, 'one', { charge_amount: 10 })).toMatchObject({
      status: 200,
      body: { amount: 10, operation_id: captures(world, id)[0]?.operation_id },
    })
    expect(captures(world, id)).toHaveLength(1)
  })

  it('takes a capture that the service does not know two minutes later for one that was never made', async () => {
    const { world, id } = await reserved()
    world.emulator.faults.next({ kind: 'reset', when: 'before_commit', on: 'capture-payment' })
    expect(await capture(world, id, 'one')).toMatchObject({ code: 'outcome_unknown' })
    expect(await capture(world, id, 'one')).toMatchObject({ status: 409, code: 'capture_unsettled' })
    await world.advance(121_000)
    expect(await capture(world, id, 'one')).toMatchObject({ status: 409, code: 'capture_not_executed' })
    expect(await capture(world, id, 'two')).toMatchObject({ status: 200 })
    expect(captures(world, id)).toHaveLength(1)
  })
})

describe('a capture killed at each storage and service call', () => {
  async function play(killAt: number, after: boolean): Promise<number> {
    let calls = 0
    const die = async <T>(work: () => Promise<T>): Promise<T> => {
      const dies = ++calls === killAt
      if (dies && !after) throw new Error('interrupted')
      const result = await work()
      if (dies) throw new Error('interrupted')
      return result
    }
    let armed = false
    const { world, id } = await reserved()
    const inner = world.emulator.fetch
    ;(world.emulator as { fetch: unknown }).fetch = ((input: string, init: RequestInit) =>
      armed && input.includes('/capture') ? die(() => inner(input, init)) : inner(input, init)) as typeof inner
    const env = world.env('FRA')
    const STATE = new Proxy(env.STATE, {
      get:
        (target, name) =>
        (...parts: unknown[]) => {
          const work = () =>
            (target as unknown as Record<PropertyKey, (...parts: unknown[]) => Promise<unknown>>)[name]?.(
              ...parts,
            ) as Promise<unknown>
          return armed ? die(work) : work()
        },
    })
    world.env = () => ({ ...env, STATE })
    armed = true
    let answer = await capture(world, id, 'one', { charge_amount: 10 }).catch(() => undefined)
    armed = false
    const made = calls
    for (let i = 0; i < 6 && answer?.status !== 200; i++) {
      await world.advance(61_000)
      const key = answer?.code === 'capture_not_executed' ? `again-${i}` : 'one'
      answer = await capture(world, id, key, { charge_amount: 10 })
    }
    expect([killAt, after, answer?.status, captures(world, id).length]).toEqual([killAt, after, 200, 1])
    return made
  }

  it.each([false, true])('is made exactly once in the end (failing after its effect: %s)', async (after) => {
    const total = await play(Number.POSITIVE_INFINITY, after)
    expect(total).toBeGreaterThanOrEqual(6)
    for (let killAt = 1; killAt <= total; killAt++) await play(killAt, after)
  })
})

for (const kind of KINDS) {
  it(`captures once, however often it is tried, over ${kind} KV`, async () => {
    const { world, id } = await reserved({ kind })
    let answer: Answer | undefined
    let key = 'one'
    for (let i = 0; i < 100 && answer?.status !== 200; i++) {
      await world.advance(121_000)
      answer = await capture(world, id, key, { charge_amount: 10 })
      // Settled as never executed: the caller says that it means another attempt.
      if (answer.code === 'capture_not_executed') key = `one-${i}`
    }
    expect([answer?.status, captures(world, id).length]).toEqual([200, 1])
  })
}
