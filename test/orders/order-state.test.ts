// The state of an order as a merchant reads it. Which events make it does not depend on their order: fold.test.ts.

import { describe, expect, it } from 'vitest'
import { holdsMoney } from '../../src/orders/fold.ts'
import { type ExpectedPayment, foldOrder, needsPerson, type Order, type OrderFlag } from '../../src/orders/index.ts'
import { readEvent } from '../../src/webhooks/index.ts'
import { at, payment, secondary } from '../worker/support/events.ts'

const fold = (payloads: readonly object[], expected?: ExpectedPayment): Order =>
  foldOrder(
    payloads.map((payload) => readEvent(payload as Record<string, unknown>)),
    expected,
  )
const NOTHING = { authorized_minor: 0, captured_minor: 0, refunded_minor: 0, voided_minor: 0, fee_minor: null }

const purchase = payment('A-1')
const auth = payment('A-1', { method: 'auth' })
const ofAuth = { payment_id: auth.payment_id, transaction_id: auth.transaction_id }
/** A payment as a service sends it that gives no transaction_id. */
const unnamed = { ...purchase, transaction_id: undefined }

it('needs a person for each flag but one, which informs', () => {
  const needs = (...flags: OrderFlag[]) => needsPerson({ flags })
  expect([needs(), needs('paid_after_failure')]).toEqual([false, false])
  expect(needs('paid_after_failure', 'over_refund')).toBe(true)
  const declined = { ...purchase, payment_id: 'first', transaction_id: 'first', status: 'failure' }
  const order = fold([declined, { ...purchase, created_at: '2027-01-01T00:00:00' }])
  expect([order.flags, needsPerson(order)]).toEqual([['paid_after_failure'], false])
})

it('holds money as long as a hundredth of it is left', () => {
  const captured = { ...NOTHING, authorized_minor: 100, captured_minor: 100 }
  expect([99, 100].map((refunded) => holdsMoney({ ...captured, refunded_minor: refunded }))).toEqual([true, false])
})

describe('an order without a payment', () => {
  const empty = { order_id: null, status: null, method: null, totals: NOTHING, operations: [], events: [], flags: [] }
  it('has null where nothing is known, and what was asked for', () => {
    expect(fold([])).toStrictEqual({ ...empty, amount: null, currency: null, updated_at: null })
    const asked = { amount: 100.5, currency: 'UAH' }
    expect(fold([], asked)).toStrictEqual({ ...empty, ...asked, updated_at: null })
    const row = { ...asked, pos_id: null, recurring_amount: null } as unknown as ExpectedPayment
    expect(fold([], row)).toStrictEqual({ ...empty, ...asked, updated_at: null })
  })

  it('shows an event that says nothing, with null in each field', () => {
    const order = fold([{ order_id: 7 }])
    const nothing = { method: null, operation: null, status: null, status_code: null, amount: null, currency: null }
    expect(order).toStrictEqual({
      ...empty,
      amount: null,
      currency: null,
      events: [{ id: expect.any(String), ...nothing, created_at: null, processed_at: null, unexpected: true }],
      flags: ['unexpected_shape'],
      updated_at: null,
    })
  })

  it('counts a capture and its fee before the webhook of the authorization arrives', () => {
    const { totals, currency } = fold([secondary('A-1', 'capture', { fee: { amount: 1.2, currency: 'UAH' } })])
    expect([totals, currency]).toEqual([{ ...NOTHING, captured_minor: 10050, fee_minor: 120 }, null])
  })

  it('has the state of a card look-up, whose amount is 0', () => {
    const lookup = payment('A-1', { method: 'lookup', amount: 0 })
    const order = fold([lookup], { amount: 0 })
    expect(order).toMatchObject({ status: 'success', method: 'lookup', amount: 0, totals: NOTHING, flags: [] })
  })
})

it.each(['purchase', 'auth', 'credit', 'p2p'])('an order has the state of its payment, a %s', (method) => {
  const paid = payment('A-1', { method })
  const lookup = payment('A-1', { method: 'lookup', amount: 0, created_at: at(-1), processed_at: at(-1) })
  const order = fold([lookup, { ...paid, status: 'pending', processed_at: at(1) }, paid], { amount: 7 })
  expect(order).toMatchObject({ status: 'success', method, amount: 100.5, flags: ['amount_mismatch'] })
  expect(order.operations).toMatchObject([{ method: 'lookup', status_code: '1000' }, { method }])
})

describe('what counts', () => {
  it('is an amount of up to the largest one whose hundredths are exact, and under one unit', () => {
    for (const captured_minor of [50, 1, Number.MAX_SAFE_INTEGER])
      expect(fold([{ ...purchase, amount: captured_minor / 100 }])).toMatchObject({
        totals: { captured_minor },
        flags: [],
      })
    for (const amount of [Number.MAX_SAFE_INTEGER / 100 + 0.02, -0.01])
      expect(fold([{ ...purchase, amount }])).toMatchObject({ totals: NOTHING, flags: ['unexpected_shape'] })
  })

  it('is what was paid, to the hundredth: a person has to look at more decimals', () => {
    for (const [currency, amount, captured_minor] of [
      ['KWD', 1.234, 123],
      ['UAH', 1.005, 101],
      ['UAH', 1.01, 101],
    ] as const) {
      const flags = amount === 1.01 ? [] : ['unexpected_shape']
      expect(fold([{ ...purchase, currency, amount }])).toMatchObject({ amount, totals: { captured_minor }, flags })
      const processed = { processed_amount: amount, processed_currency: currency }
      expect(fold([{ ...purchase, currency, ...processed }])).toMatchObject({ totals: { captured_minor }, flags })
    }
  })

  it.each([
    ['an identity', { payment_id: undefined, transaction_id: undefined }],
    ['the identity of a payment', { payment_id: undefined, transaction_id: undefined, operation_id: 'o1' }],
    ['a method', { method: undefined }],
    ['a status', { status: null }],
    ['a currency', { currency: null }],
    ['an amount', { amount: null }],
    ['a currency of what was paid that is a text', { processed_currency: 980 }],
  ])('is not an event without %s: it is listed, and a person has to look', (_, change) => {
    const order = fold([{ ...purchase, ...change }])
    expect(order).toMatchObject({ status: null, totals: NOTHING, operations: [], flags: ['unexpected_shape'] })
    expect(order.events).toHaveLength(1)
  })

  it('is an operation of a method that is not documented, of which nothing is added up', () => {
    const chargeback = { method: 'chargeback', order_id: 'A-1', operation_id: 'o1', status: 'success', amount: 100.5 }
    const order = fold([purchase, chargeback], { amount: 100.5, currency: 'UAH' })
    expect(order.operations.map(({ id }) => id)).toEqual(['o1', purchase.transaction_id])
    expect(order).toMatchObject({ totals: { ...NOTHING, authorized_minor: 10050, captured_minor: 10050 }, flags: [] })
  })

  it('is a capture without an operation_id: money that moved is not overlooked', () => {
    const unnamedCapture = secondary('A-1', 'capture', { ...ofAuth, operation_id: undefined, amount: 60 })
    const order = fold([auth, { ...unnamedCapture, status: 'pending', processed_at: at(60) }, unnamedCapture])
    expect(order).toMatchObject({
      totals: { authorized_minor: 10050, captured_minor: 6000 },
      flags: ['unexpected_shape'],
    })
    expect(order.operations).toHaveLength(2)
  })

  it('has the fee of what takes or gives back money: a hold’s is expected while nothing else is known of it', () => {
    const fee = { amount: 2.5, currency: 'UAH' }
    const hold = { ...auth, fee }
    const later = (method: string, fields: object) => secondary('A-1', method, { ...ofAuth, ...fields })
    const feesOf = (...events: object[]) => {
      const { fee_minor, expected_fee_minor } = fold(events).totals
      return [fee_minor, expected_fee_minor]
    }
    expect(feesOf(hold)).toEqual([null, 250])
    expect(feesOf(hold, later('void', { fee }))).toEqual([null, undefined])
    expect(feesOf(hold, later('capture', {}))).toEqual([null, undefined])
    const captured = later('capture', { amount: 40, fee: { ...fee, amount: 1.2 } })
    expect(feesOf(hold, captured)).toEqual([120, undefined])
    expect(feesOf(hold, captured, later('void', { amount: 60.5, fee }))).toEqual([120, undefined])
    // A purchase that is voided gives money back.
    expect(feesOf({ ...purchase, fee }, secondary('A-1', 'void', { fee: { ...fee, amount: 1 } }))).toEqual([
      350,
      undefined,
    ])
  })

  it('is a fee in the order’s currency alone', () => {
    const fees = (currency: string) => fold([{ ...purchase, fee: { amount: 2.5, currency } }]).totals.fee_minor
    expect([fees('UAH'), fees('USD')]).toEqual([250, null])
  })
})

describe('of two events of one moment', () => {
  const SEVERAL = Array.from({ length: 10 }, (_, i) => payment('A-1', { transaction_id: `t${i}`, description: `${i}` }))

  it.each([
    ['init', 'pending'],
    ['init', 'weird'],
    ['weird', 'failure'],
    ['pending', 'failure'],
    ['failure', 'success'],
  ])('%s is followed by %s', (before, after) => {
    const events = [before, after].flatMap((status) => SEVERAL.map((one) => ({ ...one, status })))
    const order = fold(events)
    expect(order.operations.map(({ status }) => status)).toEqual(SEVERAL.map(() => after))
    expect(order.events.map(({ status }) => status)).toEqual(events.map(({ status }) => status))
  })

  it('the authorization is listed before its capture', () => {
    const more = { ...ofAuth, amount: 1, created_at: at(0), processed_at: at(1) }
    const captures = ['00', '01', '02'].map((operation_id) => secondary('A-1', 'capture', { ...more, operation_id }))
    expect(fold([...captures, auth]).operations.map(({ id }) => id)).toEqual([auth.transaction_id, '00', '01', '02'])
  })
})

describe('the time of an order', () => {
  it('is the newest one of its events, of the creation where nothing else is known', () => {
    const started = { ...purchase, status: 'init', processed_at: undefined, created_at: at(1) }
    expect(fold([started]).updated_at).toBe(at(1))
    expect(fold([purchase, { order_id: 'A-1' }, started]).updated_at).toBe(purchase.processed_at)
  })

  it('of an operation is that of its first event', () => {
    const refund = secondary('A-1', 'refund', { created_at: at(30) })
    const late = { ...refund, status: 'pending', created_at: at(80) }
    const { operations } = fold([refund, late, secondary('A-1', 'capture', { created_at: at(40) })])
    expect(operations.map(({ method }) => method)).toEqual(['refund', 'capture'])
  })

  it('orders two payments of one moment alike, whether or not their transaction is known yet', () => {
    const [first, second] = ['1', '2'].map((id) => payment('A-1', { payment_id: id, transaction_id: undefined }))
    const paidLater = { ...first, transaction_id: 'z' }
    for (const events of [
      [first, second],
      [second, paidLater, first],
    ])
      expect(fold(events as object[]).operations.map(({ id }) => id.replace('z', '1'))).toEqual(['1', '2'])
  })
})

describe('payments without a transaction_id', () => {
  it('are one with the payment of the same moment that has one', () => {
    const order = fold([purchase, { ...unnamed, description: 'again' }], { amount: 100.5 })
    expect(order).toMatchObject({ totals: { captured_minor: 10050 }, operations: [{ id: purchase.transaction_id }] })
    expect(order.operations).toHaveLength(1)
  })

  it('are a charge for each moment, final or not', () => {
    const pending = { ...unnamed, status: 'pending', processed_at: at(2) }
    expect(fold([pending])).toMatchObject({ status: 'pending', operations: [{ id: purchase.payment_id }], flags: [] })
    expect(fold([pending, purchase]).operations).toHaveLength(1)
    const second = { ...unnamed, created_at: at(100), processed_at: at(101) }
    const third = { ...pending, created_at: at(200) }
    const { operations, totals } = fold([pending, purchase, second, third])
    const { payment_id, transaction_id } = purchase
    expect(operations.map(({ id }) => id)).toEqual([transaction_id, payment_id, payment_id])
    expect(totals.captured_minor).toBe(20100)
  })

  it('are a charge each, also one that is made at the moment of a refund', () => {
    for (const payment_id of ['00000000-0000-4000-8000-000000000000', 'ffffffff-0000-4000-8000-000000000000']) {
      const first = payment('A-1', { payment_id })
      const { transaction_id } = first
      const later = { payment_id, created_at: at(100), processed_at: at(101) }
      const refund = secondary('A-1', 'refund', { ...later, transaction_id, amount: 10 })
      const second = payment('A-1', { ...later, transaction_id: undefined })
      expect(fold([first, refund, second]).totals).toMatchObject({ captured_minor: 20100, refunded_minor: 1000 })
    }
  })
})

describe('an order with money in it is never shown as failed', () => {
  const failed = { ...purchase, status: 'failure', processed_at: at(2) }
  const again = { transaction_id: 't2', created_at: at(10), processed_at: at(11) }
  it.each<[string, object[], object]>([
    ['a second attempt of one payment', [failed, { ...purchase, ...again }], { flags: ['paid_after_failure'] }],
    ['two transactions of one moment', [failed, { ...purchase, transaction_id: 't2' }], { flags: ['status_conflict'] }],
    [
      'a charge that the service repeats',
      [failed, { ...purchase, ...again }].map((one) => ({ ...one, recurring: { id: 'r', status: 'active' } })),
      { flags: [] },
    ],
    ['a failure after it was paid', [purchase, { ...failed, ...again }], { flags: [] }],
    [
      'a credit first',
      [payment('A-1', { method: 'credit', status: 'failure', created_at: at(0) }), { ...purchase, ...again }],
      { method: 'purchase', flags: [] },
    ],
  ])('%s', (_name, events, expected) => {
    const order = fold(events, { amount: 100.5 })
    expect(order).toMatchObject({ status: 'success', totals: { captured_minor: 10050 }, ...expected })
    expect(fold([...events].reverse(), { amount: 100.5 })).toEqual(order)
  })

  it('only failures are a failure; events of two orders are a mistake; the wire has no field `unusable`', () => {
    const lookup = payment('A-1', { method: 'lookup', amount: 0 })
    expect(fold([lookup, failed, { ...failed, ...again }])).toMatchObject({ status: 'failure', flags: [] })
    expect(fold([failed, { ...unnamed, status: 'pending', processed_at: at(9) }]).status).toBe('failure')
    expect(() => fold([purchase, payment('A-2')])).toThrow(expect.objectContaining({ code: 'config' }))
    expect(fold([{ ...purchase, unusable: true }])).toMatchObject({ totals: { captured_minor: 10050 }, flags: [] })
    expect(fold([{ ...purchase, created_at: undefined }, purchase]).totals.captured_minor).toBe(10050)
  })
})

describe('a person has to look', () => {
  it('not at a purchase that was voided, nor at a charge of a subscription that failed', () => {
    const { payment_id, transaction_id } = purchase
    expect(fold([purchase, secondary('A-1', 'void', { payment_id, transaction_id })]).flags).toEqual([])
    const failed = payment('A-1', { payment_id, amount: 7, status: 'failure', created_at: at(100) })
    expect(fold([purchase, failed], { amount: 100.5, recurring_amount: 80 }).flags).toEqual([])
  })

  it('at a further authorization of another amount, not at a further operation of another kind', () => {
    const { payment_id } = auth
    const further = (method: string) => payment('A-1', { method, payment_id, amount: 7, created_at: at(100) })
    const flags = (method: string) => fold([auth, further(method)], { recurring_amount: 80 }).flags
    expect(['auth', 'purchase', 'credit'].map(flags)).toEqual([['amount_mismatch'], ['amount_mismatch'], []])
  })

  it('at a further charge of a subscription of another amount', () => {
    const charge = payment('A-1', { payment_id: purchase.payment_id, amount: 80, created_at: at(100) })
    const flags = (recurring_amount: number) => fold([purchase, charge], { amount: 100.5, recurring_amount }).flags
    expect([flags(80), flags(100.5)]).toEqual([[], ['amount_mismatch']])
  })

  it('at an event of another POS, whatever the case of its id, not at one without', () => {
    const pos_id = String(purchase.pos_id)
    const flags = (expected: string, event: object = purchase) => fold([event], { pos_id: expected }).flags
    expect(flags(pos_id.toUpperCase())).toEqual([])
    expect(flags(pos_id, { ...purchase, pos_id: undefined })).toEqual([])
    expect(flags(pos_id.replace(/.$/, 'f'))).toEqual(['foreign_pos'])
  })
})
