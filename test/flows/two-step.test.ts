import { expect, it } from 'vitest'
import { testCard } from '../../src/emulator/index.ts'
import { customerActionUrl } from '../../src/index.ts'
import { CAPTURE, CARD, DIRECT_AUTH, DIRECT_OPTIONAL, TOKEN } from '../support/inputs.ts'
import { rejection } from '../support/mock-fetch.ts'
import { openShop } from '../support/shop.ts'

const card = (name: Parameters<typeof testCard>[0]) => testCard(name)

it('an authorization, captured in part, beyond it, and no further', async () => {
  const { client, emulator, events } = openShop()
  const payment = await client.createPayment({ ...DIRECT_AUTH, ...DIRECT_OPTIONAL, cc_number: card('success') })
  expect(payment).toMatchObject({ method: 'auth', mode: 'direct', status: 'success', amount: 100.5, currency: 'UAH' })
  expect(JSON.stringify(payment)).not.toContain(card('success'))

  const partial = await client.capturePayment({ ...CAPTURE, charge_amount: 80.25, comment: 'перша' })
  const expected = { method: 'capture', status: 'success', amount: 80.25, currency: 'UAH', comment: 'перша' }
  expect(partial).toMatchObject(expected)
  expect(partial.record).not.toHaveProperty('order_currency')
  // 115 % of 100.50 is 115.575: what is left is 35.32 and a fraction.
  expect(await client.capturePayment({ ...CAPTURE, charge_amount: 35.32 })).toMatchObject({ amount: 35.32 })
  expect(await rejection(client.capturePayment({ ...CAPTURE, charge_amount: 0.01 }))).toMatchObject({ code: 'api' })

  await emulator.deliveries.idle()
  const captures = events.flatMap((event) => (event.kind === 'capture' ? [event] : []))
  expect(captures.map(({ amount, status }) => [amount, status])).toEqual([
    [80.25, 'success'],
    [35.32, 'success'],
  ])
  expect(captures[0]?.operation_id).toBe(partial.operation_id)
  const latest = await client.resendWebhook({ order_id: 'A-1', operation: 'capture' })
  expect(latest.kind === 'capture' && latest.amount).toBe(35.32)
})

it('a full capture has order_currency in its response, read as currency', async () => {
  const { client } = openShop()
  await client.createPayment({ ...DIRECT_AUTH, cc_number: card('success') })
  const capture = await client.capturePayment(CAPTURE)
  expect(capture).toMatchObject({ amount: 100.5, currency: 'UAH' })
  expect(capture.record).toMatchObject({ order_currency: 'UAH' })
})

it('3-D Secure: the payment says where the customer goes', async () => {
  const { client, emulator } = openShop()
  const payment = await client.createPayment({ ...CARD, cc_number: card('three_d_secure') })
  expect(payment).toMatchObject({ status: 'pending', status_code: '2122' })
  const page = customerActionUrl(payment)
  await emulator.fetch(page ?? '', { method: 'POST', body: new URLSearchParams({ outcome: 'pass' }) })
  const event = await client.resendWebhook({ order_id: 'A-1', operation: 'purchase' })
  expect(event).toMatchObject({ method: 'purchase', status: 'success' })
})

it('a token of an earlier payment pays the next one', async () => {
  const { client } = openShop()
  const first = await client.createPayment({ ...CARD, cc_number: card('success') })
  const second = await client.createPayment({ ...TOKEN, order_id: 'A-2', cc_token: first.cc_token ?? '' })
  expect(second).toMatchObject({ order_id: 'A-2', status: 'success', cc_mask: first.cc_mask })
})

it('void, refund and increment arrive as events', async () => {
  const { client, emulator, events } = openShop()
  await client.createPayment({ ...DIRECT_AUTH, cc_number: card('success') })
  emulator.control.incrementAuth('A-1', 10)
  emulator.control.voidPayment('A-1')
  await client.createPayment({ ...CARD, order_id: 'A-2', cc_number: card('success') })
  emulator.control.refundPayment('A-2', 20.5)
  for (const method of ['credit', 'p2p', 'lookup'] as const) {
    emulator.control.createPayment({ method, order_id: method, amount: 5, currency: 'UAH' })
  }
  await emulator.deliveries.idle()
  expect(events.map(({ method }) => method).sort()).toEqual(
    ['auth', 'auth_increment', 'void', 'purchase', 'refund', 'credit', 'p2p', 'lookup'].sort(),
  )
  const refund = events.find((event) => event.kind === 'refund')
  expect(refund).toMatchObject({ order_id: 'A-2', amount: 20.5, receipt_url: expect.stringContaining('http') })
  expect(await client.resendWebhook({ order_id: 'A-2', operation: 'refund' })).toEqual(refund)
})
