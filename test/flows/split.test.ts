import { expect, it } from 'vitest'
import { testCard } from '../../src/emulator/index.ts'
import { splitAmount, type Warning } from '../../src/index.ts'
import { DIRECT_OPTIONAL, DIRECT_SPLIT, HOSTED_SPLIT, SUB_MERCHANTS } from '../support/inputs.ts'
import { rejection } from '../support/mock-fetch.ts'
import { openShop } from '../support/shop.ts'

it('hosted: checkout, payment, webhook', async () => {
  const shop = openShop()
  const { url } = await shop.client.createSplitPurchase(HOSTED_SPLIT)
  await shop.pay(url)
  expect(shop.events.at(-1)).toMatchObject({ method: 'purchase', status: 'success', amount: 100.5 })
})

it('direct: the record has the parts and no card data', async () => {
  const { client } = openShop()
  const cc_number = testCard('success')
  const payment = await client.createSplitPurchase({ ...DIRECT_SPLIT, ...DIRECT_OPTIONAL, cc_number })
  expect(payment).toMatchObject({ status: 'success', method: 'purchase', amount: 100.5 })
  expect(payment.split).toMatchObject([{ amount: 90.45 }, { amount: 10.05, sub_merchant_id: SUB_MERCHANTS[1] }])
  expect(Object.keys(payment).filter((name) => /^(cc_number|exp_|card_)/.test(name))).toEqual([])
})

it('parts made by splitAmount add up for a service that insists on it; a mismatch warns and is then rejected', async () => {
  const warnings: Warning[] = []
  const { client } = openShop({ onWarning: (warning) => warnings.push(warning) }, { splitSum: 'exact' })
  const [a = 0, b = 0] = splitAmount(100.5, [1, 2])
  const parts = (x: number, y: number) => [
    { amount: x, sub_merchant_id: SUB_MERCHANTS[0] },
    { amount: y, sub_merchant_id: SUB_MERCHANTS[1] },
  ]
  expect(await client.createSplitPurchase({ ...HOSTED_SPLIT, split: parts(a, b) })).toHaveProperty('url')
  expect(warnings).toEqual([])
  const other = { ...HOSTED_SPLIT, order_id: 'A-2', split: parts(a, b + 1) }
  expect(await rejection(client.createSplitPurchase(other))).toMatchObject({ code: 'api', status: 400 })
  expect(warnings).toMatchObject([{ code: 'split_sum' }])
})
