import type { Capture } from './capture.ts'
import type { LiteralUnion } from './values.ts'

/** The record of a refund (the API document, "Secondary operation record"). Fields that the service adds later are kept. */
export interface Refund extends Omit<Capture, 'method'> {
  /** `refund`. */
  method: LiteralUnion<'refund'>
  /** Link to the receipt. */
  receipt_url?: string | null
}

/** The record of a void (the API document, "Secondary operation record"). Fields that the service adds later are kept. */
export interface Void extends Omit<Capture, 'method'> {
  /** `void`. */
  method: LiteralUnion<'void'>
}
