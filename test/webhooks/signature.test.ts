import { describe, expect, it } from 'vitest'
import { ConfigError } from '../../src/index.ts'
import { signData, signWebhook, verifySignature, verifyWebhook } from '../../src/webhooks/index.ts'
import { SIGNATURES } from '../spec/vectors/webhook-signatures.ts'

it.each(SIGNATURES)('$name has the signature that openssl and python3 made', ({ secret, data, signature, json }) => {
  expect(signData(data, secret)).toBe(signature)
  expect(verifySignature(data, signature, secret)).toBe(true)
  if (!json) return
  expect(verifyWebhook({ data, signature }, secret).record).toEqual(JSON.parse(json))
  if (data.length % 4 > 0) return
  const body = `data=${data.replaceAll('=', '%3D')}&signature=${signature.replace('=', '%3D')}`
  expect(signWebhook(json, secret)).toMatchObject({ data, signature, body })
})

const [vector] = SIGNATURES as [(typeof SIGNATURES)[number]]

describe('verifySignature', () => {
  it('compares the text, not the bytes it decodes to: the last letter has unused bits', () => {
    const last = vector.signature.charAt(26)
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const sameBytes = alphabet.charAt(alphabet.indexOf(last) | 1)
    expect(sameBytes).not.toBe(last)
    const twin = `${vector.signature.slice(0, 26)}${sameBytes}=`
    const bytes = (text: string) => atob(text.replaceAll('-', '+').replaceAll('_', '/'))
    expect(bytes(twin)).toBe(bytes(vector.signature))
    expect(verifySignature(vector.data, twin, vector.secret)).toBe(false)
  })

  it('rejects the signature without padding, with white space, and empty', () => {
    for (const text of [vector.signature.slice(0, 27), ` ${vector.signature}`, `${vector.signature}\n`, '']) {
      expect(verifySignature(vector.data, text, vector.secret)).toBe(false)
    }
  })

  it.each([
    ['no secret', []],
    ['an empty one', ''],
    ['an empty one among others', [vector.secret, '']],
    ['one with a line break', `${vector.secret}\n`],
    ['one with a space before it', ` ${vector.secret}`],
    ['one that is not a string', [undefined as unknown as string]],
  ])('rejects %s, and does not show it', (_name, secrets) => {
    const attempt = () => verifySignature(vector.data, vector.signature, secrets)
    expect(attempt).toThrow(ConfigError)
    expect(attempt).not.toThrow(new RegExp(vector.secret))
    if (typeof secrets === 'string') expect(() => signWebhook({}, secrets)).toThrow(ConfigError)
  })
})
