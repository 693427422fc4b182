import { describe, expect, it } from 'vitest'
import { applySettings, setting } from '../../src/cli/terminal/set-values.ts'

const apply = (base: object, ...texts: string[]) => applySettings(base, texts.map(setting))

describe('--set path=value', () => {
  it.each([
    ['a number', {}, ['amount=1.5'], { amount: 1.5 }],
    ['an inner field beside others', { fee: { amount: 1, a: 'X' } }, ['fee.amount=2'], { fee: { amount: 2, a: 'X' } }],
    ['an inner field of nothing', { fee: null }, ['fee.amount=2'], { fee: { amount: 2 } }],
    ['a part of a list', { split: [{ n: 1 }, { n: 2 }] }, ['split.1.n=3'], { split: [{ n: 1 }, { n: 3 }] }],
    ['a text that looks like a number, where a text was', { order_id: 'A' }, ['order_id=7'], { order_id: '7' }],
    ['null in place of a text', { order_id: 'A' }, ['order_id=null'], { order_id: null }],
    ['a text in quotes', {}, ['order_id="7"'], { order_id: '7' }],
    ['a text', {}, ['status=success'], { status: 'success' }],
    ['an empty text', { comment: 'x' }, ['comment='], { comment: '' }],
    ['a value with "="', {}, ['payload=a=b'], { payload: 'a=b' }],
    ['JSON', {}, ['fee={"amount":1}'], { fee: { amount: 1 } }],
    ['the last of two', {}, ['a=1', 'a=2'], { a: 2 }],
  ])('sets %s', (_, base, texts, expected) => {
    const before = structuredClone(base)
    expect(apply(base, ...texts)).toEqual(expected)
    expect(base).toEqual(before)
  })

  it.each(['amount', '=1', 'a..b=1', 'a.__proto__.b=1', '__proto__=1', 'a b=1'])('rejects %s', (text) => {
    expect(() => setting(text)).toThrow('It takes PATH=VALUE')
  })

  it('rejects a path through what is not an object', () => {
    expect(() => apply({ amount: 5 }, 'amount.value=1')).toThrow('amount is not an object')
  })

  it('takes names of Object.prototype for ordinary ones', () => {
    expect(apply({}, 'constructor.name=x')).toEqual({ constructor: { name: 'x' } })
    expect({}.constructor.name).toBe('Object')
  })
})
