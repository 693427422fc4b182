import { expect, it } from 'vitest'
import { newOrderId } from '../../src/index.ts'
import { rejects } from '../support/call.ts'

it('has at most 29 characters, which stay as they are in a path', () => {
  for (const prefix of ['', 'shop-', 'x'.repeat(13)]) {
    const id = newOrderId(prefix)
    expect(id).toMatch(new RegExp(`^${prefix}[0-9a-hjkmnp-tv-z]{16}$`))
    expect(id.length).toBeLessThanOrEqual(29)
    expect(encodeURIComponent(id)).toBe(id)
  }
})

it('is new each time, and uses every letter', () => {
  const ids = Array.from({ length: 2000 }, () => newOrderId())
  expect(new Set(ids).size).toBe(ids.length)
  expect(new Set(ids.join('')).size).toBe(32)
})

it.each(['x'.repeat(14), 'a/b', 'ї', ' ', 5, null])('rejects the prefix %j', (prefix) => {
  rejects(() => newOrderId(prefix as string), 'prefix')
})
