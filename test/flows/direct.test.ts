import { expect, it } from 'vitest'
import { testCard } from '../../src/emulator/index.ts'
import { customerActionUrl } from '../../src/index.ts'
import { CAPTURE, CARD, DIRECT_AUTH, DIRECT_OPTIONAL, TOKEN } from '../support/inputs.ts'
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
