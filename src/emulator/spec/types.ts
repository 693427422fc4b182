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

export type TypeRule = (value: unknown) => string | undefined

export type TypeRules = Record<TypeName, TypeRule>

/** Ten trillion: beyond it hundredths would be lost in sums (assumption: the API document shows no upper limit). */
const MAX_AMOUNT = 10_000_000_000_000

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

function text(pattern: RegExp, expected: string): TypeRule {
  return (value) => (typeof value === 'string' && pattern.test(value) ? undefined : expected)
}

function whole(min: number, max: number, expected: string): TypeRule {
  return rule((value) => isNumber(value, /^\d+$/) && value >= min && value <= max, expected)
}

function isNumber(value: unknown, form: RegExp): value is number {
  return typeof value === 'number' && form.test(String(value))
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

function oneOf(...words: string[]): TypeRule {
  return (value) => (words.includes(value as string) ? undefined : `must be one of ${words.join(', ')}`)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function rule(holds: (value: unknown) => boolean, expected: string): TypeRule {
  return (value) => (holds(value) ? undefined : expected)
}

/**
 * Nested tables (`split`, `fingerprint`, `recurring`) are walked by `validate.ts`; here only their outer type is
 * checked.
 */
export const TYPES: TypeRules = {
  uuid: text(UUID, 'must be a UUID'),
  mode: oneOf('direct', 'hosted'),
  method: oneOf('purchase', 'auth', 'capture', 'void', 'refund', 'auth_increment', 'credit', 'p2p', 'lookup'),
  // Decimal digits are counted on the number's own shortest text: 0.1 + 0.2 has seventeen.
  amount: rule(
    (value) => isNumber(value, /^\d+(\.\d{1,2})?$/) && value > 0 && value <= MAX_AMOUNT,
    'must be a positive number with at most 2 decimal digits',
  ),
  currency: rule(isCurrency, 'must be an ISO 4217 currency code'),
  string: text(/./s, 'must be a string that is not empty'),
  // The API document gives it a greatest length and no least one.
  text: text(/^/, 'must be a string'),
  month: whole(1, 12, 'must be a month from 1 to 12'),
  year: rule((value) => isNumber(value, /^(\d{1,2}|[1-9]\d{3})$/), 'must be a year of two or four digits'),
  integer: rule(Number.isInteger, 'must be an integer'),
  url: rule((value) => /^https?:\/\//i.test(textOf(value)) && URL.canParse(textOf(value)), 'must be a URL'),
  country: rule(isCountry, 'must be an ISO 3166-1 alpha-2 country code'),
  date: rule((value) => parseDate(textOf(value)) !== undefined, 'must be a date as YYYY-MM-DD'),
  time: rule((value) => parseTime(textOf(value)) !== undefined, 'must be a time as HH:MM:SS'),
  mcc: rule(
    (value) => isNumber(value, /^\d{4}$/) || /^\d{4}$/.test(textOf(value)),
    'must be a merchant category code of four digits',
  ),
  json: rule(isObject, 'must be a JSON object'),
  array: rule(Array.isArray, 'must be an array'),
  split: rule((value) => Array.isArray(value) && value.length > 0, 'must be an array with at least one entry'),
  fingerprint: rule(isObject, 'must be a JSON object'),
  recurring: rule(isObject, 'must be a JSON object'),
  interval_unit: oneOf('day', 'week', 'month', 'quarter', 'year'),
  receipt_delivery: oneOf('email', 'sms', 'viber', 'none'),
}
