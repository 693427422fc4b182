import { expect, it } from 'vitest'
import { testCard } from '../../src/emulator/index.ts'
import { customerActionUrl, splitAmount, type Warning } from '../../src/index.ts'
import { CAPTURE, CARD, DIRECT_AUTH, DIRECT_OPTIONAL, DIRECT_SPLIT, SUB_MERCHANTS, TOKEN } from '../support/inputs.ts'
import { rejection } from '../support/mock-fetch.ts'
import { openShop } from '../support/shop.ts'

// What is paid with a card or a token, and what becomes of it, SDK against emulator.

const card = { cc_number: testCard('success') }
const ORDER = { order_id: 'A-1', order_currency: 'UAH' }

it('an authorization is captured in part, beyond it and no further, and every operation of it is listed', async () => {
  const { client, emulator, events } = openShop()
  const payment = await client.createPayment({ ...DIRECT_AUTH, ...DIRECT_OPTIONAL, ...card })
  expect(payment).toMatchObject({ method: 'auth', mode: 'direct', status: 'success', amount: 100.5, currency: 'UAH' })
  expect(JSON.stringify(payment)).not.toContain(card.cc_number)
  const partial = await client.capturePayment({ ...CAPTURE, charge_amount: 80.25, comment: 'перша' })
  expect(partial).toMatchObject({ method: 'capture', status: 'success', amount: 80.25, comment: 'перша' })
  // 115 % of 100.50 is 115.575: what is left is 35.32 and a fraction.
  const body = { pos_id: emulator.credentials.posId, ...ORDER, charge_amount: 35.32 }
  const rest = await client.rawRequest({ method: 'POST', path: '/api/v1/capture', authentication: 'plain', body })
  expect(rest).toMatchObject({ status: 200, body: { method: 'capture', amount: 35.32, currency: 'UAH' } })
  expect(await rejection(client.capturePayment({ ...CAPTURE, charge_amount: 0.01 }))).toMatchObject({ code: 'api' })

  await emulator.deliveries.idle()
  const captures = events.flatMap((event) => (event.kind === 'capture' ? [event] : []))
  expect(captures.map(({ amount }) => amount)).toEqual([80.25, 35.32])
  expect(captures[0]?.operation_id).toBe(partial.operation_id)
  const operations = await client.listOrderOperations({ order_id: 'A-1' })
  expect(operations.map(({ method }) => method)).toEqual(['auth', 'capture', 'capture'])
  expect(operations[2]).toMatchObject({ operation_id: captures[1]?.operation_id, amount: 35.32 })
  expect(await client.resendWebhook({ order_id: 'A-1', operation: 'capture' })).toMatchObject({ amount: 35.32 })
})

it('a full capture has order_currency in its response, read as currency; a hold is voided once', async () => {
  const { client, emulator } = openShop()
  for (const order_id of ['A-1', 'A-2']) await client.createPayment({ ...DIRECT_AUTH, order_id, ...card })
  const capture = await client.capturePayment(CAPTURE)
  expect([capture.amount, capture.currency, capture.record.order_currency]).toEqual([100.5, 'UAH', 'UAH'])
  emulator.control.incrementAuth('A-2', 10)
  const hold = { ...ORDER, order_id: 'A-2' }
  expect(await client.voidPayment(hold)).toMatchObject({ method: 'void', status_code: '1009', amount: 110.5 })
  expect(await rejection(client.voidPayment(hold))).toMatchObject({ code: 'api', status: 400 })
})

it('3-D Secure: the payment says where the customer goes; its token pays the next one', async () => {
  const { client, emulator } = openShop()
  const first = await client.createPayment({ ...CARD, cc_number: testCard('three_d_secure') })
  expect(first).toMatchObject({ status: 'pending', status_code: '2122' })
  const page = customerActionUrl(first)
  await emulator.fetch(page ?? '', { method: 'POST', body: new URLSearchParams({ outcome: 'pass' }) })
  const event = await client.resendWebhook({ order_id: 'A-1', operation: 'purchase' })
  expect(event).toMatchObject({ method: 'purchase', status: 'success' })
  const { cc_token } = event.kind === 'purchase' ? event : first
  const second = await client.createPayment({ ...TOKEN, order_id: 'A-2', cc_token: cc_token ?? '' })
  expect(second).toMatchObject({ order_id: 'A-2', cc_mask: first.cc_mask })
})

it('a purchase is refunded in part, and the rest without an amount', async () => {
  const { client, emulator, events } = openShop()
  const init_recurring = { interval_unit: 'day', interval_count: 30, retry_interval_hours: 23 } as const
  const { recurring } = await client.createPayment({ ...CARD, ...card, init_recurring })
  expect(recurring).toEqual({ id: expect.any(String), status: 'init' })
  const part = { method: 'refund', status: 'success', status_code: '1004', amount: 20.25, currency: 'UAH' }
  expect(await client.refundPayment({ ...ORDER, refund_amount: 20.25 })).toMatchObject(part)
  expect(await client.refundPayment(ORDER)).toMatchObject({ amount: 80.25 })
  expect(await rejection(client.refundPayment(ORDER))).toMatchObject({ code: 'api', status: 400 })
  await emulator.deliveries.idle()
  expect(events.flatMap((event) => (event.kind === 'refund' ? [event.amount] : []))).toEqual([20.25, 80.25])
})

it('parts made by splitAmount add up for a service that insists on it; a sub-merchant’s part is refunded', async () => {
  const warnings: Warning[] = []
  const { client } = openShop({ onWarning: (warning) => warnings.push(warning) }, { splitSum: 'exact' })
  const [a = 0, b = 0] = splitAmount(100.5, [1, 2])
  const parts = (...amounts: number[]) =>
    amounts.map((amount, i) => ({ amount, sub_merchant_id: SUB_MERCHANTS[i] ?? '' }))
  const payment = await client.createSplitPurchase({ ...DIRECT_SPLIT, ...card, split: parts(a, b) })
  expect(payment).toMatchObject({ status: 'success', amount: 100.5, split: parts(a, b) })
  expect(Object.keys(payment).filter((name) => /^(cc_number|exp_|card_)/.test(name))).toEqual([])
  const part = { order_id: 'A-1', currency: 'UAH', refund_amount: a, split: parts(a) }
  expect(await client.refundSplitPurchase(part)).toMatchObject({ method: 'refund', amount: a })
  expect(await rejection(client.refundSplitPurchase(part))).toMatchObject({ code: 'api', status: 400 })
  const codes = () => warnings.map(({ code }) => code).filter((code) => code === 'split_sum')
  expect(codes()).toEqual([])
  const other = { ...DIRECT_SPLIT, ...card, order_id: 'A-2', split: parts(a, b + 1) }
  expect(await rejection(client.createSplitPurchase(other))).toMatchObject({ code: 'api', status: 400 })
  expect(codes()).toEqual(['split_sum'])
})

it('the list of the accounts and the single account agree, though the service spells the reserve in two ways', async () => {
  const { client } = openShop()
  const accounts = await client.listAccounts()
  expect(accounts.map(({ currency }) => currency).sort()).toEqual(['EUR', 'UAH', 'USD', 'XTS'])
  for (const account of accounts) {
    expect(account.balances).toEqual({ available: 1000, rolling_reserve: 50 })
    expect(await client.getAccount({ account_id: account.id })).toEqual(account)
  }
})
