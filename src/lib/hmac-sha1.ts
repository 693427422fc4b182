import { encodeUtf8 } from './utf8.ts'

/** Lower-case hex of HMAC-SHA1 over the UTF-8 of a text, by Web Crypto: a request waits for the network anyway. */
export async function hmacSha1Hex(secret: string, text: string): Promise<string> {
  const algorithm = { name: 'HMAC', hash: 'SHA-1' }
  const key = await crypto.subtle.importKey('raw', encodeUtf8(secret), algorithm, false, ['sign'])
  let hex = ''
  for (const byte of new Uint8Array(await crypto.subtle.sign('HMAC', key, encodeUtf8(text)))) {
    hex += byte.toString(16).padStart(2, '0')
  }
  return hex
}
