import { expect, it } from 'vitest'
import { createClient } from '../../src/index.ts'
import { CAPTURE_RECORD, CARD, PAYMENT_RECORD } from '../support/inputs.ts'
import { CONFIG, json, rejection, wire } from '../support/mock-fetch.ts'

// A response is compared with its request; of captures, refunds and voids in secondary-operations.test.ts.

const clientOf = (body: unknown) => createClient({ ...CONFIG, fetch: wire(json(body)).fetch })
const resend = (body: unknown, operation = 'purchase') => clientOf(body).resendWebhook({ order_id: 'A-1', operation })

it('a payment of another order, or by another method, leaves the outcome unknown', async () => {
  for (const change of [{ order_id: 'OTHER' }, { method: 'auth' }, { method: 'loyalty' }]) {
    const error = await rejection(clientOf({ ...PAYMENT_RECORD, ...change }).createPayment(CARD))
    expect(error).toMatchObject({ code: 'outcome_unknown', reason: 'unreadable_response', order_id: 'A-1' })
    expect(error.issues).toMatchObject([{ path: Object.keys(change)[0] }])
    expect(error.message).not.toContain('OTHER')
  }
})

it('null is not another', async () => {
  const failed = { ...PAYMENT_RECORD, status: 'failure', status_code: '6007' }
  const cancelled = { ...failed, order_id: null, method: null, amount: null }
  const cancel = (record: object) => clientOf([record]).cancelPayment({ order_id: 'A-1' })
  expect(await cancel(cancelled)).toMatchObject({ status_code: '6007' })
  expect(await rejection(cancel({ ...cancelled, order_id: 'B' }))).toMatchObject({ code: 'outcome_unknown' })
})

it('a GET changes nothing: another record is an unexpected response, and an unknown method is a value', async () => {
  const foreign = { ...PAYMENT_RECORD, order_id: 'OTHER' }
  const methods = ['auth', 'credit', 'p2p', 'lookup', 'capture', 'void', 'auth_increment', 'refund']
  for (const call of [
    ...methods.map((method) => () => resend({ ...CAPTURE_RECORD, currency: 'UAH', method })),
    () => resend(foreign),
    () => resend(PAYMENT_RECORD, 'refund'),
    () => clientOf([PAYMENT_RECORD, foreign]).listOrderOperations({ order_id: 'A-1' }),
  ]) {
    expect(await rejection(call())).toMatchObject({ code: 'unexpected_response' })
  }
  expect((await resend({ ...PAYMENT_RECORD, method: 'loyalty' })).kind).toBe('unknown')
})
