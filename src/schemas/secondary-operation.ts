import type { SecondaryOperation } from './capture.ts'
import type { LiteralUnion } from './values.ts'

/** The record of a refund. */
export interface Refund extends SecondaryOperation {
  /** `refund`. */
  method: LiteralUnion<'refund'>
  /** Link to the receipt. */
  receipt_url?: string | null | undefined
}

/** The record of a void. */
export interface Void extends SecondaryOperation {
  /** `void`. */
  method: LiteralUnion<'void'>
}
