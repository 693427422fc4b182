const encoder = new TextEncoder()

/** Bytes as Base64Url without padding: safe in an address and in a KV key. */
export function toBase64url(bytes: Uint8Array): string {
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** Bytes of an unpadded Base64Url text; undefined for anything else, a last letter with stray bits included. */
export function fromBase64url(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[\w-]*$/.test(text)) return undefined
  let binary: string
  try {
    binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  } catch {
    return undefined
  }
  const bytes = new Uint8Array(binary.length)
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i)
  return toBase64url(bytes) === text ? bytes : undefined
}

/**
 * Compares a received secret with the real one. Both are hashed first, so that neither their contents nor their lengths
 * can be told from the time it takes.
 */
export async function equalSecret(received: string, expected: string): Promise<boolean> {
  const [a, b] = await Promise.all([digest(received), digest(expected)])
  let difference = 0
  for (let i = 0; i < a.length; i++) difference |= (a[i] ?? 0) ^ (b[i] ?? 0)
  return difference === 0
}

/** SHA-256 of a text, as Base64Url: 43 characters, whatever the text holds. */
export async function sha256(text: string): Promise<string> {
  return toBase64url(await digest(text))
}

async function digest(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', encoder.encode(text)))
}

/** What a key is used for: a link can never be taken for a signature. */
export type KeyPurpose = 'checkout link' | 'result link' | 'expected payment'

/** Shorter secrets can be guessed: HKDF does not slow a guess down. */
const SECRET_LENGTH = 32

/** A key for one purpose, derived from LINK_SECRET. */
export async function deriveKey(secret: string, purpose: KeyPurpose): Promise<CryptoKey> {
  if (typeof secret !== 'string' || secret.length < SECRET_LENGTH) {
    throw new TypeError(
      `LINK_SECRET must have at least ${SECRET_LENGTH} characters; \`openssl rand -base64 32\` makes one. Pass the one that the worker has.`,
    )
  }
  const material = await crypto.subtle.importKey('raw', encoder.encode(secret), 'HKDF', false, ['deriveKey'])
  const salt = new Uint8Array()
  const parameters = { name: 'HKDF', hash: 'SHA-256', salt, info: encoder.encode(`edgetill ${purpose}`) }
  return purpose === 'result link'
    ? crypto.subtle.deriveKey(parameters, material, { name: 'HMAC', hash: 'SHA-256', length: 256 }, false, SIGNING)
    : crypto.subtle.deriveKey(parameters, material, { name: 'AES-GCM', length: 256 }, false, SEALING)
}

const SIGNING: KeyUsage[] = ['sign', 'verify']
const SEALING: KeyUsage[] = ['encrypt', 'decrypt']
const IV_BYTES = 12

/** Encrypts a value, bound to `subject`: opened under another subject it is rejected. */
export async function seal(secret: string, purpose: KeyPurpose, value: unknown, subject = ''): Promise<string> {
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES))
  const key = await deriveKey(secret, purpose)
  const algorithm = { name: 'AES-GCM', iv, additionalData: encoder.encode(subject) }
  const sealed = new Uint8Array(await crypto.subtle.encrypt(algorithm, key, encoder.encode(JSON.stringify(value))))
  const token = new Uint8Array(IV_BYTES + sealed.length)
  token.set(iv)
  token.set(sealed, IV_BYTES)
  return toBase64url(token)
}

/** Opens what {@link seal} made with one of these secrets; undefined when it was changed by as little as one bit. */
export async function unseal(
  secrets: readonly string[],
  purpose: KeyPurpose,
  token: string,
  subject = '',
): Promise<unknown> {
  const bytes = fromBase64url(token)
  if (bytes === undefined || bytes.length <= IV_BYTES) return undefined
  const iv = bytes.subarray(0, IV_BYTES)
  for (const secret of secrets) {
    const key = await deriveKey(secret, purpose)
    try {
      const algorithm = { name: 'AES-GCM', iv, additionalData: encoder.encode(subject) }
      const content = await crypto.subtle.decrypt(algorithm, key, bytes.subarray(IV_BYTES))
      return JSON.parse(new TextDecoder().decode(content))
    } catch {}
  }
  return undefined
}
