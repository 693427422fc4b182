import { parseDate, parseTime } from '../state/time.ts'
import { isCountry, isCurrency } from './iso-codes.ts'

/** The types of the API document's tables ("Common types" and the type columns). */
export type TypeName =
  | 'uuid'
  | 'mode'
  | 'method'
  | 'amount'
  | 'currency'
  | 'string'
  | 'text'
  | 'month'
  | 'year'
  | 'integer'
  | 'url'
  | 'country'
  | 'date'
  | 'time'
  | 'mcc'
  | 'json'
  | 'array'
  | 'split'
  | 'fingerprint'
  | 'recurring'
  | 'interval_unit'
  | 'receipt_delivery'

/** Says what a value has to be, when it is not: the `violation` of the response. */
export type TypeRule = (value: unknown) => string | undefined

export type TypeRules = Record<TypeName, TypeRule>

/** Ten trillion: beyond it hundredths would be lost in sums (assumption: the API document shows no upper limit). */
const MAX_AMOUNT = 10_000_000_000_000

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

function text(pattern: RegExp, expected: string): TypeRule {
  return (value) => (typeof value === 'string' && pattern.test(value) ? undefined : expected)
}

function whole(min: number, max: number, expected: string): TypeRule {
  return (value) =>
    typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max ? undefined : expected
}

function oneOf(...words: string[]): TypeRule {
  return (value) => (words.includes(value as string) ? undefined : `must be one of ${words.join(', ')}`)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Nested tables (`split`, `fingerprint`, `recurring`) are walked by `validate.ts`; here only their outer type is checked. */
export const TYPES: TypeRules = {
  uuid: text(UUID, 'must be a UUID'),
  mode: oneOf('direct', 'hosted'),
  method: oneOf('purchase', 'auth', 'capture', 'void', 'refund', 'auth_increment', 'credit', 'p2p', 'lookup'),
  // Decimal digits are counted on the number's own shortest text: 0.1 + 0.2 has seventeen of them.
  amount: (value) =>
    typeof value === 'number' && value > 0 && value <= MAX_AMOUNT && /^\d+(\.\d{1,2})?$/.test(String(value))
      ? undefined
      : 'must be a positive number with at most 2 decimal digits',
  currency: (value) => (isCurrency(value) ? undefined : 'must be an ISO 4217 currency code'),
  string: (value) => (typeof value === 'string' && value !== '' ? undefined : 'must be a string that is not empty'),
  // The API document gives it a greatest length and no least one.
  text: (value) => (typeof value === 'string' ? undefined : 'must be a string'),
  month: whole(1, 12, 'must be a month from 1 to 12'),
  year: (value) =>
    typeof value === 'number' && /^(\d{1,2}|[1-9]\d{3})$/.test(String(value))
      ? undefined
      : 'must be a year of two or four digits',
  integer: (value) => (Number.isInteger(value) ? undefined : 'must be an integer'),
  url: (value) =>
    typeof value === 'string' && URL.canParse(value) && /^https?:\/\//i.test(value) ? undefined : 'must be a URL',
  country: (value) => (isCountry(value) ? undefined : 'must be an ISO 3166-1 alpha-2 country code'),
  date: (value) =>
    typeof value === 'string' && parseDate(value) !== undefined ? undefined : 'must be a date as YYYY-MM-DD',
  time: (value) =>
    typeof value === 'string' && parseTime(value) !== undefined ? undefined : 'must be a time as HH:MM:SS',
  mcc: (value) =>
    /^\d{4}$/.test(String(value)) && (typeof value === 'string' || typeof value === 'number')
      ? undefined
      : 'must be a merchant category code of four digits',
  json: (value) => (isObject(value) ? undefined : 'must be a JSON object'),
  array: (value) => (Array.isArray(value) ? undefined : 'must be an array'),
  split: (value) => (Array.isArray(value) && value.length > 0 ? undefined : 'must be an array with at least one entry'),
  fingerprint: (value) => (isObject(value) ? undefined : 'must be a JSON object'),
  recurring: (value) => (isObject(value) ? undefined : 'must be a JSON object'),
  interval_unit: oneOf('day', 'week', 'month', 'quarter', 'year'),
  receipt_delivery: oneOf('email', 'sms', 'viber', 'none'),
}
