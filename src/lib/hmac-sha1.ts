import { nativeCrypto } from './native-crypto.ts'
import { encodeUtf8 } from './utf8.ts'

/**
 * Lower-case hex of HMAC-SHA1 over the UTF-8 of a text: by the runtime's own synchronous hash, or else by Web Crypto,
 * which takes about twenty times as long.
 */
export async function hmacSha1Hex(secret: string, text: string): Promise<string> {
  try {
    return nativeCrypto().createHmac('sha1', secret).update(text).digest('hex')
  } catch {
    // There is none, or it may not be used.
  }
  const algorithm = { name: 'HMAC', hash: 'SHA-1' }
  const key = await crypto.subtle.importKey('raw', encodeUtf8(secret), algorithm, false, ['sign'])
  const bytes = new Uint8Array(await crypto.subtle.sign('HMAC', key, encodeUtf8(text)))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
