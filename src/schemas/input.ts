import { InvalidInputError, type Issue } from '../errors.ts'
import { isAmount } from '../lib/decimal.ts'
import { ORDER_ID_LENGTH } from '../lib/limits.ts'
import { kindOf, leaf, read, type Schema } from './schema.ts'
import { isText } from './values.ts'

const matching = (rule: string, pattern: RegExp): Schema<string> =>
  leaf(rule, (value) => isText(value) && pattern.test(value))

// Each is a function: nothing is built at import, and a bundle holds only what its calls use.

/** A text of 1 to `most` characters (UTF-16 units, which is never laxer than counting characters). */
export const text = (most: number = Number.POSITIVE_INFINITY): Schema<string> =>
  leaf(
    most === Number.POSITIVE_INFINITY ? 'a non-empty string' : `a string of 1 to ${most} characters`,
    (value) => isText(value) && value.length > 0 && value.length <= most,
  )

/** A text of at most `most` characters, which may be empty. */
export const freeText = (most: number): Schema<string> =>
  leaf(`a string of at most ${most} characters`, (value) => isText(value) && value.length <= most)

/** A text with a lone half of a surrogate pair cannot be written in UTF-8: it would arrive as another text. */
const isWellFormed = (value: string) => !/\p{Surrogate}/u.test(value)

/** The merchant's identifier of an order. */
export const orderId = (most: number = ORDER_ID_LENGTH): Schema<string> =>
  leaf(
    `a well-formed string of 1 to ${most} characters`,
    (value) => isText(value) && value.length > 0 && value.length <= most && isWellFormed(value),
  )

/** A text that becomes a segment of a path: `.` and `..`, in whatever encoding, would change the path. */
export const pathSegment = (): Schema<string> =>
  leaf(
    `a well-formed string of 1 to ${ORDER_ID_LENGTH} characters other than "." and ".." (it becomes a part of the path)`,
    (value) =>
      isText(value) &&
      value.length > 0 &&
      value.length <= ORDER_ID_LENGTH &&
      isWellFormed(value) &&
      !/^(\.|%(25)*2e){1,2}$/i.test(value),
  )

/** Products: an array of objects, sent as they are. */
export const products = (): Schema<Record<string, unknown>[]> =>
  leaf(
    'an array of objects',
    (value) =>
      Array.isArray(value) && value.every((one) => one !== null && typeof one === 'object' && !Array.isArray(one)),
  )

export const exactly = <T extends string>(value: T): Schema<T> => leaf(`"${value}"`, (received) => received === value)

export const amount = (): Schema<number> =>
  leaf('a positive number with at most 2 decimals (a number, not a string)', isAmount)

export const uuid = (): Schema<string> =>
  matching('a UUID', /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i)

export const currency = (): Schema<string> =>
  matching('a currency code of three capital letters (ISO 4217)', /^[A-Z]{3}$/)

export const country = (): Schema<string> =>
  matching('a country code of two capital letters (ISO 3166-1 alpha-2)', /^[A-Z]{2}$/)

export const mcc = (): Schema<string> => matching('a merchant category code of four digits', /^\d{4}$/)

export const date = (): Schema<string> => leaf('a real date as YYYY-MM-DD', isDate)

export const url = (): Schema<string> => leaf('an absolute http(s) address', isHttpAddress)

/** Whatever the document does not describe: it is sent as it is. */
export const anything = (): Schema<unknown> => leaf('given', (value) => value !== undefined)

/** A whole number within bounds. */
export const wholeNumber = (least: number, most: number): Schema<number> =>
  leaf(
    `a whole number from ${least} to ${most}`,
    (value) => Number.isInteger(value) && (value as number) >= least && (value as number) <= most,
  )

/** Whether a text is a date that exists: 2026-02-29 is not. */
function isDate(value: unknown): value is string {
  if (!isText(value) || !/^\d{4}-\d{2}-\d{2}$/.test(value)) return false
  const at = new Date(`${value}T00:00:00Z`)
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(value)
}

function isHttpAddress(value: unknown): boolean {
  if (!isText(value) || !/^https?:\/\/\S+$/i.test(value)) return false
  try {
    return new URL(value).hostname !== ''
  } catch {
    return false
  }
}

/**
 * Checks the input of a call.
 * @param more Rules across several fields; they run on an input whose fields are right each by itself.
 * @throws {InvalidInputError} with every issue; no value is part of it.
 */
export function checkInput<T>(
  operation: string,
  schema: Schema<T>,
  input: unknown,
  more: (input: T) => Issue[] = () => [],
): T {
  const { value, issues } = read(schema, input)
  const found = issues ?? more(value)
  if (found.length > 0) throw new InvalidInputError(operation, found)
  return value as T
}

/** Refuses an input for what is at one place of it. */
export function refuseInput(operation: string, path: string, rule: string, received: unknown): never {
  throw new InvalidInputError(operation, [{ path, rule, received: kindOf(received) }])
}
