/**
 * Masks a card number like the service's `cc_mask`: the first six and the last four digits remain. A number with fewer
 * than 12 digits is masked completely. Spaces and hyphens are removed. Of anything but a text or a number nothing is
 * left.
 * @see The API document, "Common types", CC_MASK.
 * @example
 * import { maskCardNumber } from 'edgetill/card'
 * maskCardNumber('4242 4242 4242 4242') // 424242******4242
 */
export function maskCardNumber(number: string): string {
  const received: unknown = number
  const text = typeof received === 'string' || typeof received === 'number' ? String(received) : ''
  const digits = text.replace(/[\s-]/g, '')
  if (!/^\d{12,19}$/.test(digits)) return '*'.repeat(digits.length)
  return digits.slice(0, 6) + '*'.repeat(digits.length - 10) + digits.slice(-4)
}
