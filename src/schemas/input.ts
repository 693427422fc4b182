import * as v from 'valibot'
import { InvalidInputError, type Issue } from '../errors.ts'
import { amountProblem, isAmount } from '../lib/decimal.ts'
import { countCharacters, isObject, kindOf, membersOf } from '../lib/kind.ts'
import { ORDER_ID_LENGTH } from '../lib/limits.ts'
import { messageIn, must, pure, type Schema } from './fields.ts'
import { toIssue, without } from './read.ts'

// Values of a call's input. The functions are those that take a limit.

/** A text that passes a test. Each of valibot's own actions would add code; a test adds none. */
export function textThat(test: (text: string) => boolean, be: string): Schema<string> {
  return v.custom<string>((value) => typeof value === 'string' && test(value), must(be))
}

/** A text that matches a pattern. */
export const pattern = (regex: RegExp, be: string): Schema<string> => textThat((text) => regex.test(text), be)

/** A text that is not empty. */
export const nonEmptyText: Schema<string> = /* @__PURE__ */ pure(() => pattern(/./s, 'be a non-empty string'))

/** A text of at most `max` characters. An emoji is one character. */
export const textUpTo = (max: number, min = 0): Schema<string> =>
  textThat(
    (text) => text.length >= min && (text.length <= max || countCharacters(text) <= max),
    `be a string of ${min > 0 ? `${min} to` : 'at most'} ${max} characters`,
  )

/** Two rules: the second is checked if the first is kept. */
const both = (first: Schema<string>, second: Schema<string>): Schema<string> =>
  v.pipe(first, second as v.GenericSchema<string>)

/** Half of a surrogate pair cannot be written in UTF-8: the service would receive another text. */
const isWellFormed = (text: string) => !/\p{Surrogate}/u.test(text)

/** The merchant's identifier of an order. */
export function orderId(max: number = ORDER_ID_LENGTH): Schema<string> {
  return both(textUpTo(max, 1), textThat(isWellFormed, 'be well-formed Unicode: it has half of a surrogate pair'))
}

/** A text that becomes a segment of a path: `.` and `..`, however often encoded, would change the path. */
export const pathSegment: Schema<string> = /* @__PURE__ */ pure(() =>
  both(
    orderId(),
    textThat((text) => !/^(\.|%(25)*2e){1,2}$/i.test(text), 'not be "." or "..": it becomes a part of the path'),
  ),
)

/** Products, sent as they are. */
export const products: Schema<readonly object[]> = /* @__PURE__ */ pure(() =>
  v.custom<readonly object[]>((value) => Array.isArray(value) && value.every(isObject), must('be an array of objects')),
)

/** A text from a list. */
export function oneOf<const T extends string>(options: readonly T[]): Schema<T> {
  return v.custom<T>((value) => options.includes(value as T), must(`be one of: ${options.join(', ')}`))
}

/** A positive number with at most 2 decimals. Its message names the rule that the number breaks. */
export const amount: Schema<number> = /* @__PURE__ */ pure(() =>
  v.custom<number>(isAmount, (issue) => must(`be ${amountProblem(issue.input)}`)(issue)),
)

/**
 * An amount that stands for the whole when it is left out: a missing column of a table must not move all of the money.
 */
export const partialAmount = (all: string): v.ExactOptionalSchema<Schema<number | undefined>, undefined> =>
  v.exactOptional(
    v.pipe(
      v.custom<unknown>((value) => value !== undefined, `is undefined: leave it out to ${all} everything`),
      amount,
    ),
  )

export const uuid: Schema<string> = /* @__PURE__ */ pure(() =>
  pattern(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i, 'be a UUID'),
)

export const currency: Schema<string> = /* @__PURE__ */ pure(() =>
  pattern(/^[A-Z]{3}$/, 'be a currency code of three capital letters (ISO 4217)'),
)

export const country: Schema<string> = /* @__PURE__ */ pure(() =>
  pattern(/^[A-Z]{2}$/, 'be a country code of two capital letters (ISO 3166-1 alpha-2)'),
)

export const mcc: Schema<string> = /* @__PURE__ */ pure(() =>
  pattern(/^\d{4}$/, 'be a merchant category code of four digits'),
)

export const date: Schema<string> = /* @__PURE__ */ pure(() => textThat(isDate, 'be a real date as YYYY-MM-DD'))

export const url: Schema<string> = /* @__PURE__ */ pure(() =>
  textThat((text) => /^https?:\/\/\S+$/i.test(text) && URL.canParse(text), 'be an absolute http(s) URL'),
)

/** A whole number within bounds. */
export const wholeNumber = (min: number, max: number): Schema<number> =>
  v.custom<number>(
    (value) => Number.isInteger(value) && (value as number) >= min && (value as number) <= max,
    must(`be a whole number from ${min} to ${max}`),
  )

/** Whether a text is a date that exists: 2026-02-29 does not. */
function isDate(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && (new Date(text).toJSON()?.startsWith(text) ?? false)
}

/**
 * Checks the input of a call.
 * @param more Rules across several fields. They run on an input whose fields are each right.
 * @returns A copy without the fields that are undefined.
 * @throws {InvalidInputError} with every issue, without the values.
 */
export function checkInput<T>(
  operation: string,
  schema: Schema<T>,
  input: unknown,
  more: (input: T) => Issue[] = () => [],
): T {
  const { output, issues: found } = v.safeParse(schema, input)
  const checked = found ? output : membersOf(without(output as object))
  const issues = (found ? found.map(toIssue) : more(checked as T)).map((issue) => ({
    ...issue,
    message: messageIn(operation, issue.message),
  }))
  if (issues.length > 0) throw new InvalidInputError(operation, issues, true)
  return checked as T
}

/** A mistake at one place of an input. */
export function issueAt(path: string, message: string, value: unknown): Issue {
  return { path, message, received: kindOf(value) }
}

/** Rejects the input of a call for the value at one place. */
export function rejectInput(operation: string, path: string, message: string, value: unknown): never {
  throw new InvalidInputError(operation, [issueAt(path, message, value)], true)
}
