import { expect, it } from 'vitest'
import { cancelPayment } from '../../src/index.ts'
import { PAYMENT_RECORD } from '../support/inputs.ts'
import { CONFIG, json, rejection, wire } from '../support/mock-fetch.ts'
import { rejectedPaths } from '../support/rejected-paths.ts'

const CANCELLED = {
  ...PAYMENT_RECORD,
  ...{ mode: 'hosted', status: 'failure', status_code: '6007', status_description: 'Payment has been cancelled' },
  ...{ user_action_required: false, user_action_url: null, cc_mask: null, cc_token: null, customer_city: null },
}

const cancel = (record: unknown) => cancelPayment({ ...CONFIG, fetch: wire(json(record)).fetch }, { order_id: 'A-1' })

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
  const paths = payment.issues.map(({ path }) => path)
  expect(paths).toEqual(['recurring.id', 'recurring.status', 'fee.amount', 'fee.currency'])
})

it('takes nothing but an order: no body, so no passThrough either', async () => {
  const of = (input: unknown, options = {}) =>
    rejectedPaths((client) => client.cancelPayment(input as never, options as never))
  expect(await of({ order_id: 'A', amount: 1 })).toEqual(['amount'])
  expect(await of({ order_id: 'A' }, { passThrough: {} })).toEqual(['passThrough'])
  expect(await of(undefined)).toEqual([''])
})
