/**
 * From here on (7 × 10^13) two amounts that differ by 0.01 can be the same double, so that none arrives for certain.
 */
const TOO_LARGE = 70_368_744_177_664

/**
 * The rule that a value breaks as an amount, which is a number with at most 2 decimals; undefined when it is one. JSON
 * carries the shortest text of a double, so that text decides: `0.1 + 0.2`, `1e21` and `1e-7` fail here.
 *
 * @param positive Whether zero and less are rejected too, as in the API document's "Common types".
 */
export function amountProblem(value: unknown, positive = true): string | undefined {
  if (typeof value !== 'number') {
    const isDecimal = typeof (value as { toNumber?: unknown } | null)?.toNumber === 'function'
    return `a number${typeof value === 'string' ? ', not a string' : isDecimal ? ': call its toNumber()' : ''}`
  }
  if (Number.isNaN(value)) return 'a number, not NaN'
  if (!Number.isFinite(value)) return 'finite'
  if (positive && value < 0) return 'positive, not negative'
  if (positive && value === 0) return 'more than zero'
  if (Math.abs(value) >= TOO_LARGE) return 'below 2^46'
  if (!/^-?\d+(\.\d{1,2})?$/.test(String(value))) {
    return 'a number with at most 2 decimals: round it, or calculate in hundredths (toMinorUnits)'
  }
  return undefined
}

/** Whether a value is a positive amount: see {@link amountProblem}. */
export const isAmount = (value: unknown): value is number => amountProblem(value) === undefined

/**
 * Hundredths of an amount, from its digits: a multiplication would turn 1.005 into 100. More than 2 decimals are
 * rounded.
 */
export function hundredths(amount: number): number {
  const digits = String(amount)
  return Math.round(digits.includes('e') || Math.abs(amount) >= TOO_LARGE ? amount * 100 : Number(`${digits}e2`))
}
