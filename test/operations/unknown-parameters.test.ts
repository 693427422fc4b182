import { expect, it } from 'vitest'
import { type Client, createClient } from '../../src/index.ts'
import { CAPTURE, HOSTED, REFUND } from '../support/inputs.ts'
import { CONFIG, rejection, wire } from '../support/mock-fetch.ts'
import { listed, PURCHASE_FORMS } from '../support/purchase-forms.ts'

type Operation = 'refundPayment' | 'capturePayment' | 'createPayment'
const message = async (input: object, operation: Operation = 'refundPayment') =>
  (await rejection(createClient({ ...CONFIG, fetch: wire().fetch })[operation](input as never))).message

it.each([
  ['amount', 'refund_amount'],
  ['currency', 'order_currency'],
  ['orderId', 'order_id'],
  ['refund_amout', 'refund_amount'],
])('%s: did you mean %s?', async (name, meant) => {
  const expected = `${name} is not a parameter of refundPayment; did you mean ${meant}?`
  expect(await message({ ...REFUND, [name]: 5 })).toContain(expected)
})

it('a parameter of another call, mode or table cannot be passed through', async () => {
  expect(await message({ ...REFUND, split: [] })).toMatch(/split is not a parameter of refundPayment: split belongs/)
  const hosted = await message({ ...HOSTED, cc_number: '4' }, 'createPayment')
  expect(hosted).toMatch(/cc_number is not a parameter of createPayment: /)
  expect(hosted).not.toContain('passThrough')
  expect(await message({ ...REFUND, wholly_new_thing: 1 })).toContain('passThrough')
  for (const name of new Set(PURCHASE_FORMS.flatMap(listed))) {
    expect(await message({ ...REFUND, [name]: {} })).not.toContain('passThrough')
  }
})

it('an amount that is undefined does not move everything', async () => {
  expect(await message({ ...REFUND, refund_amount: undefined })).toMatch(/leave it out to refund everything/)
  expect(await message({ ...CAPTURE, charge_amount: undefined }, 'capturePayment')).toMatch(/leave it out to capture/)
  // @ts-expect-error undefined is not an amount
  const input: Parameters<Client['refundPayment']>[0] = { ...REFUND, refund_amount: undefined }
  expect(input).toBeDefined()
})
