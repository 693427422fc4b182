import { expect, it } from 'vitest'
import { cutCardData, paymentSecrets } from '../../src/lib/card-data.ts'

it('cuts the four card fields at any depth, and nothing else', () => {
  const card = { cc_number: '1', exp_month: 1, exp_year: 2, card_cvv: '3' }
  const response = { ...card, cc_mask: '4', cc_token: '5', a: [{ card_cvv: '6', b: 7 }] }
  cutCardData(response)
  expect(response).toEqual({ cc_mask: '4', cc_token: '5', a: [{ b: 7 }] })
  for (const value of [null, 'cc_number', 5, []]) expect(() => cutCardData(value)).not.toThrow()
})

it('cuts them below any number of levels', () => {
  let deep: Record<string, unknown> = { card_cvv: '123' }
  for (let level = 0; level < 20_000; level++) deep = { deep }
  cutCardData(deep)
  let innermost = deep
  while (innermost.deep) innermost = innermost.deep as Record<string, unknown>
  expect(innermost).toEqual({})
})

it('finds what of a body is secret, nested and in a cryptogram', () => {
  const cryptogram = { a: { b: ['x'] }, c: null }
  const body = { order_id: 'A-1', cc_number: '4242', card_cvv: 123, deep: [{ cc_token: 'token' }], cryptogram }
  expect(paymentSecrets(JSON.stringify(body)).sort()).toEqual(['123', '4242', 'token', 'x'])
  expect(paymentSecrets(undefined)).toEqual([])
})
