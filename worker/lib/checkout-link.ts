import type { CreatePaymentInput, CreateSplitPurchaseInput } from '../sdk.ts'
import { fromBase64url, toBase64url } from './base64url.ts'
import { deriveKey } from './crypto.ts'

type WithoutPos<T> = T extends unknown ? Omit<T, 'pos_id'> : never

/** What a customer is to pay: the input of a hosted `createPayment` or `createSplitPurchase`, without `pos_id`. */
export type CheckoutOrder =
  | WithoutPos<Extract<CreatePaymentInput, { mode: 'hosted' }>>
  | WithoutPos<Extract<CreateSplitPurchaseInput, { mode: 'hosted' }>>

/** What {@link createCheckoutLink} takes. */
export interface CheckoutLinkOptions {
  /** The worker's origin, such as `https://pay.shop.example.com`. */
  origin: string
  /** The worker's `LINK_SECRET`. */
  linkSecret: string
  /** `server_url` and `result_url` are filled in by the worker unless they are given. */
  order: CheckoutOrder
  /** Milliseconds since 1970 after which the link is refused. Default: 24 hours from now. */
  expiresAt?: number
  /** The clock. Default `Date.now`. */
  now?: () => number
}

/** What an opened link holds. */
export interface CheckoutLink {
  order: CheckoutOrder
  /** The origin that the link was made for. */
  origin: string
  /** Milliseconds since 1970. */
  expiresAt: number
}

const DAY_MS = 86_400_000
const IV_BYTES = 12
/** Longer addresses are refused by some browsers and by Cloudflare (16 kB). */
const LINK_LENGTH = 8_000

/**
 * Makes a link that lets one customer pay one order: `<origin>/checkout/<token>`. The order travels inside, encrypted
 * with a key that is derived from `LINK_SECRET`: nobody can choose another price, and nobody reads the customer's data
 * in an address. Runs on any runtime: in the shop's server, in a script, in another Worker.
 *
 * @throws {TypeError} when something is missing, or the link would be too long; the text says what to do.
 * @example
 * import { createCheckoutLink } from './checkout-link.ts'
 * const link = await createCheckoutLink({
 *   origin: 'https://pay.shop.example.com',
 *   linkSecret: 'the same long random text as the worker has',
 *   order: {
 *     mode: 'hosted', method: 'purchase', amount: 100.5, currency: 'UAH', description: 'Two mugs', order_id: 'A-1',
 *     order_3ds_bypass: 'supported', customer_patronym: 'Ivanivna', customer_email: 'olena@example.com',
 *     customer_phone: '+380441234567',
 *   },
 * })
 * console.log(link)
 */
export async function createCheckoutLink(options: CheckoutLinkOptions): Promise<string> {
  const { order, linkSecret, now = Date.now } = options
  const { origin } = new URL(options.origin)
  checkOrder(order)
  const expiresAt = options.expiresAt ?? now() + DAY_MS
  if (!Number.isFinite(expiresAt) || expiresAt <= now()) {
    throw new TypeError('expiresAt must be a time to come, in milliseconds since 1970 (not seconds, not a Date).')
  }
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES))
  const content = new TextEncoder().encode(JSON.stringify({ order, origin, expiresAt }))
  const sealed = await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, await linkKey(linkSecret), content)
  const token = new Uint8Array(IV_BYTES + sealed.byteLength)
  token.set(iv)
  token.set(new Uint8Array(sealed), IV_BYTES)
  const link = `${origin}/checkout/${toBase64url(token)}`
  if (link.length <= LINK_LENGTH) return link
  throw new TypeError(
    `The checkout link would have ${link.length} characters; at most ${LINK_LENGTH} work everywhere. Shorten payload or description.`,
  )
}

/** Opens a link's token; undefined when it was not made with this secret, or was changed by as little as one bit. */
export async function openCheckoutLink(token: string, linkSecret: string): Promise<CheckoutLink | undefined> {
  const bytes = fromBase64url(token)
  if (bytes === undefined || bytes.length <= IV_BYTES) return undefined
  const key = await linkKey(linkSecret)
  try {
    const algorithm = { name: 'AES-GCM', iv: bytes.subarray(0, IV_BYTES) }
    const content = await crypto.subtle.decrypt(algorithm, key, bytes.subarray(IV_BYTES))
    return JSON.parse(new TextDecoder().decode(content)) as CheckoutLink
  } catch {
    return undefined
  }
}

function linkKey(linkSecret: string): Promise<CryptoKey> {
  return deriveKey(linkSecret, 'checkout link', { name: 'AES-GCM', length: 256 }, ['encrypt', 'decrypt'])
}

function checkOrder(order: CheckoutOrder): void {
  if (order?.mode !== 'hosted') {
    throw new TypeError('A checkout link needs an order with mode "hosted": the customer pays on the service’s page.')
  }
  const { order_id } = order
  if (typeof order_id !== 'string' || order_id === '' || order_id === '.' || order_id === '..') {
    throw new TypeError('order_id must be a non-empty string other than "." and "..", which no address can carry.')
  }
  try {
    encodeURIComponent(order_id)
  } catch {
    throw new TypeError('order_id holds half of a surrogate pair: it is not well-formed text.')
  }
  // "A-1~2" is what the worker itself calls the second attempt at paying "A-1".
  if (/~\d+$/.test(order_id)) {
    throw new TypeError('order_id must not end in "~" and a number: the worker names repeated attempts that way.')
  }
}
