import { lazy } from '../lib/lazy.ts'
import { convert, leaf, type Schema } from './schema.ts'

/** A text of the service whose known values are listed, and which may hold others at any time. */
export type LiteralUnion<Known extends string> = Known | (string & {})

/** `status` of a payment or an operation. The complete set is not shown; `success` and `failure` are final. */
export type Status = LiteralUnion<'init' | 'pending' | 'success' | 'failure'>
/** `direct` or `hosted` (document, "Common types"). */
export type Mode = LiteralUnion<'direct' | 'hosted'>
/** ISO 4217 code, such as `UAH`. */
export type Currency = string
/** `yyyy-MM-ddTHH:mm:ss.SSS` without a zone; the fraction may be absent. Kept as a string: its zone is not shown. */
export type Timestamp = string

export const isText = (value: unknown): value is string => typeof value === 'string'

// Answers and webhooks: loose. A field that is absent or null is left as it is.
export const textField: () => Schema<string> = /* @__PURE__ */ lazy(() => leaf<string>('a string', isText))
export const flagField: () => Schema<boolean> = /* @__PURE__ */ lazy(() =>
  leaf<boolean>('a boolean', (value) => typeof value === 'boolean'),
)
/** A number; the service sometimes sends one as a string. */
export const numberField: () => Schema<number> = /* @__PURE__ */ lazy(() =>
  convert(
    leaf<number | string>('a number', (value) =>
      typeof value === 'number' ? Number.isFinite(value) : isText(value) && /^-?\d+(\.\d+)?$/.test(value),
    ),
    Number,
  ),
)
