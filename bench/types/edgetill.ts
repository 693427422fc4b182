// Uses every operation and every kind of event, to measure the work of a compiler.

import { createClient } from '../../src/index.ts'
import { verifyWebhook } from '../../src/webhooks/index.ts'

const client = createClient({
  baseUrl: 'https://pay.example.com',
  apiUrl: 'https://api.example.com',
  posId: '3f1c2c1e-6a5c-4b8e-9d53-0a4c1c7d2b11',
  apiKey: 'key',
  apiSecret: 'secret',
  endpointsKey: 'endpoints-key',
  scheme: 'SVC',
})

const fields = {
  mode: 'hosted',
  amount: 100.5,
  currency: 'UAH',
  description: 'Two mugs',
  order_id: 'A-1',
  order_3ds_bypass: 'supported',
  customer_patronym: 'Ivanivna',
  customer_email: 'olena@example.com',
  customer_phone: '+380441234567',
} as const

export async function everyOperation(): Promise<string[]> {
  const checkout = await client.createPayment({ ...fields, method: 'purchase' })
  const split = await client.createSplitPurchase({
    ...fields,
    method: 'purchase',
    merchant_mcc: '5411',
    split: [{ amount: 100.5, sub_merchant_id: 'one' }],
  })
  const capture = await client.capturePayment({ order_id: 'A-1', order_currency: 'UAH', charge_amount: 60 })
  const payment = await client.cancelPayment({ order_id: 'A-1' })
  const accounts = await client.listAccounts()
  const account = await client.getAccount({ account_id: accounts[0]?.id ?? '' })
  const again = await client.resendWebhook({ order_id: 'A-1', operation: 'purchase' })
  const refund = await client.refundPayment({ order_id: 'A-1', order_currency: 'UAH', refund_amount: 20 })
  const voided = await client.voidPayment({ order_id: 'A-2', order_currency: 'UAH' })
  const parts = [{ amount: 60, sub_merchant_id: 'one' }]
  const splitCapture = await client.captureSplitPurchase({ order_id: 'A-3', order_currency: 'UAH', split: parts })
  const splitRefund = await client.refundSplitPurchase({
    order_id: 'A-3',
    currency: 'UAH',
    refund_amount: 60,
    split: parts,
  })
  const operations = await client.listOrderOperations({ order_id: 'A-1' })
  const cancelled = await client.cancelRecurring({ recurring_id: '9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d' })
  const other = await client.rawRequest({ method: 'GET', path: '/api/v1/other', authentication: 'plain' })
  const event = verifyWebhook({ data: 'e30', signature: '' }, 'secret')
  const results = [checkout.url, split.url, capture.status, payment.status, account.currency, String(again.method)]
  results.push(refund.status, voided.status, splitCapture.status, splitRefund.status, String(operations.length))
  results.push(String(cancelled.recurring_status))
  switch (event.kind) {
    case 'unexpected':
      return [...results, ...event.issues.map(({ path }) => path)]
    case 'unknown':
      return [...results, event.method, String(other.status)]
    case 'refund':
      return [...results, event.operation_id, event.receipt_url ?? '']
    case 'capture':
    case 'void':
    case 'auth_increment':
      return [...results, event.operation_id]
    case 'purchase':
    case 'auth':
      return [...results, event.order_id, event.cc_mask ?? '']
    default:
      return results
  }
}
