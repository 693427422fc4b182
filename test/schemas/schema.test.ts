import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { InvalidInputError } from '../../src/errors.ts'
import { kindOf } from '../../src/lib/kind.ts'
import { inputObject, objectOf, type Schema } from '../../src/schemas/fields.ts'
import { amount, checkInput } from '../../src/schemas/input.ts'
import { number, text } from '../../src/schemas/values.ts'

const loose = objectOf({ a: text })
const strict: Schema<unknown> = inputObject({ a: text, n: v.optional(number) })

/** The issues of an input, and what was read of it. */
function check<T>(schema: Schema<T>, value: unknown) {
  try {
    return { value: checkInput('call', schema, value) }
  } catch (error) {
    if (error instanceof InvalidInputError) return { issues: error.issues }
    throw error
  }
}
const paths = <T>(schema: Schema<T>, value: unknown) => check(schema, value).issues?.map(({ path }) => path)

describe('objects', () => {
  it('a loose one keeps what it does not know, a strict one rejects each of it', () => {
    expect(check(loose, { a: 'x', more: 1 })).toEqual({ value: { a: 'x', more: 1 } })
    expect(paths(strict, { a: 'x', more: 1, other: undefined })).toEqual(['more', 'other'])
  })

  it('an unknown field is named together with everything else that is wrong', () => {
    expect(check(strict, { n: 'x', zzz: 1 }).issues).toEqual([
      { path: 'a', message: 'is required', received: 'missing' },
      { path: 'n', message: 'must be a number', received: 'string of 1 characters' },
      { path: 'zzz', message: expect.stringMatching(/^is not a parameter of \w+ \(passThrough/), received: 'number' },
    ])
  })

  it.each(['__proto__', 'constructor', 'prototype'])('a field called %s reaches nothing', (name) => {
    const hostile = JSON.parse(`{"a":"x","${name}":{"b":1}}`) as object
    expect(paths(strict, hostile)).toEqual([name])
    const { value } = check(loose, hostile)
    expect(Object.getPrototypeOf(value)).toBeNull()
    expect(({} as { b?: number }).b).toBeUndefined()
  })
})

describe('issues', () => {
  it.each<[unknown, string]>([
    [undefined, 'missing'],
    [null, 'null'],
    ['', 'empty string'],
    ['4242424242424242', 'string of 16 characters'],
    ['🍰🍰', 'string of 2 characters'],
    [42, 'number'],
    [0, 'zero'],
    [-5, 'negative number'],
    [10.999, 'number with more than 2 decimals'],
    [Number.NaN, 'NaN'],
    [Number.POSITIVE_INFINITY, 'infinite number'],
    [[4242], 'array'],
    [{ secret: 1 }, 'object'],
    [true, 'boolean'],
    [10n, 'bigint'],
  ])('the kind of %s is %s', (value, kind) => {
    expect(kindOf(value)).toBe(kind)
  })

  it.each<[unknown, RegExp]>([
    [10.999, /^must be a number with at most 2 decimals.*toMinorUnits/],
    [0.1 + 0.2, /at most 2 decimals/],
    [-5, /^must be positive, not negative$/],
    [0, /^must be more than zero$/],
    [-0, /^must be more than zero$/],
    [Number.NaN, /^must be a number, not NaN$/],
    [Number.POSITIVE_INFINITY, /^must be finite$/],
    [1e21, /^must be below 2\^46$/],
    ['10', /^must be a number, not a string$/],
    [{ toNumber: () => 10 }, /^must be a number: call its toNumber\(\)$/],
    [undefined, /^is required$/],
  ])('the message of the amount %s says which rule it breaks', (value, message) => {
    const { issues } = v.safeParse(amount, value)
    expect(issues).toHaveLength(1)
    expect(issues?.[0].message).toMatch(message)
  })

  it('very many take no time to speak of', () => {
    expect(paths(v.array(number), Array(200_000).fill('x'))).toHaveLength(200_000)
  })
})
