import { describe, expect, it, vi } from 'vitest'
import { createClient, type Warning } from '../../src/index.ts'
import { rejectedPaths } from '../support/call.ts'
import * as inputs from '../support/inputs.ts'
import { CONFIG, echo, json, rejection, wire } from '../support/mock-fetch.ts'

// Capture, refund and void, of a payment and of a split purchase: one table, and what differs between them.

type Operation = 'capturePayment' | 'captureSplitPurchase' | 'refundPayment' | 'refundSplitPurchase' | 'voidPayment'
type Values = [name: string, right: unknown[], wrong: unknown[]]

interface Case {
  operation: Operation
  input: object
  record: Record<string, unknown>
  /** The method of another operation. */
  other: string
  /** The parameter of a partial amount; a void is always whole. */
  amount?: 'charge_amount' | 'refund_amount'
  currency: 'order_currency' | 'currency'
  /** Parameters that this operation alone has. */
  values?: Values[]
  /** Parameters of another operation or record. */
  unknown: string[]
}

const [SELLER] = inputs.SUB_MERCHANTS
const of = (length: number) => 'ї'.repeat(length)
const currency = 'order_currency'
const capture = { record: inputs.CAPTURE_RECORD, other: 'refund', amount: 'charge_amount', currency } as const
const refund = { record: inputs.REFUND_RECORD, other: 'capture', amount: 'refund_amount' } as const
const SPLIT_VALUES: Values = ['split', [[{ amount: 100.5, sub_merchant_id: SELLER }]], [[], {}, undefined, 'x']]

const CASES: Case[] = [
  {
    ...capture,
    operation: 'capturePayment',
    input: inputs.CAPTURE,
    values: [
      ['f_receipt_delivery', ['email', 'sms', 'viber', 'none'], ['post', '', 1]],
      ['products', [[{ name: 'Cup', taxes: [{ type: 1 }] }], [], [{}]], [{}, [1], [null], 'x']],
    ],
    unknown: ['amount'],
  },
  {
    ...capture,
    operation: 'captureSplitPurchase',
    input: inputs.SPLIT_CAPTURE,
    values: [SPLIT_VALUES],
    unknown: ['currency', 'amount'],
  },
  { ...refund, operation: 'refundPayment', input: inputs.REFUND, currency, unknown: ['amount'] },
  {
    ...refund,
    operation: 'refundSplitPurchase',
    input: inputs.SPLIT_REFUND,
    currency: 'currency',
    values: [SPLIT_VALUES],
    unknown: ['order_currency', 'amount'],
  },
  {
    operation: 'voidPayment',
    input: inputs.VOID,
    record: inputs.VOID_RECORD,
    other: 'capture',
    currency,
    unknown: ['refund_amount'],
  },
]

describe.each(CASES)('$operation', ({ operation, input, record, other, amount, currency, values = [], unknown }) => {
  const isSplit = 'split' in input
  const run = (given: object, reply: Parameters<typeof wire>[0], config: object = {}, options?: object) => {
    const { fetch, sent } = wire(reply)
    const client = createClient({ ...CONFIG, onWarning: () => {}, ...config, fetch })
    return { sent, done: client[operation](given as never, options) }
  }
  const received = (change: object) => run(input, json({ ...record, ...change })).done
  const bodyOf = async (given: object, options?: object) => {
    const { sent, done } = run(given, echo(record), {}, options)
    await done
    return JSON.parse(sent[0]?.body ?? '') as Record<string, unknown>
  }
  const warned = async (given: object, reply = echo(record)) => {
    const warnings: Warning[] = []
    await run(given, reply, { onWarning: (warning: Warning) => warnings.push(warning) }).done
    expect(warnings.every((warning) => warning.operation === operation)).toBe(true)
    return warnings.map(({ code, path }) => [code, path])
  }
  const refused = (given: object) => rejectedPaths((client) => client[operation](given as never))
  const partial: Record<string, unknown> = { ...input, ...(amount && { [amount]: 80.25 }) }
  if (isSplit) Object.assign(partial, { split: [{ amount: 80.25, sub_merchant_id: SELLER }] })

  it('sends every parameter, and what is passed through', async () => {
    const whole = {
      ...Object.fromEntries(values.map(([name, [value]]) => [name, value])),
      ...partial,
      pos_id: 'ffffffff-ffff-4fff-8fff-ffffffffffff',
      comment: 'відправлено',
      server_url: 'https://shop.example.com/webhooks',
    }
    expect(await bodyOf(whole, { passThrough: { reason: 'damaged' } })).toEqual({ ...whole, reason: 'damaged' })
  })

  it.each<Values>([
    ['order_id', ['x', of(32), '😀'.repeat(32)], ['', of(33), '😀'.repeat(33), undefined, 5, '\udc00']],
    [currency, ['UAH'], ['uah', '', undefined]],
    ['comment', ['', of(2048)], [of(2049), 5]],
    ['server_url', ['https://a.example'], ['a.example']],
    ['pos_id', [undefined], ['pos']],
    // Beyond the authorization too: the limit is the service's.
    ...(amount ? [[amount, [0.01, 999_999.99], [undefined, 0, -1, 0.001, '10', null, Number.NaN]] as Values] : []),
    ...values,
  ])('%s', async (name, right, wrong) => {
    for (const value of right) {
      expect((await bodyOf({ ...input, [name]: value }))[name]).toEqual(value ?? CONFIG.posId)
    }
    for (const value of wrong) expect(await refused({ ...input, [name]: value })).toEqual([name])
  })

  it.each(unknown)('rejects %s, which is a parameter of another', async (name) => {
    expect(await refused({ ...input, [name]: 1 })).toEqual([name])
  })

  it('returns the operation, a declined one too, and keeps what came', async () => {
    for (const change of [{}, { record: 'a field of the service' }, { status: 'failure', status_code: '4010' }]) {
      const done = await received(change)
      const { method, amount, status } = { ...record, ...change } as typeof record
      expect(done).toMatchObject({ method, amount, currency: 'UAH', status })
      expect(done.record).toEqual({ ...record, ...change })
      expect(Object.keys(done)).not.toContain('record')
    }
  })

  it('finds the currency under either name', async () => {
    const { order_currency: _, currency: __, ...rest } = record
    for (const name of ['currency', 'order_currency']) {
      const { done } = run(input, json({ ...rest, [name]: 'UAH', fee: { amount: '1.5', currency: 'UAH' } }))
      expect(await done).toEqual({ ...rest, [name]: 'UAH', currency: 'UAH', fee: { amount: 1.5, currency: 'UAH' } })
      expect((await done).record).toMatchObject({ fee: { amount: '1.5' } })
    }
  })

  it.each<[string, object]>([
    ['operation_id', { operation_id: undefined }],
    ['payment_id', { payment_id: undefined }],
    ['order_id', { order_id: undefined }],
    ['status', { status: undefined }],
    ['method', { method: undefined }],
    ['amount', { amount: {} }],
    ['currency', { order_currency: undefined, currency: undefined }],
    ['currency', { order_currency: null, currency: null }],
    ['order_id', { order_id: 'OTHER' }],
    ['method', { method: other }],
  ])('without its %s it is not known what happened: %j', async (path, change) => {
    const error = await rejection(received(change))
    expect(error).toMatchObject({ code: 'outcome_unknown', reason: 'unreadable_response', operation, order_id: 'A-1' })
    expect(error.issues).toMatchObject([{ path }])
    expect(error.body).toEqual(JSON.parse(JSON.stringify({ ...record, ...change })))
    expect(error.message).not.toContain('OTHER')
  })

  it('with an unknown outcome says how to find out, and carries what finds it again, also as JSON', async () => {
    const sent_at = '2026-03-01T10:00:00.000Z'
    const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.parse(sent_at))
    const reply = () => {
      clock.mockReturnValue(Date.parse(sent_at) + 20_000)
      return json({}, 503)
    }
    const { done, sent } = run(partial, reply)
    const error = await rejection(done).finally(() => clock.mockRestore())
    const call = { operation, order_id: 'A-1', currency: 'UAH', sent_at, ...(amount && { amount: 80.25 }) }
    expect(JSON.parse(JSON.stringify(error))).toMatchObject({ code: 'outcome_unknown', ...call })
    expect('amount' in error && error.amount !== undefined).toBe(amount !== undefined)
    expect(error.howToFindOut).toMatch(/no idempotency key.*resolveOutcome.*listOrderOperations/)
    expect(sent).toHaveLength(1)
  })

  it('warns of an unusual port, and of another amount or currency in the response', async () => {
    expect(await warned(partial)).toEqual([])
    const server_url = 'https://a.example:9443'
    expect(await warned({ ...partial, server_url })).toEqual([['unusual_webhook_port', 'server_url']])
    const reply = (change: object) => () => json({ ...record, amount: 80.25, ...change })
    const usd = { currency: 'USD', order_currency: 'USD' }
    expect(await warned(partial, reply(usd))).toEqual([['other_amount', 'amount']])
    expect(await warned(partial, reply({ amount: 77 }))).toEqual(amount ? [['other_amount', 'amount']] : [])
  })

  it.each(isSplit ? [amount as string] : [])('looks at each part, and at their sum, which is %s', async (total) => {
    const part = { amount: 0, sub_merchant_id: SELLER }
    const split = [part, { amount: 100.5, sub_merchant_id: 'x' }]
    expect(await refused({ ...input, split })).toEqual(['split[0].amount', 'split[1].sub_merchant_id'])
    for (const sum of [99, 101, 100.5]) {
      const warnings = sum === 100.5 ? [] : [['split_sum', 'split']]
      expect(await warned({ ...input, [total]: sum })).toEqual(warnings)
    }
  })
})
