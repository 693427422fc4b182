import { encodeUtf8 } from './utf8.ts'

/**
 * Makes a function that computes lower-case hex of HMAC-SHA1 over the UTF-8 of a text. By Web Crypto: a request waits for
 * the network anyway. The key is imported at the first text and kept.
 */
export function hmacSha1Hex(secret: string): (text: string) => Promise<string> {
  let key: CryptoKey | undefined
  return async (text) => {
    // The key is kept, not the promise of it: in workerd a promise belongs to the request that made it.
    key ??= await crypto.subtle.importKey('raw', encodeUtf8(secret), { name: 'HMAC', hash: 'SHA-1' }, false, ['sign'])
    let hex = ''
    for (const byte of new Uint8Array(await crypto.subtle.sign('HMAC', key, encodeUtf8(text)))) {
      hex += byte.toString(16).padStart(2, '0')
    }
    return hex
  }
}
