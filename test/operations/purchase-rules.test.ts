import { describe, expect, it } from 'vitest'
import { createClient } from '../../src/index.ts'
import { PAYMENT_RECORD } from '../support/inputs.ts'
import { CHECKOUT_URL, CONFIG, echo, redirect, wire } from '../support/mock-fetch.ts'
import { accepted, callOf, listed, PURCHASE_FORMS, refused, warned } from '../support/purchase-forms.ts'

// The limits of each parameter, at its boundary and one past it, and the rules of a purchase's call as a whole.

const of = (length: number) => 'ї'.repeat(length)
const CUSTOMER = ['id', 'fname', 'lname', 'patronym', 'email', 'phone', 'tax_id'].map((name) => `customer_${name}`)
const POS = '3f1c2c1e-6a5c-4b8e-9d53-0a4c1c7d2b11'
const VALUES: [name: string, right: unknown[], wrong: unknown[]][] = [
  ['amount', [0.01, 100.5, 1, 999_999_999.99, 70_368_744_177_663.99], [0, -0, -1, '10', 10n, null]],
  ['amount', [], [0.001, 0.1 + 0.2, 100.555, Number.NaN, Number.POSITIVE_INFINITY, 1e21, 70_368_744_177_664]],
  ['currency', ['UAH', 'XTS'], ['uah', 'UA', 'UAHH', 'U4H', 980]],
  ['description', [of(1), of(2048)], ['', of(2049), 5]],
  ['order_id', ['x', of(32), '..', 'a/b?c#d%', '🍵', '🍵'.repeat(32)], ['', of(257), '\ud800', 7]],
  ['order_3ds_bypass', ['supported', 'always', 'never', 'something new'], ['', true]],
  ['pos_id', [POS, POS.toUpperCase()], ['', 'pos', POS.replaceAll('-', ''), ` ${POS}`]],
  ['payload', ['', of(4000), '🍵'.repeat(4000)], [of(4001), '🍵'.repeat(4001), {}]],
  ['customer_country', ['UA'], ['ua', 'UKR', 'U', '']],
  ['customer_birthday', ['2024-02-29', '1990-12-31'], ['2025-02-29', '1990-13-01', '1990-1-1', '01.01.1990']],
  ['merchant_mcc', ['5812', '0000'], ['581', '58121', 5812]],
  ['server_url', ['https://a.example/x?y#z', 'http://a.example'], ['a.example', 'ftp://a.example', 'javascript:alert']],
  ['server_url', [], ['https://', '//a.example', ' https://a.example']],
  ['result_url', ['https://a.example'], ['/thanks', '']],
  ['validation_url', ['https://a.example'], ['x']],
  ['customer_referrer', ['https://a.example/cart'], ['cart', '']],
  ...CUSTOMER.map((name): [string, unknown[], unknown[]] => [name, ['x', ' ', of(300)], ['', 1, null, {}]]),
  ['customer_lang', ['UK', 'xx-new'], ['', 1]],
  ['customer_ip', ['203.0.113.7', '2001:db8::1'], ['', 1]],
]

describe.each(PURCHASE_FORMS)('$name', (form) => {
  const { mode, inputs } = form
  const [input] = inputs

  it.each(VALUES.filter(([name]) => listed(form).includes(name)))('%s', async (name, right, wrong) => {
    for (const one of inputs) {
      for (const value of right) expect((await accepted(form, { ...one, [name]: value })).body[name]).toEqual(value)
      for (const value of wrong) {
        expect(await refused(form, { ...one, [name]: value }), `${name} = ${String(value)}`).toEqual([name])
      }
    }
  })

  it('method', async () => {
    const right = form.operation === 'createPayment' ? ['purchase', 'auth'] : ['purchase']
    for (const method of right) expect((await accepted(form, { ...input, method })).body.method).toBe(method)
    for (const method of ['capture', 'Purchase', '', null, undefined, ...(right.length > 1 ? [] : ['auth'])])
      expect(await refused(form, { ...input, method })).toEqual(['method'])
  })

  it('every issue of an input is reported at once', async () => {
    const paths = await refused(form, { ...input, amount: 0, currency: 'x', order_id: '' })
    expect(paths).toEqual(['amount', 'currency', 'order_id'])
  })

  it('an undefined parameter is as good as none', async () => {
    const { sent } = await accepted(form, { ...input, pos_id: undefined, payload: undefined })
    expect(sent.body).toBe((await accepted(form, input)).sent.body)
    expect(sent.body).toContain(`"pos_id":"${CONFIG.posId}"`)
  })

  it('what JSON cannot carry is rejected as an input, not with the runtime’s own error', async () => {
    const circular: { self?: object } = {}
    circular.self = circular
    if (mode === 'direct') expect(await refused(form, { ...input, cryptogram: circular })).toEqual(['self'])
    for (const [extra, path] of [
      [10n, 'extra'],
      [{ deep: [1, { more: 10n }] }, 'more'],
      [circular, 'self'],
    ]) {
      expect(await refused(form, input, {}, { passThrough: { extra } })).toEqual([path])
    }
  })

  it('an input that its owner changes while the call is on its way is read as it was sent', async () => {
    const changing: Record<string, unknown> = { ...input }
    const { fetch } = wire((request) => {
      Object.assign(changing, { mode: mode === 'hosted' ? 'direct' : 'hosted', method: 'other' })
      return mode === 'hosted' ? redirect() : echo(PAYMENT_RECORD)(request)
    })
    const answer = await callOf(createClient({ ...CONFIG, fetch }), form)(changing)
    expect(answer).toMatchObject(mode === 'hosted' ? { url: CHECKOUT_URL } : { payment_id: PAYMENT_RECORD.payment_id })
  })

  describe('passThrough', () => {
    it('adds fields as they are, and replaces none that is sent', async () => {
      const passThrough = { brand_new: [1, null], cc_hint: 'x', at: { toJSON: () => 'now' } }
      const { body } = await accepted(form, input, {}, { passThrough })
      expect(body).toEqual({ pos_id: CONFIG.posId, ...(await accepted(form, input)).body, ...passThrough, at: 'now' })
      // Codes of any operation and mode, too: the input is where it is checked.
      const others = ['customer_birthday', 'pos_id', 'cc_number', 'refund_amount', 'split', 'comment']
      for (const name of [...Object.keys(input), ...others]) {
        expect(await refused(form, input, {}, { passThrough: { [name]: 1 } })).toEqual([`passThrough.${name}`])
      }
    })

    it.each([[1], 'x', { toJSON: () => ({}) }])('that is not a plain object is rejected: %j', async (passThrough) => {
      expect(await refused(form, input, {}, { passThrough: passThrough as never })).toEqual(['passThrough'])
    })
  })

  describe('warnings', () => {
    // Of every order: a shop that reserves tomorrow makes its order ids the same way.
    it('an order id that is longer than a capture takes; of an auth, which could never be captured, it is rejected', async () => {
      for (const one of inputs) {
        expect(await warned(form, { ...one, order_id: of(32) })).toEqual([])
        if (form.method === 'auth') {
          expect(await refused(form, { ...one, order_id: of(33) })).toEqual(['order_id'])
          continue
        }
        const expected = [['order_id_not_capturable', 'order_id']]
        expect(await warned(form, { ...one, order_id: of(33) })).toEqual(expected)
      }
    })

    it('a webhook destination on an unusual port', async () => {
      const usual = ['https://a.example', 'https://a.example:8443', 'http://a.example:443']
      for (const server_url of usual) expect(await warned(form, { ...input, server_url })).toEqual([])
      for (const server_url of ['http://a.example', 'https://a.example:80', 'https://a.example:18443'])
        expect(await warned(form, { ...input, server_url })).toEqual([['unusual_webhook_port', 'server_url']])
    })
  })
})
