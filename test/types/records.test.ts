import * as v from 'valibot'
import { expect, expectTypeOf, it } from 'vitest'
import type * as sdk from '../../src/index.ts'
import { fieldsOf, inputObject } from '../../src/schemas/fields.ts'
import { amount, date } from '../../src/schemas/input.ts'
import { optionalNumber, text } from '../../src/schemas/values.ts'

// What is wrong here does not compile; `npm run check` compiles it.

interface Sample {
  name: string
  amount?: number | null | undefined
  note?: string | undefined
}
const sample = { name: text, amount: optionalNumber, note: v.optional(text) }

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
