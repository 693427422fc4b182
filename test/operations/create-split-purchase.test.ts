import { describe, expect, it } from 'vitest'
import { type ClientConfig, createSplitPurchase, type Warning } from '../../src/index.ts'
import { DIRECT_SPLIT, HOSTED_SPLIT, PAYMENT_RECORD, SUB_MERCHANTS } from '../support/inputs.ts'
import { CHECKOUT_URL, CONFIG, json, redirect, rejection, wire } from '../support/mock-fetch.ts'
import { accepted, HOSTED_SPLIT_PURCHASE, refused } from '../support/purchase-forms.ts'

// The rules that it shares with createPayment are in purchase-parameters, purchase-rules and purchase-card-rules.test.ts.
const send = (input: object, config?: Partial<ClientConfig>) => accepted(HOSTED_SPLIT_PURCHASE, input, config)
const rejectedPaths = (input: object) => refused(HOSTED_SPLIT_PURCHASE, input)
const BOTH = [HOSTED_SPLIT, DIRECT_SPLIT]

describe('responses', () => {
  const answer = (input: typeof DIRECT_SPLIT | typeof HOSTED_SPLIT, reply: Response) =>
    createSplitPurchase({ ...CONFIG, fetch: wire(reply).fetch }, input as typeof DIRECT_SPLIT)

  it('hosted gives the checkout page; a record is not documented', async () => {
    expect(await answer(HOSTED_SPLIT, redirect())).toEqual({ url: CHECKOUT_URL, checkout_id: '7d1f' })
    const error = await rejection(answer(HOSTED_SPLIT, json(PAYMENT_RECORD)))
    expect(error).toMatchObject({ code: 'outcome_unknown', reason: 'unreadable_response' })
  })

  it('direct gives the record, its parts with amounts as numbers', async () => {
    const split = (amount: unknown) => ({ split: [{ amount, sub_merchant_id: SUB_MERCHANTS[0] }] })
    const payment = await answer(DIRECT_SPLIT, json({ ...PAYMENT_RECORD, ...split('90.45'), merchant_mcc: '5812' }))
    expect(payment).toEqual({ ...PAYMENT_RECORD, ...split(90.45), merchant_mcc: '5812' })
  })

  it('a record of another shape is handed over, without the card data that the service echoes', async () => {
    const raw = { cc_number: '4242424242424242', exp_month: 9, exp_year: 99, card_cvv: '123' }
    const kept = { cc_mask: 'm', status: 'success' }
    const error = await rejection(answer(DIRECT_SPLIT, json({ ...raw, ...kept })))
    expect(error).toMatchObject({ code: 'outcome_unknown', reason: 'unreadable_response' })
    expect(error.body).toEqual(kept)
  })
})

describe('method and split', () => {
  it('method is purchase, and nothing else', async () => {
    for (const input of BOTH) {
      for (const method of ['auth', 'capture', 'Purchase', '', null, undefined]) {
        expect(await rejectedPaths({ ...input, method })).toEqual(['method'])
      }
    }
  })

  const [first] = HOSTED_SPLIT.split
  it.each<[unknown, string]>([
    [undefined, 'split'],
    [[], 'split'],
    [{}, 'split'],
    [[null], 'split[0]'],
    [[[]], 'split[0]'],
    // biome-ignore lint/suspicious/noSparseArray: a hole must not travel as null
    [[, first], 'split[0]'],
    [[first, { ...first, amount: 0.001 }], 'split[1].amount'],
    ...[0, '90.45', undefined].map((amount): [unknown, string] => [[{ ...first, amount }], 'split[0].amount']),
    [[{ ...first, sub_merchant_id: 'shop' }], 'split[0].sub_merchant_id'],
    [[{ ...first, sub_merchant_id: undefined }], 'split[0].sub_merchant_id'],
    [[{ ...first, products: {} }], 'split[0].products'],
    [[{ ...first, products: [1] }], 'split[0].products'],
    [[{ ...first, merchant: 'x' }], 'split[0].merchant'],
  ])('split: %j', async (split, path) => {
    for (const input of BOTH) expect(await rejectedPaths({ ...input, split })).toEqual([path])
  })

  it('one entry is enough; products travel as they are', async () => {
    const split = [{ amount: 100.5, sub_merchant_id: SUB_MERCHANTS[0], products: [{}, { any: { thing: [1] } }] }]
    for (const input of BOTH) expect((await send({ ...input, split })).body.split).toEqual(split)
  })
})

it.each<[number, number[], boolean]>([
  [100.5, [100.5], false],
  [0.3, [0.1, 0.2], false],
  [1.1, [0.5, 0.3, 0.3], false],
  [100.5, [90.45, 10.04], true],
  [100.5, [100.5, 0.01], true],
])('the sum of the parts is reported, not rejected: %d of %j', async (amount, amounts, isReported) => {
  const warnings: Warning[] = []
  const split = amounts.map((part) => ({ amount: part, sub_merchant_id: SUB_MERCHANTS[0] }))
  await send({ ...HOSTED_SPLIT, amount, split }, { onWarning: (warning) => warnings.push(warning) })
  expect(warnings.map(({ code, path, operation }) => [code, path, operation])).toEqual(
    isReported ? [['split_sum', 'split', 'createSplitPurchase']] : [],
  )
})
