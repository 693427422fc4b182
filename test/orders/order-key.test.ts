import { expect, it } from 'vitest'
import { orderKey } from '../../src/orders/index.ts'

async function sha256(text: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
  return btoa(String.fromCharCode(...bytes)).replace(/[+/=]/g, (letter) => ({ '+': '-', '/': '_' })[letter] ?? '')
}

it.each(['mugs-1001', 'mugs-1001~2', 'a/b', '', 'Ж'.repeat(256), '😀'])('is the SHA-256 of %j', async (order_id) => {
  expect(orderKey(order_id)).toBe(await sha256(order_id))
  expect(orderKey(order_id)).toMatch(/^[\w-]{43}$/)
})

it('tells halves of surrogate pairs apart, which are the same as UTF-8', async () => {
  const ids = ['\ud83d', '\ude00', '\ufffd', '\ud83d\ud83d']
  expect(new Set(ids.map(orderKey)).size).toBe(ids.length)
})
