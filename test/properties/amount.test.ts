import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { capturePayment, fromMinorUnits, splitAmount, toMinorUnits } from '../../src/index.ts'
import { CAPTURE, CAPTURE_RECORD } from '../support/inputs.ts'
import { CONFIG, json, wire } from '../support/mock-fetch.ts'
import { check, SEED } from '../support/property.ts'

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
