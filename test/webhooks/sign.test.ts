import { expect, it } from 'vitest'
import { ConfigError, signWebhook, verifyWebhook } from '../../src/webhooks/index.ts'
import { SIGNATURES } from '../spec/vectors/webhook-signatures.ts'

it.each(SIGNATURES.filter(({ json, data }) => json && data.length % 4 === 0))(
  'makes the golden form of: $name',
  ({ json, secret, data, openssl }) => {
    const webhook = signWebhook(json ?? '', secret)
    expect(webhook).toMatchObject({ data, signature: openssl })
    expect(Object.fromEntries(new URLSearchParams(webhook.body))).toEqual({ data, signature: openssl })
  },
)

it('writes an object as JSON once', () => {
  const payload = { method: 'void', note: 'ї' }
  expect(signWebhook(payload, 's')).toEqual(signWebhook(JSON.stringify(payload), 's'))
  expect(verifyWebhook(signWebhook({ method: 'x', a: [1, null, 'ü'] }, 's'), 's').record).toEqual({
    method: 'x',
    a: [1, null, 'ü'],
  })
})

it('keeps the padding and escapes it in the form', () => {
  const { data, body } = signWebhook('{"a":12}', 's')
  expect(data.endsWith('=')).toBe(true)
  expect(body).toMatch(/^data=[\w%-]+%3D&signature=[\w-]{27}%3D$/)
})

it('rejects a secret with white space around it', () => {
  expect(() => signWebhook({}, 'secret\n')).toThrow(ConfigError)
})
