import { expect, it } from 'vitest'
import { equalText } from '../../src/lib/constant-time.ts'

it('is true for equal texts alone', () => {
  expect([equalText('', ''), equalText('abc', 'abc')]).toEqual([true, true])
  for (const other of ['abd', 'Abc', 'ab', 'abcd', '', 'ab\u0163']) expect(equalText('abc', other)).toBe(false)
})
