import { describe, expect, it } from 'vitest'
import { type CaptureSplitPurchaseInput, captureSplitPurchase, createClient, type Warning } from '../../src/index.ts'
import { CAPTURE_RECORD, SPLIT_CAPTURE, SUB_MERCHANTS } from '../support/inputs.ts'
import { CONFIG, echo, json, rejection, wire } from '../support/mock-fetch.ts'
import { rejectedPaths } from '../support/rejected-paths.ts'

const refused = (input: object) =>
  rejectedPaths((client) => client.captureSplitPurchase(input as CaptureSplitPurchaseInput))

async function bodyOf(input: object, onWarning?: (warning: Warning) => void): Promise<string | undefined> {
  const { fetch, sent } = wire(echo(CAPTURE_RECORD))
  await captureSplitPurchase({ ...CONFIG, fetch, onWarning }, input as CaptureSplitPurchaseInput)
  return sent[0]?.body
}

describe('on the wire', () => {
  it('plain credentials and the endpoints key', async () => {
    const { fetch, sent } = wire(json(CAPTURE_RECORD))
    await createClient({ ...CONFIG, fetch }).captureSplitPurchase(SPLIT_CAPTURE)
    expect(sent[0]).toMatchObject({
      method: 'POST',
      url: 'https://pay.example.com/api/v1/split/capture',
      body:
        '{"pos_id":"3f1c2c1e-6a5c-4b8e-9d53-0a4c1c7d2b11","order_id":"A-1","order_currency":"UAH",' +
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
    const body = await bodyOf({ ...SPLIT_CAPTURE, charge_amount: 80.25, split, comment: 'частково', server_url })
    expect(JSON.parse(body ?? '')).toEqual({
      pos_id: CONFIG.posId,
      order_id: 'A-1',
      order_currency: 'UAH',
      charge_amount: 80.25,
      split,
      comment: 'частково',
      server_url,
    })
  })
})

describe('responses', () => {
  it('the operation, and the record stays reachable', async () => {
    const { fetch } = wire(json(CAPTURE_RECORD))
    const done = await captureSplitPurchase({ ...CONFIG, fetch }, SPLIT_CAPTURE)
    expect(done).toMatchObject({ method: 'capture', amount: 100.5, currency: 'UAH', status: 'success' })
    expect(done.record).toEqual(CAPTURE_RECORD)
  })

  it('an unknown outcome says how to find out, and carries what finds the operation again', async () => {
    const { fetch, sent } = wire(json({}, 503))
    const split = [{ amount: 80.25, sub_merchant_id: SUB_MERCHANTS[0] }]
    const error = await rejection(
      captureSplitPurchase({ ...CONFIG, fetch }, { ...SPLIT_CAPTURE, charge_amount: 80.25, split }),
    )
    expect(error).toMatchObject({
      code: 'outcome_unknown',
      howToFindOut: expect.stringMatching(/no idempotency key.*resolveOutcome.*listOrderOperations/),
      operation: 'captureSplitPurchase',
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
    ['order_currency', ['UAH'], ['uah', '', undefined]],
    ['charge_amount', [0.01], [undefined, 0, -1, 0.001, '10', null, Number.NaN]],
    ['split', [[part]], [[], {}, undefined, 'x']],
    ['comment', ['', of(2048)], [of(2049), 5]],
    ['server_url', ['https://a.example'], ['a.example']],
    ['pos_id', [undefined], ['pos']],
  ])('%s', async (name, right, wrong) => {
    for (const value of right) await bodyOf({ ...SPLIT_CAPTURE, [name]: value })
    for (const value of wrong) expect(await refused({ ...SPLIT_CAPTURE, [name]: value })).toEqual([name])
  })

  it('each part has a positive amount and a sub-merchant', async () => {
    const split = [
      { ...part, amount: 0 },
      { ...part, sub_merchant_id: 'x' },
    ]
    expect(await refused({ ...SPLIT_CAPTURE, split })).toEqual(['split[0].amount', 'split[1].sub_merchant_id'])
  })

  it('the currency has one name only, and no other parameter is accepted', async () => {
    expect(await refused({ ...SPLIT_CAPTURE, currency: 'UAH' })).toEqual(['currency'])
    expect(await refused({ ...SPLIT_CAPTURE, amount: 1 })).toEqual(['amount'])
  })

  it('parts that do not add up and an unusual port trigger a warning', async () => {
    const warnings: Warning[] = []
    const input = { ...SPLIT_CAPTURE, charge_amount: 99, server_url: 'https://a.example:9443' }
    await bodyOf(input, (warning) => warnings.push(warning))
    expect(warnings.map(({ code, operation }) => [code, operation])).toEqual([
      ['split_sum', 'captureSplitPurchase'],
      ['unusual_webhook_port', 'captureSplitPurchase'],
    ])
  })

  it('parts that add up trigger none', async () => {
    const warnings: Warning[] = []
    await bodyOf({ ...SPLIT_CAPTURE, charge_amount: 100.5 }, (warning) => warnings.push(warning))
    expect(warnings).toEqual([])
  })
})
