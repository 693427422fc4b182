import { expect, expectTypeOf, it } from 'vitest'
import type { Account, Capture, Fee, InitRecurring, LimitInfo, Payment, Recurring, Split } from '../../src/index.ts'
import type { accountListSchema, accountSchema } from '../../src/schemas/account.ts'
import type { captureSchema } from '../../src/schemas/capture.ts'
import type { feeSchema } from '../../src/schemas/fee.ts'
import type { initRecurringSchema } from '../../src/schemas/init-recurring.ts'
import type { limitInfoSchema } from '../../src/schemas/limit-info.ts'
import type { paymentSchema } from '../../src/schemas/payment.ts'
import type { recurringSchema } from '../../src/schemas/recurring.ts'
import { looseObject, maybe, optional, read, type Schema, strictObject } from '../../src/schemas/schema.ts'
import type { splitInputSchema } from '../../src/schemas/split.ts'
import { numberField, textField } from '../../src/schemas/values.ts'

// What is wrong here does not compile; `npm run check` compiles it.

type Output<S> = S extends () => Schema<infer T> ? T : never

it('each schema reads exactly its interface', () => {
  expectTypeOf<Output<typeof paymentSchema>>().toEqualTypeOf<Payment>()
  expectTypeOf<Output<typeof captureSchema>>().toEqualTypeOf<Omit<Capture, 'record'>>()
  expectTypeOf<Output<typeof accountSchema>>().toEqualTypeOf<Account>()
  expectTypeOf<Output<typeof accountListSchema>>().toEqualTypeOf<{ accounts: Account[] }>()
  expectTypeOf<Output<typeof splitInputSchema>>().toEqualTypeOf<Split[]>()
  expectTypeOf<Output<typeof feeSchema>>().toEqualTypeOf<Fee>()
  expectTypeOf<Output<typeof recurringSchema>>().toEqualTypeOf<Recurring>()
  expectTypeOf<Output<typeof initRecurringSchema>>().toEqualTypeOf<InitRecurring>()
  expectTypeOf<Output<typeof limitInfoSchema>>().toEqualTypeOf<LimitInfo | string>()
})

interface Sample {
  name: string
  amount?: number | null
  note?: string | undefined
}

it('a schema cannot drift from its interface', () => {
  const schema = looseObject<Sample>({ name: textField(), amount: maybe(numberField()), note: optional(textField()) })
  // @ts-expect-error a field of the interface has no schema
  looseObject<Sample>({ name: textField(), amount: maybe(numberField()) })
  // @ts-expect-error a field of another type
  looseObject<Sample>({ name: numberField(), amount: maybe(numberField()), note: optional(textField()) })
  const more = { name: textField(), amount: maybe(numberField()), note: optional(textField()) }
  // @ts-expect-error a field that the interface does not have
  strictObject<Sample>({ ...more, other: textField() })
  // @ts-expect-error a field that may be null, where the interface has none
  strictObject<Sample>({ name: maybe(textField()), amount: maybe(numberField()), note: optional(textField()) })
  expect(read(schema, { name: 'x', amount: '1' }).value).toEqual({ name: 'x', amount: 1 })
})
