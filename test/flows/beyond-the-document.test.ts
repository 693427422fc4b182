import { expect, it } from 'vitest'
import { testCard } from '../../src/emulator/index.ts'
import { CARD, DIRECT_AUTH, DIRECT_SPLIT, SUB_MERCHANTS } from '../support/inputs.ts'
import { rejection } from '../support/mock-fetch.ts'
import { openShop } from '../support/shop.ts'

// The six operations that the API document does not show, SDK against emulator.

const ORDER = { order_id: 'A-1', order_currency: 'UAH' }
const card = { cc_number: testCard('success') }

it('partial refunds up to what was paid, and the rest without an amount', async () => {
  const { client, emulator, events } = openShop()
  await client.createPayment({ ...CARD, ...card })
  const part = { method: 'refund', status: 'success', status_code: '1004', amount: 20.25, currency: 'UAH' }
  expect(await client.refundPayment({ ...ORDER, refund_amount: 20.25 })).toMatchObject(part)
  expect(await client.refundPayment(ORDER)).toMatchObject({ amount: 80.25 })
  expect(await rejection(client.refundPayment(ORDER))).toMatchObject({ code: 'api', status: 400 })
  await emulator.deliveries.idle()
  expect(events.filter(({ method }) => method === 'refund')).toHaveLength(2)
})

it('a void of a whole hold, once', async () => {
  const { client } = openShop()
  await client.createPayment({ ...DIRECT_AUTH, ...card })
  expect(await client.voidPayment(ORDER)).toMatchObject({ method: 'void', status_code: '1009', amount: 100.5 })
  expect(await rejection(client.voidPayment(ORDER))).toMatchObject({ code: 'api', status: 400 })
})

it('the list shows every operation of an order', async () => {
  const { client, emulator } = openShop()
  await client.createPayment({ ...DIRECT_AUTH, ...card })
  emulator.control.incrementAuth('A-1', 10)
  const { operation_id } = await client.capturePayment({ ...ORDER, charge_amount: 80.25 })
  const operations = await client.listOrderOperations({ order_id: 'A-1' })
  expect(operations.map(({ method }) => method)).toEqual(['auth', 'auth_increment', 'capture'])
  expect(operations[2]).toMatchObject({ operation_id, amount: 80.25 })
  expect(await rejection(client.listOrderOperations({ order_id: 'A-2' }))).toMatchObject({ code: 'api', status: 404 })
})

it('a split purchase is refunded by sub-merchant', async () => {
  const { client } = openShop()
  await client.createSplitPurchase({ ...DIRECT_SPLIT, ...card })
  const split = [{ amount: 10.05, sub_merchant_id: SUB_MERCHANTS[1] }]
  const part = { order_id: 'A-1', currency: 'UAH', refund_amount: 10.05, split }
  expect(await client.refundSplitPurchase(part)).toMatchObject({ method: 'refund', amount: 10.05 })
  expect(await rejection(client.refundSplitPurchase(part))).toMatchObject({ code: 'api', status: 400 })
})

it('a cancelled subscription makes no further charge', async () => {
  const { client, emulator } = openShop()
  const init_recurring = { interval_unit: 'day', interval_count: 1 } as const
  const { recurring } = await client.createPayment({ ...CARD, ...card, init_recurring })
  const recurring_id = recurring?.id ?? ''
  expect(await client.cancelRecurring({ recurring_id })).toMatchObject({ recurring_status: 'canceled' })
  await emulator.clock.advance({ days: 3 })
  expect(emulator.orders.get('A-1')?.payments).toHaveLength(1)
  expect(await rejection(client.cancelRecurring({ recurring_id: 'none' }))).toMatchObject({ code: 'api', status: 404 })
})
