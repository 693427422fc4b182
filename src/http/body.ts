import { InvalidInputError, type Issue } from '../errors.ts'
import { cutCardData } from '../lib/card-data.ts'
import { isObject, isReserved } from '../lib/kind.ts'
import { RESPONSE_BYTES } from '../lib/limits.ts'
import { readBytes } from '../lib/read-bytes.ts'
import { decodeUtf8 } from '../lib/utf8.ts'
import { DOCUMENTED, DOCUMENTED_INSIDE } from '../schemas/documented.ts'
import type { Schema } from '../schemas/fields.ts'
import { rejectInput } from '../schemas/input.ts'
import { type Received, readReceived, type Wire } from '../schemas/read.ts'
import { invalidResponse, noResponse } from './errors.ts'
import type { Answered, ParsedResponse, RunningAttempt } from './types.ts'

/**
 * The JSON text of a request's body, made once: the signed bytes are the sent bytes.
 * @param extra Fields that the API document does not show, by name; inside a documented object by path, such as
 *   `split[0].label`. A documented field belongs in the input, which is checked.
 */
export function jsonBody(operation: string, body: object, extra: Record<string, unknown> = {}): string {
  const text = stringify(operation, body)
  if (Object.keys(extra).length === 0) return text
  if (typeof extra.toJSON === 'function') {
    rejectInput(operation, 'passThrough', 'must be a plain object of extra fields', extra)
  }
  const sent = JSON.parse(text) as Json
  for (const [path, value] of Object.entries(extra)) {
    const names = path.split(/[.[\]]+/).filter(Boolean)
    // Outside documented objects, a dot is part of the name.
    const isInside = names.length > 1 && DOCUMENTED.includes(names[0] as string)
    const name = (isInside ? names.pop() : path) as string
    let target: unknown = sent
    for (const one of isInside ? names : [])
      target = target && Object.hasOwn(target, one) ? (target as Json)[one] : undefined
    if (!isObject(target) || isReserved(name) || Object.hasOwn(target, name) || NAMES[+isInside]?.includes(name)) {
      const message = "is documented: it belongs in the input; a field inside it goes by path: 'split[0].label'"
      rejectInput(operation, `passThrough.${path}`, message, value)
    }
    target[name] = value
  }
  return stringify(operation, sent)
}

const NAMES = [DOCUMENTED, DOCUMENTED_INSIDE]
type Json = Record<string, unknown>

function stringify(operation: string, body: object): string {
  let path = ''
  try {
    return JSON.stringify(body, (key, value) => {
      // Skip the index of an array.
      if (/\D/.test(key)) path = key
      // JSON would silently turn it into null.
      if (typeof value === 'number' && !Number.isFinite(value))
        rejectInput(operation, path, 'must be a finite number', value)
      return value
    })
  } catch (error) {
    if (error instanceof InvalidInputError) throw error
    return rejectInput(operation, path, 'must be JSON: no BigInt, nothing that contains itself', body)
  }
}

/** Reads the body of a 2xx. */
export async function readJson(attempt: RunningAttempt & Answered, response: Response): Promise<unknown> {
  const bytes = await readBody(attempt, response)
  const text = bytes && decodeUtf8(bytes)
  if (text === '' && attempt.request.emptyExpected) return undefined
  try {
    const json: unknown = JSON.parse(text ?? '')
    cutCardData(json)
    return json
  } catch {
    const fault = !bytes ? `larger than ${RESPONSE_BYTES} bytes` : bytes.length > 0 ? 'not JSON' : 'empty'
    const what = `, but its body is ${fault}`
    throw invalidResponse(attempt, { reason: 'unreadable_response', what, body: text || undefined })
  }
}

/** Reads the body of a rejection: its text as far as it can be read. Only the status makes it a rejection. */
export async function readErrorText(attempt: RunningAttempt, response: Response): Promise<string> {
  const bytes = await readBody(attempt, response).catch(() => undefined)
  return (bytes && decodeUtf8(bytes)) ?? ''
}

/** The body's bytes; undefined beyond the limit. */
async function readBody(attempt: RunningAttempt, response: Response): Promise<Uint8Array | undefined> {
  try {
    return await attempt.deadline.race(readBytes(response, RESPONSE_BYTES))
  } catch (cause) {
    throw noResponse(attempt, { processed: 'unknown', cause })
  }
}

/**
 * Reads a documented record, at a place of the response. Only a field that decides about the operation can make it
 * unreadable.
 * @throws {OutcomeUnknownError | UnexpectedResponseError} with the received body in `body`, so that nothing is lost.
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

/** The error of a response whose JSON lacks a field that decides about its operation. */
export function unreadableRecord({ attempt, json }: ParsedResponse, issues: Issue[]): Error {
  const what = ', but the response does not match the documented shape'
  return invalidResponse(attempt, { reason: 'unreadable_response', what, issues, body: json })
}
