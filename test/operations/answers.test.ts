import { describe, expect, it } from 'vitest'
import { type Client, createClient, type Warning } from '../../src/index.ts'
import {
  CAPTURE,
  CAPTURE_RECORD,
  CARD,
  HOSTED,
  PAYMENT_RECORD,
  REFUND,
  REFUND_RECORD,
  VOID,
  VOID_RECORD,
} from '../support/inputs.ts'
import { CONFIG, json, rejection, wire } from '../support/mock-fetch.ts'
import { listed, PURCHASE_FORMS } from '../support/purchase-forms.ts'

const clientOf = (body: unknown, warnings: Warning[] = []): Client =>
  createClient({ ...CONFIG, fetch: wire(json(body)).fetch, onWarning: (warning) => warnings.push(warning) })

type Row = [name: string, call: (client: Client) => Promise<unknown>, record: Record<string, unknown>, wrong: string]
const ROWS: Row[] = [
  [
    'capturePayment',
    (client) => client.capturePayment({ ...CAPTURE, charge_amount: 80.25 }),
    { ...CAPTURE_RECORD, amount: 80.25 },
    'refund',
  ],
  [
    'refundPayment',
    (client) => client.refundPayment({ ...REFUND, refund_amount: 20.5 }),
    { ...REFUND_RECORD, amount: 20.5 },
    'capture',
  ],
  ['voidPayment', (client) => client.voidPayment(VOID), VOID_RECORD, 'capture'],
  ['createPayment', (client) => client.createPayment(CARD), PAYMENT_RECORD, 'auth'],
]

describe('a response is compared with its request', () => {
  it.each(ROWS)(
    '%s: of another order, or another method, its outcome is unknown',
    async (_name, call, record, method) => {
      for (const change of [{ order_id: 'OTHER' }, { method }]) {
        const error = await rejection(call(clientOf({ ...record, ...change })))
        expect(error).toMatchObject({ code: 'outcome_unknown', reason: 'unreadable_response', order_id: 'A-1' })
        expect(error.issues).toMatchObject([{ path: Object.keys(change)[0] }])
        expect(error.message).not.toContain('OTHER')
      }
    },
  )

  it.each(ROWS.slice(0, 2))('%s: another amount or currency triggers a warning', async (_name, call, record) => {
    for (const change of [{ amount: 77 }, { currency: 'USD' }, {}]) {
      const warnings: Warning[] = []
      await call(clientOf({ ...record, ...change }, warnings))
      expect(warnings.map(({ code }) => code)).toEqual(Object.keys(change).map(() => 'other_amount'))
    }
  })

  it('null is not another; a GET changes nothing', async () => {
    const cancelled = {
      ...PAYMENT_RECORD,
      status: 'failure',
      status_code: '6007',
      order_id: null,
      method: null,
      amount: null,
    }
    expect(await clientOf([cancelled]).cancelPayment({ order_id: 'A-1' })).toMatchObject({ status_code: '6007' })
    expect(
      await rejection(clientOf([{ ...cancelled, order_id: 'B' }]).cancelPayment({ order_id: 'A-1' })),
    ).toMatchObject({ code: 'outcome_unknown' })
    for (const method of ['auth', 'credit', 'p2p', 'lookup', 'capture', 'void', 'auth_increment', 'refund']) {
      const asked = clientOf({ ...CAPTURE_RECORD, currency: 'UAH', method })
      expect(await rejection(asked.resendWebhook({ order_id: 'A-1', operation: 'purchase' }))).toMatchObject({
        code: 'unexpected_response',
      })
    }
    // Nobody knows it: a value where nothing was changed.
    const unheard = { ...PAYMENT_RECORD, method: 'loyalty' }
    const event = await clientOf(unheard).resendWebhook({ order_id: 'A-1', operation: 'purchase' })
    expect(event.kind).toBe('unknown')
    expect(await rejection(clientOf(unheard).createPayment(CARD))).toMatchObject({ code: 'outcome_unknown' })
    const foreign = { ...PAYMENT_RECORD, order_id: 'OTHER' }
    for (const call of [
      () => clientOf(foreign).resendWebhook({ order_id: 'A-1', operation: 'purchase' }),
      () => clientOf(PAYMENT_RECORD).resendWebhook({ order_id: 'A-1', operation: 'refund' }),
      () => clientOf([PAYMENT_RECORD, foreign]).listOrderOperations({ order_id: 'A-1' }),
    ]) {
      expect(await rejection(call())).toMatchObject({ code: 'unexpected_response' })
    }
  })
})

describe('a parameter that a call does not have', () => {
  const message = async (input: object, operation: 'refundPayment' | 'capturePayment' = 'refundPayment') =>
    (await rejection(clientOf(REFUND_RECORD)[operation](input as never))).message

  it.each([
    ['amount', 'refund_amount'],
    ['refundAmount', 'refund_amount'],
    ['currency', 'order_currency'],
    ['orderId', 'order_id'],
    ['refund_amout', 'refund_amount'],
  ])('%s: did you mean %s?', async (name, meant) => {
    expect(await message({ ...REFUND, [name]: 5 })).toContain(
      `${name} is not a parameter of refundPayment; did you mean ${meant}?`,
    )
  })

  it('of another call or mode cannot be passed through', async () => {
    expect(await message({ ...REFUND, split: [] })).toMatch(/split is not a parameter of refundPayment: split belongs/)
    const { message: hosted } = await rejection(clientOf({}).createPayment({ ...HOSTED, cc_number: '4' } as never))
    expect(hosted).toMatch(/cc_number is not a parameter of createPayment: /)
    expect(hosted).not.toContain('passThrough')
    expect(await message({ ...REFUND, wholly_new_thing: 1 })).toContain('passThrough')
  })

  it('a parameter of any table cannot be passed through', async () => {
    for (const name of new Set(PURCHASE_FORMS.flatMap(listed)))
      expect(await message({ ...REFUND, [name]: {} })).not.toContain('passThrough')
  })

  it('an amount that is undefined does not move everything', async () => {
    expect(await message({ ...REFUND, refund_amount: undefined })).toMatch(/leave it out to refund everything/)
    expect(await message({ ...CAPTURE, charge_amount: undefined }, 'capturePayment')).toMatch(/leave it out to capture/)
    // @ts-expect-error undefined is not an amount
    const input: Parameters<Client['refundPayment']>[0] = { ...REFUND, refund_amount: undefined }
    expect(input).toBeDefined()
  })
})
