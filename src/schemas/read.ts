import * as v from 'valibot'
import { ConfigError, type Issue } from '../errors.ts'
import { isObject, kindOf } from '../lib/kind.ts'
import type { Schema } from './fields.ts'

/**
 * The received values that every record and event keeps. `record` is not enumerable: each field that was received is
 * the event's own as well, under its wire name, so that its JSON is enough to make the event again. The JSON also has
 * the fields that are left out. (Accessors of a class, which a spread does not copy, as TypeScript can see.)
 */
export declare abstract class Received {
  /** Everything that was received, under its wire names; raw card data is removed. */
  get record(): Readonly<Record<string, unknown>>
  /** The fields that are left out because their type differs from the API document's. Usually empty. */
  get issues(): readonly Issue[]
}

/** The fields that an interface's schema reads: all but those of {@link Received}. */
export type Wire<T> = Omit<T, keyof Received>

/** The result of {@link readReceived}: the record, or why it cannot be read. */
export type ReadResult<T> = { value: T; issues?: undefined } | { value?: undefined; issues: Issue[] }

/** Optional fields that decide how much was paid: read wrongly, they would be worse than not read at all. */
const DECIDES_WHERE_PRESENT: readonly string[] = ['processed_amount', 'processed_currency']

/**
 * Reads a record generously. Its schema's required fields decide: without them there is nothing to rely on. Any other
 * field of an odd type is left out, named in `issues`, and kept under `record`.
 * @param more Fields of ours, to be added.
 */
export function readReceived<T extends Received>(
  schema: Schema<Wire<T>>,
  received: unknown,
  more: object = {},
): ReadResult<T> {
  let result = v.safeParse(schema, received)
  let issues: Issue[] = []
  let left: string[] = []
  if (!result.success) {
    issues = result.issues.map(toIssue)
    left = result.issues.map(({ path }) => String(path?.[0]?.key))
    if (!isObject(received) || DECIDES_WHERE_PRESENT.some((name) => left.includes(name))) return { issues }
    result = v.safeParse(schema, without(received, left))
    if (!result.success) return { issues }
  }
  const fields = { ...without(result.output as Record<string, unknown>), ...more }
  return { value: keepReceived(fields, received as Record<string, unknown>, issues, left) as unknown as T }
}

/**
 * Adds the received values. A wire field with the name of an added member stays only in `record`.
 * @param left The fields that are left out of the value. Its JSON has them.
 * @param shown Whether a copy has the issues too, and so names the fields that it has lost.
 */
export function keepReceived<T extends object>(
  value: T,
  record: Readonly<Record<string, unknown>>,
  issues: readonly Issue[] = [],
  left: readonly string[] = [],
  shown = false,
): T & Received {
  // Not `defineProperties`, which takes twice as long: a webhook comes by here.
  Object.defineProperty(value, 'record', { value: record, enumerable: false })
  Object.defineProperty(value, 'issues', { value: issues, enumerable: shown })
  if (left.length > 0) {
    const all = { ...value, ...Object.fromEntries(left.map((name) => [name, record[name]])) }
    Object.defineProperty(value, 'toJSON', { value: () => all, enumerable: false })
  }
  return value as T & Received
}

/**
 * Everything that was received of an event, from the event, from its copy, or from the record itself.
 * @throws {ConfigError} for a value that is not an event, and for a copy that has lost a field.
 */
export function recordOf(event: unknown): Readonly<Record<string, unknown>> {
  if (!isObject(event)) throw new ConfigError('event', 'This is not an event: pass what verifyWebhook returned.')
  if (isOriginal(event)) return event.record
  const { kind, record: _, issues, ...fields } = event
  // A record, not a copy of an event.
  if (kind === undefined) return event
  // The wire may have fields with the same names: only an undocumented event can have lost such a field, and only our
  // issues show the loss.
  const isCopy = (kind === 'unknown' || kind === 'unexpected') && Array.isArray(issues)
  const lost = UNTYPED.filter((name) => isCopy && !Object.hasOwn(fields, name) && issues.some(saysLost(name)))
  if (lost.length === 0) return fields
  throw new ConfigError(
    'event',
    `This copy of an event has lost its ${lost.join(', ')}: ` +
      'keep event.record, or JSON.stringify(event), for readEvent.',
  )
}

/** Whether a value is an event rather than a copy: no copy has members that are not enumerable. */
export const isOriginal = (event: unknown): event is Received =>
  Object.getOwnPropertyDescriptor(event ?? {}, 'record')?.enumerable === false

const saysLost = (name: string) => (issue: Partial<Issue> | null) =>
  issue?.path === name &&
  /^must be a (non-empty )?string$/.test(String(issue.message)) &&
  issue.received !== 'missing' &&
  issue.received !== 'null'

/** Fields that an event has as texts, or not at all. */
export const UNTYPED: readonly string[] = ['method', 'order_id']

/** A copy without some fields, and without those that are undefined: JSON has none. */
export function without(record: object, names: readonly string[] = []): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(record).filter(([name, value]) => !names.includes(name) && value !== undefined),
  )
}

/** An issue of valibot in our form, without the value. */
export function toIssue({ path, message, input }: v.BaseIssue<unknown>): Issue {
  let place = ''
  for (const { key } of path ?? []) place += typeof key === 'number' ? `[${key}]` : `.${String(key)}`
  return { path: place.replace(/^\./, ''), message, received: kindOf(input) }
}
