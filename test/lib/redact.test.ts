import { expect, it } from 'vitest'
import { cutDeepCardData, paymentSecrets, redactText } from '../../src/lib/redact.ts'

it('cuts the four card fields at any depth, and nothing else', () => {
  const text =
    '{"cc_number":"1","exp_month":1,"exp_year":2,"card_cvv":"3","cc_mask":"4","cc_token":"5","a":[{"card_cvv":"6","b":7}]}'
  const answer = JSON.parse(text) as unknown
  cutDeepCardData(answer)
  expect(answer).toEqual({ cc_mask: '4', cc_token: '5', a: [{ b: 7 }] })
  for (const value of [null, 'cc_number', 5, []]) expect(() => cutDeepCardData(value)).not.toThrow()
})

it.each([
  ['4242424242424242', '[redacted]'],
  ['4242 4242 4242 4242.', '[redacted].'],
  ['4242-4242-4242-4242', '[redacted]'],
  ['card 378282246310005!', 'card [redacted]!'],
  ['4222222222222', '[redacted]'],
  ['4000000000000000006', '[redacted]'],
  ['order 123456789012', 'order 123456789012'],
  ['424242******4242', '424242******4242'],
])('hides what looks like a card number: %s', (text, redacted) => {
  expect(redactText(text, [])).toBe(redacted)
})

it('hides the given secrets, whatever characters they have', () => {
  expect(redactText('a $& b.* c', ['$&', '.*', ''])).toBe('a [redacted] b[redacted] c')
})

it('finds what of a body is secret, nested and in a cryptogram', () => {
  const body = {
    order_id: 'A-1',
    cc_number: '4242',
    card_cvv: 123,
    exp_month: 1,
    deep: [{ cc_token: 'token' }],
    cryptogram: { a: { b: ['x'] }, c: null },
  }
  expect(paymentSecrets(JSON.stringify(body))).toEqual(['4242', '123', 'token', 'x'])
  expect(paymentSecrets(undefined)).toEqual([])
})
