import * as fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { readWebhook, signData, signWebhook, verifySignature, verifyWebhook } from '../../src/webhooks/index.ts'
import { check, SEED } from '../support/property.ts'

const secret = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
  .filter((text) => text === text.trim() && !/\p{Surrogate}/u.test(text))
const name = fc.string({ unit: 'grapheme', maxLength: 10 })
const payload = fc.dictionary(name, fc.jsonValue({ stringUnit: 'grapheme' }), { noNullPrototype: true })
const documented = fc.record({
  method: fc.constantFrom('purchase', 'auth', 'capture', 'void', 'refund', 'auth_increment', 'loyalty'),
  payment_id: fc.uuid(),
  operation_id: fc.uuid(),
  order_id: fc.string({ unit: 'grapheme' }),
  pos_id: fc.uuid(),
  mode: fc.constantFrom('direct', 'hosted'),
  amount: fc.integer({ min: 1, max: 1e9 }).map((n) => n / 100),
  currency: fc.constantFrom('UAH', 'XTS'),
  status: fc.string(),
  created_at: fc.constant('2026-01-01T10:00:00.000'),
  payload: fc.string({ unit: 'grapheme' }),
})

/** The package as it is where the runtime has no synchronous hash of its own. */
async function withoutNativeHash() {
  vi.resetModules()
  const fresh = await import('../../src/webhooks/index.ts')
  vi.stubGlobal('process', undefined)
  try {
    // The choice is made at the first hash, and kept.
    fresh.signData('data', 'secret')
  } finally {
    vi.unstubAllGlobals()
  }
  return fresh
}

/** The event, or what is wrong. */
const outcomeOf = async (run: () => unknown): Promise<unknown> => {
  try {
    return await run()
  } catch (error) {
    const { name, message, reason, verified, field } = error as Record<string, unknown>
    return { name, message, reason, verified, field }
  }
}

describe(`seed ${SEED}`, () => {
  it('by Web Crypto or by a synchronous hash: one event or one error, valid, tampered, and while secrets are rotated', async () => {
    const fresh = await withoutNativeHash()
    const digest = vi.spyOn(crypto.subtle, 'digest')
    const tamper = fc.constantFrom<(text: string) => string>(
      (text) => text,
      (text) => text,
      (text) => `${text}A`,
      (text) => text.slice(1),
      (text) => text.replace(/.$/, ' '),
      (text) => text.replace(/^./, '!'),
    )
    const secrets = fc.array(fc.oneof(secret, fc.constantFrom('', ' x', undefined)), { maxLength: 3 })
    await check(
      fc.asyncProperty(documented, secret, secrets, tamper, tamper, async (value, key, others, first, second) => {
        const { data, signature } = signWebhook(value, key)
        const form = { data: first(data), signature: second(signature) }
        const body = new URLSearchParams(form).toString()
        const headers = { 'content-type': 'application/x-www-form-urlencoded' }
        for (const all of [key, [key, ...others], [...others, key], others]) {
          const post = () => new Request('https://shop.example.com/', { method: 'POST', headers, body })
          const expected = await outcomeOf(() => verifyWebhook(form, all as string[]))
          expect(await outcomeOf(() => fresh.verifyWebhook(form, all as string[]))).toEqual(expected)
          expect(await outcomeOf(() => fresh.readWebhook(post(), all as string[]))).toEqual(expected)
          expect(await outcomeOf(() => readWebhook(post(), all as string[]))).toEqual(expected)
        }
      }),
    )
    // A packed package is loaded once: there, both ways are the runtime's own.
    if (fresh.readWebhook !== readWebhook) expect(digest).toHaveBeenCalledWith('SHA-1', expect.anything())
    digest.mockRestore()
  })

  it('any JSON object survives sign, verify and parse, and the form around it', async () => {
    await check(
      fc.asyncProperty(fc.oneof(payload, documented), secret, async (value, key) => {
        const webhook = signWebhook(value, key)
        const expected: unknown = JSON.parse(JSON.stringify(value))
        const event = verifyWebhook(webhook, key)
        expect(event.record).toEqual(expected)
        const request = new Request('https://shop.example.com/', {
          method: 'POST',
          body: webhook.body,
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
        })
        expect(await readWebhook(request, ['other', key])).toEqual(event)
        // Without the padding too, under the signature of what was sent.
        const data = webhook.data.replace(/=+$/, '')
        expect(verifyWebhook({ data, signature: signData(data, key) }, key)).toEqual(event)
        expect(verifySignature(data, webhook.signature, key)).toBe(data === webhook.data)
      }),
    )
  })

  it('any single flipped bit of data, signature or secret is rejected', async () => {
    const flip = (text: string, at: number, bit: number): string => {
      const index = at % text.length
      return text.slice(0, index) + String.fromCharCode(text.charCodeAt(index) ^ (1 << bit)) + text.slice(index + 1)
    }
    const ascii = fc.stringMatching(/^[a-z0-9_-]{1,40}$/)
    await check(
      fc.property(documented, ascii, fc.nat(), fc.nat({ max: 6 }), (value, key, at, bit) => {
        const { data, signature } = signWebhook(value, key)
        expect(verifySignature(data, signature, key)).toBe(true)
        expect(verifySignature(flip(data, at, bit), signature, key)).toBe(false)
        expect(verifySignature(data, flip(signature, at, bit), key)).toBe(false)
        const otherKey = flip(key, at, bit)
        if (otherKey === otherKey.trim()) expect(verifySignature(data, signature, otherKey)).toBe(false)
      }),
    )
  })
})
