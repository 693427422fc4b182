import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cancelPayment } from '../../src/index.ts'
import { PAYMENT_RECORD } from '../support/inputs.ts'
import { CONFIG, json, wire } from '../support/mock-fetch.ts'
import { check, SEED } from '../support/property.ts'

/** Any text, and many that are made of what a path is sensitive to. */
const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc
    .array(fc.constantFrom(...". .. / \\ % %2e %2F 2e 25 ? # ; ї '".split(' '), '\n', '\u0000', '\ud800', ' '), {
      maxLength: 8,
    })
    .map((parts) => parts.join('')),
)

async function urlOf(
  call: (config: typeof CONFIG & { fetch: typeof fetch }) => Promise<unknown>,
): Promise<URL | undefined> {
  const { fetch, sent } = wire(json([PAYMENT_RECORD]))
  await call({ ...CONFIG, fetch }).catch(() => {})
  return sent[0] && new URL(sent[0].url)
}

describe(`seed ${SEED}`, () => {
  it('no order id changes the path: it is rejected for its length, its encoding or its dots, or it arrives exactly', async () => {
    let arrived = 0
    await check(
      fc.asyncProperty(anyText, async (order_id) => {
        const url = await urlOf((config) => cancelPayment(config, { order_id }))
        const dots = /^(\.|%(25)*2e){1,2}$/i.test(order_id)
        const fine = order_id.length > 0 && order_id.length <= 256 && !/\p{Surrogate}/u.test(order_id) && !dots
        expect(url !== undefined).toBe(fine)
        if (url === undefined) return
        arrived += 1
        expect(url.origin).toBe(CONFIG.baseUrl)
        expect(url.search + url.hash).toBe('')
        const segments = url.pathname.split('/')
        const encoded = segments.splice(6, 1)[0] ?? ''
        expect(segments).toEqual(['', 'api', 'v1', 'pos', CONFIG.posId, 'order', 'cancel'])
        expect(decodeURIComponent(encoded)).toBe(order_id)
      }),
    )
    expect(arrived).toBeGreaterThan(100)
  })
})
