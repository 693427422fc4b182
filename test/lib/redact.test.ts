import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hasCheckDigit, isIssuedCardNumber } from '../../src/lib/card-number.ts'
import { redactor } from '../../src/lib/redact.ts'
import { check, SEED } from '../support/property.ts'

const redactText = (text: string, secrets: string[] = []) => redactor(secrets).text(text)

it.each([
  ['4242 4242 4242 4242.', '[redacted].'],
  ['4242\u00a04242\u00a04242\u00a04242', '[redacted]'],
  ['4000000000000000006', '[redacted]'],
  ['2026-11-21 4242 4242 4242 4242', '2026-11-21 [redacted]'],
  ['order 20261121000001', 'order 20261121000001'],
  ['a wrong check digit 4242424242424243', 'a wrong check digit 4242424242424243'],
  ['no issuer 9999999999999995', 'no issuer 9999999999999995'],
  ['a part of more digits 424242424242424242424242', 'a part of more digits 424242424242424242424242'],
  ['424242******4242', '424242******4242'],
  ['42424242-4242-4242-8242-424242424242', '42424242-4242-4242-8242-424242424242'],
  ['4242424242424242 17', '[redacted] 17'],
  ['no 5: card 4242 4242 4242 4242', 'no 5: card [redacted]'],
  // Other separators stand between the parts of dates, amounts and lists.
  ['4242/4242/4242/4242', '4242/4242/4242/4242'],
])('a card number that was not sent: %s', (text, redacted) => {
  expect(redactText(text)).toBe(redacted)
})

it.each([
  ['4', [13, 16, 19]],
  ['51', [16]],
  ['2221', [16]],
  ['34', [15]],
  ['6011', [16, 17, 18, 19]],
  ['62', [16, 17, 18, 19]],
  ['3528', [16, 17, 18, 19]],
  ['36', [14, 15, 16, 17, 18, 19]],
  ['5018', [13, 14, 15, 16, 17, 18, 19]],
  ['2200', [16, 17, 18, 19]],
  ['9804', [16]],
])('which lengths the issuer prefix %s has', (prefix, lengths) => {
  const ofLength = (length: number) => {
    const digits = prefix.padEnd(length - 1, '0')
    return digits + [...'0123456789'].find((digit) => hasCheckDigit(digits + digit))
  }
  const all = Array.from({ length: 16 }, (_, index) => index + 5)
  expect(all.filter((length) => isIssuedCardNumber(ofLength(length)))).toEqual(lengths)
})

const CARD = '4111112345678904'
const UUID = '11111111-0397-4222-8333-444444444444'

describe('what was sent', () => {
  it.each<[string, string[], string, string]>([
    ['one beside a digit of it', ['5555555555554444', '4'], 'card 5555 5555 5555 4444.', 'card [redacted].'],
    ['a card number with the CVV in it', ['5105105105105100', '051'], 'card 5105 1051 0510 5100.', 'card [redacted].'],
    ['a card number in groups of any size', [CARD], '4-111.11234 56\u00a078904', '[redacted]'],
    ...['%2F', '%20-%20', '\\u00b7'].map((gap): [string, string[], string, string] => [
      `a card number in groups with ${gap} between them`,
      [CARD],
      `card ${['4111', '1123', '4567', '8904'].join(gap)} refused`,
      'card [redacted] refused',
    ]),
    ['seven of its digits', [CARD], 'cut off: 4111112 and 5678904', 'cut off: [redacted] and [redacted]'],
    ['in a UUID', ['4111111111111111'], '41111111-1111-1111-8111-111111111111', '[redacted]-8111-111111111111'],
    ['a short secret beside a UUID', ['a:', ':b'], `a:${UUID}:b cvv 123`, `[redacted]${UUID}[redacted] cvv 123`],
    ['four letters anywhere, three alone', ['abcd', 'xyz'], 'xabcdx xyzz xyz', 'x[redacted]x xyzz [redacted]'],
    ['a short secret at the start and before a letter', ['abc', '123'], 'abc 123a', '[redacted] [redacted]a'],
    ['one that overlaps itself', ['aaaa'], 'aaaaab', '[redacted]b'],
    ['two that touch', ['abcd', 'efgh'], 'abcdefgh', '[redacted]'],
    ['a CVV where it stands alone', ['123'], 'cvv123, A-123, 5123, 1234', 'cvv[redacted], A-[redacted], 5123, 1234'],
    ['an API key that is a UUID', [UUID], `key ${UUID}`, 'key [redacted]'],
    ['characters that mean something elsewhere', ['$&$&', '.*.*'], 'a $&$& b.*.* c', 'a [redacted] b[redacted] c'],
    ['a CVV in an address', ['0397'], '?cvv=%220397%22', '?cvv=%22[redacted]%22'],
    ['a card number in an address', ['4111111111111111'], '?n=%204111%201111%201111%201111', '?n=%20[redacted]'],
    ['a percent-encoded secret', ['rcr:to/ken'], '?t=rcr%3Ato%2Fken&x', '?t=[redacted]&x'],
    ['a JSON-escaped secret', ['to"ken'], '{"a":"to\\"ken"}', '{"a":"[redacted]"}'],
    ['the word of the replacement', [...'redact[]'], 'redacted r-e-d', 'redacted [redacted]-[redacted]-[redacted]'],
  ])('%s', (_name, secrets, text, redacted) => {
    expect(redactText(text, secrets)).toBe(redacted)
  })

  it.each<[string, string, string]>([
    ['a date and an amount', '5105105105105100', '21/11/2026, 5,105,106.00'],
    ['a mask', '4111111111111111', '411111******1111 411111••••••1111'],
    ['six digits of a card number', CARD, '411111 and 678904'],
    ['a UUID with a part of a card number in it', CARD, '41111123-4567-4890-8abc-111111111111'],
    ['a UUID with the CVV in it', '0397', `id ${UUID}`],
    ['all but an empty secret', '', 'abc'],
  ])('%s stays', (_name, secret, text) => {
    expect(redactText(text, [secret])).toBe(text)
  })

  it('hides card fields in JSON, also in JSON that is cut off', () => {
    expect(redactText('{"card_cvv":"987","cc_token": "t\\"k","exp_year":30,"cc_number":"40')).toBe(
      '{"card_cvv":"[redacted]","cc_token": "[redacted]","exp_year":[redacted],"cc_number":"[redacted]',
    )
    expect(redactText('{"card_cvv":""}')).toBe('{"card_cvv":"[redacted]"}')
    expect(redactText(`{"cc_token":"${UUID}"}`)).toBe('{"cc_token":"[redacted]"}')
  })

  it('what begins at the limit or after it is left out', () => {
    const { text } = redactor(['token-1'])
    expect([1, 2, 3, 4].map((limit) => text('ab token-1', limit))).toEqual(['a', 'ab', 'ab ', 'ab [redacted]'])
    expect(text('abc token-1', 2)).toBe('ab')
  })

  it('a secret at the limit is not cut in two, and a text does not grow without end', () => {
    expect(redactText('redact'.repeat(1000), [...'redact[]']).length).toBeLessThan(10_000)
    const { text } = redactor(['4111111111111111'])
    for (let limit = 1; limit < 24; limit++) expect(text('card 4111 1111 1111 1111', limit)).not.toMatch(/4111 1/)
    expect(text('x'.repeat(100), 10)).toBe('x'.repeat(10))
    expect(text('x'.repeat(10), 10)).toBe('x'.repeat(10))
  })

  it.each(['€'.repeat(40), '\u0001'.repeat(40), 'k'.repeat(500)])('however it is spelled: %j', (secret) => {
    for (const spelled of [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)])
      expect(redactor([secret]).text(`ab${spelled}cd`, 3)).toBe('ab[redacted]')
  })

  it('a card number is found at the limit in its widest grouping, sent or not', () => {
    const card = '4000000000000000006'
    expect(redactor([card]).text([...card].join('💳'.repeat(12)), 1)).toBe('[redacted]')
    expect(redactor([]).text([...card].join('  --  '), 1)).toBe('[redacted]')
  })
})

describe('JSON', () => {
  const { value } = redactor(['4111111111111111', 'token-1', '123'])

  it('is copied with its shape, and nothing secret', () => {
    const a = ['4111 1111 1111 1111', 4111111111111111, 123, 5, null, true]
    const body = { a, cc_token: 'x', b: { 'token-1': 'y token-1' } }
    const before = JSON.stringify(body)
    expect(value(body, 1000)).toEqual({
      a: ['[redacted]', '[redacted]', '[redacted]', 5, null, true],
      cc_token: '[redacted]',
      b: { '[redacted]': 'y [redacted]' },
    })
    expect(JSON.stringify(body)).toBe(before)
  })

  it('is bounded in length and depth, and what is outside is kept first', () => {
    let deep: unknown = 'inside'
    for (let level = 0; level < 20_000; level++) deep = [deep]
    expect(JSON.stringify(value(deep, 10_000))).toBe(`${'['.repeat(50)}"[cut]"${']'.repeat(50)}`)
    const long = { list: Array(10_000).fill('x'.repeat(100)), message: 'kept' }
    const copy = value(long, 1000) as { message: string }
    expect(copy.message).toBe('kept')
    expect(JSON.stringify(copy).length).toBeLessThan(3000)
  })

  it('has room for names, values and four characters more of each, to the character', () => {
    expect([0, 1].map((limit) => value('abc', limit))).toEqual(['[cut]', 'a'])
    expect(value(Array(200).fill(0), 10_000)).toEqual(Array(200).fill(0))
    const copies = [8, 9, 14, 15].map((limit) => value({ a: 1, b: 2 }, limit))
    expect(copies).toEqual([{ '': '[cut]' }, { a: 1, '': '[cut]' }, { a: 1, '': '[cut]' }, { a: 1, b: 2 }])
  })

  it('has ordinary fields, also where one is called __proto__', () => {
    const copy = value(JSON.parse('{"__proto__":1}'), 1000) as object
    const ordinary = { enumerable: true, configurable: true, writable: true }
    expect(Object.getOwnPropertyDescriptors(copy)).toEqual({ ['__proto__']: { value: 1, ...ordinary } })
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype)
  })
})

describe(`any text (seed ${SEED})`, () => {
  const digits = (length: number) => fc.stringMatching(new RegExp(`^[0-9]{${length}}$`))
  const cardNumber = fc
    .integer({ min: 13, max: 19 })
    .chain((length) => digits(length - 1))
    .map(withCheckDigit)
  const separator = fc.oneof(
    fc.constantFrom('', ' ', '\u00a0', '-', '.', '/', '_', ',', '·', ' / ', '\u200b', '\u2009', '\u2212', '💳', '", "'),
    fc.string({ unit: fc.constantFrom(...'!"$%&\'()+,-./:;<=>?@[\\]^_`{|}~ \t·–−'), maxLength: 6 }),
  )
  const separators = fc.array(separator, { minLength: 19, maxLength: 19 })
  const bare = (text: string) => text.replace(/[^\p{L}\p{N}*•]/gu, '')
  const noise = fc.oneof(fc.string(), fc.stringMatching(/^[0-9 .-]{0,12}$/), fc.uuid(), fc.constant(' cvv '))

  it('of a card number that was sent, at most the first six and the last four digits survive', () =>
    check(
      fc.property(cardNumber, separators, noise, noise, digits(3), (card, gaps, before, after, cvv) => {
        const grouped = [...card].map((digit, i) => digit + (i < card.length - 1 ? gaps[i] : '')).join('')
        const text = redactText(`${before}${grouped}${after}`, [cvv, '5', card])
        const left = bare(text)
        for (let i = 0; i + 7 <= card.length; i++) {
          const part = card.slice(i, i + 7)
          expect(left.includes(part) && !bare(before + after).includes(part)).toBe(false)
        }
      }),
    ))

  it('a UUID always survives', () =>
    check(
      fc.property(fc.uuid(), cardNumber, digits(3), digits(4), (uuid, card, cvv, long) => {
        expect(redactText(`request ${uuid}, card ${card}`, [card, cvv, long])).toContain(uuid)
      }),
    ))

  it('an order id that looks like a date survives in at least 99 of 100', async () => {
    const dates = fc.sample(
      fc.tuple(fc.date({ min: new Date('2020-01-01'), max: new Date('2035-01-01'), noInvalidDate: true }), digits(6)),
      { numRuns: 2000, seed: SEED },
    )
    const ids = dates.flatMap(([date, number]) => {
      const day = date.toISOString().slice(0, 10)
      const compact = day.replaceAll('-', '')
      return [`${compact}${number}`, `${day}-${number}`, `${compact}-${number}`, date.toISOString().replace(/\D/g, '')]
    })
    const survived = ids.filter((id) => redactText(`order ${id}`, ['4111111111111111', '987']) === `order ${id}`)
    expect(survived.length / ids.length).toBeGreaterThanOrEqual(0.99)
  })

  function withCheckDigit(body: string): string {
    for (let last = 0; ; last++) if (hasCheckDigit(`${body}${last}`)) return `${body}${last}`
  }
})
