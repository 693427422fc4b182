import type { Issue } from '../errors.ts'

// Schemas of our own: a function for each form. A library's would be a third of the whole client's size, would cost more
// than the hash of a webhook, and would put received values (a card number) into its messages.

/** Answers a value in its read form, and adds to `issues` what is wrong with it. Issues never hold what was received. */
export type Schema<T> = (value: unknown, path: string, issues: Issue[]) => T

/** A schema for each field of `T`: one that is missing, or of another type, does not compile. */
export type Fields<T> = { readonly [K in keyof T]-?: Schema<T[K]> }

/** Either the value in the schema's form, or what is wrong with it. */
export type Read<T> = { value: T; issues?: undefined } | { value?: undefined; issues: Issue[] }

/** Checks a value against a schema. */
export function read<T>(schema: Schema<T>, value: unknown): Read<T> {
  const issues: Issue[] = []
  const result = schema(value, '', issues)
  return issues.length > 0 ? { issues } : { value: result }
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
  return (value, path, issues) => {
    if (!test(value)) issues.push({ path, rule, received: kindOf(value) })
    return value as T
  }
}

/** A parameter that may be left out; `undefined` counts as left out. */
export function optional<T>(schema: Schema<T>): Schema<T | undefined> {
  return (value, path, issues) => (value === undefined ? undefined : schema(value, path, issues))
}

/** A field that may be absent, or null because the service does not know it. It is left as it is then. */
export function maybe<T>(schema: Schema<T>): Schema<T | null> {
  return (value, path, issues) => (value == null ? (value as null) : schema(value, path, issues))
}

export function array<T>(schema: Schema<T>, rule = 'an array', least = 0): Schema<T[]> {
  const list = leaf<unknown[]>(rule, (value) => Array.isArray(value) && value.length >= least)
  return convert(list, (values, path, issues) =>
    Array.from(values, (value, i) => schema(value, `${path}[${i}]`, issues)),
  )
}

/** Goes on only with a value that is right so far. */
export function convert<A, B>(schema: Schema<A>, next: (value: A, path: string, issues: Issue[]) => B): Schema<B> {
  return (value, path, issues) => {
    const before = issues.length
    const result = schema(value, path, issues)
    return issues.length > before ? (result as never) : next(result, path, issues)
  }
}

const anObject = leaf<Record<string, unknown>>(
  'an object',
  (value) => value !== null && typeof value === 'object' && !Array.isArray(value),
)

/** An object of an answer: fields that are not named here are kept. */
export function looseObject<T extends object>(fields: Fields<T>): Schema<T> {
  const entries = Object.entries(fields) as [string, Schema<unknown>][]
  return convert(anObject, (received, path, issues) => {
    let result = received
    for (const [name, schema] of entries) {
      const value = schema(received[name], join(path, name), issues)
      if (value === received[name]) continue
      // Copied only where a field has another form than it arrived in, so that what was received stays as it was.
      if (result === received) result = { ...received }
      result[name] = value
    }
    return result as T
  })
}

/** An object of a call's input: a field that is not named here is an issue, so that a typo does not travel. */
export function strictObject<T extends object>(fields: Fields<T>): Schema<T> {
  const entries = Object.entries(fields) as [string, Schema<unknown>][]
  return convert(anObject, (received, path, issues) => {
    const result: Record<string, unknown> = {}
    for (const [name, schema] of entries) {
      const value = schema(received[name], join(path, name), issues)
      if (value !== undefined) result[name] = value
    }
    for (const name of Object.keys(received)) {
      if (Object.hasOwn(fields, name)) continue
      const rule = 'left out: it is not a parameter of this call (passThrough sends an extra field on purpose)'
      issues.push({ path: join(path, name), rule, received: kindOf(received[name]) })
    }
    return result as T
  })
}

const join = (path: string, name: string) => (path === '' ? name : `${path}.${name}`)
