import { expect, it } from 'vitest'
import { decodeUtf8, encodeUtf8 } from '../../src/lib/utf8.ts'

it('decodes UTF-8 strictly', () => {
  expect(decodeUtf8(encodeUtf8('чашка 🍵'))).toBe('чашка 🍵')
  for (const bytes of [[0xff], [0xc3], [0xc0, 0x80], [0xed, 0xa0, 0x80]]) {
    expect(decodeUtf8(new Uint8Array(bytes))).toBeUndefined()
    expect(decodeUtf8(encodeUtf8('щ'))).toBe('щ')
  }
})
