import { describe, expect, it } from 'vitest'
import { isCardNumber, isCvv, isExpiry, maskCardNumber } from '../../src/card/index.ts'

describe('isCardNumber', () => {
  // Published test numbers of the card schemes, of 13 to 19 digits.
  it.each(['4222222222222', '378282246310005', '5555555555554444', '4000000000000000006'])('%s is one', (number) => {
    expect(isCardNumber(number)).toBe(true)
  })

  it('no digit can be changed, and no two different neighbours swapped but 0 and 9', () => {
    const number = '5555341244441115'
    expect(isCardNumber(number)).toBe(true)
    for (let i = 0; i < number.length; i++) {
      for (const digit of '0123456789') {
        const other = number.slice(0, i) + digit + number.slice(i + 1)
        expect(isCardNumber(other)).toBe(other === number)
      }
      const [a = '', b = ''] = [number[i], number[i + 1]]
      const swapped = number.slice(0, i) + b + a + number.slice(i + 2)
      if (a !== b && b !== '') expect(isCardNumber(swapped)).toBe(false)
    }
  })

  it('12 to 19 digits', () => {
    const zeros = (length: number) => '0'.repeat(length)
    expect([11, 12, 19, 20].map((length) => isCardNumber(zeros(length)))).toEqual([false, true, true, false])
  })

  it('not with anything beside the digits, nor what is not a text', () => {
    const texts = ['', '4242 4242 4242 4242', '424242424242424２', ' 4242424242424242', '4242424242424242\n']
    for (const value of [...texts, 4242424242424242, null, undefined, ['4242424242424242']])
      expect(isCardNumber(value)).toBe(false)
  })
})

describe('isExpiry', () => {
  const at = (text: string) => Date.parse(text)
  it('a card is good until its month is over everywhere', () => {
    expect(isExpiry(2, 26, at('2026-02-28T23:59:59Z'))).toBe(true)
    expect(isExpiry(2, 26, at('2026-03-01T11:59:59.999Z'))).toBe(true)
    expect(isExpiry(2, 26, at('2026-03-01T12:00:00Z'))).toBe(false)
    expect(isExpiry(12, 2026, at('2027-01-01T11:59:59Z'))).toBe(true)
    expect(isExpiry(12, 2026, at('2027-01-01T12:00:00Z'))).toBe(false)
  })

  it('a year of two digits is one of this century; a Date will do', () => {
    const now = new Date('2026-01-01T00:00:00Z')
    expect([0, 25, 26, 99].map((year) => isExpiry(1, year, now))).toEqual([false, false, true, true])
    expect([2000, 2025, 2026, 2099].map((year) => isExpiry(1, year, now))).toEqual([false, false, true, true])
    expect([0, 2000].map((year) => isExpiry(1, year, 0))).toEqual([true, true])
  })

  it('months and years are numbers in their range', () => {
    const wrong = [
      [0, 30],
      [13, 30],
      ['1', 30],
      [1, '30'],
      [1, 100],
      [1, 1999],
      [1, -1],
    ] as const
    for (const [month, year] of wrong) expect(isExpiry(month, year, 0)).toBe(false)
  })
})

it('isCvv: three or four digits', () => {
  expect(['000', '123', '1234'].map(isCvv)).toEqual([true, true, true])
  expect(['', '12', '12345', '12a', ' 123', '123\n', '１２３'].map(isCvv)).toEqual(Array(7).fill(false))
  expect([123, null, undefined].map(isCvv)).toEqual([false, false, false])
})

describe('maskCardNumber', () => {
  it('shows six and four digits of 12 to 19, spaces aside', () => {
    const masked = ['378282246310005', '4242 4242 4242 4242', '000000000000', '4000000000000000006'].map(maskCardNumber)
    expect(masked).toEqual(['378282*****0005', '424242******4242', '000000**0000', '400000*********0006'])
  })

  it('hides altogether what is too short, too long, or no number', () => {
    for (const text of ['', '42424242424', '4'.repeat(20), '4242x24242424242']) {
      expect(maskCardNumber(text)).toMatch(/^\**$/)
    }
  })
})
