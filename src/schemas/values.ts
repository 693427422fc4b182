import * as v from 'valibot'
import type { Issue } from '../errors.ts'
import { lazy } from '../lib/lazy.ts'

/** A text of the service whose known values are listed, and which may hold others at any time. */
export type Open<Known extends string> = Known | (string & {})

/** `status` of a payment or an operation. The complete set is not shown; `success` and `failure` are final. */
export type Status = Open<'init' | 'pending' | 'success' | 'failure'>
/** `direct` or `hosted` (document, "Common types"). */
export type Mode = Open<'direct' | 'hosted'>
/** ISO 4217 code, such as `UAH`. */
export type Currency = string
/** `yyyy-MM-ddTHH:mm:ss.SSS` without a zone; the fraction may be absent. Kept as a string: its zone is not shown. */
export type Timestamp = string

/** A schema leaf from a test: valibot's own leaves put the received value into their messages. */
export function leaf<T>(rule: string, test: (value: unknown) => boolean): v.GenericSchema<unknown, T> {
  return v.custom<T>(test, rule)
}

export const isText = (value: unknown): value is string => typeof value === 'string'

// Answers and webhooks: loose. A field that is absent or null is left as it is.
export const textField: () => v.GenericSchema<unknown, string> = lazy(() => leaf<string>('a string', isText))
export const flagField: () => v.GenericSchema<unknown, boolean> = lazy(() =>
  leaf<boolean>('a boolean', (value) => typeof value === 'boolean'),
)
/** A number; the service sometimes sends one as a string. */
export const numberField: () => v.GenericSchema<unknown, number> = lazy(() =>
  v.pipe(
    leaf<number | string>('a number', (value) =>
      typeof value === 'number' ? Number.isFinite(value) : isText(value) && /^-?\d+(\.\d+)?$/.test(value),
    ),
    v.transform(Number),
  ),
)

/** A field that may be absent, or null because the service does not know it. */
export function maybe<T>(
  schema: v.GenericSchema<unknown, T>,
): v.ExactOptionalSchema<v.NullableSchema<v.GenericSchema<unknown, T>, undefined>, undefined> {
  return v.exactOptional(v.nullable(schema))
}

/** Either the value in the schema's form, or what is wrong with it. */
export type Read<T> = { value: T; issues?: undefined } | { value?: undefined; issues: Issue[] }

/** Checks a value against a schema. The issues never hold what was received, only its kind. */
export function read<T>(schema: v.GenericSchema<unknown, T>, value: unknown): Read<T> {
  const result = v.safeParse(schema, value)
  return result.success ? { value: result.output } : { issues: result.issues.map(toIssue) }
}

function toIssue(issue: v.BaseIssue<unknown>): Issue {
  let path = ''
  for (const { key } of issue.path ?? []) {
    path += typeof key === 'number' ? `[${key}]` : path === '' ? String(key) : `.${String(key)}`
  }
  const missing = issue.input === undefined
  const rule = issue.type === 'custom' || issue.kind !== 'schema' ? issue.message : STRUCTURE[issue.expected ?? '']
  return {
    path,
    rule: rule ?? (missing ? 'given' : 'of the documented type'),
    received: missing ? 'missing' : kindOf(issue.input),
  }
}

const STRUCTURE: Record<string, string> = {
  Object: 'an object',
  Array: 'an array',
  never: 'left out: it is not a parameter of this call (passThrough sends an extra field on purpose)',
}

/** The kind of a value, for an error that must not show the value. */
export function kindOf(value: unknown): string {
  if (value === undefined) return 'missing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'string') return value === '' ? 'empty string' : `string of ${value.length} characters`
  return typeof value
}
