import { InvalidInputError } from '../errors.ts'
import { amountProblem, hundredths } from '../lib/decimal.ts'
import { kindOf } from '../lib/kind.ts'

/**
 * Hundredths of an amount, exactly: `10.05` is `1005`. The service's amounts have two decimals in every currency.
 *
 * @param amount At most 2 decimals, below 2^46; zero and negative amounts (a balance, a difference) are fine.
 * @throws {InvalidInputError} for anything else: `0.1 + 0.2`, `NaN`, `1e21`, `"10"`.
 * @see The API document, "Common types", Amount.
 * @example
 * import { toMinorUnits } from 'edgetill'
 * toMinorUnits(10.05) // 1005
 */
export function toMinorUnits(amount: number): number {
  check('toMinorUnits', 'amount', amount, amountProblem(amount, false))
  return hundredths(amount)
}

/**
 * The amount of a number of hundredths: `1005` is `10.05`.
 *
 * @param minor A whole number below 2^46 × 100 (beyond, neighbouring cents are the same double); zero and negative
 *   numbers are fine.
 * @throws {InvalidInputError} for anything else.
 * @see The API document, "Common types", Amount.
 * @example
 * import { fromMinorUnits } from 'edgetill'
 * fromMinorUnits(1005) // 10.05
 */
export function fromMinorUnits(minor: number): number {
  check('fromMinorUnits', 'minor', minor, wholeProblem(minor))
  // A quotient is the double that is nearest to the decimal, and so is the number that JSON.parse makes of its digits.
  // Adding zero turns -0 into 0.
  return minor / 100 + 0
}

/**
 * Divides an amount by weights, exact to the last cent: the parts add up to the amount. Cents that are left over go to
 * the parts that lost most by rounding down, earlier ones first.
 *
 * @param total At most 2 decimals. A negative one (a difference, a correction) is divided like the positive one; zero
 *   into zeros.
 * @param weights Positive finite numbers, in any unit: `[9, 1]` and `[90, 10]` are the same.
 * @returns One amount for each weight.
 * @throws {InvalidInputError} when a part would be zero and the total is not: the service takes no amount of zero.
 * @see The API document, "Split entry".
 * @example
 * import { splitAmount } from 'edgetill'
 * splitAmount(100, [1, 1, 1]) // [33.34, 33.33, 33.33]
 */
export function splitAmount(total: number, weights: readonly number[]): number[] {
  check('splitAmount', 'total', total, amountProblem(total, false))
  const isList = Array.isArray(weights) && weights.length > 0
  check('splitAmount', 'weights', weights, isList ? undefined : 'a non-empty array')
  weights.forEach((weight, i) => {
    const isWeight = typeof weight === 'number' && weight > 0 && weight < Number.POSITIVE_INFINITY
    check('splitAmount', `weights[${i}]`, weight, isWeight ? undefined : 'a positive finite number')
  })
  // Weights are doubles, which are fractions of a power of two: as integers with a common scale nothing is rounded.
  const exact = wholeWeights(weights)
  const sum = exact.reduce((a, b) => a + b, 0n)
  const minor = BigInt(Math.abs(hundredths(total)))
  const shares = exact.map((weight, index) => ({ index, cents: (minor * weight) / sum, lost: (minor * weight) % sum }))
  let left = Number(minor - shares.reduce((a, { cents }) => a + cents, 0n))
  for (const share of [...shares].sort(byLoss)) {
    if (left-- <= 0) break
    share.cents += 1n
  }
  return shares.map(({ cents, index }) => {
    const isLost = cents === 0n && minor > 0n
    check('splitAmount', `weights[${index}]`, 0, isLost ? 'large enough for a part of at least 0.01' : undefined)
    return fromMinorUnits(Number(total < 0 ? -cents : cents))
  })
}

function wholeProblem(value: unknown): string | undefined {
  const problem = amountProblem(typeof value === 'number' ? value / 100 : value, false)
  return problem === undefined && Number.isSafeInteger(value)
    ? undefined
    : 'a whole number of hundredths, below 2^46 × 100'
}

function check(helper: string, path: string, value: unknown, problem: string | undefined): void {
  if (problem === undefined) return
  throw new InvalidInputError(helper, [{ path, message: `must be ${problem}`, received: kindOf(value) }])
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
