// The same tasks with paddle, as far as it supports them.

import { EventName, Paddle } from '@paddle/paddle-node-sdk'

const paddle = new Paddle('key')

export async function everyOperation(): Promise<string[]> {
  const checkout = await paddle.transactions.create({ items: [{ priceId: 'pri_1', quantity: 2 }] })
  const payment = await paddle.transactions.update('txn_1', { status: 'canceled' })
  const refund = await paddle.adjustments.create({
    action: 'refund',
    type: 'full',
    transactionId: 'txn_1',
    reason: 'broken',
  })
  const event = await paddle.webhooks.unmarshal('{}', 'secret', 'signature')
  const results = [checkout.checkout?.url ?? '', payment.status, refund.status]
  switch (event.eventType) {
    case EventName.TransactionCompleted:
      return [...results, event.data.id]
    default:
      return results
  }
}
