import { describe, expect, it } from 'vitest'
import { type EmulatorOptions, testCard } from '../../src/emulator/index.ts'
import { type Bench, createBench, openCheckout, submit } from './call.ts'
import { NO_CARD } from './conformance/probe.ts'
import { available, capture, DAILY, eventsOf, paid, payDirect, payHosted, sendCapture } from './conformance/samples.ts'

/** Outcomes that are chosen: by card, by fault, by hand, by the passing of time. */

describe('any status code on demand', () => {
  it.each([
    ['6001', 'failure'],
    ['9000', 'pending'],
  ])('%s of a payment is %s', async (status_code, status) => {
    const bench = createBench()
    bench.emulator.faults.next({ kind: 'status_code', status_code, on: 'create-payment' })
    expect(await payDirect(bench)).toMatchObject({ status, status_code })
    expect((await payDirect(bench, { order_id: 'next' })).status).toBe('success')
  })

  it('of a capture that is carried out, the checkout page and a scheduled charge', async () => {
    const bench = await paid({ method: 'auth' })
    const { faults, orders, clock } = bench.emulator
    faults.next({ kind: 'status_code', status_code: '4010', on: 'capture-payment' })
    expect((await sendCapture(bench, { charge_amount: 1000 })).status).toBe(400)
    expect(await capture(bench)).toMatchObject({ status: 'failure', status_code: '4010' })
    faults.next({ kind: 'status_code', status_code: '4009', on: 'checkout' })
    await payHosted(bench, { order_id: 'H' })
    expect(orders.get('H')).toMatchObject({ status: 'failure' })
    await payDirect(bench, { order_id: 'S', init_recurring: { ...DAILY, retry_attempts: 0 } })
    faults.next({ kind: 'status_code', status_code: '4155', on: 'charge', order_id: 'S' })
    await clock.advance({ days: 2 })
    expect(orders.get('S')?.payments.map(({ status_code }) => status_code)).toEqual(['1000', '4155', '1000'])
  })
})

it('a pending capture counts as captured, earns when it succeeds, and frees the amount when it fails', async () => {
  const bench = await paid({ method: 'auth', cc_number: testCard('capture_pending') })
  const before = await available(bench)
  expect(await capture(bench, { charge_amount: 60 })).toMatchObject({ status: 'pending', status_code: '2001' })
  expect((await sendCapture(bench, { charge_amount: 60 })).status).toBe(400)
  bench.emulator.control.conclude('A-1', '4153')
  expect((await sendCapture(bench)).status).toBe(200)
  expect(await available(bench)).toBe(before)
  expect(bench.emulator.control.conclude('A-1', '1000')).toMatchObject({ method: 'capture', status: 'success' })
  expect(await available(bench)).toBeGreaterThan(before)
  expect(() => bench.emulator.control.conclude('A-1', '1000')).toThrow('nothing pending')
  const sent = (await eventsOf(bench)).map(({ method, status }) => `${method} ${status}`)
  expect(sent.slice(1)).toEqual(['pending', 'failure', 'pending', 'success'].map((status) => `capture ${status}`))
})

describe('a subscription ends', () => {
  const codes = ({ emulator }: Bench, id = 'A-1') =>
    emulator.orders.get(id)?.payments.map(({ status_code }) => status_code)
  const monthly = { interval_unit: 'month', interval_count: 1, retry_attempts: 1 }

  it('when its card has expired, as a payment with its token is declined', async () => {
    const bench = await paid({ init_recurring: monthly, exp_month: 3, exp_year: 26 })
    const { cc_token, cc_token_expiration } = bench.emulator.orders.get('A-1')?.payments[0] ?? {}
    expect(cc_token_expiration).toBe('2026-04-01T00:00:00')
    await bench.emulator.clock.advance({ months: 6 })
    // February, March; April with its retry.
    expect(codes(bench)).toEqual(['1000', '1000', '1000', '4001', '4001'])
    expect(bench.emulator.orders.get('A-1')).toMatchObject({ recurring: { status: 'canceled' } })
    const charge = { order_id: 'T', ...NO_CARD, cc_token }
    expect(await payDirect(bench, charge)).toMatchObject({ status: 'failure', status_code: '4001' })
  })

  it('when its token was ended by hand, and not when the token is a year old', async () => {
    const bench = await paid({ init_recurring: { ...monthly, interval_unit: 'year', retry_attempts: 0 } })
    await bench.emulator.clock.advance({ years: 2 })
    expect(codes(bench)).toEqual(['1000', '1000', '1000'])
    bench.emulator.control.expire('A-1', 'token')
    await bench.emulator.clock.advance({ years: 1 })
    expect(codes(bench)?.at(-1)).toBe('4001')
    expect(bench.emulator.orders.get('A-1')).toMatchObject({ recurring: { status: 'canceled' } })
  })
})

describe('expiry', () => {
  const WAITS = { cc_number: testCard('three_d_secure') }
  const expired = async (options: EmulatorOptions, prepare: (bench: Bench) => Promise<unknown>): Promise<Bench> => {
    const bench = createBench(options)
    await prepare(bench)
    await bench.emulator.clock.advance({ minutes: 10 })
    await bench.emulator.deliveries.idle()
    return bench
  }

  it('of a checkout and of a 3-D Secure page', async () => {
    const bench = await expired({ expiry: { checkoutMs: 600_000, threeDSecureMs: 600_000 } }, async (bench) => {
      await openCheckout(bench.emulator)
      await payDirect(bench, { ...WAITS, order_id: 'B' })
    })
    const codes = bench.received.slice(-2).map(({ event }) => `${event.order_id} ${event.status} ${event.status_code}`)
    expect(codes.sort()).toEqual(['A-1 failure 4149', 'B failure 4147'])
  })

  it('of an authorization: what was not captured by its end can no longer be captured', async () => {
    const bench = await expired({ expiry: { authorizationMs: 600_000 } }, async (bench) => {
      await payDirect(bench, { method: 'auth' })
      await payDirect(bench, { method: 'auth', order_id: 'kept' })
      await sendCapture(bench, { order_id: 'kept', charge_amount: 1 })
      await payDirect(bench, { method: 'auth', order_id: 'late', ...WAITS })
    })
    const operations = (order_id: string) => bench.emulator.orders.get(order_id)?.operations
    const voided = [{ method: 'void', status: 'success' }]
    expect((await sendCapture(bench)).status).toBe(400)
    expect(operations('A-1')).toMatchObject(voided)
    const late = await sendCapture(bench, { order_id: 'kept', charge_amount: 1 })
    expect([late.status, await late.text()]).toEqual([400, expect.stringContaining('has expired')])
    expect(() => bench.emulator.control.incrementAuth('kept', 1)).toThrow('has expired')
    expect(bench.emulator.orders.get('kept')?.timeline.at(-1)?.what).toBe(
      'authorization expired with 99.5 not captured',
    )
    expect(operations('kept')).toMatchObject([{ method: 'capture' }])
    bench.emulator.control.conclude('late', '1002')
    await bench.emulator.clock.advance({ minutes: 9 })
    expect(operations('late')).toEqual([])
    await bench.emulator.clock.advance({ minutes: 1 })
    expect(operations('late')).toMatchObject(voided)
  })

  it.each(['after a year', 'by hand'])('of a card token: %s', async (how) => {
    const bench = createBench()
    const { cc_token } = await payDirect(bench)
    const byToken = async (order_id: string) => (await payDirect(bench, { ...NO_CARD, order_id, cc_token })).status_code
    expect(await byToken('B')).toBe('1000')
    if (how === 'by hand') bench.emulator.control.expire('A-1', 'token')
    else await bench.emulator.clock.advance({ years: 1 })
    expect(await byToken('C')).toBe('4001')
  })
})

it('order_3ds_bypass decides about 3-D Secure', async () => {
  const bench = createBench()
  for (const [order_3ds_bypass, card, asks] of [
    ['always', 'success', true],
    ['never', 'three_d_secure', false],
    ['supported', 'three_d_secure', true],
    ['supported', 'success', false],
  ] as const) {
    const order = { order_id: `${order_3ds_bypass} ${card}`, order_3ds_bypass, cc_number: testCard(card) }
    expect((await payDirect(bench, order)).user_action_required).toBe(asks)
  }
})

it('a card that is pending until it times out does so after 3-D Secure as well', async () => {
  const bench = createBench()
  const { emulator } = bench
  const cc_number = testCard('timeout')
  const { user_action_url } = await payDirect(bench, { order_3ds_bypass: 'always', cc_number })
  await submit(emulator, String(user_action_url), new URLSearchParams({ outcome: 'pass' }))
  expect(emulator.orders.get('A-1')?.status).toBe('pending')
  await emulator.clock.advance({ minutes: 15 })
  expect(emulator.orders.get('A-1')).toMatchObject({ status: 'failure', payments: [{ status_code: '4148' }] })
})

it('each of the other methods changes the balance, unless it fails', async () => {
  const bench = createBench()
  const before = await available(bench)
  const input = { amount: 5, currency: 'UAH' }
  for (const [method, sum] of [
    ['credit', -5.18],
    ['p2p', -5.36],
    ['lookup', -5.36],
  ] as const) {
    bench.emulator.control.createPayment({ ...input, method, order_id: method })
    const failed = { ...input, method, order_id: `${method} fails`, status_code: '4153' }
    expect(bench.emulator.control.createPayment(failed)).toMatchObject({ status: 'failure', status_code: '4153' })
    expect(await available(bench)).toBeCloseTo(before + sum, 10)
  }
})

it('a refund of a subscription belongs to one charge, and never exceeds it', async () => {
  const bench = await paid({ init_recurring: DAILY })
  await bench.emulator.clock.advance({ days: 2 })
  const payments = bench.emulator.orders.get('A-1')?.payments ?? []
  const { control } = bench.emulator
  expect(control.refundPayment('A-1')).toMatchObject({ amount: 100.5, payment_id: payments[2]?.payment_id })
  expect(() => control.refundPayment('A-1', 100.51)).toThrow('Cannot refund 100.51: order A-1 has 100.5 left to refund')
  const transaction_id = payments[0]?.transaction_id
  expect(control.refundPayment('A-1', 50, { transaction_id })).toMatchObject({ payment_id: payments[0]?.payment_id })
  expect(() => control.refundPayment('A-1', 50.51, { transaction_id })).toThrow('50.5 left')
})

it('what the payer chose to pay is what is captured, and what is paid back', async () => {
  const cc_number = testCard('payer_changes_amount')
  const bench = await paid({ method: 'auth', cc_number })
  expect(await capture(bench)).toMatchObject({ amount: 90.45 })
  await payDirect(bench, { order_id: 'less', cc_number })
  expect(bench.emulator.control.refundPayment('less').amount).toBe(90.45)
  expect(() => bench.emulator.control.refundPayment('less', 0.01)).toThrow(TypeError)
})

it('a refund by hand of a test card that declines it moves nothing, unless another outcome is chosen', async () => {
  const bench = await paid({ cc_number: testCard('refund_declined') })
  const { control } = bench.emulator
  const before = await available(bench)
  expect(control.refundPayment('A-1')).toMatchObject({ status: 'failure' })
  expect(await available(bench)).toBe(before)
  expect(control.refundPayment('A-1', 5, { status_code: '1004' })).toMatchObject({ status: 'success' })
  expect(control.refundPayment('A-1', 5, { status_code: '2001' })).toMatchObject({ status: 'pending' })
  expect(() => control.refundPayment('A-1', 90.51)).toThrow('90.5 left to refund')
})
