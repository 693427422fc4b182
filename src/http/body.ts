import type { Issue } from '../errors.ts'
import { cutCardData } from '../lib/card-data.ts'
import { isObject } from '../lib/kind.ts'
import { RESPONSE_BYTES } from '../lib/limits.ts'
import { readBytes, TooLargeError } from '../lib/read-bytes.ts'
import { decodeUtf8 } from '../lib/utf8.ts'
import type { Schema } from '../schemas/fields.ts'
import { rejectInput } from '../schemas/input.ts'
import { type Received, readReceived, type Wire } from '../schemas/read.ts'
import { invalidResponse, noResponse } from './errors.ts'
import type { ParsedResponse, RunningAttempt } from './types.ts'

/**
 * The JSON text of a request's body, made once: what is signed is what is sent.
 * @param schema Of the call's input: what it shows is documented, so it is not an extra field.
 */
export function jsonBody(
  operation: string,
  body: object,
  passThrough: Record<string, unknown> | undefined,
  schema?: Schema<object>,
): string {
  if (passThrough !== undefined && !isObject(passThrough)) {
    rejectInput(operation, 'passThrough', PLAIN, passThrough)
  }
  rejectDocumented(operation, schema, body, passThrough, 'passThrough')
  const sent = passThrough === undefined ? body : merge(operation, jsonOf(operation, body), passThrough, 'passThrough')
  return stringify(operation, sent)
}

const PLAIN = 'must be a plain object of extra fields'

const jsonOf = (operation: string, value: object): unknown => JSON.parse(stringify(operation, value))

function stringify(operation: string, body: unknown): string {
  try {
    return JSON.stringify(body, (key, value) => {
      // JSON would turn it into null without a word.
      if (typeof value === 'number' && !Number.isFinite(value)) throw new NotFinite(key)
      return value
    })
  } catch (error) {
    if (error instanceof NotFinite) return rejectInput(operation, error.message, 'must be a finite number', Number.NaN)
    return rejectInput(operation, '', 'must be JSON: no BigInt, nothing that contains itself', body)
  }
}

class NotFinite extends Error {}

/** Rejects documented fields among the extra ones, at any depth: they belong into the input, where they are checked. */
function rejectDocumented(operation: string, schema: unknown, sent: unknown, extra: unknown, path: string): void {
  const { entries, item } = structureOf(schema, sent)
  if (Array.isArray(extra) && item) {
    for (const [index, value] of extra.entries()) {
      rejectDocumented(operation, item, (sent as unknown[])[index], value, `${path}[${index}]`)
    }
  } else if (isObject(extra) && entries) {
    for (const [name, value] of Object.entries(extra).filter(([key]) => Object.hasOwn(entries, key))) {
      const inner = (sent as Record<string, unknown> | undefined)?.[name]
      const at = `${path}.${name}`
      // Below a documented object there may be fields that are not.
      if (isContainer(inner) && isContainer(value)) rejectDocumented(operation, entries[name], inner, value, at)
      else rejectInput(operation, at, 'is a documented field: put it into the input itself', value)
    }
  }
}

const isContainer = (value: unknown): boolean => typeof value === 'object' && value !== null

/** The fields or the items of a schema, by valibot's public members. */
function structureOf(schema: unknown, sent: unknown): { entries?: Record<string, unknown>; item?: unknown } {
  const {
    pipe = [],
    wrapped,
    getter,
    entries,
    item,
  } = (schema ?? {}) as {
    pipe?: readonly unknown[]
    wrapped?: unknown
    getter?: (value: unknown) => unknown
    entries?: Record<string, unknown>
    item?: unknown
  }
  if (entries) return { entries }
  if (item) return { item }
  if (getter) return structureOf(getter(sent), sent)
  if (wrapped) return structureOf(wrapped, sent)
  const parts = pipe.filter((part) => part !== schema).map((part) => structureOf(part, sent))
  return parts.find((part) => part.entries) ?? {}
}

/** Adds extra fields: objects are merged by key, arrays at the indexes that the call fills. Nothing is replaced. */
function merge(operation: string, target: unknown, extra: unknown, path: string): unknown {
  // It would replace documented fields that were checked.
  if (typeof (extra as { toJSON?: unknown } | null)?.toJSON === 'function')
    return rejectInput(operation, path, PLAIN, extra)
  if (Array.isArray(target) && Array.isArray(extra)) {
    return [...target, ...extra.slice(target.length)].map((value, index) => {
      const at = `${path}[${index}]`
      if (index >= target.length)
        return rejectInput(operation, at, 'must be an index that the call itself fills', extra)
      return index in extra ? merge(operation, value, extra[index], at) : value
    })
  }
  if (isObject(target) && isObject(extra)) {
    const merged: Record<string, unknown> = { ...target }
    for (const [name, value] of Object.entries(extra)) {
      const added = Object.hasOwn(target, name) ? merge(operation, target[name], value, `${path}.${name}`) : value
      Object.defineProperty(merged, name, { value: added, enumerable: true, configurable: true, writable: true })
    }
    return merged
  }
  return rejectInput(operation, path, 'must not be a field that the call itself sends', target)
}

/** Reads the body of a 2xx. */
export async function readJson(
  attempt: RunningAttempt,
  response: Response,
  requestId: string | undefined,
): Promise<unknown> {
  const { status } = response
  const bytes = await readBody(attempt, response, requestId)
  const text = bytes && decodeUtf8(bytes)
  if (text === '' && attempt.request.emptyExpected) return undefined
  try {
    const json: unknown = JSON.parse(text ?? '')
    cutCardData(json)
    return json
  } catch {
    const fault = !bytes ? `larger than ${RESPONSE_BYTES} bytes` : bytes.length > 0 ? 'not JSON' : 'empty'
    const what = `${status}, but its body is ${fault}`
    throw invalidResponse(attempt, { reason: 'unreadable_response', status, what, body: text || undefined, requestId })
  }
}

/** Reads the body of a rejection: its text as far as it can be had. The status alone says that it is one. */
export async function readErrorText(attempt: RunningAttempt, response: Response): Promise<string> {
  const bytes = await readBody(attempt, response, undefined).catch(() => undefined)
  return (bytes && decodeUtf8(bytes)) ?? ''
}

/** The body's bytes; undefined beyond the limit. */
async function readBody(
  attempt: RunningAttempt,
  response: Response,
  requestId: string | undefined,
): Promise<Uint8Array | undefined> {
  try {
    return await attempt.deadline.race(readBytes(response, RESPONSE_BYTES))
  } catch (cause) {
    if (cause instanceof TooLargeError) return undefined
    throw noResponse(attempt, { processed: 'unknown', cause, status: response.status, requestId })
  }
}

/**
 * Reads a documented record, at a place of the response. Only what decides about the operation can make it unreadable.
 * @throws {OutcomeUnknownError | UnexpectedResponseError} with what came in its `body`, so that nothing of it is lost.
 */
export function recordOf<T extends Received>(
  response: ParsedResponse,
  schema: Schema<Wire<T>>,
  record: unknown = response.json,
  place = '',
): T {
  const { value, issues } = readReceived<T>(schema, record)
  if (issues)
    throw unreadableRecord(
      response,
      issues.map((issue) => below(place, issue)),
    )
  return value
}

const below = (place: string, issue: Issue): Issue => ({
  ...issue,
  path: place && issue.path ? `${place}.${issue.path}` : place + issue.path,
})

/** The error of a response whose JSON does not have what decides about its operation. */
export function unreadableRecord({ attempt, status, requestId, json }: ParsedResponse, issues: Issue[]): Error {
  const what = `${status}, but the response does not match the documented shape`
  return invalidResponse(attempt, { reason: 'unreadable_response', status, what, issues, body: json, requestId })
}
