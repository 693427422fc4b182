/** From here on (7 × 10^13) two amounts that differ by 0.01 can be the same double, so that none arrives for certain. */
const TOO_LARGE = 2 ** 46

/**
 * Whether a value is an amount as the document's "Common types" has it: a positive number with at most 2 decimals.
 * The shortest text of a double is what JSON carries, so that text decides: `0.1 + 0.2`, `1e21` and `1e-7` fail here.
 */
export function isAmount(value: unknown): value is number {
  return typeof value === 'number' && value > 0 && value < TOO_LARGE && /^\d+(\.\d{1,2})?$/.test(String(value))
}

/** Hundredths of an amount that {@link isAmount} accepts, exactly: taken from its digits, not by multiplication. */
export function hundredths(amount: number): number {
  const [whole = '0', fraction = ''] = String(amount).split('.')
  return Number(whole) * 100 + Number(fraction.padEnd(2, '0'))
}
