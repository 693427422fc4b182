import { beforeEach, describe, expect, it } from 'vitest'
import { signWebhook } from '../../src/webhooks/index.ts'
import corpus from '../corpus/webhooks.json' with { type: 'json' }
import { at, payment } from './support/events.ts'
import { newOrderId, World, type WorldOptions } from './support/world.ts'

const { odd, unexpected } = corpus

/** Each KV and each way of sending, but not each with each: the storm mixes them. */
const EACH = [
  { kind: 'strict', sends: 'together' },
  { kind: 'hostile', sends: 'twice' },
] as const

describe.each(EACH)('webhooks over $kind KV, each sent $sends', ({ kind, sends }) => {
  let world: World
  let id: string
  const create = (options: WorldOptions = {}) => new World({ kind, sends, ...options })
  beforeEach(() => {
    world = create()
    id = newOrderId()
  })

  it('stores an event, and the order shows it', async () => {
    await world.deliver(payment(id, { fee: { amount: 2.51, currency: 'UAH' } }))
    const order = await world.order(id)
    expect(order).toMatchObject({ order_id: id, status: 'success', method: 'purchase', amount: 100.5, currency: 'UAH' })
    expect(order?.totals).toEqual({
      authorized_minor: 10050,
      captured_minor: 10050,
      refunded_minor: 0,
      voided_minor: 0,
      fee_minor: 251,
    })
    expect(order?.events).toHaveLength(1)
    expect(order?.updated_at).toBe(at(5))
  })

  it('keeps beside the key of an event what fits there, to the byte', async () => {
    const sizes: number[] = []
    for (const size of [0, 1_024, 1_025]) {
      const status_code = 'x'.repeat(1 + Math.max(0, size - (sizes[0] ?? 0)))
      await world.deliver(payment(id, { status_code }))
      const written = world.kv.writes.findLast(({ key }) => key.startsWith('event/'))
      sizes.push(JSON.stringify(written?.metadata).length)
    }
    expect([sizes[1], Number(sizes[2]) < 100, (await world.order(id))?.events.length]).toEqual([1_024, true, 3])
  })

  it('counts a duplicate once: in sequence, and after 25 hours', async () => {
    const event = payment(id)
    await world.deliver(event)
    await world.deliver(event)
    await world.advance(25 * 3_600_000)
    await world.deliver(event)
    expect((await world.order(id))?.events).toHaveLength(1)
    expect((await world.order(id))?.totals.captured_minor).toBe(10050)
  })

  it('takes the same event with other padding, and with its fields in another order, for the same', async () => {
    const event = payment(id)
    const fields = Object.entries(event)
    await world.deliver(event)
    await world.deliver(Object.fromEntries(fields.reverse()))
    await world.deliver(`${JSON.stringify(event)} `)
    expect((await world.order(id))?.events).toHaveLength(1)
  })

  it('keeps an event of unexpected shape, marks it, and goes on with what follows', async () => {
    await world.deliver({ order_id: id, method: 'purchase', status: 'success', amount: [] })
    await world.deliver(payment(id))
    const order = await world.order(id)
    expect(order?.flags).toEqual(['unknown_order', 'unexpected_shape'])
    expect(order?.totals.captured_minor).toBe(10050)
    const one = order?.events.find(({ unexpected }) => unexpected)
    expect(one).toMatchObject({ method: 'purchase', status: 'success', amount: null })
    const stored = await world.settled(`/api/orders/${id}/events/${one?.id}`)
    expect(await stored.json()).toMatchObject({ event: { amount: [] }, issues: expect.anything() })
  })

  it('keeps each webhook of an odd shape as it came, under its order where it names one', async () => {
    const all = [...odd, ...unexpected].map(([, record]) => record as { order_id?: string })
    // Each of its own payment: one payment in one status is one event, whatever its shape.
    const sent = all.map((record, n) =>
      'order_id' in record ? { ...record, order_id: id, payment_id: `p-${n}` } : record,
    )
    for (const record of sent) await world.deliver(record)
    const named = sent.filter((record) => 'order_id' in record)
    const events = [...(await world.stored('event/')).values()] as { event: object }[]
    expect(events.map(({ event }) => event)).toEqual(expect.arrayContaining(named))
    expect((await world.order(id))?.events).toHaveLength(named.length)
    expect(await world.keys('stray/')).toHaveLength(sent.length - named.length)
  })

  it('keeps what it cannot read, and what names no order, as strays', async () => {
    await world.deliver(`[${JSON.stringify(id)}]`)
    await world.deliver({ method: 'purchase', remark: id })
    const byHand = (): Promise<void> => world.env().STATE.put('stray/by-hand', '{"data":"W10"}').catch(again)
    const again = () => world.advance(1_100).then(byHand)
    await byHand()
    const { strays } = (await (await world.settled('/api/strays?limit=100')).json()) as {
      strays: { id: string; reason: string }[]
    }
    const kept = await Promise.all(
      strays.map(async ({ id, reason }) => {
        const { data } = (await (await world.settled(`/api/strays/${id}`)).json()) as { data: string }
        return `${reason} ${atob(data.replaceAll('-', '+').replaceAll('_', '/'))}`
      }),
    )
    expect(
      kept
        .filter((text) => text.includes(`"${id}"`))
        .map((text) => text.split(' ')[0])
        .sort(),
    ).toEqual(['no_order_id', 'not_json'])
    expect(strays).toContainEqual({ id: 'by-hand', reason: 'unknown', received_at: 0 })
  })

  it('keeps no card’s token with a stray, which the API shows', async () => {
    const tokens = { cc_token: 'rcr:one', deep: { cc_token: 'rcr:two' } }
    await world.deliver({ method: 'purchase', remark: `token ${id}`, ...tokens })
    const stored = [...(await world.stored('stray/')).values()] as { data: string }[]
    const texts = stored.map(({ data }) => atob(data.replaceAll('-', '+').replaceAll('_', '/')))
    expect(texts.filter((text) => text.includes(`token ${id}`))).toEqual([expect.not.stringContaining('rcr:')])
  })

  it('keeps no token of an order where KEEP_CARD_TOKEN is false', async () => {
    world = create({ env: { KEEP_CARD_TOKEN: 'false' } })
    await world.deliver(payment(id, { cc_token: 'rcr:one', deep: { cc_token: 'rcr:two' } }))
    expect(JSON.stringify([...(await world.stored('')).values()])).not.toContain('rcr:')
  })

  it('keeps each webhook as a stray whose id has half of a surrogate pair, which no database keeps apart', async () => {
    const halves = ['\ud800', '\ud801', '\udfff'].map((half) => `${half} ${id}`)
    for (const half of halves) await world.deliver(payment(half))
    expect((await world.stored('stray/')).size).toBe(3)
    expect((await world.stored('event/')).size).toBe(0)
  })

  it('verifies with both secrets while the secret is being replaced', async () => {
    world = create({ env: { API_SECRET: 'the new one', API_SECRET_PREVIOUS: 'the previous one' } })
    await world.deliver(payment(id), 'the previous one')
    await world.deliver(payment(id, { created_at: at(1) }), 'the new one')
    expect((await world.order(id))?.events).toHaveLength(2)
    const { body } = signWebhook(payment(id), 'another one')
    for (const { status } of await world.answers(body)) expect(status).toBe(401)
  })
})

describe.each(EACH)('a webhook over $kind KV, sent $sends,', ({ kind, sends }) => {
  it('that comes before its order is known is not lost, and its flag goes when the order is known', async () => {
    // Where the write of the checkout fails, the order stays unknown: here KV is stale and lagging only.
    const world = new World({ kind, sends, failures: 0 })
    await world.deliver(payment('A-1', { status: 'pending', processed_at: at(1) }))
    expect((await world.order('A-1'))?.flags).toEqual(['unknown_order'])
    await world.open(await world.link({ order_id: 'A-1' }))
    await world.deliver(payment('A-1', { created_at: at(2) }))
    expect(await world.order('A-1')).toMatchObject({ flags: [], events: { length: 2 } })
  })

  it('that cannot be read is one stray, written once where KV shows it', async () => {
    const world = new World({ kind, sends })
    await world.deliver('[]')
    await world.advance(121_000)
    expect([...(await world.stored('')).keys()]).toEqual([expect.stringMatching(/^stray\//)])
    const writes = world.kv.writes.length
    await world.deliver('[]')
    expect(world.kv.writes.length).toBe(writes)
    if (kind === 'strict') expect(writes).toBe(1)
  })
})

it('a write of the folded order that KV rejects is repeated by the alarm', async () => {
  const world = new World()
  let writes = 0
  world.kv.before = (action, key) => {
    if (action === 'put' && key.startsWith('order/') && ++writes < 3) throw new Error('KV PUT failed: 429')
  }
  await world.deliver(payment('A-1'))
  for (let minute = 0; minute < 4; minute++) await world.advance(61_000)
  expect([writes, ...(await world.stored('order/')).values()]).toMatchObject([3, { status: 'success' }])
})
