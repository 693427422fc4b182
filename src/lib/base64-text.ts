import { binaryToBytes, bytesIn, decodeBase64urlBinary } from './base64url.ts'
import { nativeModule } from './native-crypto.ts'
import { decodeUtf8, encodeUtf8 } from './utf8.ts'

/** What a Base64 text encodes: a text, or why there is none. */
export type DecodedText = { text: string } | { text?: undefined; fault: 'not_base64url' | 'not_utf8' }

function portable(data: string): DecodedText {
  const binary = decodeBase64urlBinary(data)
  if (binary === undefined) return { fault: 'not_base64url' }
  // Most webhooks are ASCII, whose bytes are their text: that spares a copy and a decoder. Any other character takes more
  // than one byte, and an encoder notices it sooner than a pattern would.
  const text = encodeUtf8(binary).length === binary.length ? binary : decodeUtf8(binaryToBytes(binary))
  return text === undefined ? { fault: 'not_utf8' } : { text }
}

/** The runtime's own decoder, as far as it is strict; undefined where the portable one has to look. */
type NativeDecoder = (data: string) => string | undefined

interface NativeBuffer {
  Buffer: { from(text: string, encoding: string): Uint8Array & { toString(encoding: string): string } }
  isUtf8(bytes: Uint8Array): boolean
}

let chosen: NativeDecoder | undefined

function choose(): NativeDecoder {
  try {
    const { Buffer, isUtf8 } = nativeModule('buffer') as NativeBuffer
    // Deno's is slower than its atob from about here on.
    const longest = 'Deno' in globalThis ? 4096 : Number.POSITIVE_INFINITY
    const native: NativeDecoder = (data) => {
      if (data.length > longest) return
      const bytes = Buffer.from(data, 'base64url')
      // It skips what is not Base64, so that too few bytes come out. A byte order mark is the portable decoder's.
      if (bytes.length === bytesIn(data) && bytes[0] !== 0xef && isUtf8(bytes)) return bytes.toString('utf8')
    }
    if (PROBES.every((probe) => native(probe) === portable(probe).text)) return native
  } catch {
    // There is none, or it may not be used.
  }
  return () => undefined
}

// Text, "щ" in both alphabets, wrong lengths, foreign letters, what is not UTF-8.
const PROBES = ['eyJhIjoi0YkifQ==', 'eyJhIjoi0YkifQ', '_-8', '0Yk', 'YWJj', 'abcde', 'Zm 9v', 'Zm9v!', '=Zg=', '']

/** Decodes a text in UTF-8 from Base64Url or Base64, padded or not. */
export function decodeBase64Text(data: string): DecodedText {
  chosen ??= choose()
  const text = chosen(data)
  return text === undefined ? portable(data) : { text }
}
