export { sha256Async as sha256 } from '../../lib/sha256.ts'

const encoder = new TextEncoder()

/** Bytes as Base64Url without padding: safe in an address and in a KV key. */
export function toBase64url(bytes: Uint8Array): string {
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/**
 * Compares a received secret with the real one. Both are hashed first, so that neither their contents nor their lengths
 * can be inferred from the time it takes.
 */
export async function equalSecret(received: string, expected: string): Promise<boolean> {
  const [a, b] = await Promise.all([digest(received), digest(expected)])
  let difference = 0
  for (let i = 0; i < a.length; i++) difference |= (a[i] ?? 0) ^ (b[i] ?? 0)
  return difference === 0
}

async function digest(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', encoder.encode(text)))
}
