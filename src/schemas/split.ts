import * as v from 'valibot'
import { lazy } from '../lib/lazy.ts'
import { amount, optional, products, uuid } from './input.ts'
import { leaf, maybe, numberField, textField } from './values.ts'

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
export const splitInputSchema: () => v.GenericSchema<unknown, Split[]> = lazy(() =>
  v.pipe(
    leaf<unknown>('an array with at least one entry', (value) => Array.isArray(value) && value.length > 0),
    v.array(v.strictObject({ amount: amount(), sub_merchant_id: uuid(), products: optional(products()) })),
  ),
)

/** A split entry as an answer echoes it. */
export interface SplitEcho {
  /** In the payment's currency. */
  amount?: number | null
  /** The sub-merchant, a UUID. */
  sub_merchant_id?: string | null
}

export const splitEchoSchema: () => v.GenericSchema<unknown, SplitEcho[]> = lazy(() =>
  v.array(v.looseObject({ amount: maybe(numberField()), sub_merchant_id: maybe(textField()) })),
)
