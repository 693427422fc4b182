import { describe, expect, it } from 'vitest'
import { type CreateSplitPurchaseInput, createClient, createSplitPurchase, type Warning } from '../../src/index.ts'
import { DIRECT_OPTIONAL, DIRECT_SPLIT, HOSTED_SPLIT, PAYMENT_RECORD, SUB_MERCHANTS, TOKEN } from '../support/inputs.ts'
import { refusedPaths } from '../support/refused.ts'
import { CHECKOUT_URL, CONFIG, json, redirect, rejection, wire } from '../support/wire.ts'
import { REQUESTS } from '../vectors/request-bodies.ts'

const refused = (input: object) =>
  refusedPaths((client) => client.createSplitPurchase(input as CreateSplitPurchaseInput))

async function accepted(input: object, onWarning?: (warning: Warning) => void) {
  const { fetch, sent } = wire(redirect())
  await createSplitPurchase({ ...CONFIG, fetch, onWarning }, input as CreateSplitPurchaseInput)
  return sent[0]
}

describe('on the wire', () => {
  const HEADERS = {
    Accept: 'application/json',
    'Content-Type': 'application/json',
    'User-Agent': 'edgetill',
    'X-API-KEY': 'endpoints-key-1',
  }

  it('hosted', async () => {
    const { body, signature } = REQUESTS.hostedSplit
    const sent = await accepted(HOSTED_SPLIT)
    expect(sent).toMatchObject({ method: 'POST', url: 'https://pay.example.com/api/v1/split/purchase', body })
    expect(sent?.headers).toEqual({ ...HEADERS, 'X-API-AUTH': `SVC-HMAC-SHA1 api-key-1:${signature}` })
  })

  it('direct, with every parameter', async () => {
    const { body, signature } = REQUESTS.directSplitWithEverything
    const { fetch, sent } = wire(json(PAYMENT_RECORD))
    await createSplitPurchase({ ...CONFIG, fetch }, { ...DIRECT_SPLIT, ...DIRECT_OPTIONAL })
    expect(sent[0]).toMatchObject({ method: 'POST', url: 'https://pay.example.com/api/v1/split/purchase', body })
    expect(sent[0]?.headers).toEqual({ ...HEADERS, 'X-API-AUTH': `SVC-HMAC-SHA1 api-key-1:${signature}` })
  })
})

describe('answers', () => {
  it('hosted gives the checkout page', async () => {
    const { fetch } = wire(redirect())
    const checkout = await createClient({ ...CONFIG, fetch }).createSplitPurchase(HOSTED_SPLIT)
    expect(checkout).toEqual({ url: CHECKOUT_URL, checkout_id: '7d1f' })
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
    expect(error).toMatchObject({ code: 'unexpected_response', body: { cc_mask: 'm', status: 'success' } })
    expect(Object.keys(error.body as object)).toEqual(['cc_mask', 'status'])
  })
})

describe('rules', () => {
  it('what every purchase has: required parameters, card data, no typo', async () => {
    expect(await refused({ ...HOSTED_SPLIT, order_id: undefined })).toEqual(['order_id'])
    expect(await refused({ ...DIRECT_SPLIT, card_cvv: undefined })).toEqual(['card_cvv'])
    expect(await refused({ ...DIRECT_SPLIT, exp_year: 20 })).toEqual(['exp_year'])
    expect(await refused({ ...HOSTED_SPLIT, splits: [] })).toEqual(['splits'])
    expect(await refused({ ...HOSTED_SPLIT, mode: 'other' })).toEqual(['mode'])
  })

  it('it is a purchase: no auth, no subscription, and hosted no referrer', async () => {
    expect(await refused({ ...HOSTED_SPLIT, method: 'auth' })).toEqual(['method'])
    const init_recurring = { interval_unit: 'day', interval_count: 1 }
    expect(await refused({ ...HOSTED_SPLIT, init_recurring })).toEqual(['init_recurring'])
    expect(await refused({ ...HOSTED_SPLIT, customer_referrer: 'https://a.example' })).toEqual(['customer_referrer'])
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
    expect(await refused({ ...HOSTED_SPLIT, split })).toEqual(paths)
  })

  it('one entry is enough; products travel as they are', async () => {
    const split = [{ amount: 100.5, sub_merchant_id: SUB_MERCHANTS[0], products: [{}, { any: { thing: [1] } }] }]
    const sent = await accepted({ ...HOSTED_SPLIT, split })
    expect(JSON.parse(sent?.body ?? '')).toMatchObject({ split })
  })
})

describe('the sum of the parts is told, not refused: the rule is not shown', () => {
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
    await accepted(input, (warning) => warnings.push(warning))
    expect(warnings.map(({ code, path, operation }) => [code, path, operation])).toEqual(
      told ? [['split_sum', 'split', 'createSplitPurchase']] : [],
    )
  })
})
