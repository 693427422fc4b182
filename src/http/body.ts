import { InvalidInputError, type Issue } from '../errors.ts'
import { cutCardData } from '../lib/card-data.ts'
import { isObject, isReserved } from '../lib/kind.ts'
import { RESPONSE_BYTES } from '../lib/limits.ts'
import { readBytes, TooLargeError } from '../lib/read-bytes.ts'
import { decodeUtf8 } from '../lib/utf8.ts'
import { DOCUMENTED, DOCUMENTED_INSIDE } from '../schemas/documented.ts'
import type { Schema } from '../schemas/fields.ts'
import { rejectInput } from '../schemas/input.ts'
import { type Received, readReceived, type Wire } from '../schemas/read.ts'
import { invalidResponse, noResponse } from './errors.ts'
import type { ParsedResponse, RunningAttempt } from './types.ts'

/**
 * The JSON text of a request's body, made once: what is signed is what is sent.
 * @param extra Fields that the API document does not show, by name; inside a documented object by path, such as `split[0].label`. A
 *   documented one belongs into the input, where it is checked.
 */
export function jsonBody(operation: string, body: object, extra: Record<string, unknown> = {}): string {
  const text = stringify(operation, body)
  if (Object.keys(extra).length === 0) return text
  if (typeof extra.toJSON === 'function') {
    rejectInput(operation, 'passThrough', 'must be a plain object of extra fields', extra)
  }
  const sent: Json = JSON.parse(text)
  for (const [path, value] of Object.entries(extra)) {
    const reject = (message: string) => rejectInput(operation, `passThrough.${path}`, message, value)
    const [head = '', ...inner] = path.split(/[.[\]]+/).filter(Boolean)
    // Any other name with a dot is a name.
    const names = inner.length > 0 && DOCUMENTED.includes(head) ? [head, ...inner] : [path]
    const name = names.pop() as string
    let target: unknown = sent
    for (const one of names) target = isContainer(target) && Object.hasOwn(target, one) ? target[one] : undefined
    if (!isObject(target) || isReserved(name)) return reject('is not inside of an object of the input')
    if (Object.hasOwn(target, name) || (names.length > 0 ? DOCUMENTED_INSIDE : DOCUMENTED).includes(name)) {
      reject(
        "is a documented field: put it into the input itself, and a field inside it under its path, as 'split[0].label'",
      )
    }
    target[name] = value
  }
  return stringify(operation, sent)
}

type Json = Record<string, unknown>
const isContainer = (value: unknown): value is Json => typeof value === 'object' && value !== null

function stringify(operation: string, body: object): string {
  const paths = new Map<unknown, string>()
  let path = ''
  try {
    return JSON.stringify(body, function (this: unknown, key, value) {
      const parent = paths.get(this)
      path = Array.isArray(this) ? `${parent}[${key}]` : parent ? `${parent}.${key}` : key
      if (isContainer(value)) paths.set(value, path)
      // JSON would turn it into null without a word.
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
