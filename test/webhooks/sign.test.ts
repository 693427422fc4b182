import { expect, it } from 'vitest'
import { ConfigError, signWebhook } from '../../src/webhooks/index.ts'
import { SIGNATURES } from '../spec/vectors/webhook-signatures.ts'

it.each(SIGNATURES.filter(({ json, data }) => json && data.length % 4 === 0))(
  'makes the golden form of: $name',
  ({ json, secret, data, signature }) => {
    const webhook = signWebhook(json ?? '', secret)
    expect(webhook).toMatchObject({ data, signature })
    expect(webhook.body).toBe(`data=${data.replaceAll('=', '%3D')}&signature=${signature.replace('=', '%3D')}`)
  },
)

it('writes an object as JSON once', () => {
  const payload = { method: 'void', note: 'ї' }
  expect(signWebhook(payload, 's')).toEqual(signWebhook(JSON.stringify(payload), 's'))
})

it('rejects a secret with white space around it', () => {
  expect(() => signWebhook({}, 'secret\n')).toThrow(ConfigError)
})
