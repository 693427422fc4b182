import { ConfigError } from '../errors.ts'
import { binaryToBytes, decodeBase64urlBinary, encodeBase64url } from '../lib/base64url.ts'
import { encodeUtf8 } from '../lib/utf8.ts'

/** Shorter secrets can be guessed: HKDF does not slow a guess down. */
const SECRET_LENGTH = 32
const IV_BYTES = 12

/** A key for one purpose, derived with HKDF-SHA-256: a text for one purpose is never accepted for another. */
async function deriveKey(secret: string, purpose: string, use: 'seal' | 'mark'): Promise<CryptoKey> {
  if (typeof secret !== 'string' || secret.length < SECRET_LENGTH) {
    throw new ConfigError(
      'linkSecret',
      `LINK_SECRET must have at least ${SECRET_LENGTH} characters; \`openssl rand -base64 32\` makes one. ` +
        "Pass the worker's.",
    )
  }
  const material = await crypto.subtle.importKey('raw', encodeUtf8(secret), 'HKDF', false, ['deriveKey'])
  const salt = new Uint8Array()
  const parameters = { name: 'HKDF', hash: 'SHA-256', salt, info: encodeUtf8(`edgetill ${purpose}`) }
  return use === 'mark'
    ? crypto.subtle.deriveKey(parameters, material, { name: 'HMAC', hash: 'SHA-256', length: 256 }, false, MARKING)
    : crypto.subtle.deriveKey(parameters, material, { name: 'AES-GCM', length: 256 }, false, SEALING)
}

const MARKING: KeyUsage[] = ['sign', 'verify']
const SEALING: KeyUsage[] = ['encrypt', 'decrypt']

/**
 * A mark which proves that a holder of the secret made a text: its HMAC-SHA-256 under a key that is derived for this
 * purpose, as Base64Url. The Worker template's result pages carry a mark in their address.
 *
 * @param secret At least 32 characters, such as the output of `openssl rand -base64 32`.
 * @param purpose Any text; each purpose has its own mark.
 * @throws {ConfigError} when the secret is too short.
 */
export async function markOf(secret: string, purpose: string, text: string): Promise<string> {
  const mark = await crypto.subtle.sign('HMAC', await deriveKey(secret, purpose, 'mark'), encodeUtf8(text))
  return encodeBase64url(new Uint8Array(mark), false)
}

/**
 * Whether {@link markOf} made this mark for this text. Compared in constant time by the runtime.
 *
 * @param secrets The secrets that are tried: the new one, and the previous one while it is being replaced.
 * @throws {ConfigError} when a secret is too short.
 */
export async function isMarkOf(
  secrets: readonly string[],
  purpose: string,
  text: string,
  mark: string,
): Promise<boolean> {
  const bytes = bytesOf(mark)
  if (bytes === undefined) return false
  for (const secret of secrets) {
    const key = await deriveKey(secret, purpose, 'mark')
    if (await crypto.subtle.verify('HMAC', key, bytes, encodeUtf8(text))) return true
  }
  return false
}

/**
 * Encrypts a JSON value with AES-GCM under a key that is derived for this purpose, as text that fits into an address.
 *
 * @param secret At least 32 characters.
 * @param subject The owner of the text, such as an order_id: under another subject it cannot be opened.
 * @throws {ConfigError} when the secret is too short.
 */
export function seal(secret: string, purpose: string, value: unknown, subject = ''): Promise<string> {
  return sealUnder(crypto.getRandomValues(new Uint8Array(IV_BYTES)), secret, purpose, value, subject)
}

/** {@link seal} with a nonce that is given: it must be used once only under one secret and purpose. */
export async function sealUnder(
  iv: Uint8Array<ArrayBuffer>,
  secret: string,
  purpose: string,
  value: unknown,
  subject: string,
): Promise<string> {
  const key = await deriveKey(secret, purpose, 'seal')
  const algorithm = { name: 'AES-GCM', iv, additionalData: encodeUtf8(subject) }
  const sealed = new Uint8Array(await crypto.subtle.encrypt(algorithm, key, encodeUtf8(JSON.stringify(value))))
  const text = new Uint8Array(IV_BYTES + sealed.length)
  text.set(iv)
  text.set(sealed, IV_BYTES)
  return encodeBase64url(text, false)
}

/**
 * Opens a text of {@link seal}.
 *
 * @param secrets The secrets that are tried: the new one, and the previous one while it is being replaced.
 * @returns The value; undefined when it was made with another secret, purpose or subject, or changed by as little as
 *   one bit.
 * @throws {ConfigError} when a secret is too short.
 */
export async function unseal(
  secrets: readonly string[],
  purpose: string,
  text: string,
  subject = '',
): Promise<unknown> {
  const bytes = bytesOf(text)
  if (bytes === undefined) return undefined
  const iv = bytes.subarray(0, IV_BYTES)
  for (const secret of secrets) {
    const key = await deriveKey(secret, purpose, 'seal')
    try {
      const algorithm = { name: 'AES-GCM', iv, additionalData: encodeUtf8(subject) }
      const content = await crypto.subtle.decrypt(algorithm, key, bytes.subarray(IV_BYTES))
      return JSON.parse(new TextDecoder().decode(content))
    } catch {}
  }
  return undefined
}

/** The nonce of a sealed text, as it stands at its beginning: 12 bytes are 16 characters exactly. */
export const nonceOf = (text: string): string => text.slice(0, 16)

/** The bytes of the {@link nonceOf} a text that was opened. */
export const nonceBytes = (nonce: string): Uint8Array<ArrayBuffer> => bytesOf(nonce) as Uint8Array<ArrayBuffer>

/** Undefined for anything but unpadded Base64Url, a last letter with stray bits included. */
function bytesOf(text: string): Uint8Array<ArrayBuffer> | undefined {
  const binary = decodeBase64urlBinary(text)
  if (binary === undefined) return undefined
  const bytes = binaryToBytes(binary)
  return encodeBase64url(bytes, false) === text ? bytes : undefined
}
