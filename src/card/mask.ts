/**
 * Hides a card number as the service's `cc_mask` does: the first six and the last four digits stay. What has fewer than
 * 12 digits is hidden altogether. Spaces and hyphens are dropped.
 * @see The service's document, "Common types", CC_MASK.
 * @example
 * import { maskCardNumber } from 'edgetill/card'
 * maskCardNumber('4242 4242 4242 4242') // 424242******4242
 */
export function maskCardNumber(number: string): string {
  const digits = number.replace(/[\s-]/g, '')
  if (!/^\d{12,19}$/.test(digits)) return '*'.repeat(digits.length)
  return digits.slice(0, 6) + '*'.repeat(digits.length - 10) + digits.slice(-4)
}
