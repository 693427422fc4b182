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
