import { describe, expect, it } from 'vitest'
import { fromMinorUnits, splitAmount, toMinorUnits } from '../../src/index.ts'

const refused = (run: () => unknown, path: string) => {
  try {
    run()
  } catch (error) {
    expect(error).toMatchObject({ code: 'invalid_input', issues: [{ path }] })
    return
  }
  throw new Error('It was accepted.')
}

describe('toMinorUnits and fromMinorUnits', () => {
  it.each<[number, number]>([
    [0.01, 1],
    [0.29, 29],
    [1.1, 110],
    [4.35, 435],
    [10.05, 1005],
    [1.005e2, 10_050],
    [8.87, 887],
    [19.99, 1999],
    [1, 100],
    [999_999_999.99, 99_999_999_999],
    [70_368_744_177_663.99, 7_036_874_417_766_399],
  ])('%d is %d hundredths, and back', (amount, minor) => {
    expect(toMinorUnits(amount)).toBe(minor)
    expect(fromMinorUnits(minor)).toBe(amount)
  })

  it('zero and negative amounts are amounts too: a sum of balances or refunds passes through them', () => {
    expect(toMinorUnits(0)).toBe(0)
    expect(Object.is(toMinorUnits(-0), 0)).toBe(true)
    expect(toMinorUnits(-1.05)).toBe(-105)
    expect(fromMinorUnits(0)).toBe(0)
    expect(Object.is(fromMinorUnits(-0), 0)).toBe(true)
    expect(fromMinorUnits(-105)).toBe(-1.05)
  })

  it('their errors do not speak of sending', () => {
    for (const run of [() => toMinorUnits(0.3000004), () => fromMinorUnits(1.5), () => splitAmount(0.001, [1])]) {
      expect(run).toThrow(/^Invalid input for (toMinorUnits|fromMinorUnits|splitAmount): /)
      expect(run).not.toThrow(/sent/)
    }
  })

  it.each([-0.001, 0.001, 0.1 + 0.2, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 46, 1e21, '10', null, undefined, 10n])(
    'toMinorUnits rejects %s',
    (value) => refused(() => toMinorUnits(value as number), 'amount'),
  )

  it.each([-1.5, 1.5, -(2 ** 53), Number.NaN, 2 ** 46 * 100, 2 ** 53, '10', null])(
    'fromMinorUnits rejects %s',
    (value) => refused(() => fromMinorUnits(value as number), 'minor'),
  )
})

describe('splitAmount', () => {
  it.each<[number, number[], number[]]>([
    [100, [1, 1, 1], [33.34, 33.33, 33.33]],
    [100.5, [9, 1], [90.45, 10.05]],
    [0.03, [1, 1], [0.02, 0.01]],
    [0.05, [0.1, 0.2, 0.2], [0.01, 0.02, 0.02]],
    [10, [1], [10]],
    [1, [0.333, 0.667], [0.33, 0.67]],
    [0.1, [1, 2, 3], [0.02, 0.03, 0.05]],
    [70_368_744_177_663.99, [1, 1], [35_184_372_088_832, 35_184_372_088_831.99]],
    [0.02, [1e-300, 1e-300], [0.01, 0.01]],
    [0.02, [1e300, 1e300], [0.01, 0.01]],
    [0, [9, 1], [0, 0]],
    [-0, [1], [0]],
    [-100, [1, 1, 1], [-33.34, -33.33, -33.33]],
    [-0.1, [1, 2, 3], [-0.02, -0.03, -0.05]],
    [-70_368_744_177_663.99, [1, 1], [-35_184_372_088_832, -35_184_372_088_831.99]],
  ])('%d by %j', (total, weights, parts) => {
    expect(splitAmount(total, weights)).toEqual(parts)
    expect(splitAmount(total, weights).reduce((sum, part) => sum + toMinorUnits(part), 0)).toBe(toMinorUnits(total))
  })

  it('the cents that are left go to the parts that lost most', () => {
    expect(splitAmount(0.1, [2, 2, 3])).toEqual([0.03, 0.03, 0.04])
    expect(splitAmount(1, [1, 1, 4])).toEqual([0.17, 0.17, 0.66])
  })

  it('rejects what cannot be divided', () => {
    for (const total of [0.001, -0.001, Number.NaN, Number.NEGATIVE_INFINITY, 2 ** 46, -(2 ** 46), '1']) {
      refused(() => splitAmount(total as number, [1]), 'total')
    }
    for (const total of [0, -1]) refused(() => splitAmount(total, [1, 0]), 'weights[1]')
    refused(() => splitAmount(10, []), 'weights')
    refused(() => splitAmount(10, 'ab' as unknown as number[]), 'weights')
    for (const weight of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, '1']) {
      refused(() => splitAmount(10, [1, weight as number]), 'weights[1]')
    }
    refused(() => splitAmount(0.01, [1, 1]), 'weights[1]')
    refused(() => splitAmount(1, [1000, 1]), 'weights[1]')
    refused(() => splitAmount(-0.01, [1, 1]), 'weights[1]')
  })
})
