/**
 * Whether a value is an amount as the document's "Common types" has it: a positive number with at most 2 decimals.
 * The shortest text of a double is what JSON carries, so that text decides: `0.1 + 0.2`, `1e21` and `1e-7` fail here.
 */
export function isAmount(value: unknown): value is number {
  return (
    typeof value === 'number' &&
    value > 0 &&
    /^\d+(\.\d{1,2})?$/.test(String(value)) &&
    Math.round(value * 100) <= Number.MAX_SAFE_INTEGER
  )
}

/** Hundredths of an amount that {@link isAmount} accepts, exactly: taken from its digits, not by multiplication. */
export function hundredths(amount: number): number {
  const [whole = '0', fraction = ''] = String(amount).split('.')
  return Number(whole) * 100 + Number(fraction.padEnd(2, '0'))
}
