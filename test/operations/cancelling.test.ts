import { expect, it } from 'vitest'
import { createClient } from '../../src/index.ts'
import { rejectedPaths } from '../support/call.ts'
import { PAYMENT_RECORD } from '../support/inputs.ts'
import { CONFIG, json, rejection, wire } from '../support/mock-fetch.ts'

// cancelPayment and cancelRecurring.

const CANCELLED = {
  ...PAYMENT_RECORD,
  ...{ mode: 'hosted', status: 'failure', status_code: '6007', status_description: 'Payment has been cancelled' },
  ...{ user_action_required: false, user_action_url: null, cc_mask: null, cc_token: null, customer_city: null },
}

const clientOf = (body: unknown, status = 200) => createClient({ ...CONFIG, fetch: wire(json(body, status)).fetch })
const cancel = (body: unknown) => clientOf(body).cancelPayment({ order_id: 'A-1' })
const unsubscribe = (body: unknown, status = 200) => clientOf(body, status).cancelRecurring({ recurring_id: 'r-1' })

it('returns the one record of the array, unknown values null', async () => {
  expect(await cancel([CANCELLED])).toEqual(CANCELLED)
})

it('hands over what is not an array of one record', async () => {
  for (const [body, received] of [
    [[], 'array of 0'],
    [[CANCELLED, CANCELLED], 'array of 2'],
    [CANCELLED, 'object'],
    [null, 'null'],
  ]) {
    const error = await rejection(cancel(body))
    expect(error).toMatchObject({ code: 'outcome_unknown', reason: 'unreadable_response', status: 200, body })
    expect(error.issues).toMatchObject([{ path: '', message: 'must be an array of one payment record', received }])
    expect(error.howToFindOut).toContain('6007')
  }
  for (const one of [{}, { status: null }, { status: 6007 }, { ...CANCELLED, method: 'refund' }]) {
    const error = await rejection(cancel([one]))
    expect(error).toMatchObject({ code: 'outcome_unknown', reason: 'unreadable_response', body: [one] })
  }
})

it('a cancellation that worked is one, whatever else is null or odd in it', async () => {
  const nulls = { recurring: { id: null, status: null }, fee: { amount: null, currency: null } }
  const record = { status: 'failure', status_code: '6007', amount: null, ...nulls }
  const payment = await cancel([record])
  expect(payment).toEqual({ status: 'failure', status_code: '6007', amount: null })
  expect(payment.record).toEqual(record)
  // Null is not another.
  const other = { ...CANCELLED, order_id: null, method: null, amount: null }
  expect(await cancel([other])).toMatchObject({ status_code: '6007' })
  expect(await rejection(cancel([{ ...other, order_id: 'B' }]))).toMatchObject({ code: 'outcome_unknown' })
  const paths = payment.issues.map(({ path }) => path)
  expect(paths).toEqual(['recurring.id', 'recurring.status', 'fee.amount', 'fee.currency'])
})

it('a subscription returns its status and whatever else there is, or how to find it out', async () => {
  const canceled = { recurring_id: 5, recurring_status: 'canceled', canceled_at: 1 }
  expect(await unsubscribe({ ...canceled, recurring_id: 'r-1' })).toEqual({ ...canceled, recurring_id: 'r-1' })
  expect(await unsubscribe(canceled)).toMatchObject({ recurring_status: 'canceled' })
  expect(await rejection(unsubscribe({}, 503))).toMatchObject({
    code: 'outcome_unknown',
    operation: 'cancelRecurring',
    howToFindOut: expect.stringMatching(/resendWebhook.*recurring\.status.*moves no money/),
  })
})

it('take no other parameter, and have no body to pass anything through', async () => {
  const of = (input: unknown, options = {}) =>
    rejectedPaths((client) => client.cancelPayment(input as never, options as never))
  expect(await of({ order_id: 'A', amount: 1 })).toEqual(['amount'])
  expect(await of({ order_id: 'A' }, { passThrough: {} })).toEqual(['passThrough'])
  expect(await of(undefined)).toEqual([''])
  const input = { recurring_id: 'r-1', order_id: 'A-1' }
  expect(await rejectedPaths((client) => client.cancelRecurring(input as never))).toEqual(['order_id'])
})
