import { hmac } from '@noble/hashes/hmac.js'
import { sha1 } from '@noble/hashes/legacy.js'

/** Lower-case hex of HMAC-SHA1 over the UTF-8 of a text. */
export function hmacSha1Hex(secret: string, text: string): string {
  const utf8 = new TextEncoder()
  let hex = ''
  for (const byte of hmac(sha1, utf8.encode(secret), utf8.encode(text))) hex += byte.toString(16).padStart(2, '0')
  return hex
}
