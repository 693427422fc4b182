import * as v from 'valibot'
import { fieldsOf, inputObject, must, objectOf, pure, type Schema } from './fields.ts'
import { amount, products, uuid } from './input.ts'
import { optionalNumber, optionalText } from './values.ts'

/** A product of a split entry or a capture. The API document shows none of its fields: they are sent as they are. */
export type Product = object

/** One sub-merchant's part of a purchase (API document, "Split entry"). */
export interface Split {
  /** Positive, in the payment's currency, at most 2 decimals. */
  amount: number
  /** The sub-merchant, a UUID from the service's support. */
  sub_merchant_id: string
  /** The purpose of this part. */
  products?: readonly Product[] | undefined
}

/** A split entry of a request. */
export const splitSchema: Schema<Split> = /* @__PURE__ */ pure(() =>
  inputObject(fieldsOf<Split>()({ amount, sub_merchant_id: uuid, products: v.optional(products) })),
)

/** The `split` of a request: at least one entry. */
export const splitListSchema: Schema<readonly Split[]> = /* @__PURE__ */ pure(() => {
  const message = must('be an array with at least one entry')
  return v.pipe(
    v.custom<unknown[]>((value) => Array.isArray(value) && value.length > 0, message),
    v.array(splitSchema),
  )
})

/** A split entry of a response, which repeats the request's. */
export interface SplitResult {
  /** In the payment's currency. */
  amount?: number | null | undefined
  /** The sub-merchant, a UUID. */
  sub_merchant_id?: string | null | undefined
}

/** A split entry of a response: any field may be absent. */
export const splitResultSchema: Schema<SplitResult> = /* @__PURE__ */ pure(() =>
  objectOf(fieldsOf<SplitResult>()({ amount: optionalNumber, sub_merchant_id: optionalText })),
)
