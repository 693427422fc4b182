import { toBase64url } from './base64url.ts'

const encoder = new TextEncoder()

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

/** A key for one purpose, derived from the merchant's LINK_SECRET: a link can never be taken for a signature. */
export async function deriveKey(
  secret: string,
  purpose: string,
  algorithm: { name: 'AES-GCM'; length: 256 } | { name: 'HMAC'; hash: 'SHA-256'; length: 256 },
  usages: KeyUsage[],
): Promise<CryptoKey> {
  if (typeof secret !== 'string' || secret === '') {
    throw new TypeError('LINK_SECRET is empty: pass the same long random text that the worker has as its LINK_SECRET.')
  }
  const material = await crypto.subtle.importKey('raw', encoder.encode(secret), 'HKDF', false, ['deriveKey'])
  const salt = new Uint8Array()
  const parameters = { name: 'HKDF', hash: 'SHA-256', salt, info: encoder.encode(`edgetill ${purpose}`) }
  return crypto.subtle.deriveKey(parameters, material, algorithm, false, usages)
}
