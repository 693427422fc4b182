import { describe, expect, it } from 'vitest'
import { createClient, type RefundPaymentInput, refundPayment, type Warning } from '../../src/index.ts'
import { REFUND, REFUND_RECORD } from '../support/inputs.ts'
import { CONFIG, echo, json, rejection, wire } from '../support/mock-fetch.ts'
import { rejectedPaths } from '../support/rejected-paths.ts'

const refused = (input: object) => rejectedPaths((client) => client.refundPayment(input as RefundPaymentInput))

async function bodyOf(input: object, onWarning?: (warning: Warning) => void): Promise<string | undefined> {
  const { fetch, sent } = wire(echo(REFUND_RECORD))
  await refundPayment({ ...CONFIG, fetch, onWarning }, input as RefundPaymentInput)
  return sent[0]?.body
}

describe('on the wire', () => {
  it('without an amount: plain credentials, the endpoints key, no refund_amount', async () => {
    const { fetch, sent } = wire(json(REFUND_RECORD))
    await createClient({ ...CONFIG, fetch }).refundPayment(REFUND)
    expect(sent[0]).toMatchObject({
      method: 'POST',
      url: 'https://pay.example.com/api/v1/refund',
      body: '{"pos_id":"3f1c2c1e-6a5c-4b8e-9d53-0a4c1c7d2b11","order_id":"A-1","order_currency":"UAH"}',
    })
    expect(sent[0]?.headers).toEqual({
      Accept: 'application/json',
      'Content-Type': 'application/json',
      'User-Agent': 'edgetill',
      'X-API-AUTH': 'SVC api-key-1:api-secret-1',
      'X-API-KEY': 'endpoints-key-1',
    })
  })

  it('a partial one, with every parameter', async () => {
    const server_url = 'https://shop.example.com/webhooks'
    expect(await bodyOf({ ...REFUND, refund_amount: 20.5, comment: 'повернення', server_url })).toBe(
      '{"pos_id":"3f1c2c1e-6a5c-4b8e-9d53-0a4c1c7d2b11","order_id":"A-1","order_currency":"UAH","refund_amount":20.5,' +
        '"comment":"повернення","server_url":"https://shop.example.com/webhooks"}',
    )
  })

  it('another POS, and a further field', async () => {
    const pos_id = 'ffffffff-ffff-4fff-8fff-ffffffffffff'
    expect(await bodyOf({ ...REFUND, pos_id })).toContain(`"pos_id":"${pos_id}"`)
    const { fetch, sent } = wire(json(REFUND_RECORD))
    await refundPayment({ ...CONFIG, fetch }, REFUND, { passThrough: { reason: 'damaged' } })
    expect(sent[0]?.body).toContain('"reason":"damaged"')
  })
})

describe('responses', () => {
  const refund = (record: unknown) => {
    const { fetch } = wire(json(record))
    return refundPayment({ ...CONFIG, fetch }, REFUND)
  }

  it('a refund, and the record stays reachable', async () => {
    const done = await refund(REFUND_RECORD)
    expect(done).toMatchObject({ method: 'refund', amount: 100.5, currency: 'UAH', status: 'success' })
    expect(done.receipt_url).toBe('https://pay.example.com/receipt/2')
    expect(done.record).toEqual(REFUND_RECORD)
  })

  it('a field of an odd type that does not decide is left out and named', async () => {
    const done = await refund({ ...REFUND_RECORD, status_code: 1004, fee: 'none', transaction_id: 12 })
    expect(done).toMatchObject({ status: 'success', amount: 100.5 })
    expect([done.status_code, done.fee, done.transaction_id]).toEqual([undefined, undefined, undefined])
    expect(done.issues.map(({ path }) => path).toSorted()).toEqual(['fee', 'status_code', 'transaction_id'])
    expect(done.record).toMatchObject({ status_code: 1004 })
  })

  it.each(['operation_id', 'payment_id', 'order_id', 'amount', 'currency', 'status', 'method'])(
    'without %s it is not known what happened',
    async (name) => {
      const error = await rejection(refund({ ...REFUND_RECORD, [name]: undefined }))
      expect(error).toMatchObject({
        code: 'outcome_unknown',
        reason: 'unreadable_response',
        operation: 'refundPayment',
      })
    },
  )

  it('a decline is a value', async () => {
    expect(await refund({ ...REFUND_RECORD, status: 'failure', status_code: '4150' })).toMatchObject({
      status: 'failure',
    })
  })

  it('an unknown outcome says how to find out, and carries what finds the refund again', async () => {
    const { fetch, sent } = wire(json({}, 503))
    const error = await rejection(refundPayment({ ...CONFIG, fetch }, { ...REFUND, refund_amount: 20.5 }))
    expect(error).toMatchObject({
      code: 'outcome_unknown',
      howToFindOut: expect.stringMatching(/no idempotency key.*resolveOutcome.*listOrderOperations/),
      operation: 'refundPayment',
      order_id: 'A-1',
      amount: 20.5,
      currency: 'UAH',
    })
    expect(sent).toHaveLength(1)
  })
})

describe('rules', () => {
  const of = (length: number) => 'ї'.repeat(length)
  it.each<[string, unknown[], unknown[]]>([
    ['order_id', ['x', of(32), '😀'.repeat(32)], ['', of(33), '😀'.repeat(33), undefined, 5, '\udc00']],
    ['order_currency', ['UAH'], ['uah', '', undefined]],
    ['refund_amount', [0.01], [undefined, 0, -1, 0.001, '10', null, Number.NaN]],
    ['comment', ['', of(2048)], [of(2049), 5]],
    ['server_url', ['https://a.example'], ['a.example']],
    ['pos_id', [undefined], ['pos']],
  ])('%s', async (name, right, wrong) => {
    for (const value of right) await bodyOf({ ...REFUND, [name]: value })
    for (const value of wrong) expect(await refused({ ...REFUND, [name]: value })).toEqual([name])
  })

  it('no other parameter', async () => {
    expect(await refused({ ...REFUND, amount: 1 })).toEqual(['amount'])
  })

  it('a webhook destination on an unusual port triggers a warning', async () => {
    const warnings: Warning[] = []
    await bodyOf({ ...REFUND, server_url: 'https://a.example:9443' }, (warning) => warnings.push(warning))
    expect(warnings).toMatchObject([{ code: 'unusual_webhook_port', operation: 'refundPayment', path: 'server_url' }])
  })
})
