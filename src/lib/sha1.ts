import { sha1 } from '@noble/hashes/legacy.js'
import { encodeBase64url } from './base64url.ts'
import { nativeCrypto } from './native-crypto.ts'
import { encodeUtf8 } from './utf8.ts'

type Base64Sha1 = (text: string) => string

const portable: Base64Sha1 = (text) => encodeBase64url(sha1(encodeUtf8(text)))

let chosen: Base64Sha1 | undefined

// The runtime's own synchronous hash costs 1-3 µs where noble costs 6-10 (Web Crypto has no synchronous form).
// It is looked up at first use, never at import, and nothing is lost where there is none.
function choose(): Base64Sha1 {
  try {
    const crypto = nativeCrypto()
    const native: Base64Sha1 = (text) => `${crypto.hash('sha1', text, 'base64url')}=`
    // A half-implemented node:crypto must not decide whether a webhook is genuine: it first has to agree with noble.
    if (native(PROBE) === portable(PROBE)) return native
  } catch {
    // There is none, or it may not be used.
  }
  return portable
}

const PROBE = 'edgetill é'

/** `base64url(sha1(utf8(text)))` with its padding: always 28 characters. Synchronous on every runtime. */
export function sha1Base64url(text: string): string {
  chosen ??= choose()
  return chosen(text)
}
