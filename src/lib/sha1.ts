import { sha1 } from '@noble/hashes/legacy.js'
import { encodeBase64url } from './base64url.ts'
import { chooseHash, type TextHash } from './native-crypto.ts'
import { encodeUtf8 } from './utf8.ts'

const portable: TextHash = (text) => encodeBase64url(sha1(encodeUtf8(text)), false)

let chosen: TextHash | undefined

/** `base64url(sha1(utf8(text)))` with its padding: always 28 characters. Synchronous on every runtime. */
export function sha1Base64url(text: string): string {
  chosen ??= chooseHash('sha1', portable)
  return `${chosen(text)}=`
}

/** The same, by Web Crypto if the runtime has no synchronous hash: 8 kB take a fifth of the time. */
export async function sha1Base64urlAsync(text: string): Promise<string> {
  chosen ??= chooseHash('sha1', portable)
  if (chosen === portable) {
    try {
      return encodeBase64url(new Uint8Array(await crypto.subtle.digest('SHA-1', encodeUtf8(text))))
    } catch {
      // There is none, or it may not be used.
    }
  }
  return sha1Base64url(text)
}
