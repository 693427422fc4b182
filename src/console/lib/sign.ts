import { toBase64url } from '../../shop/lib/crypto.ts'

const encoder = new TextEncoder()

/** HMAC-SHA-256 of a text, as Base64Url. `use` keeps what is signed for one purpose from passing for another. */
export async function sign(secret: string, use: string, text: string): Promise<string> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', encoder.encode(secret), algorithm, false, ['sign'])
  return toBase64url(new Uint8Array(await crypto.subtle.sign('HMAC', key, encoder.encode(`edgetill/${use}\n${text}`))))
}

export const randomId = (): string => toBase64url(crypto.getRandomValues(new Uint8Array(16)))
