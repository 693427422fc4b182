import { InvalidInputError } from '../errors.ts'

/** Characters of the random part: 80 bits, so that a billion ids collide with a chance below 1 : 1,000,000. */
const RANDOM_LENGTH = 16
const PREFIX_LENGTH = 13
/** Lower-case letters and digits without look-alikes. A path needs no escape for any character. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

/**
 * Makes a new order_id: the prefix and 16 random letters and digits, at most 29 characters in all.
 *
 * A capture, void or refund takes an order_id of at most 32 characters, so there is room for a suffix such as `-2`.
 * Keep the id before you send it: it is the only key that keeps a payment from being made twice.
 *
 * @param prefix At most 13 letters, digits, `-` or `_`. Default none.
 * @throws {InvalidInputError} when the prefix is longer or has other characters.
 * @see The API document, "Limits": order_id in capture, at most 32.
 * @example
 * import { newOrderId } from 'edgetill'
 * newOrderId('shop-') // 'shop-6m2k0c9v7rje4xtb'
 */
export function newOrderId(prefix = ''): string {
  if (typeof prefix !== 'string' || !/^[\w-]*$/.test(prefix) || prefix.length > PREFIX_LENGTH) {
    const message = `must be at most ${PREFIX_LENGTH} letters, digits, "-" or "_"`
    throw new InvalidInputError('newOrderId', [{ path: 'prefix', message, received: typeof prefix }])
  }
  const bytes = crypto.getRandomValues(new Uint8Array(RANDOM_LENGTH))
  // 256 is a multiple of 32, so that each letter is equally likely.
  return prefix + Array.from(bytes, (byte) => ALPHABET[byte % ALPHABET.length]).join('')
}
