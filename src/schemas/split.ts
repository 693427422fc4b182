import { lazy } from '../lib/lazy.ts'
import { amount, products, uuid } from './input.ts'
import { array, looseObject, maybe, optional, type Schema, strictObject } from './schema.ts'
import { numberField, textField } from './values.ts'

/** A product of a split entry or a capture. The document shows none of its fields: they are sent as they are. */
export type Product = Record<string, unknown>

/** One sub-merchant's part of a purchase (document, "Split entry"). */
export interface Split {
  /** Positive, in the payment's currency, at most 2 decimals. */
  amount: number
  /** The sub-merchant, a UUID; the service's support tells it. */
  sub_merchant_id: string
  /** What is paid with this part. */
  products?: Product[] | undefined
}

/** A split entry as a request has it. */
export const splitInputSchema: () => Schema<Split[]> = /* @__PURE__ */ lazy(() =>
  array(
    strictObject<Split>({ amount: amount(), sub_merchant_id: uuid(), products: optional(products()) }),
    'an array with at least one entry',
    1,
  ),
)

/** A split entry as an answer echoes it. */
export interface SplitResult {
  /** In the payment's currency. */
  amount?: number | null
  /** The sub-merchant, a UUID. */
  sub_merchant_id?: string | null
}

export const splitResultSchema: () => Schema<SplitResult[]> = /* @__PURE__ */ lazy(() =>
  array(looseObject<SplitResult>({ amount: maybe(numberField()), sub_merchant_id: maybe(textField()) })),
)
