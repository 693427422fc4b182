import { describe, expect, it } from 'vitest'
import { type TestCardName, testCard } from '../../src/emulator/index.ts'
import { type Bench, createBench, direct, get, type Json, plain, post, SPLIT } from './call.ts'

/** The endpoints that only public material shows: refund, void, both split operations, look-up, recurring cancel. */

const [first, second] = SPLIT.map(({ sub_merchant_id }) => sub_merchant_id)

async function pay(bench: Bench, more: Json = {}, card: TestCardName = 'success'): Promise<Json> {
  const path = more.split === undefined ? '/api/v1/payment' : '/api/v1/split/purchase'
  const response = await post(bench.emulator, path, direct(bench.emulator, { cc_number: testCard(card), ...more }))
  return (await response.json()) as Json
}

async function send(bench: Bench, name: string, more: Json = {}): Promise<[number, Json]> {
  const { posId } = bench.emulator.credentials
  const currency = name === 'split/refund' ? { currency: 'UAH' } : { order_currency: 'UAH' }
  const body = { pos_id: posId, order_id: 'A-1', ...currency, ...more }
  const response = await post(bench.emulator, `/api/v1/${name}`, body)
  return [response.status, (await response.json()) as Json]
}

async function lookUp({ emulator }: Bench, orderId = 'A-1'): Promise<Response> {
  const { baseUrl, posId } = emulator.credentials
  return get(emulator, `${baseUrl}/api/v1/pos/${posId}/orders/${encodeURIComponent(orderId)}`)
}

async function available({ emulator }: Bench): Promise<number> {
  const { apiUrl, posId } = emulator.credentials
  const response = await get(emulator, `${apiUrl}/api/v1/balances/pos/${posId}/accounts`)
  const { accounts } = (await response.json()) as { accounts: { currency: string; balances: { available: number } }[] }
  return accounts.find(({ currency }) => currency === 'UAH')?.balances.available ?? 0
}

describe('refund', () => {
  it('refunds in parts up to what was paid, and says how much is left', async () => {
    const bench = createBench()
    const { payment_id } = await pay(bench)
    const before = await available(bench)
    expect(await send(bench, 'refund', { refund_amount: 40.25, comment: 'One book', unknown: { a: 1 } })).toEqual([
      200,
      expect.objectContaining({ method: 'refund', amount: 40.25, currency: 'UAH', status: 'success', payment_id }),
    ])
    expect((await send(bench, 'refund'))[1]).toMatchObject({ amount: 60.25, status_code: '1004' })
    expect(await available(bench)).toBeCloseTo(before - 100.5, 10)
    const [status, { message }] = await send(bench, 'refund', { refund_amount: 0.01 })
    expect([status, message]).toEqual([400, 'Cannot refund 0.01: order A-1 has 0 left to refund.'])
    expect((await send(bench, 'refund'))[1].message).toBe('Cannot refund: order A-1 has 0 left to refund.')
  })

  it('of an authorization is limited by what was captured', async () => {
    const bench = createBench()
    await pay(bench, { method: 'auth' })
    expect((await send(bench, 'refund'))[0]).toBe(400)
    await send(bench, 'capture', { charge_amount: 30 })
    expect((await send(bench, 'refund', { refund_amount: 30.01 }))[0]).toBe(400)
    expect((await send(bench, 'refund'))[1]).toMatchObject({ amount: 30 })
  })

  it.each(['refund', 'void', 'split/refund'])('%s: concurrent requests spend the money once', async (name) => {
    const bench = createBench()
    await pay(bench, name === 'void' ? { method: 'auth' } : name === 'refund' ? {} : { split: SPLIT })
    const more = name === 'split/refund' ? { refund_amount: 100.5, split: SPLIT } : {}
    const statuses = await Promise.all(Array.from({ length: 20 }, async () => (await send(bench, name, more))[0]))
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect(statuses.filter((status) => status === 400)).toHaveLength(19)
  })

  it('is declined for its test card and moves no money', async () => {
    const bench = createBench()
    await pay(bench, {}, 'refund_declined')
    const before = await available(bench)
    expect((await send(bench, 'refund'))[1]).toMatchObject({ status: 'failure', status_code: '4153' })
    expect(await available(bench)).toBe(before)
    expect((await send(bench, 'refund'))[0]).toBe(200)
  })
})

describe('void', () => {
  it('gives the whole authorization back, and ends it', async () => {
    const bench = createBench()
    await pay(bench, { method: 'auth' })
    bench.emulator.control.incrementAuth('A-1', 9.5)
    expect((await send(bench, 'void'))[1]).toMatchObject({ method: 'void', amount: 110, status_code: '1009' })
    for (const name of ['void', 'capture']) expect((await send(bench, name))[0]).toBe(400)
  })

  it('is rejected after a capture, for a purchase and in another currency', async () => {
    const bench = createBench()
    await pay(bench, { order_id: 'purchase' })
    await pay(bench, { method: 'auth' })
    expect((await send(bench, 'void', { order_currency: 'USD' }))[0]).toBe(400)
    expect((await send(bench, 'void', { order_id: 'purchase' }))[0]).toBe(400)
    expect((await send(bench, 'void', { order_id: 'none' }))[0]).toBe(404)
    await send(bench, 'capture', { charge_amount: 1 })
    expect((await send(bench, 'void'))[0]).toBe(400)
  })

  it('is declined for its test card, and the authorization stands', async () => {
    const bench = createBench()
    await pay(bench, { method: 'auth' }, 'void_declined')
    expect((await send(bench, 'void'))[1]).toMatchObject({ status: 'failure', status_code: '4153' })
    expect((await send(bench, 'capture'))[1]).toMatchObject({ status: 'success' })
  })
})

describe('split operations', () => {
  it('a split refund takes from each sub-merchant at most its share', async () => {
    const bench = createBench()
    await pay(bench, { split: SPLIT })
    const part = (amount: number, sub_merchant_id = first) => ({ amount, sub_merchant_id })
    const refused: Json[] = [
      { refund_amount: 60.01, split: [part(60.01)] },
      { refund_amount: 50, split: [part(40)] },
      { refund_amount: 10, split: [part(10, '33333333-3333-4333-8333-333333333333')] },
      { refund_amount: 70, split: [part(35), part(35)] },
    ]
    for (const body of refused) expect([body, (await send(bench, 'split/refund', body))[0]]).toEqual([body, 400])
    const split = [part(60), part(10.5, second)]
    expect((await send(bench, 'split/refund', { refund_amount: 70.5, split }))[1]).toMatchObject({
      amount: 70.5,
      split,
    })
    expect((await send(bench, 'split/refund', { refund_amount: 0.01, split: [part(0.01)] }))[0]).toBe(400)
    expect((await send(bench, 'split/refund', { refund_amount: 30, split: [part(30, second)] }))[0]).toBe(200)
  })

  it('a split capture decides the shares that a split refund can take back', async () => {
    const bench = createBench()
    await pay(bench, { method: 'auth' })
    const split = [{ amount: 20, sub_merchant_id: first }]
    expect((await send(bench, 'split/capture', { charge_amount: 21, split }))[0]).toBe(400)
    expect((await send(bench, 'split/capture', { charge_amount: 20, split }))[1]).toMatchObject({
      method: 'capture',
      amount: 20,
      currency: 'UAH',
      split,
    })
    const other = [{ amount: 20, sub_merchant_id: second }]
    expect((await send(bench, 'split/refund', { refund_amount: 20, split: other }))[0]).toBe(400)
    expect((await send(bench, 'split/refund', { refund_amount: 20, split }))[1]).toMatchObject({ status: 'success' })
  })
})

describe('look-up', () => {
  it('lists primary and secondary operations in the order of their creation', async () => {
    const bench = createBench()
    await pay(bench, { method: 'auth' })
    await send(bench, 'capture', { charge_amount: 30 })
    await bench.emulator.clock.advance({ seconds: 1 })
    await send(bench, 'refund', { refund_amount: 5 })
    const list = (await (await lookUp(bench)).json()) as Json[]
    expect(list.map(({ method, amount, currency }) => [method, amount, currency])).toEqual([
      ['auth', 100.5, 'UAH'],
      ['capture', 30, 'UAH'],
      ['refund', 5, 'UAH'],
    ])
    expect(JSON.stringify(list)).not.toContain(testCard('success'))
  })

  it('shows each charge of a subscription, and 404 for an unknown order', async () => {
    const bench = createBench()
    await pay(bench, { order_id: 'a/b', init_recurring: { interval_unit: 'day', interval_count: 1 } })
    await bench.emulator.clock.advance({ days: 2 })
    const list = (await (await lookUp(bench, 'a/b')).json()) as Json[]
    expect(list).toHaveLength(3)
    expect(new Set(list.map(({ transaction_id }) => transaction_id)).size).toBe(3)
    expect(list[0]).toMatchObject({ recurring: { status: 'active' } })
    expect((await lookUp(bench, 'none')).status).toBe(404)
  })
})

describe('recurring cancel', () => {
  it('ends the charges', async () => {
    const bench = createBench()
    const record = await pay(bench, { init_recurring: { interval_unit: 'day', interval_count: 1 } })
    await bench.emulator.clock.advance({ days: 1 })
    const { id } = record.recurring as { id: string }
    const cancel = (recurringId: string) =>
      bench.emulator.fetch(`${bench.emulator.credentials.apiUrl}/api/v1/recurring/${recurringId}/cancel`, {
        method: 'PUT',
        headers: plain(bench.emulator),
      })
    const response = await cancel(id)
    expect([response.status, await response.json()]).toMatchObject([200, { recurring_status: 'canceled' }])
    await bench.emulator.clock.advance({ months: 1 })
    expect(bench.emulator.orders.get('A-1')?.payments).toHaveLength(2)
    expect((await cancel(id)).status).toBe(200)
    expect((await cancel('none')).status).toBe(404)
  })
})

it("webhooks go to the call's server_url, else to the payment's", async () => {
  const bench = createBench()
  await pay(bench, { server_url: 'https://shop.example/payment' })
  await send(bench, 'refund', { refund_amount: 1 })
  await send(bench, 'refund', { refund_amount: 2, server_url: 'https://shop.example/refund' })
  await bench.emulator.deliveries.idle()
  expect(bench.received.map(({ url, event }) => [url, event.method, event.amount])).toEqual([
    ['https://shop.example/payment', 'purchase', 100.5],
    ['https://shop.example/payment', 'refund', 1],
    ['https://shop.example/refund', 'refund', 2],
  ])
})
