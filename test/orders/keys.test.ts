import { describe, expect, it } from 'vitest'
import { eventKey, orderKey } from '../../src/orders/index.ts'
import { readEvent } from '../../src/webhooks/index.ts'
import { payment } from '../worker/support/events.ts'

const purchase = payment('A-1', { fee: { amount: 2.5, currency: 'UAH' }, recurring: { id: 'r-1', status: 'active' } })
const keyOf = (record: object): string => eventKey(readEvent(record as Record<string, unknown>))

describe('the key of an event', () => {
  // printf '{"amount":100.5,"currency":"UAH","order_id":"A-1",}' | openssl dgst -sha256 -binary | basenc --base64url
  it('is the SHA-256 of its canonical record', () => {
    const record = { order_id: 'A-1', currency: 'UAH', amount: '100.50', method: null }
    expect(keyOf(record)).toBe('K563idYCubtmk_wxanD2mL2sk-K20F7nG2qHRB_1Ets')
  })

  // printf '{"amount":1.5,"products":["a",{"b":2,},"c",],}' | openssl dgst -sha256 -binary | basenc --base64url
  it('covers what stands before, in and after a list', () => {
    expect(keyOf({ products: ['a', { b: 2 }, 'c'], amount: 1.5 })).toBe('vexyPAKPwW5LRmGQ_K4YsrZCVJwiweKIrtcIGGVlI7k')
  })

  it('reads a number that came as text as a number, where its text is that number', () => {
    const lists = [{ list: [undefined] }, { list: [null] }]
    const keys = [{ retries: '5' }, { retries: 5 }, { retries: '05' }, ...lists].map(keyOf)
    expect(keys[0]).toBe(keys[1])
    expect(keys[2]).not.toBe(keys[1])
    expect(keys[3]).toBe(keys[4])
    expect(keyOf({ paid: '5' })).toBe(keyOf({ paid: 5 }))
    // A value that is not a number, or is an identifier, keeps its type.
    const others = [
      { amount: 'x' },
      { amount: 'y' },
      { rate: 'NaN' },
      { rate: 'Infinity' },
      // A text in another notation stays a text, and an undocumented event has some fields in its record alone.
      ...['1e5', 100_000].map((amount) => ({ method: 'loyalty', amount })),
      ...[5, 6].map((order_id) => ({ method: 'loyalty', order_id })),
      ...['7', 7].flatMap((id) => [{ order_id: id }, { recurring: { id } }]),
    ]
    expect(new Set(others.map(keyOf)).size).toBe(others.length)
  })

  it('is the same however the event came', () => {
    const reversed = Object.fromEntries(Object.entries(purchase).reverse())
    const asText = { ...purchase, amount: '100.50', fee: { amount: '2.5', currency: 'UAH' } }
    const withNulls = { ...purchase, eci: null, limit_info: null }
    expect(new Set([purchase, reversed, asText, withNulls].map(keyOf)).size).toBe(1)
  })

  it('is another one for events that differ in anything', () => {
    const variants: object[] = [
      ...Object.keys(purchase).map((name) => ({ ...purchase, [name]: 'other' })),
      { ...purchase, processed_amount: 50 },
      { ...purchase, fee: { amount: 2.51, currency: 'UAH' } },
      { ...purchase, products: ['a', 'b'] },
      { ...purchase, products: ['b', 'a'] },
      { ...purchase, products: [['a'], 'b'] },
      { ...purchase, method: 'chargeback', remark: 1 },
      ...[1, 2].map((kind) => ({ ...purchase, method: 'chargeback', remark: { kind } })),
    ]
    expect(new Set([purchase, ...variants].map(keyOf)).size).toBe(variants.length + 1)
    // Identifiers are text: "1.50" and "1.5" are two orders, "007" and "7" too.
    const ids = ['1.50', '1.5', '007', '7'].map((order_id) => keyOf({ ...purchase, order_id }))
    expect(new Set(ids).size).toBe(4)
  })

  it('is there for a record of any depth', () => {
    let deep: unknown = 'x'
    for (let level = 0; level < 20_000; level++) deep = level % 2 ? [deep] : { deep }
    expect(keyOf({ ...purchase, method: 'chargeback', deep })).toMatch(/^[\w-]{43}$/)
  })
})

it('the key of an order is the SHA-256 of its id, and tells halves of surrogate pairs apart, which are the same as UTF-8', async () => {
  for (const order_id of ['mugs-1001~2', 'a/b', '', 'Ж'.repeat(256), '😀']) {
    const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(order_id)))
    const base64 = btoa(String.fromCharCode(...bytes)).slice(0, 43)
    expect(orderKey(order_id)).toBe(base64.replaceAll('+', '-').replaceAll('/', '_'))
  }
  const ids = ['\ud83d', '\ude00', '\ufffd', '\ud83d\ud83d']
  expect(new Set(ids.map(orderKey)).size).toBe(ids.length)
})
