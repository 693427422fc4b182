import * as v from 'valibot'
import { fieldsOf, must, objectOf, pure, type Schema } from './fields.ts'

/** A text of the service whose known values are listed, and which may hold others at any time. */
export type LiteralUnion<Known extends string> = Known | (string & {})

/** `status` of a payment or an operation. The complete set is not shown; `success` and `failure` are final. */
export type Status = LiteralUnion<'init' | 'pending' | 'success' | 'failure'>
/** `direct` or `hosted` (API document, "Common types"). */
export type Mode = LiteralUnion<'direct' | 'hosted'>
/** ISO 4217 code, such as `UAH`. */
export type Currency = string
/** `yyyy-MM-ddTHH:mm:ss.SSS` without a zone; the fraction may be absent. Kept as a string: its zone is not shown. */
export type Timestamp = string

// Responses and webhooks.

/** A text. */
export const text: Schema<string> = /* @__PURE__ */ pure(() =>
  v.custom<string>((value) => typeof value === 'string', must('be a string')),
)

/** A text that may be null or absent. */
export const optionalText: Schema<string | null | undefined> = /* @__PURE__ */ pure(() => v.nullish(text))

/** Anything: it is passed on as it is. */
export const anything: Schema<unknown> = /* @__PURE__ */ pure(() => v.custom<unknown>(() => true))

/** A boolean. */
export const flag: Schema<boolean> = /* @__PURE__ */ pure(() =>
  v.custom<boolean>((value) => typeof value === 'boolean', must('be true or false')),
)

/** A boolean that may be null or absent. */
export const optionalFlag: Schema<boolean | null | undefined> = /* @__PURE__ */ pure(() => v.nullish(flag))

/** A number; the service sometimes sends one as a string. */
export const number: Schema<number> = /* @__PURE__ */ pure(() =>
  v.pipe(v.custom<number | string>(isNumeric, must('be a number')), v.transform(Number)),
)

function isNumeric(value: unknown): boolean {
  const isText = typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value)
  return (isText || typeof value === 'number') && Number.isFinite(Number(value))
}

/** A number that may be null or absent. */
export const optionalNumber: Schema<number | null | undefined> = /* @__PURE__ */ pure(() => v.nullish(number))

/** A fee of the service (API document, "Payment (primary operation) record"). */
export interface Fee {
  /** In the currency's unit, not in hundredths. */
  amount: number
  /** ISO 4217. */
  currency: Currency
}

/** A fee: `amount` and `currency`. */
export const feeSchema: Schema<Fee> = /* @__PURE__ */ pure(() =>
  objectOf(fieldsOf<Fee>()({ amount: number, currency: text })),
)

/** The limit that caused a decline (API document, "Payment (primary operation) record"). */
export interface LimitInfo {
  /** Recommended time of the next attempt; no zone. */
  retry_after?: Timestamp | null | undefined
  /** A description of the limit. */
  description?: string | null | undefined
}

const limitInfoObject = /* @__PURE__ */ pure(() =>
  objectOf(fieldsOf<LimitInfo>()({ retry_after: optionalText, description: optionalText })),
)

/** The API document's parameter table types it String, and it is delivered as an object: both are read. */
export const limitInfoSchema: Schema<LimitInfo | string> = /* @__PURE__ */ pure(() =>
  v.lazy((value) => (typeof value === 'string' ? text : limitInfoObject)),
)

/** Details of an account-to-account payment (API document, "Payment (primary operation) record"). All are strings. */
export interface BankPay {
  /** Bank code of the sender's bank. */
  sender_mfo?: string | null | undefined
  /** Name of the sender's bank. */
  sender_bank?: string | null | undefined
  /** The sender's account. */
  sender_iban?: string | null | undefined
  /** The sender. */
  sender_name?: string | null | undefined
  /** The sender's tax number. */
  sender_tax_id?: string | null | undefined
  /** The receiver's account. */
  receiver_iban?: string | null | undefined
  /** Purpose of the payment. */
  description?: string | null | undefined
}

/** The details of an account-to-account payment: any text may be absent. */
export const bankPaySchema: Schema<BankPay> = /* @__PURE__ */ pure(() =>
  objectOf(
    fieldsOf<BankPay>()({
      sender_mfo: optionalText,
      sender_bank: optionalText,
      sender_iban: optionalText,
      sender_name: optionalText,
      sender_tax_id: optionalText,
      receiver_iban: optionalText,
      description: optionalText,
    }),
  ),
)
