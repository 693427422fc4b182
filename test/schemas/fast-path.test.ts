import * as fc from 'fast-check'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { unchanged } from '../../src/schemas/fast-path.ts'
import * as schemas from '../../src/schemas/index.ts'
import { text } from '../../src/schemas/values.ts'
import { CAPTURE_RECORD, HOSTED, PAYMENT_RECORD } from '../support/inputs.ts'
import { check, SEED } from '../support/property.ts'

const FEE = { amount: 1.5, currency: 'UAH' }
const ACCOUNT = { id: 'a', name: 'Main', balances: {}, available: 1, rolling_reserve: 2, sub_merchant_id: 's' }
const EVENT = {
  ...{ payment_id: 'p', order_id: 'A-1', operation_id: 'o', amount: 10.25, currency: 'UAH', status: 'success' },
  ...{ pos_id: 'x', mode: 'direct', created_at: '2026-01-01T10:00:00.000', status_code: '1000', fee: FEE },
  ...{ fixed_fee: null, bank_pay: { sender_iban: 'UA' }, processed_amount: 1, recurring: { id: 'r', status: 'on' } },
}

const SCHEMAS = Object.entries({
  purchase: schemas.primaryEventSchema,
  capture: schemas.captureEventSchema,
  void: schemas.voidEventSchema,
  auth_increment: schemas.authIncrementEventSchema,
  refund: schemas.refundEventSchema,
})

/** Any value of JSON, and those that are nearly right. */
const odd = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom('', '10', '1e3', null, 0, -0, 1e308, Number.POSITIVE_INFINITY, Number.NaN, true, undefined),
  fc.constantFrom([], {}, FEE, { ...FEE, amount: '1' }, { amount: 1 }, [FEE], 'purchase'),
)
const names = [...Object.keys(EVENT), 'method', 'limit_info', '__proto__', 'constructor', 'prototype']
const name = fc.oneof(fc.constantFrom(...names), fc.string())

describe(`seed ${SEED}`, () => {
  it.each(SCHEMAS)('%s: says yes only where valibot accepts the value and leaves it equal', async (method, schema) => {
    const short = unchanged(schema)
    expect(short({ ...EVENT, method })).toBe(true)
    let yes = 0
    await check(
      fc.property(fc.array(fc.tuple(name, odd), { maxLength: 3 }), (changes) => {
        const value: Record<string, unknown> = { ...EVENT, method }
        for (const [key, to] of changes) {
          Object.defineProperty(value, key, { value: to, enumerable: true, configurable: true, writable: true })
        }
        if (!short(value)) return
        yes++
        const result = v.safeParse(schema, value)
        expect(result.success).toBe(true)
        expect(result.output).toStrictEqual(value)
      }),
    )
    expect(yes).toBeGreaterThan(0)
  })

  it('what is not a plain object is left to valibot', () => {
    const short = unchanged(schemas.feeSchema)
    class Fee {
      amount = 1
      currency = 'UAH'
    }
    for (const value of [new Fee(), Object.assign(Object.create(null), FEE), [FEE], null, 'x', undefined]) {
      expect(short(value)).toBe(false)
    }
  })

  it.each<[string, schemas.Schema<unknown>]>([
    ['a number', v.number()],
    ['a text', text],
    ['three rules', v.pipe(v.unknown(), v.number(), v.finite())],
    ['a rule that it does not know', v.pipe(v.number(), v.finite(), v.minValue(5))],
    ['an object', v.looseObject({ a: v.number() })],
    ['a default', v.nullish(v.string(), 'x')],
    ['a text that is trimmed', v.pipe(v.string(), v.trim())],
  ])('%s: it says yes to nothing that valibot rejects or changes', (_name, schema) => {
    const infinity = Number.POSITIVE_INFINITY
    for (const value of [0, 10, Number.NaN, infinity, 'a', 'c', '', '10', ' x ', true, null, undefined, {}, ['x']]) {
      for (const tried of [value, { a: value }]) {
        if (!unchanged(schema)(tried)) continue
        const { success, output } = v.safeParse(schema, tried)
        expect([success, output]).toStrictEqual([true, tried])
      }
    }
  })
})

describe('no message repeats what was received', () => {
  const CANARY = 'canary-4242424242424242'
  const fee = { amount: CANARY, currency: [CANARY], id: 4242424242424242 }
  const values = [CANARY, [CANARY], { [CANARY]: CANARY }, fee, 4242424242424242.5]
  const fields = [
    ...new Set([EVENT, PAYMENT_RECORD, CAPTURE_RECORD, ACCOUNT, HOSTED].flatMap(Object.keys)),
    'limit_info',
  ]

  it.each(Object.entries<schemas.Schema<unknown>>(schemas).filter(([, schema]) => 'kind' in schema))(
    '%s',
    (_, schema) => {
      const inputs: unknown[] = [...values, [values]]
      for (const field of fields)
        for (const value of values) inputs.push({ ...EVENT, method: 'purchase', [field]: value })
      const issues = inputs.flatMap((input) => v.safeParse(schema, input).issues ?? [])
      expect(issues).not.toEqual([])
      const messages = [...new Set(issues.map(({ message }) => message))]
      expect(messages.filter((message) => /canary|4242|^Invalid|Expected/.test(message))).toEqual([])
    },
  )
})
