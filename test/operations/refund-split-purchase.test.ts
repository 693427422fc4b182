import { describe, expect, it } from 'vitest'
import { createClient, type RefundSplitPurchaseInput, refundSplitPurchase, type Warning } from '../../src/index.ts'
import { REFUND_RECORD, SPLIT_REFUND, SUB_MERCHANTS } from '../support/inputs.ts'
import { CONFIG, echo, json, rejection, wire } from '../support/mock-fetch.ts'
import { rejectedPaths } from '../support/rejected-paths.ts'

const refused = (input: object) =>
  rejectedPaths((client) => client.refundSplitPurchase(input as RefundSplitPurchaseInput))

async function bodyOf(input: object, onWarning?: (warning: Warning) => void): Promise<string | undefined> {
  const { fetch, sent } = wire(echo(REFUND_RECORD))
  await refundSplitPurchase({ ...CONFIG, fetch, onWarning }, input as RefundSplitPurchaseInput)
  return sent[0]?.body
}

describe('on the wire', () => {
  it('plain credentials and the endpoints key', async () => {
    const { fetch, sent } = wire(json(REFUND_RECORD))
    await createClient({ ...CONFIG, fetch }).refundSplitPurchase(SPLIT_REFUND)
    expect(sent[0]).toMatchObject({
      method: 'POST',
      url: 'https://pay.example.com/api/v1/split/refund',
      body:
        '{"pos_id":"3f1c2c1e-6a5c-4b8e-9d53-0a4c1c7d2b11","order_id":"A-1","currency":"UAH","refund_amount":100.5,' +
        `"split":[{"amount":90.45,"sub_merchant_id":"${SUB_MERCHANTS[0]}","products":[{"name":"Cup","qty":2}]},` +
        `{"amount":10.05,"sub_merchant_id":"${SUB_MERCHANTS[1]}"}]}`,
    })
    expect(sent[0]?.headers).toEqual({
      Accept: 'application/json',
      'Content-Type': 'application/json',
      'User-Agent': 'edgetill',
      'X-API-AUTH': 'SVC api-key-1:api-secret-1',
      'X-API-KEY': 'endpoints-key-1',
    })
  })

  it('with every parameter', async () => {
    const server_url = 'https://shop.example.com/webhooks'
    const split = [{ amount: 80.25, sub_merchant_id: SUB_MERCHANTS[0] }]
    const body = await bodyOf({ ...SPLIT_REFUND, refund_amount: 80.25, split, comment: 'частково', server_url })
    expect(JSON.parse(body ?? '')).toEqual({
      pos_id: CONFIG.posId,
      order_id: 'A-1',
      currency: 'UAH',
      refund_amount: 80.25,
      split,
      comment: 'частково',
      server_url,
    })
  })
})

describe('responses', () => {
  it('the operation, and the record stays reachable', async () => {
    const { fetch } = wire(json(REFUND_RECORD))
    const done = await refundSplitPurchase({ ...CONFIG, fetch }, SPLIT_REFUND)
    expect(done).toMatchObject({ method: 'refund', amount: 100.5, currency: 'UAH', status: 'success' })
    expect(done.record).toEqual(REFUND_RECORD)
  })

  it('an unknown outcome says how to find out, and carries what finds the operation again', async () => {
    const { fetch, sent } = wire(json({}, 503))
    const split = [{ amount: 80.25, sub_merchant_id: SUB_MERCHANTS[0] }]
    const error = await rejection(
      refundSplitPurchase({ ...CONFIG, fetch }, { ...SPLIT_REFUND, refund_amount: 80.25, split }),
    )
    expect(error).toMatchObject({
      code: 'outcome_unknown',
      howToFindOut: expect.stringMatching(/no idempotency key.*resolveOutcome.*listOrderOperations/),
      operation: 'refundSplitPurchase',
      order_id: 'A-1',
      amount: 80.25,
      currency: 'UAH',
    })
    expect(sent).toHaveLength(1)
  })
})

describe('rules', () => {
  const of = (length: number) => 'ї'.repeat(length)
  const part = { amount: 100.5, sub_merchant_id: SUB_MERCHANTS[0] }
  it.each<[string, unknown[], unknown[], paths?: string[]]>([
    ['order_id', ['x', of(32), '😀'.repeat(32)], ['', of(33), '😀'.repeat(33), undefined, 5, '\udc00']],
    ['currency', ['UAH'], ['uah', '', undefined]],
    ['refund_amount', [0.01], [0, -1, 0.001, '10', null, Number.NaN, undefined]],
    ['split', [[part]], [[], {}, undefined, 'x']],
    ['comment', ['', of(2048)], [of(2049), 5]],
    ['server_url', ['https://a.example'], ['a.example']],
    ['pos_id', [undefined], ['pos']],
  ])('%s', async (name, right, wrong) => {
    for (const value of right) await bodyOf({ ...SPLIT_REFUND, [name]: value })
    for (const value of wrong) expect(await refused({ ...SPLIT_REFUND, [name]: value })).toEqual([name])
  })

  it('each part has a positive amount and a sub-merchant', async () => {
    const split = [
      { ...part, amount: 0 },
      { ...part, sub_merchant_id: 'x' },
    ]
    expect(await refused({ ...SPLIT_REFUND, split })).toEqual(['split[0].amount', 'split[1].sub_merchant_id'])
  })

  it('the currency has one name only, and no other parameter is accepted', async () => {
    expect(await refused({ ...SPLIT_REFUND, order_currency: 'UAH' })).toEqual(['order_currency'])
    expect(await refused({ ...SPLIT_REFUND, amount: 1 })).toEqual(['amount'])
  })

  it('parts that do not add up and an unusual port trigger a warning', async () => {
    const warnings: Warning[] = []
    const input = { ...SPLIT_REFUND, refund_amount: 99, server_url: 'https://a.example:9443' }
    await bodyOf(input, (warning) => warnings.push(warning))
    expect(warnings.map(({ code, operation }) => [code, operation])).toEqual([
      ['split_sum', 'refundSplitPurchase'],
      ['unusual_webhook_port', 'refundSplitPurchase'],
    ])
  })

  it('parts that add up trigger none', async () => {
    const warnings: Warning[] = []
    await bodyOf({ ...SPLIT_REFUND, refund_amount: 100.5 }, (warning) => warnings.push(warning))
    expect(warnings).toEqual([])
  })
})
