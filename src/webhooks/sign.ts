import { ConfigError } from '../errors.ts'
import { encodeBase64url } from '../lib/base64url.ts'
import { encodeUtf8 } from '../lib/utf8.ts'
import { signData } from './signature.ts'

/** A webhook as the service sends it. */
export interface SignedWebhook {
  /** The payload as Base64Url of its JSON in UTF-8, padding kept. */
  data: string
  /** 28 characters: `base64url(sha1(secret + data + secret))`. */
  signature: string
  /** The form body, to be sent with `content-type: application/x-www-form-urlencoded`. */
  body: string
}

/**
 * Signs a payload as the service signs its webhooks, for a test or the emulator.
 *
 * @param payload The webhook's parameters; a string is taken as the JSON text itself.
 * @param secret The API secret.
 * @throws {ConfigError} when the payload cannot be JSON, and when the secret is empty or has white space at its ends.
 * @see The API document, "Events", 1 and 5.
 * @example
 * import { signWebhook, verifyWebhook } from 'edgetill/webhooks'
 * const { data, signature } = signWebhook({ order_id: 'A-1', method: 'purchase' }, 'secret')
 * const event = verifyWebhook({ data, signature }, 'secret')
 */
export function signWebhook(payload: object | string, secret: string): SignedWebhook {
  const json = typeof payload === 'string' ? payload : jsonOf(payload)
  const data = encodeBase64url(encodeUtf8(json))
  const signature = signData(data, secret)
  return { data, signature, body: new URLSearchParams({ data, signature }).toString() }
}

function jsonOf(payload: unknown): string {
  try {
    if (typeof payload === 'object' && payload !== null) return JSON.stringify(payload)
  } catch {}
  throw new ConfigError('payload', 'signWebhook takes an object that can be JSON, or its JSON as text.')
}
