import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hasCheckDigit, isIssuedCardNumber } from '../../src/lib/card-number.ts'
import { redactor } from '../../src/lib/redact.ts'
import texts from '../corpus/texts-with-cards.json' with { type: 'json' }
import { check, SEED } from '../support/property.ts'

const redactText = (text: string, secrets: string[] = []) => redactor(secrets).text(text)

it.each(texts.unsent as [string, string][])('a card number that was not sent: %s', (text, redacted) => {
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

const UUID = '11111111-0397-4222-8333-444444444444'

describe('what was sent', () => {
  it.each(texts.sent as [string, string[], string, string][])('%s', (_name, secrets, text, redacted) => {
    expect(redactText(text, secrets)).toBe(redacted)
  })

  it.each(texts.kept as string[][])('%s stays', (_name, secret, text) => {
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
