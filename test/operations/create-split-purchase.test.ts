import { describe, expect, it } from 'vitest'
import { type ClientConfig, createClient, createSplitPurchase, type Warning } from '../../src/index.ts'
import { REQUESTS } from '../spec/vectors/request-bodies.ts'
import { DIRECT_OPTIONAL, DIRECT_SPLIT, HOSTED_SPLIT, PAYMENT_RECORD, SUB_MERCHANTS, TOKEN } from '../support/inputs.ts'
import { CHECKOUT_URL, CONFIG, json, redirect, rejection, wire } from '../support/mock-fetch.ts'
import { accepted, HOSTED_SPLIT_PURCHASE, refused } from '../support/purchase-forms.ts'

// The rules that it shares with createPayment are in purchase-parameters, purchase-rules and purchase-card-rules.test.ts.
const send = (input: object, config?: Partial<ClientConfig>) => accepted(HOSTED_SPLIT_PURCHASE, input, config)
const rejectedPaths = (input: object) => refused(HOSTED_SPLIT_PURCHASE, input)

describe('on the wire', () => {
  const HEADERS = {
    Accept: 'application/json',
    'Content-Type': 'application/json',
    'User-Agent': 'edgetill',
    'X-API-KEY': 'endpoints-key-1',
  }

  it('hosted', async () => {
    const { body, signature } = REQUESTS.hostedSplit
    const { sent } = await send(HOSTED_SPLIT)
    expect(sent).toMatchObject({ method: 'POST', url: 'https://pay.example.com/api/v1/split/purchase', body })
    expect(sent.headers).toEqual({ ...HEADERS, 'X-API-AUTH': `SVC-HMAC-SHA1 api-key-1:${signature}` })
  })

  it('direct, with every parameter', async () => {
    const { body, signature } = REQUESTS.directSplitWithEverything
    const { fetch, sent } = wire(json(PAYMENT_RECORD))
    await createSplitPurchase({ ...CONFIG, fetch }, { ...DIRECT_SPLIT, ...DIRECT_OPTIONAL })
    expect(sent[0]).toMatchObject({ method: 'POST', url: 'https://pay.example.com/api/v1/split/purchase', body })
    expect(sent[0]?.headers).toEqual({ ...HEADERS, 'X-API-AUTH': `SVC-HMAC-SHA1 api-key-1:${signature}` })
  })
})

describe('responses', () => {
  it('hosted gives the checkout page', async () => {
    const { fetch } = wire(redirect())
    const checkout = await createClient({ ...CONFIG, fetch }).createSplitPurchase(HOSTED_SPLIT)
    expect(checkout).toEqual({ url: CHECKOUT_URL, checkout_id: '7d1f' })
  })

  it('hosted that returns a record is not documented: its outcome is unknown', async () => {
    const { fetch } = wire(json(PAYMENT_RECORD))
    const error = await rejection(createSplitPurchase({ ...CONFIG, fetch }, HOSTED_SPLIT))
    expect(error).toMatchObject({ code: 'outcome_unknown', reason: 'unreadable_response' })
  })

  it('direct gives the record, without the card data that the service echoes', async () => {
    const echo = {
      ...PAYMENT_RECORD,
      order_3ds_bypass: 'supported',
      server_url: 'https://shop.example.com/webhooks',
      merchant_mcc: '5812',
      validation_url: null,
      browser_fingerprint: TOKEN.browser_fingerprint,
      split: [{ amount: '90.45', sub_merchant_id: SUB_MERCHANTS[0] }],
    }
    const { fetch } = wire(
      json({ ...echo, cc_number: '4242424242424242', exp_month: 9, exp_year: 99, card_cvv: '123' }),
    )
    const payment = await createClient({ ...CONFIG, fetch }).createSplitPurchase(DIRECT_SPLIT)
    expect(payment).toEqual({ ...echo, split: [{ amount: 90.45, sub_merchant_id: SUB_MERCHANTS[0] }] })
  })

  it('a record of another shape is handed over, without the card data', async () => {
    const { fetch } = wire(json({ cc_number: '4242424242424242', card_cvv: '123', cc_mask: 'm', status: 'success' }))
    const error = await rejection(createSplitPurchase({ ...CONFIG, fetch }, DIRECT_SPLIT))
    expect(error).toMatchObject({
      code: 'outcome_unknown',
      reason: 'unreadable_response',
      body: { cc_mask: 'm', status: 'success' },
    })
    expect(Object.keys(error.body as object)).toEqual(['cc_mask', 'status'])
  })
})

describe('method and split', () => {
  it('method is purchase, and nothing else', async () => {
    for (const input of [HOSTED_SPLIT, DIRECT_SPLIT]) {
      for (const method of ['auth', 'capture', 'Purchase', '', null, undefined]) {
        expect(await rejectedPaths({ ...input, method })).toEqual(['method'])
      }
    }
  })

  it('a typo does not travel', async () => {
    expect(await rejectedPaths({ ...HOSTED_SPLIT, splits: [] })).toEqual(['splits'])
  })

  const [first] = HOSTED_SPLIT.split
  it.each<[unknown, string[]]>([
    [undefined, ['split']],
    [[], ['split']],
    [{}, ['split']],
    [[null], ['split[0]']],
    [[[]], ['split[0]']],
    // biome-ignore lint/suspicious/noSparseArray: a hole must not travel as null
    [[, first], ['split[0]']],
    [[{ ...first, amount: 0 }], ['split[0].amount']],
    [[first, { ...first, amount: 0.001 }], ['split[1].amount']],
    [[{ ...first, amount: '90.45' }], ['split[0].amount']],
    [[{ ...first, amount: undefined }], ['split[0].amount']],
    [[{ ...first, sub_merchant_id: 'shop' }], ['split[0].sub_merchant_id']],
    [[{ ...first, sub_merchant_id: undefined }], ['split[0].sub_merchant_id']],
    [[{ ...first, products: {} }], ['split[0].products']],
    [[{ ...first, products: [1] }], ['split[0].products']],
    [[{ ...first, merchant: 'x' }], ['split[0].merchant']],
  ])('split: %j', async (split, paths) => {
    for (const input of [HOSTED_SPLIT, DIRECT_SPLIT]) {
      expect(await rejectedPaths({ ...input, split })).toEqual(paths)
    }
  })

  it('one entry is enough; products travel as they are', async () => {
    const split = [{ amount: 100.5, sub_merchant_id: SUB_MERCHANTS[0], products: [{}, { any: { thing: [1] } }] }]
    for (const input of [HOSTED_SPLIT, DIRECT_SPLIT])
      expect((await send({ ...input, split })).body.split).toEqual(split)
  })
})

describe('the sum of the parts is reported, not rejected: the rule is not shown', () => {
  const part = (amount: number) => ({ amount, sub_merchant_id: SUB_MERCHANTS[0] })
  it.each<[number, number[], boolean]>([
    [100.5, [100.5], false],
    [0.3, [0.1, 0.2], false],
    [1.1, [0.5, 0.3, 0.3], false],
    [100.5, [90.45, 10.04], true],
    [100.5, [100.5, 0.01], true],
  ])('%d of %j', async (amount, amounts, told) => {
    const warnings: Warning[] = []
    const input = { ...HOSTED_SPLIT, amount, split: amounts.map(part) }
    await send(input, { onWarning: (warning) => warnings.push(warning) })
    expect(warnings.map(({ code, path, operation }) => [code, path, operation])).toEqual(
      told ? [['split_sum', 'split', 'createSplitPurchase']] : [],
    )
  })
})
