import { ConfigError, WebhookVerificationError } from '../errors.ts'
import { decodeBase64Text } from '../lib/base64-text.ts'
import { decodeBase64urlBinary } from '../lib/base64url.ts'
import { cutCardData } from '../lib/card-data.ts'
import { isObject } from '../lib/kind.ts'
import { DRAINED_BYTES, WEBHOOK_BYTES } from '../lib/limits.ts'
import { drained, type RequestLike, readBytes } from '../lib/read-bytes.ts'
import { decodeUtf8 } from '../lib/utf8.ts'
import type { WebhookEvent } from '../schemas/event.ts'
import { ownOptions } from '../schemas/fields.ts'
import { readRecord } from '../schemas/read-event.ts'
import { bodyAlreadyRead, isWebRequest, notARequest, rejected, signatureError, tooLarge } from './errors.ts'
import { parseForm, readForm, type WebhookFields, type WebhookForm } from './form.ts'
import { checkSecrets, verifySignature, verifySignatureAsync, type WebhookSecrets } from './signature.ts'

/** Options of {@link readWebhook}. */
export interface ReadWebhookOptions {
  /** Bytes of the body that are read at most. Default 65,536. */
  maxBytes?: number | undefined
}

/**
 * Verifies a webhook and reads its event. Synchronous on every runtime.
 *
 * The signature is checked on the raw `data`, in constant time, before anything is parsed. A genuine event is never
 * rejected for its shape: `kind` is `unknown` for a method that the API document does not name, and `unexpected` when a
 * field that decides is missing or of another type.
 *
 * @param form The form as received, decoded once: a `FormData`, a `URLSearchParams`, or the object that a body parser
 *   made ({@link WebhookFields}).
 * @param secrets The API secret, or several during a replacement; undefined is skipped.
 * @throws {WebhookVerificationError} `verified: false` when it is not genuine (`missing_field`, `duplicate_field`,
 *   `signature_length`, `signature_alphabet`, `plus_became_space`, `signature_mismatch`); `verified: true`, with the
 *   raw `data`, when it is genuine but not readable (`not_base64url`, `not_utf8`, `not_json`): keep that `data`.
 * @throws {ConfigError} for a mistake in the receiver: a secret that is missing, empty or has white space around it; a
 *   `form` that is not one (no body parser, a raw body, a request).
 * @see The API document, "Events".
 * @example
 * import { signWebhook, verifyWebhook } from 'edgetill/webhooks'
 * const { data, signature } = signWebhook({ method: 'refund', operation_id: '1f0e', order_id: 'A-1' }, 'secret')
 * const event = verifyWebhook({ data, signature }, ['secret', 'previous secret'])
 * if (event.kind === 'refund') console.log(event.operation_id)
 */
export function verifyWebhook(form: WebhookFields, secrets: WebhookSecrets): WebhookEvent {
  const { data, signature } = readForm(form)
  return readGenuine(data, signature, verifySignature(data, signature, secrets))
}

/** {@link verifyWebhook}, by Web Crypto if the runtime has no synchronous hash. */
export async function verifyWebhookAsync(form: WebhookForm, secrets: WebhookSecrets): Promise<WebhookEvent> {
  const { data, signature } = readForm(form)
  return readGenuine(data, signature, await verifySignatureAsync(data, signature, secrets))
}

function readGenuine(data: string, signature: string, isGenuine: boolean): WebhookEvent {
  if (!isGenuine) throw signatureError(data, signature)
  return readRecord(parseVerified(data))
}

/**
 * Reads a webhook from a `Request`: checks its content type, reads its body up to a limit, verifies it and reads its
 * event. See {@link verifyWebhook} for the steps after the form.
 *
 * @param request A `Request`, or anything with `headers` and a `body` stream. Its body is consumed.
 * @param secrets The API secret, or several during a replacement; undefined is skipped.
 * @throws {WebhookVerificationError} as `verifyWebhook`, and `content_type`, `too_large`, `not_utf8`, all with
 *   `verified: false`.
 * @throws {ConfigError} for a mistake in the receiver: as `verifyWebhook`, and a body that was read already, the
 *   request of a framework, an unknown option, or a `maxBytes` that is not a positive whole number.
 * @see The API document, "Events", 1.
 * @example
 * import { isWebhookVerificationError, readWebhook } from 'edgetill/webhooks'
 * async function handle(request: Request): Promise<Response> {
 *   try {
 *     const event = await readWebhook(request, 'secret')
 *     console.log(event.kind)
 *     return new Response(null, { status: 200 })
 *   } catch (error) {
 *     if (!isWebhookVerificationError(error) || error.verified) throw error
 *     return new Response(error.reason, { status: 400 })
 *   }
 * }
 */
export async function readWebhook(
  request: RequestLike,
  secrets: WebhookSecrets,
  options: ReadWebhookOptions = {},
): Promise<WebhookEvent> {
  // Before the body is consumed: a program without secrets can still read it.
  checkSecrets(secrets)
  return verifyWebhookAsync(await readWebhookForm(request, options), secrets)
}

/**
 * Reads the form of a webhook without verifying it: for a receiver that keeps the form as it came.
 *
 * @throws {WebhookVerificationError} `content_type`, `too_large`, `not_utf8`, `missing_field`, `duplicate_field`.
 * @throws {ConfigError} for a body that was read already, the request of a framework, an unknown option, or a
 *   `maxBytes` that is not a positive whole number.
 * @see The API document, "Events", 1.
 * @example
 * import { readWebhookForm, verifyWebhook } from 'edgetill/webhooks'
 * async function receive(request: Request) {
 *   const form = await readWebhookForm(request)
 *   return { form, event: verifyWebhook(form, 'secret') }
 * }
 */
export async function readWebhookForm(request: RequestLike, options: ReadWebhookOptions = {}): Promise<WebhookForm> {
  const maxBytes = checkMaxBytes(ownOptions(options, ['maxBytes']).maxBytes)
  if (!isWebRequest(request)) throw notARequest(request)
  if ((request as { bodyUsed?: unknown }).bodyUsed === true || request.body?.locked) throw bodyAlreadyRead()
  requireFormType(request.headers.get('content-type') ?? '')
  const bytes = await readBytes(request, maxBytes, drained(DRAINED_BYTES))
  if (!bytes) throw tooLarge(maxBytes)
  return parseBytes(bytes)
}

/** @throws {WebhookVerificationError} `content_type`. */
export function requireFormType(type: string): void {
  if (type.split(';')[0]?.trim().toLowerCase() === 'application/x-www-form-urlencoded') return
  const received = type === '' ? 'missing' : `"${type.slice(0, 100).replace(/[^ -~]/g, '?')}"`
  throw rejected('content_type', `its content type is ${received} instead of application/x-www-form-urlencoded`)
}

/** @throws {WebhookVerificationError} `not_utf8`, `missing_field`, `duplicate_field`. */
export function parseBytes(bytes: Uint8Array): WebhookForm {
  const text = decodeUtf8(bytes)
  if (text === undefined) throw rejected('not_utf8', 'its body is not UTF-8')
  return parseForm(text)
}

/** @throws {ConfigError} for anything but a positive whole number. */
export function checkMaxBytes(maxBytes: number = WEBHOOK_BYTES): number {
  if (Number.isSafeInteger(maxBytes) && maxBytes > 0) return maxBytes
  throw new ConfigError('maxBytes', 'maxBytes must be a positive whole number of bytes.')
}

function parseVerified(data: string): Record<string, unknown> {
  const text = decodeBase64Text(data)
  if (text === undefined)
    throw unreadable(decodeBase64urlBinary(data) === undefined ? 'not_base64url' : 'not_utf8', data)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {}
  if (!isObject(value)) throw unreadable('not_json', data)
  cutCardData(value)
  return value
}

const FORMATS = { not_base64url: 'Base64Url', not_utf8: 'UTF-8', not_json: 'a JSON object' }

function unreadable(reason: keyof typeof FORMATS, data: string): WebhookVerificationError {
  const what = `The webhook is genuine, but its data is not ${FORMATS[reason]}: keep the error's data, the only copy.`
  return new WebhookVerificationError(reason, what, data)
}
