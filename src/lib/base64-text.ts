import { binaryToBytes, bytesIn, decodeBase64urlBinary } from './base64url.ts'
import { nativeModule } from './native-crypto.ts'
import { decodeUtf8, encodeUtf8 } from './utf8.ts'

/** A text from Base64, or undefined. */
type TextDecoding = (data: string) => string | undefined

const portable: TextDecoding = (data) => {
  const binary = decodeBase64urlBinary(data)
  if (binary === undefined) return
  // Most webhooks are ASCII, whose bytes are their text: that spares a copy and a decoder. Any other character takes
  // more than one byte, and an encoder notices it sooner than a pattern would.
  return encodeUtf8(binary).length === binary.length ? binary : decodeUtf8(binaryToBytes(binary))
}

let chosen: TextDecoding | undefined

/** The runtime's own decoder, if its results equal those of the portable decoder. */
function choose(): TextDecoding {
  try {
    const { Buffer } = nativeModule('buffer') as { Buffer: { from(text: string, encoding: string): Uint8Array } }
    // Deno's is slower than its atob from about here on.
    const longest = 'Deno' in globalThis ? 4096 : Number.POSITIVE_INFINITY
    const native: TextDecoding = (data) => {
      const bytes = data.length < longest && Buffer.from(data, 'base64url')
      // Characters outside the alphabet are skipped, so that too few bytes come out.
      return bytes && bytes.length === bytesIn(data) ? decodeUtf8(bytes) : portable(data)
    }
    if (PROBES.every((probe) => native(probe) === portable(probe))) return native
  } catch {
    // There is none, or it may not be used.
  }
  return portable
}

// "щ" in either alphabet, skipped characters, and bytes that are not UTF-8.
const PROBES = ['0Yk_Pz4-', '0Yk/Pz4+', 'Zm 9v!', '_-8']

/** Decodes a text in UTF-8 from Base64Url or Base64, padded or not; undefined when it is neither, or not UTF-8. */
export function decodeBase64Text(data: string): string | undefined {
  chosen ??= choose()
  return chosen(data)
}
