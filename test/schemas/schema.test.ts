import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import {
  array,
  convert,
  kindOf,
  leaf,
  looseObject,
  maybe,
  optional,
  read,
  type Schema,
  strictObject,
} from '../../src/schemas/schema.ts'

const text: Schema<string> = leaf('a text', (value) => typeof value === 'string')
const length: Schema<number> = convert(text, (value) => value.length)
const paths = <T>(schema: Schema<T>, value: unknown) => read(schema, value).issues?.map(({ path }) => path)

describe('objects', () => {
  const inner = looseObject<{ b: string }>({ b: text })
  const schema = looseObject<{ a: string; deep?: { b: string } | null }>({ a: text, deep: maybe(inner) })
  const strict = strictObject<{ a: string; n?: number | undefined }>({ a: text, n: optional(length) })

  it('a loose one keeps what it does not know, a strict one refuses each of it', () => {
    expect(read(schema, { a: 'x', more: 1 })).toEqual({ value: { a: 'x', more: 1 } })
    expect(paths(strict, { a: 'x', more: 1, other: undefined })).toEqual(['more', 'other'])
  })

  it('names each place from the outside in', () => {
    expect(paths(schema, { a: 1, deep: { b: 2 } })).toEqual(['a', 'deep.b'])
    expect(paths(array(schema), [{ a: 'x' }, { a: 'x', deep: { b: 2 } }, 5])).toEqual(['[1].deep.b', '[2]'])
  })

  it.each([null, undefined, [], 'x', 5, () => 1])('%s is not an object', (value) => {
    expect(read(schema, value).issues).toEqual([{ path: '', rule: 'an object', received: kindOf(value) }])
    expect(paths(strict, value)).toEqual([''])
  })

  it('absent and null are left as they are', () => {
    expect(read(schema, { a: 'x' }).value).toEqual({ a: 'x' })
    expect(Object.keys(read(schema, { a: 'x' }).value ?? {})).toEqual(['a'])
    expect(read(schema, { a: 'x', deep: null }).value).toEqual({ a: 'x', deep: null })
    expect(read(strict, { a: 'x', n: undefined }).value).toEqual({ a: 'x' })
  })

  it('what was received is never changed', () => {
    const received = Object.freeze({ a: 'x', n: 'four' })
    expect(read(strict, received).value).toEqual({ a: 'x', n: 4 })
    const loose = looseObject<{ n: number }>({ n: length })
    const frozen = Object.freeze({ n: 'four', more: 1 })
    expect(read(loose, frozen).value).toEqual({ n: 4, more: 1 })
    expect(frozen.n).toBe('four')
  })

  it('a field called __proto__ reaches nothing', () => {
    const hostile = JSON.parse('{"a":"x","__proto__":{"b":1}}') as object
    expect(paths(strict, hostile)).toEqual(['__proto__'])
    const value = read(looseObject<{ a: string; n: number }>({ a: text, n: maybe(length) as Schema<number> }), {
      ...hostile,
      n: 'four',
    }).value
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    expect(({} as { b?: number }).b).toBeUndefined()
  })
})

describe('issues', () => {
  it.each<[unknown, string]>([
    [undefined, 'missing'],
    [null, 'null'],
    ['', 'empty string'],
    ['4242424242424242', 'string of 16 characters'],
    [42, 'number'],
    [[4242], 'array'],
    [{ secret: 1 }, 'object'],
    [true, 'boolean'],
    [10n, 'bigint'],
  ])('the kind of %s is %s', (value, kind) => {
    expect(kindOf(value)).toBe(kind)
  })

  it('very many take no time to speak of', () => {
    // Copied for each one more, they would take minutes.
    expect(paths(array(length, 'an array'), Array(200_000).fill(0))).toHaveLength(200_000)
  })

  it('no conversion runs on what is already wrong', () => {
    expect(paths(length, 5)).toEqual([''])
    expect(paths(array(length, 'three', 3), ['a'])).toEqual([''])
  })
})

describe('they are schemas of valibot', () => {
  const order = looseObject<{ id: string; parts: { n: number }[] }>({
    id: text,
    parts: array(strictObject<{ n: number }>({ n: length })),
  })
  const shop = v.object({ order, note: v.optional(maybe(text)) })

  it('inside its schemas and pipes', () => {
    const received = { order: { id: 'A-1', parts: [{ n: 'four' }], more: 1 } }
    const expected = { order: { id: 'A-1', parts: [{ n: 4 }], more: 1 } }
    expect(v.parse(shop, received)).toEqual(expected)
    expect(v.safeParse(shop, received)).toMatchObject({ typed: true, success: true, output: expected })
    const ids = v.pipe(
      order,
      v.transform(({ id }) => id),
    )
    expect(v.parse(ids, received.order)).toBe('A-1')
    expect(v.is(order, received.order)).toBe(true)
    expect(order['~standard'].validate(received.order)).toMatchObject({ value: expected.order })
  })

  it('and their issues are issues of valibot, with what was expected and the kind of what came', () => {
    const { typed, success, issues } = v.safeParse(shop, { order: { id: 'A-1', parts: [{ n: 5, more: 1 }] }, note: 7 })
    expect({ typed, success }).toEqual({ typed: false, success: false })
    expect(issues?.map((issue) => v.getDotPath(issue))).toEqual(['order.parts.0.n', 'order.parts.0.more', 'note'])
    expect(issues?.[0]).toMatchObject({ kind: 'schema', expected: 'a text', received: 'number', message: 'a text' })
    expect(() => v.parse(order, { id: 1, parts: [] })).toThrow(v.ValiError)
  })
})
