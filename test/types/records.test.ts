import type { GenericSchema, InferOutput } from 'valibot'
import * as v from 'valibot'
import { expect, expectTypeOf, it } from 'vitest'
import type * as sdk from '../../src/index.ts'
import type { accountSchema } from '../../src/schemas/account.ts'
import type { captureSchema } from '../../src/schemas/capture.ts'
import { anObject, fieldsOf, inputObject, objectMessage } from '../../src/schemas/fields.ts'
import { amount, date } from '../../src/schemas/input.ts'
import type { cancelledPaymentSchema, paymentSchema } from '../../src/schemas/payment.ts'
import type { Received } from '../../src/schemas/read.ts'
import type { initRecurringSchema, recurringSchema } from '../../src/schemas/recurring.ts'
import type { splitListSchema } from '../../src/schemas/split.ts'
import { type feeSchema, type limitInfoSchema, optionalNumber, text } from '../../src/schemas/values.ts'

// The mistakes here do not compile; `npm run check` compiles it.

type Without<T> = Omit<T, keyof Received>

it('each schema reads exactly its interface', () => {
  expectTypeOf<InferOutput<typeof paymentSchema>>().toEqualTypeOf<Without<sdk.Payment>>()
  expectTypeOf<InferOutput<typeof cancelledPaymentSchema>>().toEqualTypeOf<Without<sdk.CancelledPayment>>()
  expectTypeOf<InferOutput<typeof captureSchema>>().toEqualTypeOf<Without<sdk.Capture>>()
  expectTypeOf<InferOutput<typeof accountSchema>>().toEqualTypeOf<Without<sdk.Account>>()
  expectTypeOf<InferOutput<typeof splitListSchema>>().toEqualTypeOf<readonly sdk.Split[]>()
  expectTypeOf<InferOutput<typeof feeSchema>>().toEqualTypeOf<sdk.Fee>()
  expectTypeOf<InferOutput<typeof recurringSchema>>().toEqualTypeOf<sdk.Recurring>()
  expectTypeOf<InferOutput<typeof initRecurringSchema>>().toEqualTypeOf<sdk.InitRecurring>()
  expectTypeOf<InferOutput<typeof limitInfoSchema>>().toEqualTypeOf<sdk.LimitInfo | string>()
})

interface Sample {
  name: string
  amount?: number | null | undefined
  note?: string | undefined
}
const sample = { name: text, amount: optionalNumber, note: v.optional(text) }

it('a schema that has all fields of its interface compiles', () => {
  const schema: GenericSchema<unknown, Sample> = v.pipe(
    anObject,
    v.looseObject(fieldsOf<Sample>()(sample), objectMessage),
  )
  expect(v.parse(schema, { name: 'x', amount: '1' })).toEqual({ name: 'x', amount: 1 })
})

it('a new field of an interface without its schema does not compile, also where fields are composed', () => {
  interface Wider extends Sample {
    added?: string | undefined
  }
  // @ts-expect-error `added` has no schema
  const entries = fieldsOf<Wider>()({ ...sample, name: text })
  const input = inputObject(entries)
  expect(v.safeParse(input, { name: 'x', added: 'y' }).success).toBe(false)
})

it('an entry that does not fit its field does not compile', () => {
  // @ts-expect-error `other` is not a field of the interface
  fieldsOf<Sample>()({ ...sample, other: text })
  // @ts-expect-error the name may not be left out
  fieldsOf<Sample>()({ ...sample, name: v.optional(text) })
  // @ts-expect-error one word is not every string: others would be rejected
  fieldsOf<Sample>()({ ...sample, name: v.literal('x') })
  // @ts-expect-error an amount is a number
  fieldsOf<Sample>()({ ...sample, note: v.optional(amount) })
  // @ts-expect-error a date, and not an optional one: it would make the field required
  fieldsOf<{ expiry_date?: string | undefined }>()({ expiry_date: date })
  fieldsOf<{ expiry_date?: string | undefined }>()({ expiry_date: v.optional(date) })
})

it('what a copy loses is not in its type', () => {
  const copy = (capture: sdk.Capture) => ({ ...capture })
  type Copy = ReturnType<typeof copy>
  expectTypeOf<sdk.Capture>().toHaveProperty('record')
  expectTypeOf<Copy>().not.toHaveProperty('record')
  expectTypeOf<Copy>().not.toHaveProperty('issues')
  expectTypeOf<Copy>().toHaveProperty('amount')
})
