import { _standardSchema, type BaseIssue, type GenericSchema } from 'valibot'
import type { Issue } from '../errors.ts'

// The schemas are valibot's: whatever of valibot takes a schema takes these. How they read is ours. valibot's messages put
// the received value (a card number) into their text; its objects copy every field of every webhook, take an array for an
// object, and tell of the first unknown field alone.

/** Reads an unknown value as a `T`. */
export type Schema<T> = GenericSchema<unknown, T>

/** One schema for each field, none left out: whoever adds a field to an interface adds it here. */
export type Fields<T> = { readonly [K in keyof T]-?: Schema<T[K]> }

/** What {@link read} answers. */
export type Read<T> = { value: T; issues?: undefined } | { value?: undefined; issues: Issue[] }

/** Reads a value; what it received is never part of an issue. */
export function read<T>(schema: Schema<T>, value: unknown): Read<T> {
  const { value: output, issues } = run(schema, { value })
  return issues ? { issues: issues.map(toIssue) } : { value: output as T }
}

function toIssue({ path, message, received }: BaseIssue<unknown>): Issue {
  let place = ''
  for (const { key } of path ?? []) {
    place += typeof key === 'number' ? `[${key}]` : `.${key}`
  }
  return { path: place.replace(/^\./, ''), rule: message, received }
}

/** The kind of a value, for an issue: never the value itself. */
export function kindOf(value: unknown): string {
  if (value === undefined) return 'missing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'string') return value === '' ? 'empty string' : `string of ${value.length} characters`
  return typeof value
}

/** Whether a value is an object that is no array. */
export const isObject = (value: unknown): value is Record<string, unknown> => kindOf(value) === 'object'

type Test = (value: unknown) => boolean

/** What valibot hands from schema to schema: a value, as far as it was read, and what is wrong with it. */
interface Dataset {
  value: unknown
  typed?: boolean
  issues?: BaseIssue<unknown>[]
}

/** A schema of ours. */
interface OwnSchema {
  /** The rule, which completes "must be". */
  expects: string
  /** Whether a value can stay as it is, without a look at its parts: the short way. */
  accepts: Test | undefined
  '~run'(dataset: Dataset): Dataset
}
const own = (schema: Schema<unknown>) => schema as unknown as OwnSchema
const run = (schema: Schema<unknown>, dataset: Dataset): Dataset => own(schema)['~run'](dataset)

function schema<T>(expects: string, accepts: Test | undefined, readInto: (dataset: Dataset) => void): Schema<T> {
  return _standardSchema({
    kind: 'schema',
    type: 'custom',
    reference: schema,
    async: false,
    expects,
    accepts,
    '~run'(dataset: Dataset) {
      readInto(dataset)
      dataset.typed = !dataset.issues
      return dataset
    },
  } as unknown as Schema<T>)
}

/** A value that a test accepts as it is. The rule completes "must be". */
export function leaf<T>(rule: string, test: Test): Schema<T> {
  return schema(rule, test, (dataset) => {
    const { value: input } = dataset
    if (test(input)) return
    const issue = {
      kind: 'schema',
      type: 'custom',
      input,
      expected: rule,
      received: kindOf(input),
      message: rule,
    } as const
    dataset.issues = [issue]
  })
}

/** A value that is there. */
export function anyValue<T>(): Schema<T> {
  return leaf('given', () => true)
}

/** A value that one test accepts as it is, or that another schema reads. */
export function unless<T>(stays: Test, inner: Schema<unknown>): Schema<T> {
  const { expects, accepts } = own(inner)
  return schema(expects, accepts && ((value) => stays(value) || accepts(value)), (dataset) => {
    if (!stays(dataset.value)) run(inner, dataset)
  })
}

/** A field that may be left out. */
export function optional<T>(inner: Schema<T>): Schema<T | undefined> {
  return unless((value) => value === undefined, inner)
}

/** A field that may be left out or null. */
export function maybe<T>(inner: Schema<T>): Schema<T | null> {
  return unless((value) => value == null, inner)
}

/** What another schema read, converted. */
export function convert<A, B>(inner: Schema<A>, next: (value: A) => B): Schema<B> {
  return schema(own(inner).expects, undefined, (dataset) => {
    if (!run(inner, dataset).issues) dataset.value = next(dataset.value as A)
  })
}

/** A schema that reads what `change` makes of the value. */
export function before<T>(change: (received: unknown) => unknown, inner: Schema<T>): Schema<T> {
  return schema(own(inner).expects, undefined, (dataset) => {
    dataset.value = change(dataset.value)
    run(inner, dataset)
  })
}

/** An array of one kind. */
export function array<T>(inner: Schema<T>, rule = 'an array', least = 0): Schema<T[]> {
  const list = leaf<unknown[]>(rule, (value) => Array.isArray(value) && value.length >= least)
  return schema(rule, undefined, (dataset) => {
    if (run(list, dataset).issues) return
    // A hole is read too: JSON would make a null of it.
    dataset.value = Array.from(dataset.value as unknown[], (value, index) => readPart(inner, value, index, dataset))
  })
}

/** An object whose unknown fields are kept: the service adds some at any time. Copied only where a field was converted. */
export function looseObject<T extends object>(fields: Fields<T>): Schema<T> {
  return object(fields, false)
}

/** An object whose unknown fields are refused: a misspelt field would silently do nothing. Always copied. */
export function strictObject<T extends object>(fields: Fields<T>): Schema<T> {
  return object(fields, true)
}

const UNKNOWN = 'left out: it is not a parameter of this call (passThrough sends extra fields)'

function object<T extends object>(fields: Fields<T>, strict: boolean): Schema<T> {
  const form = leaf('an object', isObject)
  const unknown = leaf(UNKNOWN, () => false)
  const known = Object.entries<Schema<unknown>>(fields).map(([name, field]) => ({
    name,
    field,
    accepts: own(field).accepts,
  }))
  return schema('an object', undefined, (dataset) => {
    if (run(form, dataset).issues) return
    const input = dataset.value as Record<string, unknown>
    let output = strict ? {} : input
    for (const { name, field, accepts } of known) {
      const received = input[name]
      const value = accepts?.(received) ? received : readPart(field, received, name, dataset)
      if (value === (strict ? undefined : received)) continue
      if (output === input) output = { ...input }
      output[name] = value
    }
    for (const name of strict ? Object.keys(input) : []) {
      if (!Object.hasOwn(fields, name)) readPart(unknown, input[name], name, dataset)
    }
    dataset.value = output
  })
}

/** Reads a part of a whole; what is wrong with it is wrong with the whole. */
function readPart(inner: Schema<unknown>, value: unknown, key: string | number, whole: Dataset): unknown {
  const part = run(inner, { value })
  for (const issue of part.issues ?? []) {
    const place = { type: 'unknown', origin: 'value', input: whole.value, key, value } as const
    // Pushed: a copy for each issue would take minutes for an answer of a million wrong entries.
    whole.issues ??= []
    whole.issues.push({ ...issue, path: [place, ...(issue.path ?? [])] })
  }
  return part.value
}
