import { expect, it } from 'vitest'
import { equalText } from '../../src/lib/constant-time.ts'

it('is true for equal texts alone', () => {
  expect([equalText('', ''), equalText('abc', 'abc')]).toEqual([true, true])
  for (const [a, b] of [
    ['abc', 'abd'],
    ['abc', 'Abc'],
    ['abc', 'ab'],
    ['ab', 'abc'],
    ['', 'a'],
    ['a', '\u0161'],
  ] as const) {
    expect(equalText(a, b)).toBe(false)
  }
})
