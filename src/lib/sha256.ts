import { sha256 } from '@noble/hashes/sha2.js'
import { encodeBase64url } from './base64url.ts'
import { chooseHash, type TextHash } from './native-crypto.ts'
import { encodeUtf8 } from './utf8.ts'

const portable: TextHash = (text) => encodeBase64url(sha256(encodeUtf8(text)), false)

/** The same by Web Crypto: a program that uses only this function bundles no hash. */
export const sha256Async = async (text: string): Promise<string> =>
  encodeBase64url(new Uint8Array(await crypto.subtle.digest('SHA-256', encodeUtf8(text))), false)

let chosen: TextHash | undefined

/** `base64url(sha256(utf8(text)))` without padding: always 43 characters. Synchronous on every runtime. */
export function sha256Base64url(text: string): string {
  chosen ??= chooseHash('sha256', portable)
  return chosen(text)
}
