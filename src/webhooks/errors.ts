import { ConfigError, type WebhookRejection, WebhookVerificationError } from '../errors.ts'
import { isObject, kindOf } from '../lib/kind.ts'
import { SIGNATURE_LENGTH } from './signature.ts'

/**
 * Finds out why a signature did not match. Runs after a mismatch only, so that a genuine webhook pays nothing for it.
 * It describes the received values and never the expected signature.
 */
export function signatureError(data: string, signature: string): WebhookVerificationError {
  const { length } = signature
  if ((data + signature).includes(' '))
    return rejected('plus_became_space', 'a field has a space for a "+": pass the body on unchanged')
  if (length !== SIGNATURE_LENGTH)
    return rejected(
      'signature_length',
      `the signature has ${length} characters instead of ${SIGNATURE_LENGTH}: ` +
        '27 lack the padding "=", 40 are hexadecimal',
    )
  if (!/^[\w-]+=$/.test(signature))
    return rejected('signature_alphabet', 'the signature is not Base64Url, with "-" and "_"')
  return rejected(
    'signature_mismatch',
    'the signature does not match: check that the API secret is of the same project',
  )
}

/** The error of a webhook that is not genuine, or of a request that is not a webhook. */
export function rejected(reason: WebhookRejection, what: string): WebhookVerificationError {
  return new WebhookVerificationError(reason, `Webhook rejected: ${what}.`)
}

/** The error of a form without a field. `express.json()` often leaves an empty object of a form. */
export function missing(name: string, value: unknown, isEmpty: boolean): WebhookVerificationError {
  const isOther = value != null && value !== ''
  if (isOther) return rejected('missing_field', `its "${name}" is not a text (received: ${kindOf(value)})`)
  const more = isEmpty ? ', nor any other field: a parser of another type may have read it' : ''
  return rejected('missing_field', `its form has no "${name}"${more}`)
}

export function duplicate(name: string): WebhookVerificationError {
  return rejected('duplicate_field', `its form has "${name}" more than once`)
}

export function tooLarge(maxBytes: number): WebhookVerificationError {
  return rejected('too_large', `its body is longer than ${maxBytes} bytes: the option maxBytes allows more`)
}

// A mistake in the receiver is never a WebhookVerificationError: a receiver responds 401 to those, and would lose
// genuine webhooks.

const misused = (field: string, what: string): ConfigError =>
  new ConfigError(field, `${what}. See guides/receivers.md.`)

/** The error of a form that only a mistake in the receiver can produce, such as a body that is still in Base64. */
export function notAForm(received: unknown, what: string = classOf(received)): ConfigError {
  return misused('form', `verifyWebhook takes the parsed form (received: ${what})`)
}

/** The error of a request that is not a web `Request`. */
export function notARequest(received: unknown): ConfigError {
  return misused('request', `The receiver takes a web Request, in Hono c.req.raw (received: ${classOf(received)})`)
}

/** The error of a request whose body cannot be read a second time. */
export function bodyAlreadyRead(): ConfigError {
  return misused(
    'request',
    'The body was read already: receive the webhook before anything else reads it, or pass verifyWebhook the parsed ' +
      'form',
  )
}

/** Describes the received value without showing it: an object by its class. */
const classOf = (received: unknown): string =>
  (isObject(received) && Object.getPrototypeOf(received)?.constructor.name) || kindOf(received)

/** Whether a value has the members of a `Request` that `readWebhook` needs. */
export function isWebRequest(value: unknown): boolean {
  const { headers, body } = (value ?? {}) as {
    headers?: { get?: unknown } | null
    body?: { getReader?: unknown } | null
  }
  return typeof headers?.get === 'function' && (body === null || typeof body?.getReader === 'function')
}
