import { expect, it, vi } from 'vitest'
import { hmacSha1Hex } from '../../src/lib/hmac-sha1.ts'

// RFC 2202's second case, an empty text, and one beyond ASCII; made by: printf %s TEXT | openssl dgst -sha1 -hmac KEY
const VECTORS: [key: string, text: string, hmac: string][] = [
  ['Jefe', 'what do ya want for nothing?', 'effcdf6ae5eb2fa2d27416d5f184df9c259a7c79'],
  ['secret', '', '25af6174a0fcecc4d346680a72b7ce644b9a88e8'],
  ['ключ', 'чашка 🍵', '812f2fb9cc13c5b42b7c8d4de13fe149970dd82c'],
]

const expectVectors = async () => {
  for (const [key, text, hmac] of VECTORS) expect(await hmacSha1Hex(key, text)).toBe(hmac)
}

it('agrees with openssl, by whatever this runtime has', expectVectors)

it.each<[string, unknown]>([
  ['no process', undefined],
  ['nothing built in', { getBuiltinModule: () => undefined }],
  ['a module without it', { getBuiltinModule: () => ({}) }],
])('agrees with openssl by Web Crypto: %s', async (_, process) => {
  const sign = vi.spyOn(crypto.subtle, 'sign')
  vi.stubGlobal('process', process)
  try {
    await expectVectors()
    expect(sign).toHaveBeenCalledTimes(VECTORS.length)
  } finally {
    vi.unstubAllGlobals()
    sign.mockRestore()
  }
})
