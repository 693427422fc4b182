import * as v from 'valibot'
import type { Issue } from '../errors.ts'

// A few valibot schemas under names of ours. Every leaf is `custom`, the smallest there is, and says its rule in words:
// valibot's own messages put the received value (a card number) into their text.

/** A schema that reads anything into a `T`. */
export type Schema<T> = v.GenericSchema<unknown, T>

/** A schema for each field of `T`: one that is missing, or of another type, does not compile. */
export type Fields<T> = { readonly [K in keyof T]-?: Schema<T[K]> }

/** Either the value in the schema's form, or what is wrong with it. */
export type Read<T> = { value: T; issues?: undefined } | { value?: undefined; issues: Issue[] }

/** Checks a value against a schema. The issues never hold what was received, only its kind. */
export function read<T>(schema: Schema<T>, value: unknown): Read<T> {
  // The same as valibot's safeParse, whose result would be one object more.
  const dataset = schema['~standard'].validate(value) as v.OutputDataset<T, v.BaseIssue<unknown>>
  return dataset.issues ? { issues: dataset.issues.map(toIssue) } : { value: dataset.value as T }
}

function toIssue({ path, message, input }: v.BaseIssue<unknown>): Issue {
  let place = ''
  for (const { key } of path ?? []) {
    place += typeof key === 'number' ? `[${key}]` : place === '' ? String(key) : `.${String(key)}`
  }
  // The issue of a missing or an unknown field is its object's: the field's own value is the last of the path.
  return { path: place, rule: message, received: kindOf(path ? path.at(-1)?.value : input) }
}

/** The kind of a value, for an error that must not show the value. */
export function kindOf(value: unknown): string {
  if (value === undefined) return 'missing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'string') return value === '' ? 'empty string' : `string of ${value.length} characters`
  return typeof value
}

/** A value that a test decides on. */
export function leaf<T>(rule: string, test: (value: unknown) => boolean): Schema<T> {
  return v.custom<T>(test, rule)
}

/** A parameter that may be left out; `undefined` counts as left out. */
export function optional<T>(schema: Schema<T>): Schema<T | undefined> {
  return v.optional(schema)
}

/** A field that may be absent, or null because the service does not know it. It is left as it is then. */
export function maybe<T>(schema: Schema<T>): Schema<T | null> {
  return v.nullish(schema) as Schema<T | null>
}

export function array<T>(schema: Schema<T>, rule = 'an array', least = 0): Schema<T[]> {
  return v.pipe(
    leaf<unknown[]>(rule, (value) => Array.isArray(value) && value.length >= least),
    v.array(schema),
  )
}

/** The schema that `choose` finds for a value. */
export function either<T>(choose: (value: unknown) => Schema<T>): Schema<T> {
  return v.lazy(choose)
}

/** Whatever is there. */
export function anyValue<T>(): Schema<T> {
  return leaf('given', () => true)
}

/** Goes on only with a value that is right so far. */
export function convert<A, B>(schema: Schema<A>, next: (value: A) => B): Schema<B> {
  return v.pipe(schema, v.transform(next))
}

// valibot takes an array for an object.
const isObject = (value: unknown) => value !== null && typeof value === 'object' && !Array.isArray(value)

/** Changes what was received before a schema sees it. */
export function before<T>(change: (received: unknown) => unknown, schema: Schema<T>): Schema<T> {
  return v.pipe(anyValue(), v.transform(change), schema)
}

/** An object of an answer: fields that are not named here are kept. */
export function looseObject<T extends object>(fields: Fields<T>): Schema<T> {
  return v.pipe(leaf('an object', isObject), v.looseObject(entries(fields), ruleFor(fields))) as unknown as Schema<T>
}

/** An object of a call's input: each field that is not named here is an issue, so that no typo travels. */
export function strictObject<T extends object>(fields: Fields<T>): Schema<T> {
  return v.pipe(
    looseObject(fields),
    // valibot's own strict object tells of the first unknown field alone.
    v.rawCheck(({ dataset: { value }, addIssue }) => {
      const input = (isObject(value) ? value : {}) as Record<string, unknown>
      for (const key of Object.keys(input)) {
        if (Object.hasOwn(fields, key)) continue
        addIssue({ message: UNKNOWN, path: [{ type: 'object', origin: 'key', input, key, value: input[key] }] })
      }
    }),
  )
}

const entries = (fields: object) => fields as v.ObjectEntries

const UNKNOWN = 'left out: it is not a parameter of this call (passThrough sends an extra field on purpose)'

/** What a missing field must be. */
function ruleFor(fields: object): (issue: v.BaseIssue<unknown>) => string {
  return ({ path }) => {
    const schema = (fields as Record<string, { message?: unknown }>)[String(path?.at(-1)?.key)]
    return String(schema?.message ?? 'given')
  }
}
