import { describe, expect, it } from 'vitest'
import { isExpired, passesLuhn } from '../../src/emulator/state/cards.ts'

describe('cards', () => {
  it('have 12 to 19 digits that pass the Luhn check', () => {
    for (const number of ['000000000000', '4111111111111111', '4000000000000000006'])
      expect([number, passesLuhn(number)]).toEqual([number, true])
    for (const number of ['', '0', '00000000000', '4111111111111112', '4111 1111 1111 1111', '0'.repeat(20)]) {
      expect([number, passesLuhn(number)]).toEqual([number, false])
    }
  })

  it('are valid to the end of their month, in two digits of the year or four', () => {
    const end = Date.UTC(2026, 2, 1)
    expect([
      isExpired(2, 26, end - 1),
      isExpired(2, 2026, end - 1),
      isExpired(2, 26, end),
      isExpired(2, 2026, end),
    ]).toEqual([false, false, true, true])
    expect(isExpired(12, 99, end)).toBe(false)
  })
})
