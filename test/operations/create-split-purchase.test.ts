import { describe, expect, it } from 'vitest'
import { createClient } from '../../src/index.ts'
import { DIRECT_SPLIT, HOSTED_SPLIT, PAYMENT_RECORD, SUB_MERCHANTS } from '../support/inputs.ts'
import { CHECKOUT_URL, CONFIG, json, redirect, rejection, wire } from '../support/mock-fetch.ts'
import { accepted, HOSTED_SPLIT_PURCHASE, refused, warned } from '../support/purchase-forms.ts'

// The rules that it shares with createPayment are in purchase-parameters, purchase-rules and purchase-card-rules.test.ts.
const send = (input: object) => accepted(HOSTED_SPLIT_PURCHASE, input)
const rejectedPaths = (input: object) => refused(HOSTED_SPLIT_PURCHASE, input)
const BOTH = [HOSTED_SPLIT, DIRECT_SPLIT]
const split = (amount: unknown) => ({ split: [{ amount, sub_merchant_id: SUB_MERCHANTS[0] }] })

it('hosted gives the checkout page, direct the record, its parts with amounts as numbers', async () => {
  const { fetch } = wire(redirect(), json(PAYMENT_RECORD), json({ ...PAYMENT_RECORD, ...split('90.45') }))
  const client = createClient({ ...CONFIG, fetch })
  expect(await client.createSplitPurchase(HOSTED_SPLIT)).toEqual({ url: CHECKOUT_URL, checkout_id: '7d1f' })
  const error = await rejection(client.createSplitPurchase(HOSTED_SPLIT))
  expect(error).toMatchObject({ code: 'outcome_unknown', reason: 'unreadable_response' })
  expect(await client.createSplitPurchase(DIRECT_SPLIT)).toEqual({ ...PAYMENT_RECORD, ...split(90.45) })
})

describe('split', () => {
  const [first] = HOSTED_SPLIT.split
  it.each<[unknown, string]>([
    [undefined, 'split'],
    [[], 'split'],
    [{}, 'split'],
    [[null], 'split[0]'],
    // biome-ignore lint/suspicious/noSparseArray: a hole must not travel as null
    [[, first], 'split[0]'],
    [[first, { ...first, amount: 0.001 }], 'split[1].amount'],
    ...[0, '90.45', undefined].map((amount): [unknown, string] => [[{ ...first, amount }], 'split[0].amount']),
    [[{ ...first, sub_merchant_id: 'shop' }], 'split[0].sub_merchant_id'],
    [[{ ...first, products: {} }], 'split[0].products'],
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
  const split = amounts.map((part) => ({ amount: part, sub_merchant_id: SUB_MERCHANTS[0] }))
  const warnings = await warned(HOSTED_SPLIT_PURCHASE, { ...HOSTED_SPLIT, amount, split })
  expect(warnings).toEqual(isReported ? [['split_sum', 'split']] : [])
})
