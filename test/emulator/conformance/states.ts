import { expect } from 'vitest'
import { type TestCardName, testCard } from '../../../src/emulator/index.ts'
import { type Bench, cardForm, createBench, direct, type Json, openCheckout, post, SPLIT, submit } from '../call.ts'
import { type Row, row, rows } from './row.ts'
import { cancel, payDirect, payHosted, sendCancel } from './samples.ts'

/** States, transitions, the conditions of captures and cancellations, and the words of the common types. */

const pass = new URLSearchParams({ outcome: 'pass' })
const fail = new URLSearchParams({ outcome: 'fail' })

async function statusesOf(bench: Bench): Promise<unknown[]> {
  await bench.emulator.deliveries.idle()
  return bench.received.map(({ event }) => [event.status, event.status_code])
}

export const stateRows: Row[] = [
  ...rows(['states: Status values that appear', 'service: `hosted`: the customer'], async (bench, create) => {
    const { emulator } = bench
    const seen: unknown[] = []
    const look = () => seen.push(emulator.orders.get('A-1')?.status)
    const form = await openCheckout(emulator)
    look()
    await emulator.fetch(form)
    look()
    const bank = (await submit(emulator, form, cardForm('three_d_secure'))).headers.get('location') ?? ''
    look()
    await submit(emulator, bank, pass)
    look()
    expect(seen).toEqual(['init', 'init', 'pending', 'success'])
    expect(emulator.orders.get('A-1')?.payments[0]?.mode).toBe('hosted')
    const declined = createBench({}, create)
    await payHosted(declined, {}, 'declined')
    expect(declined.emulator.orders.get('A-1')?.status).toBe('failure')
  }),
  row('states', '| (new direct payment)', async (_, create) => {
    for (const method of ['purchase', 'auth']) {
      const bench = createBench({}, create)
      const record = await payDirect(bench, { method, cc_number: testCard('three_d_secure') })
      expect(record).toMatchObject({ status: 'pending', status_code: '2122', user_action_required: true })
      const bank = String(record.user_action_url)
      expect((await bench.emulator.fetch(bank)).status).toBe(200)
      const toShop = await submit(bench.emulator, bank, pass)
      expect([toShop.status, toShop.headers.get('location')]).toEqual([303, record.result_url])
      expect(await statusesOf(bench)).toEqual([
        ['pending', '2122'],
        ['success', method === 'auth' ? '1002' : '1000'],
      ])
      const after = bench.emulator.orders.get('A-1')?.payments[0]
      expect(after).toMatchObject({ user_action_required: false, user_action_url: null, eci: '05' })
    }
    const refused = createBench({}, create)
    const { user_action_url } = await payDirect(refused, { cc_number: testCard('three_d_secure') })
    await submit(refused.emulator, String(user_action_url), fail)
    // Assumption: 4157; the document has no code for it.
    expect(await statusesOf(refused)).toEqual([
      ['pending', '2122'],
      ['failure', '4157'],
    ])
  }),
  ...rows(['states: | `init` | Cancel request', 'service: A created but unpaid'], async (bench) => {
    const form = await openCheckout(bench.emulator)
    const record = await cancel(bench)
    expect(record).toMatchObject({
      status: 'failure',
      status_code: '6007',
      status_description: expect.stringMatching(/cancelled/),
      user_action_required: false,
      user_action_url: null,
    })
    expect(await statusesOf(bench)).toEqual([['failure', '6007']])
    const page = await bench.emulator.fetch(form)
    expect(await page.text()).toContain('Cancelled')
    await submit(bench.emulator, form, cardForm('success'))
    expect(bench.emulator.orders.get('A-1')?.status).toBe('failure')
  }),
  ...rows(
    [
      'states: Recurring configuration',
      'recurring-status: | recurring.status',
      'service: Recurring payments: a subscription',
    ],
    recurringStatuses,
  ),
  ...rows(['cancel: Applicable only when', 'errors: Response to a cancel'], async (_, create) => {
    const bench = createBench({ hostedAuthResponse: 'record' }, create)
    const { emulator } = bench
    await payDirect(bench, { order_id: 'direct' })
    await payDirect(bench, { order_id: 'direct-waits', cc_number: testCard('three_d_secure') })
    await payHosted(bench, { order_id: 'paid' })
    const form = await openCheckout(emulator, { order_id: 'waits' })
    await submit(emulator, form, cardForm('three_d_secure'))
    await openCheckout(emulator, { order_id: 'cancelled' })
    await cancel(bench, 'cancelled')
    emulator.control.createPayment({ method: 'lookup', order_id: 'lookup', amount: 1, currency: 'UAH' })
    for (const [orderId, fields] of Object.entries({
      direct: ['status', 'mode'],
      'direct-waits': ['status', 'mode'],
      paid: ['status'],
      waits: ['status'],
      cancelled: ['status'],
      lookup: ['method', 'status', 'mode'],
    })) {
      const response = await sendCancel(bench, orderId)
      const { args } = (await response.json()) as { args: Json[] }
      expect([orderId, response.status, args.map(({ field_name }) => field_name)]).toEqual([orderId, 400, fields])
    }
    for (const order_id of ['h-purchase', 'h-auth', 'h-split']) {
      const method = order_id === 'h-auth' ? 'auth' : 'purchase'
      const path = order_id === 'h-split' ? '/api/v1/split/purchase' : '/api/v1/payment'
      const body = { ...direct(emulator), mode: 'hosted', method, order_id, split: SPLIT }
      await post(emulator, path, body)
      expect(await cancel(bench, order_id)).toMatchObject({ method, status: 'failure' })
    }
  }),
  ...rows(['errors: Payment status codes', 'service: One-step payments use'], async (bench) => {
    const paid = await payDirect(bench)
    expect(paid.method).toBe('purchase')
    const waits = await payDirect(bench, { order_id: 'B', cc_number: testCard('three_d_secure') })
    await openCheckout(bench.emulator, { order_id: 'C' })
    const cancelled = await cancel(bench, 'C')
    expect([paid, waits, cancelled].map((one) => [one.status_code, one.status_description])).toEqual([
      ['1000', 'Transaction is successful'],
      ['2122', '3-D Secure verification is required to finish the transaction'],
      ['6007', 'Payment has been cancelled'],
    ])
  }),
  row('errors', 'Catalogue of', async (bench) => {
    for (const [card, status_code] of Object.entries({
      insufficient_funds: '4009',
      declined: '4153',
      rejected_by_issuer: '4158',
      antifraud: '4154',
      blacklisted: '4155',
      unsupported_card: '4156',
      internal_error: '4005',
      limit_exceeded: '4010',
    })) {
      const record = await payDirect(bench, { order_id: card, cc_number: testCard(card as TestCardName) })
      expect(record).toMatchObject({ status: 'failure', status_code, user_action_required: false })
    }
    const invalid = ['4111111111111112', '0'.repeat(11), '0'.repeat(20)]
    for (const cc_number of [...invalid, '0'.repeat(12), '4000000000000000006']) {
      const status_code = invalid.includes(cc_number) ? '4144' : '1000'
      expect(await payDirect(bench, { order_id: cc_number, cc_number })).toMatchObject({ status_code })
    }
    const expired = { order_id: 'old', exp_month: 12, exp_year: 25 }
    expect(await payDirect(bench, expired)).toMatchObject({ status: 'failure', status_code: '4001' })
    const valid = { order_id: 'this month', exp_month: 1, exp_year: 2026 }
    expect(await payDirect(bench, valid)).toMatchObject({ status: 'success' })
    const reserved = { order_id: 'reserved', method: 'auth' }
    expect(await payDirect(bench, reserved)).toMatchObject({ status: 'success', status_code: '1002' })
    expect(bench.emulator.control.incrementAuth('reserved', 1).status_code).toBe('1002')
    expect(bench.emulator.control.voidPayment('reserved').status_code).toBe('1009')
    expect(bench.emulator.control.refundPayment('this month').status_code).toBe('1004')
    await payDirect(bench, { order_id: 'late', cc_number: testCard('timeout') })
    expect(bench.emulator.orders.get('late')?.payments[0]).toMatchObject({ status: 'pending', status_code: '2001' })
    await bench.emulator.clock.advance({ minutes: 15 })
    expect(bench.emulator.orders.get('late')?.payments[0]).toMatchObject({ status: 'failure', status_code: '4148' })
    // The card is valid to the end of the month, which is now.
    await bench.emulator.clock.set('2026-02-01T00:00:00Z')
    const over = { ...valid, order_id: 'month over', exp_year: 26 }
    expect(await payDirect(bench, over)).toMatchObject({ status_code: '4001' })
    await openCheckout(bench.emulator, { order_id: 'open' })
    bench.emulator.control.expire('open', 'checkout')
    await payDirect(bench, { order_id: 'bank', cc_number: testCard('three_d_secure') })
    bench.emulator.control.expire('bank', '3ds')
    const codeOf = (orderId: string) => bench.emulator.orders.get(orderId)?.payments[0]?.status_code
    expect([codeOf('open'), codeOf('bank')]).toEqual(['4149', '4147'])
  }),
]

async function recurringStatuses(bench: Bench): Promise<void> {
  const { emulator } = bench
  const init_recurring = { interval_unit: 'month', interval_count: 1 }
  const status = (orderId = 'A-1') => emulator.orders.get(orderId)?.recurring?.status
  const form = await openCheckout(emulator, { init_recurring })
  expect(status()).toBe('init')
  await submit(emulator, form, cardForm('success'))
  expect(status()).toBe('active')
  await emulator.clock.advance({ months: 1 })
  expect(status()).toBe('active')
  emulator.control.cancelRecurring('A-1')
  expect(status()).toBe('canceled')
  await emulator.clock.advance({ months: 3 })
  expect(emulator.orders.get('A-1')?.payments).toHaveLength(2)
  await payHosted(bench, { order_id: 'never', init_recurring }, 'declined')
  expect(status('never')).toBe('canceled')
  await emulator.deliveries.idle()
  const sent = bench.received.map(({ event }) => [event.order_id, event.method, (event.recurring as Json).status])
  expect(sent).toEqual([
    ['A-1', 'purchase', 'active'],
    ['A-1', 'purchase', 'active'],
    ['never', 'purchase', 'canceled'],
  ])
}
