import { afterEach, describe, expect, it, vi } from 'vitest'
import { PAN, TOKEN } from '../support/inputs.ts'
import { accepted, PURCHASE_FORMS, refused } from '../support/purchase-forms.ts'

// "Direct-mode rules", rule 1 of the direct table, and "browser_fingerprint": what a direct purchase is paid with.

const CARD_FIELDS = ['cc_number', 'exp_month', 'exp_year', 'card_cvv']

afterEach(() => vi.restoreAllMocks())

describe.each(PURCHASE_FORMS.filter(({ mode }) => mode === 'direct'))('$name', (form) => {
  const [all, token] = form.inputs as [Record<string, unknown>, Record<string, unknown>]
  const { cryptogram: _cryptogram, ...card } = all

  it('a cryptogram may come without card_cvv: a network token has none', async () => {
    const { card_cvv: _cvv, ...tokenized } = card
    const { body } = await accepted(form, { ...tokenized, cryptogram: { value: 'AAAB' } })
    expect(body).not.toHaveProperty('card_cvv')
    expect(await refused(form, { ...tokenized, cc_number: undefined, cryptogram: {} })).toEqual(['cc_number'])
  })

  // That both travel as they are: test/operations/wire.test.ts.
  it('a token is a text that is not empty', async () => {
    for (const value of ['', 7]) expect(await refused(form, { ...token, cc_token: value })).toEqual(['cc_token'])
  })

  it('half of the card data is rejected, whichever half', async () => {
    for (const name of CARD_FIELDS) {
      expect(await refused(form, { ...card, [name]: undefined })).toEqual([name])
      const others = CARD_FIELDS.filter((other) => other !== name)
      const alone = { ...card, ...Object.fromEntries(others.map((other) => [other, undefined])) }
      expect(await refused(form, alone)).toEqual(others)
    }
    const { cc_token: _token, ...neither } = token
    expect(await refused(form, neither)).toEqual(CARD_FIELDS)
  })

  it('both is rejected', async () => {
    expect(await refused(form, { ...card, cc_token: 't' })).toEqual(CARD_FIELDS)
    for (const name of CARD_FIELDS) {
      expect(await refused(form, { ...token, [name]: card[name], cryptogram: {} })).toEqual([name])
    }
  })

  it.each<[string, unknown[], unknown[]]>([
    // At their boundaries: test/card/card.test.ts.
    ['cc_number', [PAN, '378282246310005'], ['4242424242424241', 4242424242424242, '']],
    ['exp_month', [1, 12], [0, 13, 1.5, '9']],
    ['exp_year', [99, 2099], [100, 205, 1999, 2100, 20_905, -1, '99', 99.5]],
    ['card_cvv', ['000', '1234'], ['12', 123, '']],
  ])('%s', async (name, right, wrong) => {
    for (const value of right) {
      const { body } = await accepted(form, { ...card, [name]: value })
      expect(body[name]).toBe(value === 2099 ? 99 : value)
    }
    for (const value of wrong) {
      expect(await refused(form, { ...card, [name]: value }), `${name} = ${String(value)}`).toEqual([name])
    }
  })

  it('a card is good until its month is over in the last time zone', async () => {
    const expiring = { ...card, exp_month: 9, exp_year: 2090 }
    const over = Date.UTC(2090, 9, 1, 12)
    const now = vi.spyOn(Date, 'now').mockReturnValue(over - 1)
    expect((await accepted(form, expiring)).body).toMatchObject({ exp_month: 9, exp_year: 90 })
    now.mockReturnValue(over)
    expect(await refused(form, expiring)).toEqual(['exp_year'])
  })

  it('the fingerprint: ten texts, no more, no less', async () => {
    const fingerprint = TOKEN.browser_fingerprint
    expect(Object.keys(fingerprint)).toHaveLength(10)
    for (const input of [card, token]) {
      const wrong = (browser_fingerprint: unknown) => refused(form, { ...input, browser_fingerprint })
      for (const name of [...Object.keys(fingerprint), 'browserColour']) {
        expect(await wrong({ ...fingerprint, [name]: 24 })).toEqual([`browser_fingerprint.${name}`])
      }
      const paths = await wrong({ ...fingerprint, browserLanguage: undefined })
      expect(paths).toEqual(['browser_fingerprint.browserLanguage'])
      for (const value of [undefined, null, 'x', []]) expect(await wrong(value)).toEqual(['browser_fingerprint'])
    }
  })

  it('the cryptogram travels as it is, whatever it is', async () => {
    for (const cryptogram of [{ eci: '05', deep: [null, { a: 1 }] }, 'AAAB', 5, null]) {
      expect((await accepted(form, { ...token, cryptogram })).body.cryptogram).toEqual(cryptogram)
    }
  })
})
