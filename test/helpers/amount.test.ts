import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { capturePayment, fromMinorUnits, splitAmount, toMinorUnits } from '../../src/index.ts'
import { rejects } from '../support/call.ts'
import { CAPTURE, CAPTURE_RECORD } from '../support/inputs.ts'
import { CONFIG, json, wire } from '../support/mock-fetch.ts'
import { check, SEED } from '../support/property.ts'

describe('toMinorUnits and fromMinorUnits', () => {
  it.each<[number, number]>([
    [0.01, 1],
    [0.29, 29],
    [1.005e2, 10_050],
    [70_368_744_177_663.99, 7_036_874_417_766_399],
    // A sum of balances or refunds passes through these.
    [0, 0],
    [-1.05, -105],
  ])('%d is %d hundredths, and back', (amount, minor) => {
    expect(toMinorUnits(amount)).toBe(minor)
    expect(fromMinorUnits(minor)).toBe(amount)
    expect([toMinorUnits(-0), fromMinorUnits(-0)]).toEqual([0, 0])
  })

  it('their errors do not speak of sending', () => {
    for (const run of [() => toMinorUnits(0.3000004), () => fromMinorUnits(1.5), () => splitAmount(0.001, [1])]) {
      expect(run).toThrow(/^Invalid input for (toMinorUnits|fromMinorUnits|splitAmount): /)
      expect(run).not.toThrow(/sent/)
    }
  })

  it.each([-0.001, 0.001, 0.1 + 0.2, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 46, 1e21, '10', null, undefined, 10n])(
    'toMinorUnits rejects %s',
    (value) => rejects(() => toMinorUnits(value as number), 'amount'),
  )

  it.each([-1.5, 1.5, -(2 ** 53), Number.NaN, 2 ** 46 * 100, 2 ** 53, '10', null])(
    'fromMinorUnits rejects %s',
    (value) => rejects(() => fromMinorUnits(value as number), 'minor'),
  )
})

describe('splitAmount', () => {
  it.each<[number, number[], number[]]>([
    [100, [1, 1, 1], [33.34, 33.33, 33.33]],
    [0.05, [0.1, 0.2, 0.2], [0.01, 0.02, 0.02]],
    [70_368_744_177_663.99, [1, 1], [35_184_372_088_832, 35_184_372_088_831.99]],
    [0.02, [1e-300, 1e-300], [0.01, 0.01]],
    [0.02, [1e300, 1e300], [0.01, 0.01]],
    [-0, [1], [0]],
    [-0.1, [1, 2, 3], [-0.02, -0.03, -0.05]],
    // The cents that are left go to the parts that lost most.
    [0.1, [3, 2, 2], [0.04, 0.03, 0.03]],
    [1, [1, 1, 4], [0.17, 0.17, 0.66]],
  ])('%d by %j', (total, weights, parts) => {
    expect(splitAmount(total, weights)).toEqual(parts)
  })

  it.each<[unknown, unknown, string]>([
    [0.001, [1], 'total'],
    [-(2 ** 46), [1], 'total'],
    ['1', [1], 'total'],
    [10, [1, 0], 'weights[1]'],
    [10, [1, Number.POSITIVE_INFINITY], 'weights[1]'],
    [10, [1, '1'], 'weights[1]'],
    [0, [1, 0], 'weights[1]'],
    [10, [], 'weights'],
    [0.01, [1, 1], 'weights[1]'],
    [1, [1000, 1], 'weights[1]'],
    [-0.01, [1, 1], 'weights[1]'],
  ])('%s by %j cannot be divided', (total, weights, path) => {
    rejects(() => splitAmount(total as number, weights as number[]), path)
  })
})

const cents = fc.oneof(fc.integer({ min: 1, max: 100_000 }), fc.integer({ min: 1, max: 2 ** 46 * 100 - 1 }))
const anyAmount = fc.oneof(
  fc.double(),
  fc.double({ min: 0, max: 1e6 }),
  fc.integer(),
  cents.map((n) => n / 100),
  fc.tuple(cents, cents).map(([a, b]) => a / 100 + b / 100),
  fc.constantFrom(0, -0, Number.NaN, Number.POSITIVE_INFINITY, 0.1 + 0.2, 1e21, 5e-324, Number.MAX_SAFE_INTEGER),
)

describe(`seed ${SEED}`, () => {
  it('any amount is either rejected or arrives exactly, with at most 2 decimals', async () => {
    let arrived = 0
    await check(
      fc.asyncProperty(anyAmount, async (charge_amount) => {
        const { fetch, sent } = wire(json(CAPTURE_RECORD))
        await capturePayment({ ...CONFIG, fetch }, { ...CAPTURE, charge_amount }).catch((error: { code: string }) => {
          expect(error.code).toBe('invalid_input')
        })
        if (sent.length === 0) return
        arrived += 1
        const digits = /"charge_amount":([^,}]+)/.exec(sent[0]?.body ?? '')?.[1] ?? ''
        expect(digits).toMatch(/^\d+(\.\d{1,2})?$/)
        expect(Number(digits)).toBe(charge_amount)
        expect(charge_amount).toBeGreaterThan(0)
      }),
    )
    expect(arrived).toBeGreaterThan(20)
  })

  it('every amount of whole cents is accepted: none of them is lost to binary fractions', async () => {
    await check(
      fc.property(cents, (minor) => {
        expect(toMinorUnits(fromMinorUnits(minor))).toBe(minor)
        const digits = `${Math.floor(minor / 100)}.${String(minor % 100).padStart(2, '0')}`
        expect(fromMinorUnits(minor)).toBe(Number(digits))
      }),
    )
  })

  const weight = fc.oneof(fc.integer({ min: 1, max: 100 }), fc.double({ min: 1e-3, max: 1e3, noNaN: true }))
  const weights = fc.array(weight, { minLength: 1, maxLength: 12 })

  it('a split adds up to the last cent, and no part is further than a cent from its share', async () => {
    let divided = 0
    await check(
      fc.property(fc.integer({ min: 1, max: 10_000_000 }), weights, (minor, parts) => {
        let amounts: number[]
        try {
          amounts = splitAmount(minor / 100, parts)
        } catch (error) {
          expect(error).toMatchObject({ code: 'invalid_input' })
          return
        }
        divided += 1
        const minors = amounts.map(toMinorUnits)
        expect(minors.reduce((a, b) => a + b, 0)).toBe(minor)
        const sum = parts.reduce((a, b) => a + b, 0)
        minors.forEach((part, i) => {
          expect(Math.abs(part - (minor * (parts[i] ?? 0)) / sum)).toBeLessThan(1 + 1e-6)
        })
      }),
    )
    expect(divided).toBeGreaterThan(100)
  })
})
