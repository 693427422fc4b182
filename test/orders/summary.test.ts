import { expect, it } from 'vitest'
import { foldSummaries } from '../../src/orders/fold.ts'
import { foldOrder, type Order, summarizeEvent } from '../../src/orders/index.ts'
import { readSummary } from '../../src/orders/summary.ts'
import { readEvent, type WebhookEvent } from '../../src/webhooks/index.ts'
import { payment, secondary } from '../worker/support/events.ts'

const eventsOf = (...payloads: object[]): WebhookEvent[] =>
  payloads.map((payload) => readEvent(payload as Record<string, unknown>))

/** The order of a store that keeps a summary of each event as JSON, beside its key. */
function orderKept(...payloads: object[]): Order {
  const summaries = eventsOf(...payloads).map((event) => {
    const { id, ...fields } = summarizeEvent(event)
    return readSummary(id, JSON.parse(JSON.stringify(fields)))
  })
  return foldSummaries('A-1', summaries)
}

const purchase = payment('A-1')

it.each<[string, object]>([
  ['a refund', secondary('A-1', 'refund', { amount: 10, fee: { amount: 1.2, currency: 'UAH' } })],
  ['amounts that came as text', secondary('A-1', 'capture', { amount: '10.50', processed_amount: '10.25' })],
  ['a method that is not documented', { ...purchase, method: 'loyalty' }],
  ['a shape that is not documented', { ...purchase, currency: null }],
  ['a processed amount that cannot be read', secondary('A-1', 'refund', { processed_amount: '?' })],
  ['no method', { order_id: 'A-1' }],
])('a store of summaries and one of whole events have the same order: %s', (_name, payload) => {
  expect(orderKept(purchase, payload)).toEqual(foldOrder(eventsOf(purchase, payload)))
})

it('an amount beyond every number is not shown as one', () => {
  const rest = JSON.stringify(payment('A-1', { method: 'loyalty', amount: undefined }))
  const { operations, events } = foldOrder(eventsOf(JSON.parse(`{"amount":1e999,${rest.slice(1)}`)))
  expect([operations[0]?.amount, events[0]?.amount]).toEqual([null, null])
})
