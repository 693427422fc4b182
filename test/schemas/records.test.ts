import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { accountSchema } from '../../src/schemas/account.ts'
import { captureSchema } from '../../src/schemas/capture.ts'
import type { Schema } from '../../src/schemas/fields.ts'
import { paymentSchema } from '../../src/schemas/payment.ts'
import { toIssue } from '../../src/schemas/read.ts'
import { CAPTURE_RECORD, PAYMENT_RECORD } from '../support/inputs.ts'

const read = <T>(schema: Schema<T>, value: unknown) => {
  const { success, output, issues } = v.safeParse(schema, value)
  return success ? { value: output } : { issues: issues.map(toIssue) }
}
const paths = (schema: Schema<unknown>, value: unknown) => read(schema, value).issues?.map(({ path }) => path)

// The API document's records, field by field.
const PAYMENT = {
  schema: paymentSchema,
  record: PAYMENT_RECORD,
  required: 'payment_id order_id currency status method'.split(' '),
  texts: (
    'gateway_order_id billing_order_id transaction_id pos_id mode description status_code status_description ' +
    'user_action_url eci mcc options_3ds cc_mask cc_token cc_token_expiration customer_id customer_ip customer_fname ' +
    'customer_lname customer_patronym customer_email customer_phone customer_country customer_birthday customer_city ' +
    'result_url created_at processed_at payload bank_short_name receipt_url payway processed_currency order_3ds_bypass ' +
    'server_url merchant_mcc validation_url'
  ).split(' '),
  objects: ['recurring', 'fee', 'fixed_fee', 'percent_fee', 'bank_pay'],
  others: ['limit_info', 'split', 'user_action_required', 'processed_amount'],
}
const CAPTURE = {
  schema: captureSchema,
  record: CAPTURE_RECORD,
  required: 'operation_id payment_id order_id status method'.split(' '),
  texts: 'transaction_id pos_id mode status_code status_description created_at processed_at comment'.split(' '),
  objects: ['fee'],
  others: ['limit_info'],
}

it.each([
  ['a payment record', PAYMENT],
  ['a capture', CAPTURE],
])('%s: each field is of its type, and null or absent where it is not required', (_, one) => {
  const { schema, record, required, texts, objects, others } = one
  /** The paths of the issues of a record with another value of a field. */
  const wrong = (name: string, value: unknown) => paths(schema, { ...record, [name]: value })
  for (const name of [...required, ...texts]) expect([wrong(name, 'x'), wrong(name, 5)]).toEqual([undefined, [name]])
  for (const name of objects) expect(wrong(name, 'x')).toEqual([name])
  for (const name of [...texts, ...objects, ...others, ...required, 'amount']) {
    const issues = [...required, 'amount'].includes(name) ? [name] : undefined
    expect([wrong(name, null), wrong(name, undefined)]).toEqual([issues, issues])
  }
})

describe('a payment record', () => {
  const wrong = (name: string, value: unknown) => paths(paymentSchema, { ...PAYMENT_RECORD, [name]: value })

  it.each(['amount', 'processed_amount'])('%s is a number, also as a string', (name) => {
    for (const value of [5, '10.50', '-1']) {
      const { value: found } = read(paymentSchema, { ...PAYMENT_RECORD, [name]: value })
      expect(found).toMatchObject({ [name]: Number(value) })
    }
    for (const value of ['', ' 5', '1e3', '0x10', '1,5', 'NaN', true, [5], Number.NaN]) {
      expect(wrong(name, value)).toEqual([name])
    }
  })

  it('its parts are checked too', () => {
    const record = {
      ...PAYMENT_RECORD,
      user_action_required: 'yes',
      recurring: { id: 1 },
      fee: { amount: 'much', currency: 5 },
      limit_info: { retry_after: 5, description: {} },
      split: [{ amount: 'x', sub_merchant_id: 5 }],
    }
    const parts = 'recurring.id recurring.status fee.amount fee.currency limit_info.retry_after limit_info.description'
    const found = `user_action_required ${parts} split[0].amount split[0].sub_merchant_id`
    expect(paths(paymentSchema, record)).toEqual(found.split(' '))
  })

  it('limit_info is an object or a text', () => {
    expect([wrong('limit_info', 'Daily limit'), wrong('limit_info', 5)]).toEqual([undefined, ['limit_info']])
  })
})

it('an account: every field is checked', () => {
  const account = { id: 'a', name: 'Main', currency: 'UAH', balances: { available: 1, rolling_reserve: 2 } }
  expect(read(accountSchema, account).value).toEqual(account)
  for (const name of ['id', 'name', 'currency', 'balances']) {
    expect(paths(accountSchema, { ...account, [name]: 5 })).toEqual([name])
  }
  const wrong = { available: 'x', rolling_reserve: {}, rollingReserve: 'y' }
  const found = Object.keys(wrong).map((name) => `balances.${name}`)
  expect(paths(accountSchema, { ...account, balances: wrong })).toEqual(found)
})
