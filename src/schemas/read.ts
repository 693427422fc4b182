import * as v from 'valibot'
import type { Issue } from '../errors.ts'
import { isObject, kindOf } from '../lib/kind.ts'
import type { Schema } from './fields.ts'

/**
 * What every record and event keeps of what was received. Neither is enumerable, so that it reaches no log by accident.
 * (Accessors of a class: TypeScript knows that a spread does not copy them.)
 */
export declare abstract class Received {
  /** Everything that was received, under its wire names; raw card data is removed. */
  get record(): Readonly<Record<string, unknown>>
  /** The fields that are left out because they have another type than the API document says. Usually empty. */
  get issues(): readonly Issue[]
}

/** An interface without what {@link Received} adds: what its schema reads. */
export type Wire<T> = Omit<T, keyof Received>

/** What {@link readReceived} returns: the record, or why it cannot be read. */
export type ReadResult<T> = { value: T; issues?: undefined } | { value?: undefined; issues: Issue[] }

/** Optional fields that decide how much was paid: read wrongly, they would be worse than not read at all. */
const DECIDES_WHERE_PRESENT: readonly unknown[] = ['processed_amount', 'processed_currency']

/**
 * Reads a record generously. Its schema's required fields decide: without them there is nothing to rely on. Any other field
 * of an odd type is left out, named in `issues`, and kept under `record`.
 */
export function readReceived<T extends Received>(schema: Schema<Wire<T>>, received: unknown): ReadResult<T> {
  const result = v.safeParse(schema, received)
  if (result.success) return { value: keepReceived({ ...result.output }, received as Record<string, unknown>, []) as T }
  const issues = result.issues.map(toIssue)
  const odd = new Set(result.issues.map(({ path }) => path?.[0]?.key))
  if (!isObject(received) || DECIDES_WHERE_PRESENT.some((name) => odd.has(name))) return { issues }
  const rest = v.safeParse(schema, without(received, odd))
  return rest.success ? { value: keepReceived({ ...rest.output }, received, issues) as T } : { issues }
}

/** Adds what was received. A field of the wire that has one of these names stays in `record` alone. */
export function keepReceived<T extends object>(
  value: T,
  record: Readonly<Record<string, unknown>>,
  issues: readonly Issue[],
): T & Received {
  // Not `defineProperties`, which takes twice as long: a webhook comes by here.
  Object.defineProperty(value, 'record', { value: record, enumerable: false })
  Object.defineProperty(value, 'issues', { value: issues, enumerable: false })
  return value as T & Received
}

function without(record: Record<string, unknown>, names: ReadonlySet<unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !names.has(name)))
}

/** An issue of valibot as one of ours: without the value. */
export function toIssue({ path, message, input }: v.BaseIssue<unknown>): Issue {
  let place = ''
  for (const { key } of path ?? []) place += typeof key === 'number' ? `[${key}]` : `.${String(key)}`
  return { path: place.replace(/^\./, ''), message, received: kindOf(input) }
}
