import { hundredths, isAmount } from '../lib/decimal.ts'
import { refuseInput } from '../schemas/input.ts'

const AMOUNT = 'a positive number with at most 2 decimals (a number, not a string)'

/**
 * Hundredths of an amount, exactly: `10.05` is `1005`. The service's amounts have two decimals in every currency.
 *
 * @param amount Positive, at most 2 decimals.
 * @throws {InvalidInputError} for anything else: `0.1 + 0.2`, `NaN`, `0`, `1e21`, `"10"`.
 * @see The service's document, "Common types", Amount.
 * @example
 * import { toMinorUnits } from 'edgetill'
 * toMinorUnits(10.05) // 1005
 */
export function toMinorUnits(amount: number): number {
  if (!isAmount(amount)) refuseInput('toMinorUnits', 'amount', AMOUNT, amount)
  return hundredths(amount)
}

/**
 * The amount of so many hundredths: `1005` is `10.05`.
 *
 * @param minor A positive whole number, below 2^46 × 100: beyond, neighbouring cents are the same double.
 * @throws {InvalidInputError} for anything else.
 * @see The service's document, "Common types", Amount.
 * @example
 * import { fromMinorUnits } from 'edgetill'
 * fromMinorUnits(1005) // 10.05
 */
export function fromMinorUnits(minor: number): number {
  // A quotient is the double that is nearest to the decimal, and so is the number that JSON.parse makes of its digits.
  const amount = Number.isSafeInteger(minor) ? minor / 100 : Number.NaN
  if (!isAmount(amount)) refuseInput('fromMinorUnits', 'minor', 'a positive whole number below 2^46 × 100', minor)
  return amount
}

/**
 * Divides an amount by weights, exact to the last cent: the parts add up to the amount. Cents that are left over go to
 * the parts that lost most by rounding down, earlier ones first.
 *
 * @param total Positive, at most 2 decimals.
 * @param weights Positive finite numbers, in any unit: `[9, 1]` and `[90, 10]` are the same.
 * @returns One amount for each weight.
 * @throws {InvalidInputError} when a part would be zero: the service takes positive amounts only.
 * @see The service's document, "Split entry".
 * @example
 * import { splitAmount } from 'edgetill'
 * splitAmount(100, [1, 1, 1]) // [33.34, 33.33, 33.33]
 */
export function splitAmount(total: number, weights: readonly number[]): number[] {
  if (!isAmount(total)) refuseInput('splitAmount', 'total', AMOUNT, total)
  if (!Array.isArray(weights) || weights.length === 0)
    refuseInput('splitAmount', 'weights', 'a non-empty array', weights)
  weights.forEach((weight, i) => {
    if (!(typeof weight === 'number' && weight > 0 && weight < Number.POSITIVE_INFINITY)) {
      refuseInput('splitAmount', `weights[${i}]`, 'a positive finite number', weight)
    }
  })
  // Weights are doubles, which are fractions of a power of two: as integers of one scale nothing is rounded.
  const exact = wholeWeights(weights)
  const sum = exact.reduce((a, b) => a + b, 0n)
  const minor = BigInt(hundredths(total))
  const shares = exact.map((weight, index) => ({ index, cents: (minor * weight) / sum, lost: (minor * weight) % sum }))
  let left = Number(minor - shares.reduce((a, { cents }) => a + cents, 0n))
  for (const share of [...shares].sort(byLoss)) {
    if (left-- <= 0) break
    share.cents += 1n
  }
  return shares.map(({ cents, index }) => {
    if (cents === 0n) refuseInput('splitAmount', `weights[${index}]`, 'large enough for a part of at least 0.01', 0)
    return fromMinorUnits(Number(cents))
  })
}

interface Share {
  index: number
  lost: bigint
}

const byLoss = (a: Share, b: Share): number => (a.lost === b.lost ? a.index - b.index : a.lost > b.lost ? -1 : 1)

/** The weights as integers of the same proportions. */
function wholeWeights(weights: readonly number[]): bigint[] {
  const parts = weights.map((weight) => {
    let [value, shift] = [weight, 0]
    // Doubling is exact; a double has at most 1074 binary places.
    while (!Number.isInteger(value)) {
      value *= 2
      shift += 1
    }
    return { value: BigInt(value), shift }
  })
  const scale = Math.max(...parts.map(({ shift }) => shift))
  return parts.map(({ value, shift }) => value << BigInt(scale - shift))
}
