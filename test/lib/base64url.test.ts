import { expect, it } from 'vitest'
import { binaryToBytes, decodeBase64urlBinary, encodeBase64url } from '../../src/lib/base64url.ts'

const decodeBase64url = (text: string) => binaryToBytes(decodeBase64urlBinary(text) as string)

const utf8 = new TextEncoder()

// RFC 4648, section 10, and the two letters in which Base64Url differs.
const VECTORS: [text: string, encoded: string][] = [
  ['', ''],
  ['f', 'Zg=='],
  ['fo', 'Zm8='],
  ['foo', 'Zm9v'],
  ['~~~???', 'fn5-Pz8_'],
  ['чашка', '0YfQsNGI0LrQsA=='],
]

it.each(VECTORS)('%j', (text, encoded) => {
  expect(encodeBase64url(utf8.encode(text))).toBe(encoded)
  expect(encodeBase64url(utf8.encode(text), false)).toBe(encoded.replace(/=+$/, ''))
  expect(decodeBase64url(encoded)).toEqual(utf8.encode(text))
  expect(decodeBase64url(encoded.replace(/=+$/, ''))).toEqual(utf8.encode(text))
})

it('every byte, at every place of a group', () => {
  const bytes = Uint8Array.from({ length: 768 }, (_, i) => (i * 7 + (i >> 8)) & 255)
  for (const length of [766, 767, 768]) {
    const part = bytes.slice(0, length)
    expect(decodeBase64url(encodeBase64url(part))).toEqual(part)
  }
})

it.each(['+', '/', 'Zm9v!', 'Zm 9v', 'Zm9v\n', 'Z', 'Zm9vY', '=Zg=', 'Zg==Zg==', 'ї'])(
  '%j is not Base64Url',
  (text) => {
    expect(decodeBase64urlBinary(text)).toBeUndefined()
  },
)
