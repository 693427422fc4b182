import { InvalidInputError, type Issue } from '../errors.ts'
import { isAmount } from '../lib/decimal.ts'
import { ORDER_ID_LENGTH } from '../lib/limits.ts'
import { isObject, kindOf, leaf, read, type Schema } from './schema.ts'
import { isText } from './values.ts'

// Each is a function: nothing is built at import, and a bundle holds only what its calls use.

/** A text that matches a pattern. */
export const matching = (rule: string, pattern: RegExp): Schema<string> =>
  leaf(rule, (value) => isText(value) && pattern.test(value))

// Lengths are UTF-16 units, which is never laxer than counting characters.
const sized = (rule: string, least: number, most: number, test = (_: string) => true): Schema<string> =>
  leaf(rule, (value) => isText(value) && value.length >= least && value.length <= most && test(value))

/** A text that is not empty. */
export const text = (): Schema<string> => matching('a non-empty string', /./s)

/** A text of 1 to `most` characters. */
export const textTo = (most: number): Schema<string> => sized(`a string of 1 to ${most} characters`, 1, most)

/** A text of at most `most` characters, which may be empty. */
export const freeText = (most: number): Schema<string> => sized(`a string of at most ${most} characters`, 0, most)

/** A text with a lone half of a surrogate pair cannot be written in UTF-8: it would arrive as another text. */
const isWellFormed = (value: string) => !/\p{Surrogate}/u.test(value)

/** The merchant's identifier of an order. */
export const orderId = (most: number = ORDER_ID_LENGTH): Schema<string> =>
  sized(`a well-formed string of 1 to ${most} characters`, 1, most, isWellFormed)

/** A text that becomes a segment of a path: `.` and `..`, in whatever encoding, would change the path. */
export const pathSegment = (): Schema<string> =>
  sized(
    `a well-formed string of 1 to ${ORDER_ID_LENGTH} characters other than "." and ".." (it becomes a part of the path)`,
    1,
    ORDER_ID_LENGTH,
    (value) => isWellFormed(value) && !/^(\.|%(25)*2e){1,2}$/i.test(value),
  )

/** Products: an array of objects, sent as they are. */
export const products = (): Schema<Record<string, unknown>[]> =>
  leaf('an array of objects', (value) => Array.isArray(value) && value.every(isObject))

/** One of several words. */
export const oneOf = <T extends string>(...words: readonly T[]): Schema<T> =>
  leaf(`one of: ${words.join(', ')}`, (value) => words.includes(value as T))

export const amount = (): Schema<number> =>
  leaf('a positive number with at most 2 decimals (a number, not a string)', isAmount)

export const uuid = (): Schema<string> => matching('a UUID', /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i)

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
function isDate(value: unknown): boolean {
  return isText(value) && /^\d{4}-\d\d-\d\d$/.test(value) && new Date(value).toJSON()?.startsWith(value)
}

function isHttpAddress(value: unknown): boolean {
  return isText(value) && /^https?:\/\/\S+$/i.test(value) && URL.canParse(value)
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

/** What is wrong at one place of an input. */
export function issueAt(path: string, rule: string, value: unknown): Issue {
  return { path, rule, received: kindOf(value) }
}

/** Refuses an input for what is at one place of it. */
export function refuseInput(operation: string, path: string, rule: string, value: unknown): never {
  throw new InvalidInputError(operation, [issueAt(path, rule, value)])
}
