import { expect, it } from 'vitest'
import { baseOrderId } from '../../src/orders/attempt-id.ts'

it.each([
  ['mugs', 'mugs'],
  ['mugs~2', 'mugs'],
  ['mugs~1~23', 'mugs'],
  ['mugs~2x', 'mugs~2x'],
  ['mugs~', 'mugs~'],
  ['a~b~7', 'a~b'],
  ['~2~3', '~2'],
  ['2~3', '2'],
  ['~2', '~2'],
  ['', ''],
])('%j is of the order %j', (order_id, base) => {
  expect(baseOrderId(order_id)).toBe(base)
})

it('a text that is longer than any order_id is read in a moment', () => {
  const long = `mugs${'~1'.repeat(500_000)}x`
  expect(baseOrderId(long)).toBe(long)
})
