import { ConfigError } from '../errors.ts'
import { equalText } from '../lib/constant-time.ts'
import { sha1Base64url, sha1Base64urlAsync } from '../lib/sha1.ts'

/** Length of a signature: 20 bytes of SHA-1 in Base64Url with its padding (API document, "Events", 5). */
export const SIGNATURE_LENGTH = 28

/**
 * Computes the signature of a webhook's `data`: `base64url_encode(sha1(API_SECRET + data + API_SECRET))`, padding kept.
 *
 * @param data The Base64Url text exactly as it is sent.
 * @param secret The API secret.
 * @returns 28 characters.
 * @throws {ConfigError} when `data` is not a text, and when the secret is empty or has white space around it.
 * @see The API document, "Events", 5.
 * @example
 * import { signData } from 'edgetill/webhooks'
 * const signature = signData('eyJvcmRlcl9pZCI6IkEtMSJ9', 'secret')
 */
export function signData(data: string, secret: string): string {
  checkSecret(secret)
  if (typeof data !== 'string') throw new ConfigError('data', 'signData takes the Base64Url text of data.')
  return sha1Base64url(secret + data + secret)
}

/**
 * Whether `signature` is the signature of `data` under one of the secrets.
 *
 * The signature's text is compared, in constant time: its last letter carries unused bits, so that
 * different texts decode to the same bytes. Nothing of `data` is parsed.
 *
 * @param secrets One secret, or several during a replacement; each secret is tried, undefined is skipped.
 * @throws {ConfigError} when there is no secret, or a secret is empty or has white space at its ends.
 * @see The API document, "Events", 5.
 * @example
 * import { verifySignature } from 'edgetill/webhooks'
 * const data = 'eyJvcmRlcl9pZCI6IkEtMSJ9'
 * const genuine: boolean = verifySignature(data, 'bm90IHRoZSBzaWduYXR1cmU=', ['new secret', 'old secret'])
 */
export function verifySignature(data: string, signature: string, secrets: WebhookSecrets): boolean {
  return isAmong(salted(data, secrets).map(sha1Base64url), signature)
}

/** {@link verifySignature}, by Web Crypto if the runtime has no synchronous hash. */
export async function verifySignatureAsync(data: string, signature: string, secrets: WebhookSecrets): Promise<boolean> {
  return isAmong(await Promise.all(salted(data, secrets).map(sha1Base64urlAsync)), signature)
}

function salted(data: string, secrets: WebhookSecrets): string[] {
  const list = checkSecrets(secrets)
  return typeof data === 'string' ? list.map((secret) => secret + data + secret) : []
}

/** Compares with each secret, even after a match. */
const isAmong = (signatures: readonly string[], signature: string): boolean =>
  typeof signature === 'string' && signatures.filter((one) => equalText(one, signature)).length > 0

/** One secret, or several during a replacement. Undefined, such as an unset variable, is skipped. */
export type WebhookSecrets = string | readonly (string | undefined)[]

/** @throws {ConfigError} when there is no secret, or a secret is empty or has white space at its ends. */
export function checkSecrets(secrets: WebhookSecrets | undefined): readonly string[] {
  const list: readonly unknown[] = Array.isArray(secrets) ? secrets.filter((secret) => secret !== undefined) : [secrets]
  if (list.length === 0) checkSecret(undefined)
  list.forEach(checkSecret)
  return list as readonly string[]
}

function checkSecret(secret: unknown): void {
  const isText = typeof secret === 'string' && secret !== ''
  if (isText && secret === secret.trim()) return
  const what = isText ? 'has white space around it, often a copied line break' : 'is missing'
  throw new ConfigError('secrets', `A webhook secret ${what}: pass the API secret, or a list of several.`)
}
