import { describe, expect, it } from 'vitest'
import * as library from '../../src/checkout-link/index.ts'
import { openCheckoutLinkId } from '../../src/checkout-link/link.ts'
import { isMarkOf, markOf, seal, unseal } from '../../src/checkout-link/seal.ts'
import { HOSTED } from '../support/inputs.ts'

const { checkoutLinkId, createCheckoutLink, openCheckoutLink } = library
const SECRET = 'link-secret-of-the-tests-32-characters'
const OTHER = 'other-secret-of-the-tests-32-characters'
const NOW = Date.parse('2026-03-01T10:00:00Z')

const ORDER: library.CheckoutOrder = { ...HOSTED, description: 'Two mugs' }
const link = (fields: Partial<library.CheckoutLinkOptions> = {}) =>
  createCheckoutLink({
    origin: 'https://pay.shop.example.com',
    linkSecret: SECRET,
    order: ORDER,
    now: () => NOW,
    ...fields,
  })
const tokenOf = (url: string): string => url.slice(url.lastIndexOf('/') + 1)

/** A text with another character at one place. */
const changed = (text: string, at: number): string =>
  text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1)

describe('createCheckoutLink', () => {
  it('holds the order, its reference and where the shop writes to', async () => {
    const url = await link({ reference: 'cart-77', customerEmail: 'shop@example.com' })
    expect(url).toMatch(/^https:\/\/pay\.shop\.example\.com\/checkout\/[\w-]+$/)
    expect(await openCheckoutLink(tokenOf(url), [OTHER, SECRET], () => NOW)).toEqual({
      order: ORDER,
      origin: 'https://pay.shop.example.com',
      expiresAt: NOW + 86_400_000,
      reference: 'cart-77',
      customerEmail: 'shop@example.com',
    })
    expect(await openCheckoutLink(tokenOf(url), [OTHER], () => NOW)).toBeUndefined()
  })

  it('has an http origin on loopback, elsewhere with allowInsecureHttp', async () => {
    expect(await link({ origin: 'http://127.0.0.1:8787' })).toContain('http://127.0.0.1:8787/checkout/')
    const insecure = { origin: 'http://192.168.1.5', allowInsecureHttp: true }
    expect(await link(insecure)).toContain('http://192.168.1.5/checkout/')
  })

  it('puts the e-mail into an order that has none', async () => {
    const { customer_email: _, ...order } = ORDER
    const opened = await openCheckoutLink(tokenOf(await link({ order, customerEmail: 'a@b.c' })), [SECRET], () => NOW)
    expect([opened?.order.customer_email, opened?.customerEmail]).toEqual(['a@b.c', undefined])
  })

  it.each<[object, RegExp]>([
    [{ origin: 'pay.shop.example.com' }, /not an address/],
    [{ origin: 'https://pay.shop.example.com/x' }, /without a path/],
    [{ origin: 'ftp://pay.shop.example.com' }, /must begin with/],
    [{ origin: 'http://shop.example.com' }, /must begin with https:.*with allowInsecureHttp/],
    [{ origin: 'ftp://shop.example.com', allowInsecureHttp: true }, /must begin with/],
    [{ allowInsecureHttp: 1 }, /allowInsecureHttp must be true or false/],
    [{ order: undefined }, /mode "hosted"/],
    [{ linkSecret: 'x'.repeat(31) }, /LINK_SECRET must have at least 32 characters/],
    [{ expiresAt: NOW }, /expiresAt must be a time in the future/],
    [{ expiresAt: 8.64e15 + 1 }, /expiresAt must be a time in the future/],
    [{ expiresAt: new Date('2999-01-01') }, /expiresAt must be a time in the future/],
    [{ reference: ' \u0000' }, /reference must be/],
    [{ reference: 'cart\u007f' }, /reference must be/],
    [{ reference: 'x'.repeat(129) }, /reference must be/],
    [{ customerEmail: 'a b@c' }, /e-mail must be/],
    [{ customerEmail: `${'a'.repeat(253)}@c` }, /one address of at most 254 characters/],
    [{ order: { ...ORDER, amount: 0 } }, /amount/],
    [{ order: { ...ORDER, order_idd: 'x' } }, /order_idd/],
    [{ order: { ...ORDER, method: 'auth', order_id: 'x'.repeat(30) } }, /at most 29 characters.*could not be captured/],
    [{ order: { ...ORDER, order_id: 'x'.repeat(30) } }, /at most 29.*could not be refunded; pass longOrderId: true/],
    [{ order: { ...ORDER, method: 'auth', order_id: 'x'.repeat(30) }, longOrderId: true }, /at most 29 characters/],
    [{ order: { ...ORDER, order_id: 'x'.repeat(254) }, longOrderId: true }, /at most 253 characters/],
    [{ longOrderId: 'yes' }, /longOrderId must be true or false/],
    // A misspelt expiresAt would make a link for 24 hours.
    [{ expiresIn: 5 }, /^expiresIn is not an option; the options are origin, .*expiresAt, now\.$/],
    [{ landing: 1 }, /landing must be true or false/],
    [{ order: { ...ORDER, mode: 'direct' } }, /mode/],
    [{ order: { ...ORDER, order_id: '..' } }, /order_id: must be a non-empty string other/],
    [{ order: { ...ORDER, order_id: undefined } }, /order_id: must be a non-empty string other/],
    [{ order: { ...ORDER, order_id: 'A-1~12' } }, /order_id: must not end in/],
    [{ order: { ...ORDER, order_id: 'A\ud800' } }, /order_id: contains half of a surrogate pair/],
    [{ order: { ...ORDER, payload: 'Щ'.repeat(4000) } }, /at most 8000 work everywhere/],
  ])('rejects %j with a text that says why', async (fields, text) => {
    const code = expect.stringMatching(/^(config|invalid_input)$/)
    await expect(link(fields)).rejects.toMatchObject({ code, message: expect.stringMatching(text) })
  })

  it.each<[object]>([
    [{ order: { ...ORDER, method: 'auth', order_id: 'x'.repeat(29) } }],
    [{ order: { ...ORDER, order_id: 'Щ'.repeat(29) } }],
    [{ order: { ...ORDER, order_id: 'Щ'.repeat(253) }, longOrderId: true }],
    [{ order: { ...ORDER, split: [{ amount: 100.5, sub_merchant_id: '3f1c2c1e-6a5c-4b8e-9d53-0a4c1c7d2b11' }] } }],
    [{ reference: 'cart 77'.padEnd(128, '-') }],
    [{ customerEmail: `${'a'.repeat(252)}@c` }],
    [{ expiresAt: NOW + 1 }],
    [{ expiresAt: 8.64e15 }],
    [{ linkSecret: 'x'.repeat(32) }],
  ])('takes the longest of what it takes: %j', async (fields) => {
    expect(await link(fields)).toContain('/checkout/')
  })

  it('makes links of at most 8,000 characters', async () => {
    const made: number[] = []
    const rejected: number[] = []
    for (let length = 200; length < 250; length++) {
      const payload = 'Щ'.repeat(2_700) + 'x'.repeat(length)
      // A Base64Url text never has one character more than a multiple of four.
      for (const origin of ['https://a.example', 'https://ab.example']) {
        try {
          made.push((await link({ origin, order: { ...ORDER, payload } })).length)
        } catch (error) {
          rejected.push(Number(/would have (\d+)/.exec(String(error))?.[1]))
        }
      }
    }
    expect([Math.max(...made), Math.min(...rejected)]).toEqual([8_000, 8_001])
  })
})

describe('checkoutLinkId', () => {
  it('follows from the link, is another one for each, and says which order it belongs to', async () => {
    const [one, two] = [await link(), await link()]
    const id = await checkoutLinkId(one, SECRET)
    expect(await checkoutLinkId(one, SECRET)).toBe(id)
    expect(await checkoutLinkId(two, SECRET)).not.toBe(id)
    const nonce = tokenOf(one).slice(0, 16)
    const expected = { order_id: 'A-1', expiresAt: NOW + 86_400_000, nonce }
    expect(await openCheckoutLinkId(id, [SECRET])).toEqual(expected)
  })

  it('opens no payment, and a link is not an id', async () => {
    const url = await link()
    const id = await checkoutLinkId(url, SECRET)
    expect(await openCheckoutLink(id, [SECRET], () => NOW)).toBeUndefined()
    expect(await openCheckoutLinkId(tokenOf(url), [SECRET])).toBeUndefined()
    for (let at = 0; at < id.length; at += 3)
      expect(await openCheckoutLinkId(changed(id, at), [SECRET])).toBeUndefined()
  })

  it('is not made of what is not a link of this secret', async () => {
    const foreign = await link({ linkSecret: OTHER })
    for (const wrong of [foreign, 'https://pay.shop.example.com/checkout/x', '', `${await link()}A`])
      await expect(checkoutLinkId(wrong, SECRET)).rejects.toThrow(/is not a checkout link that was made with/)
  })
})

describe('seal and markOf', () => {
  it('open under their own purpose and subject alone', async () => {
    const text = await seal(SECRET, 'a', { x: 1 }, 's')
    expect(await unseal([OTHER, SECRET], 'a', text, 's')).toEqual({ x: 1 })
    for (const subject of ['t', '']) expect(await unseal([SECRET], 'a', text, subject)).toBeUndefined()
    expect(await unseal([SECRET], 'b', text, 's')).toBeUndefined()
    for (let at = 0; at < text.length; at++) expect(await unseal([SECRET], 'a', changed(text, at), 's')).toBeUndefined()
    const mark = await markOf(SECRET, 'a', 'A-1')
    expect(await isMarkOf([OTHER, SECRET], 'a', 'A-1', mark)).toBe(true)
    for (const [purpose, of, given] of [
      ['b', 'A-1', mark],
      ['a', 'A-2', mark],
      ['a', 'A-1', changed(mark, 3)],
      ['a', 'A-1', ''],
      ['a', 'A-1', '!'],
    ] as const)
      expect(await isMarkOf([SECRET], purpose, of, given)).toBe(false)
  })

  it('make the same as ever: what was sent before an update opens after it', async () => {
    // From node:crypto: HKDF-SHA-256 without a salt, HMAC-SHA-256, AES-256-GCM.
    expect(await markOf(SECRET, 'a', 'A-1')).toBe('TI5i61bYU4JtdAJYuSpB1I0lvD6t8_RiKWfg7aEACpM')
    expect(await unseal([SECRET], 'a', 'AAECAwQFBgcICQoL0qA2E2XrX2xvi52ms5OHOVhmfbLLLfY', 's')).toEqual({ x: 1 })
  })

  it('open nothing that is too short, or is no Base64Url', async () => {
    const text = await seal(SECRET, 'a', 1)
    for (const wrong of ['', 'A', 'AAAA', text.slice(0, 16), text.slice(0, 20), `${text}=`, '!', ' '])
      expect(await unseal([SECRET], 'a', wrong)).toBeUndefined()
  })
})
