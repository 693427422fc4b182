import { describe, expect, it } from 'vitest'
import { cancelPayment, createClient } from '../../src/index.ts'
import { PAYMENT_RECORD } from '../support/inputs.ts'
import { CONFIG, json, rejection, wire } from '../support/mock-fetch.ts'
import { AWKWARD_ORDER_IDS, PATH_CHANGING } from '../support/order-ids.ts'
import { rejectedPaths } from '../support/rejected-paths.ts'

const CANCELLED = {
  ...PAYMENT_RECORD,
  mode: 'hosted',
  status: 'failure',
  status_code: '6007',
  status_description: 'Payment has been cancelled',
  user_action_required: false,
  user_action_url: null,
  cc_mask: null,
  cc_token: null,
  customer_city: null,
}

const cancel = (record: unknown) => {
  const { fetch } = wire(json(record))
  return cancelPayment({ ...CONFIG, fetch }, { order_id: 'A-1' })
}

describe('on the wire', () => {
  it('an empty POST with plain credentials and X-API-Key as the API document spells it here', async () => {
    const { fetch, sent } = wire(json([CANCELLED]))
    await createClient({ ...CONFIG, fetch }).cancelPayment({ order_id: 'A-1' })
    expect(sent[0]).toMatchObject({
      method: 'POST',
      url: 'https://pay.example.com/api/v1/pos/3f1c2c1e-6a5c-4b8e-9d53-0a4c1c7d2b11/order/A-1/cancel',
      body: '',
    })
    expect(sent[0]?.headers).toEqual({
      Accept: 'application/json',
      'User-Agent': 'edgetill',
      'X-API-AUTH': 'SVC api-key-1:api-secret-1',
      'X-API-Key': 'endpoints-key-1',
    })
  })

  it.each(AWKWARD_ORDER_IDS)('order id %j', async (order_id, encoded) => {
    const { fetch, sent } = wire(json([{ ...CANCELLED, order_id: null }]))
    await cancelPayment({ ...CONFIG, fetch }, { order_id })
    const path = `/api/v1/pos/${CONFIG.posId}/order/${encoded}/cancel`
    expect(sent[0]?.url).toBe(CONFIG.baseUrl + path)
    expect(new URL(sent[0]?.url ?? '').pathname).toBe(path)
    expect(decodeURIComponent(encoded)).toBe(order_id)
  })

  it('another POS', async () => {
    const { fetch, sent } = wire(json([CANCELLED]))
    const pos_id = 'ffffffff-ffff-4fff-8fff-ffffffffffff'
    await cancelPayment({ ...CONFIG, fetch }, { order_id: 'A-1', pos_id })
    expect(sent[0]?.url).toContain(`/pos/${pos_id}/order/`)
  })
})

describe('responses', () => {
  it('the one record of the array, unknown values null', async () => {
    expect(await cancel([CANCELLED])).toEqual(CANCELLED)
  })

  it.each<[string, unknown, string]>([
    ['an empty array', [], 'array of 0'],
    ['two records', [CANCELLED, CANCELLED], 'array of 2'],
    ['the record itself', CANCELLED, 'object'],
    ['null', null, 'null'],
  ])('%s is handed over', async (_name, body, received) => {
    const error = await rejection(cancel(body))
    expect(error).toMatchObject({ code: 'outcome_unknown', reason: 'unreadable_response', status: 200, body })
    expect(error.issues).toMatchObject([{ path: '', message: 'must be an array of one payment record', received }])
  })

  it.each([{}, { status: null }, { status: 6007 }])(
    'a record without a status is handed over with its array: %j',
    async (one) => {
      const error = await rejection(cancel([one]))
      expect(error).toMatchObject({ code: 'outcome_unknown', reason: 'unreadable_response', body: [one] })
    },
  )

  it('a cancellation that worked is one, whatever else is null or odd in it', async () => {
    const nulls = { id: null, status: null }
    const record = {
      status: 'failure',
      status_code: '6007',
      amount: null,
      recurring: nulls,
      fee: { amount: null, currency: null },
    }
    const payment = await cancel([record])
    expect(payment).toEqual({ status: 'failure', status_code: '6007', amount: null })
    expect(payment.record).toEqual(record)
    expect(payment.issues.map(({ path }) => path)).toEqual([
      'recurring.id',
      'recurring.status',
      'fee.amount',
      'fee.currency',
    ])
  })

  it('an unknown outcome says how to find out', async () => {
    const { fetch } = wire(json({}, 500))
    const error = await rejection(cancelPayment({ ...CONFIG, fetch }, { order_id: 'A-1' }))
    expect(error).toMatchObject({ code: 'outcome_unknown', howToFindOut: expect.stringContaining('6007') })
  })
})

describe('rules', () => {
  it.each(PATH_CHANGING)('an order id that would change the path: %j', async (order_id) => {
    expect(await rejectedPaths((client) => client.cancelPayment({ order_id }))).toEqual(['order_id'])
  })

  it('256 characters are possible, one more is not', async () => {
    const { fetch } = wire(json([{ ...CANCELLED, order_id: null }]))
    await cancelPayment({ ...CONFIG, fetch }, { order_id: 'x'.repeat(256) })
    expect(await rejectedPaths((client) => client.cancelPayment({ order_id: 'x'.repeat(257) }))).toEqual(['order_id'])
  })

  it('nothing else: no body, so no passThrough either', async () => {
    expect(await rejectedPaths((client) => client.cancelPayment({ order_id: 'A', amount: 1 } as never))).toEqual([
      'amount',
    ])
    expect(
      await rejectedPaths((client) => client.cancelPayment({ order_id: 'A' }, { passThrough: {} } as never)),
    ).toEqual(['passThrough'])
    expect(await rejectedPaths((client) => client.cancelPayment(undefined as never))).toEqual([''])
  })
})
