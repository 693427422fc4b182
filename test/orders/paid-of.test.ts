import { expect, it } from 'vitest'
import { foldOrder, paidOf } from '../../src/orders/index.ts'
import { testEvent } from '../../src/testing/index.ts'
import { readEvent } from '../../src/webhooks/index.ts'
import { payment, secondary } from '../worker/support/events.ts'

const AS_PAID = { amount: 100.5, processed_amount: 90.45, processed_currency: 'EUR' }

it('is what the payer paid, not what the shop asked for', () => {
  expect(paidOf(testEvent('purchase', { amount: 100.5 }).event)).toEqual({ amount: 100.5, currency: 'UAH' })
  expect(paidOf(testEvent('purchase', AS_PAID).event)).toEqual({ amount: 90.45, currency: 'EUR' })
  const sameCurrency = testEvent('purchase', { amount: 100.5, processed_amount: 90.45 })
  expect(paidOf(sameCurrency.event)).toEqual({ amount: 90.45, currency: 'UAH' })
  expect(paidOf(testEvent('capture', { amount: 20 }).event)).toEqual({ amount: 20, currency: 'UAH' })
})

it('is the same of a copy', () => {
  const { event } = testEvent('purchase', { ...AS_PAID, processed_amount: '90.45' as never })
  const copies = [structuredClone(event), JSON.parse(JSON.stringify(event)), readEvent(event.record)]
  expect(copies.map(paidOf)).toEqual(copies.map(() => ({ amount: 90.45, currency: 'EUR' })))
})

it.each([
  ['a declined payment', payment('A-1', { status: 'failure' })],
  ['a pending one', payment('A-1', { status: 'pending' })],
  ['an authorization', payment('A-1', { ...AS_PAID, method: 'auth' })],
  ['a refund', secondary('A-1', 'refund', { amount: 5 })],
  ['a void', secondary('A-1', 'void')],
  ['an amount that is a list', payment('A-1', { amount: [100.5] })],
  ['a processed amount that cannot be read', payment('A-1', { processed_amount: 'much' })],
  ['a negative amount', payment('A-1', { amount: -5 })],
  ['a payment without a currency', payment('A-1', { currency: null })],
])('nothing is paid by %s', (_, record) => {
  const event = readEvent(record)
  expect(paidOf(event)).toBeUndefined()
  expect(foldOrder([event]).operations.filter((one) => 'paid' in one)).toEqual([])
})

it('stands in the fold, beside the amount that was asked for', () => {
  const order = { order_id: 'A-1' }
  const events = [testEvent('purchase', { ...order, ...AS_PAID }), testEvent('refund', { ...order, amount: 5 })]
  const { operations } = foldOrder(events.map(({ event }) => event))
  expect(operations.map(({ amount, paid }) => [amount, paid])).toEqual([
    [100.5, { amount: 90.45, currency: 'EUR' }],
    [5, undefined],
  ])
})
