import { describe, expect, it } from 'vitest'
import { type ResendWebhookInput, resendWebhook } from '../../src/index.ts'
import { PAYMENT_RECORD } from '../support/inputs.ts'
import { CONFIG, json, rejection, wire } from '../support/mock-fetch.ts'
import { rejectedPaths } from '../support/rejected-paths.ts'

const resend = (body: unknown) =>
  resendWebhook({ ...CONFIG, fetch: wire(json(body)).fetch }, { order_id: 'A-1', operation: 'purchase' })

describe('responses', () => {
  it('the event of a webhook, with its subscription', async () => {
    const record = { ...PAYMENT_RECORD, recurring: { id: 'r-1', status: 'active' } }
    const event = await resend({ ...record, amount: '100.50' })
    expect(event).toEqual({ ...record, kind: 'purchase' })
  })

  it('an unknown method and an unexpected shape are values', async () => {
    const unknown = await resend({ method: 'loyalty', points: 5 })
    expect(unknown.kind === 'unknown' && unknown.record.points).toBe(5)
    const unexpected = await resend({ order_id: 'A-1', cc_number: '4242424242424242' })
    expect(unexpected.kind === 'unexpected' && unexpected.record).toEqual({ order_id: 'A-1' })
  })

  it.each([[[PAYMENT_RECORD]], [null], ['text'], [5]])('what is not an object is handed over: %j', async (body) => {
    // Nothing that can be charged is kept in an error.
    const kept = Array.isArray(body) ? [{ ...PAYMENT_RECORD, cc_token: '[redacted]' }] : body
    expect(await rejection(resend(body))).toMatchObject({ code: 'unexpected_response', status: 200, body: kept })
  })
})

it.each<[object, string[]]>([
  // One transaction belongs to a purchase only.
  ...['auth', 'capture', 'void', 'refund', 'Purchase'].map((operation): [object, string[]] => [
    { order_id: 'A-1', operation, transactionId: 'x' },
    ['transactionId'],
  ]),
  [{}, ['order_id', 'operation']],
  [{ order_id: 'A-1', operation: 'void', callback: true }, ['callback']],
])('rejects %j', async (input, paths) => {
  expect(await rejectedPaths((client) => client.resendWebhook(input as ResendWebhookInput))).toEqual(paths)
})
