import { ConfigError, WebhookVerificationError } from '../errors.ts'
import { binaryToBytes, decodeBase64urlBinary } from '../lib/base64url.ts'
import { cutCardData } from '../lib/card-data.ts'
import { DRAINED_BYTES, WEBHOOK_BYTES } from '../lib/limits.ts'
import { type RequestLike, readBytes, TooLargeError } from '../lib/read-bytes.ts'
import { decodeUtf8, encodeUtf8 } from '../lib/utf8.ts'
import { kindOf } from '../schemas/schema.ts'
import { missing, refusalOf, refuse } from './errors.ts'
import { parseEvent, type WebhookEvent } from './event.ts'
import { parseForm, type WebhookForm } from './form.ts'
import { verifySignature } from './signature.ts'

/** Options of {@link readWebhook}. */
export interface ReadWebhookOptions {
  /** The API secret, or several while one is being replaced. */
  secrets: string | readonly string[]
  /** Bytes of the body that are read at most. Default 65,536. */
  maxBytes?: number | undefined
}

/**
 * Verifies a webhook and reads its event. Synchronous on every runtime.
 *
 * The signature is checked on the raw `data`, in constant time, before anything is parsed. A genuine event of a shape
 * that the document does not show is handed over as an `UnexpectedEvent` (see `isUnexpectedEvent`), never refused.
 *
 * @param form `data` and `signature` as received, form-decoded once.
 * @param secrets The API secret, or several while one is being replaced.
 * @throws {WebhookVerificationError} `verified: false` when it is not genuine (`missing_field`, `signature_length`,
 *   `signature_alphabet`, `plus_became_space`, `signature_mismatch`); `verified: true`, with the raw `data`, when it is
 *   genuine but not readable (`not_base64url`, `not_utf8`, `not_json`): keep that `data`.
 * @throws {ConfigError} when a secret is missing, empty or has white space around it.
 * @see The service's document, "Events".
 * @example
 * import { signWebhook, verifyWebhook } from 'edgetill/webhooks'
 * const { data, signature } = signWebhook({ method: 'refund', operation_id: '1f0e', order_id: 'A-1' }, 'secret')
 * const event = verifyWebhook({ data, signature }, ['secret', 'previous secret'])
 * if (event.method === 'refund') console.log(event.operation_id)
 */
export function verifyWebhook(form: WebhookForm, secrets: string | readonly string[]): WebhookEvent {
  const data = filled(form, 'data')
  const signature = filled(form, 'signature')
  if (!verifySignature(data, signature, secrets)) throw refusalOf(data, signature)
  return parseEvent(parseVerified(data))
}

function filled(form: WebhookForm, name: keyof WebhookForm): string {
  const value = form?.[name]
  if (typeof value !== 'string' || value === '') throw missing(name)
  return value
}

/**
 * Reads a webhook from a `Request`: checks its content type, reads its body up to a limit, verifies it and reads its
 * event. See {@link verifyWebhook} for what follows the form.
 *
 * @param request A `Request`, or anything with `headers` and a `body` stream. Its body is consumed.
 * @throws {WebhookVerificationError} as `verifyWebhook`, and `content_type`, `too_large`, `not_utf8`, `missing_field`,
 *   `duplicate_field`, all with `verified: false`.
 * @throws {ConfigError} when a secret is missing, empty or has white space around it.
 * @see The service's document, "Events", 1.
 * @example
 * import { isWebhookVerificationError, readWebhook } from 'edgetill/webhooks'
 * async function handle(request: Request): Promise<Response> {
 *   try {
 *     const event = await readWebhook(request, { secrets: 'secret' })
 *     console.log(event.method)
 *     return new Response(null, { status: 200 })
 *   } catch (error) {
 *     if (!isWebhookVerificationError(error) || error.verified) throw error
 *     return new Response(error.reason, { status: 400 })
 *   }
 * }
 */
export async function readWebhook(request: RequestLike, options: ReadWebhookOptions): Promise<WebhookEvent> {
  return verifyWebhook(await readWebhookForm(request, options), options.secrets)
}

/**
 * Reads the form of a webhook without verifying it: for a receiver that keeps the form as it came.
 *
 * @throws {WebhookVerificationError} `content_type`, `too_large`, `not_utf8`, `missing_field`, `duplicate_field`.
 * @see The service's document, "Events", 1.
 * @example
 * import { readWebhookForm, verifyWebhook } from 'edgetill/webhooks'
 * async function receive(request: Request) {
 *   const form = await readWebhookForm(request)
 *   return { form, event: verifyWebhook(form, 'secret') }
 * }
 */
export async function readWebhookForm(
  request: RequestLike,
  options: { maxBytes?: number | undefined } = {},
): Promise<WebhookForm> {
  const maxBytes = options.maxBytes ?? WEBHOOK_BYTES
  if (!Number.isSafeInteger(maxBytes) || maxBytes < 1) {
    throw new ConfigError('maxBytes', 'maxBytes must be a positive whole number of bytes.')
  }
  const type = request.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase()
  if (type !== 'application/x-www-form-urlencoded') {
    throw refuse('content_type', 'its content type is not application/x-www-form-urlencoded')
  }
  let bytes: Uint8Array
  try {
    bytes = await readBytes(request, maxBytes, DRAINED_BYTES)
  } catch (error) {
    if (!(error instanceof TooLargeError)) throw error
    throw refuse('too_large', `its body is longer than ${maxBytes} bytes`)
  }
  const text = decodeUtf8(bytes)
  if (text === undefined) {
    throw refuse('not_utf8', 'its body is not UTF-8')
  }
  return parseForm(text)
}

function parseVerified(data: string): Record<string, unknown> {
  const binary = decodeBase64urlBinary(data)
  if (binary === undefined) throw unreadable('not_base64url', 'data is not Base64Url', data)
  // Most webhooks are ASCII, whose bytes are their text: that spares a copy and a decoder. Any other character takes more
  // than one byte, and an encoder notices it sooner than a pattern would.
  const text = encodeUtf8(binary).length === binary.length ? binary : decodeUtf8(binaryToBytes(binary))
  if (text === undefined) throw unreadable('not_utf8', 'what data encodes is not UTF-8', data)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {}
  if (kindOf(value) !== 'object') throw unreadable('not_json', 'what data encodes is not a JSON object', data)
  cutCardData(value as Record<string, unknown>)
  return value as Record<string, unknown>
}

function unreadable(
  reason: 'not_base64url' | 'not_utf8' | 'not_json',
  what: string,
  data: string,
): WebhookVerificationError {
  return new WebhookVerificationError(
    reason,
    `The webhook is genuine but cannot be read: ${what}. Keep the error's data, it is the only copy.`,
    data,
  )
}
