import { LOOPBACK } from '../config.ts'
import { ConfigError } from '../errors.ts'
import { kindOf } from '../lib/kind.ts'
import { ownOptions } from '../schemas/fields.ts'
import { type CheckoutOrder, checkEmail, checkFlag, checkOrder, checkReference } from './check.ts'
import { nonceBytes, nonceOf, seal, sealUnder, unseal } from './seal.ts'

/** Options of {@link createCheckoutLink}. */
export interface CheckoutLinkOptions {
  /** The worker's origin, such as `https://pay.shop.example.com`. */
  origin: string
  /** The worker's `LINK_SECRET`, at least 32 characters. */
  linkSecret: string
  /** `server_url` and `result_url` are filled in by the worker unless they are given. */
  order: CheckoutOrder
  /**
   * The shop's own name of the sale, 1 to 128 characters: it comes back in `onEvent` and in the order, and
   * `GET /api/orders?reference=…` finds it. Several orders may share one.
   */
  reference?: string | undefined
  /**
   * The customer's e-mail address for the shop; it comes back in `onEvent` and in the order. Default: the order's own.
   */
  customerEmail?: string | undefined
  /** `true`: the link shows the purchase and a button, instead of leading to the payment at once. Default: false. */
  landing?: boolean | undefined
  /**
   * `true`: the order_id may have up to 253 characters, though such a purchase can never be refunded by API. Default:
   * false.
   */
  longOrderId?: boolean | undefined
  /**
   * `true`: accepts an `http:` origin beyond loopback, for a test. Hosts on the way can send customers elsewhere.
   * Default: false.
   */
  allowInsecureHttp?: boolean | undefined
  /** Milliseconds since 1970 after which the link no longer leads to a payment. Default: 24 hours from now. */
  expiresAt?: number | undefined
  /** The clock. Default `Date.now`. */
  now?: () => number
}

/** The contents of an opened link. */
export interface CheckoutLink {
  order: CheckoutOrder
  /** The origin that the link was made for. */
  origin: string
  /** Milliseconds since 1970. */
  expiresAt: number
  reference?: string
  customerEmail?: string
  landing?: true
  /** Any number of customers may pay with the link: its orders' ids begin with `order_id`. */
  reusable?: true
}

/** The parts of a link's id. */
export interface CheckoutLinkId {
  order_id: string
  /** Milliseconds since 1970. */
  expiresAt: number
  /** The first 16 characters of the link's token. */
  nonce: string
  reusable?: true
}

const DAY_MS = 86_400_000
/** The last time that a Date can hold. */
const LAST_TIME = 8.64e15
/** Some browsers, and Cloudflare (16 kB), reject longer addresses. */
const LINK_LENGTH = 8_000
const OPTIONS = [
  'origin',
  'linkSecret',
  'order',
  'reference',
  'customerEmail',
  'landing',
  'longOrderId',
  'allowInsecureHttp',
  'expiresAt',
  'now',
]
const LINK = 'checkout link'
/** Sealed apart: an engine without such links must not take it for a link of a single order. */
const REUSABLE = 'reusable link'
/** An order of a reusable link adds `-` and this many characters. */
export const REUSE_LENGTH = 10
const ID = 'checkout link id'

/**
 * Makes a link that lets one customer pay one order: `<origin>/checkout/<token>`. The order travels inside, encrypted
 * with a key that is derived from `LINK_SECRET`: a customer cannot choose another price, and the address does not show
 * the customer's data. Runs on any runtime: in the shop's server, in a script, in another Worker. `POST /api/links` of
 * the worker makes the same link for a shop in another language.
 *
 * @throws {InvalidInputError} when the order cannot be paid, with the SDK's own `issues`.
 * @throws {ConfigError} for another option that is missing, unknown or wrong, and when the link would be too long;
 *   `field` names it.
 * @example
 * import { createCheckoutLink } from 'edgetill/checkout-link'
 * const link = await createCheckoutLink({
 *   origin: 'https://pay.shop.example.com',
 *   linkSecret: 'the LINK_SECRET of the worker, at least 32 characters',
 *   order: {
 *     mode: 'hosted', method: 'purchase', amount: 100.5, currency: 'UAH', description: 'Two mugs', order_id: 'A-1',
 *     order_3ds_bypass: 'supported', customer_patronym: 'Ivanivna', customer_email: 'olena@example.com',
 *     customer_phone: '+380441234567',
 *   },
 *   reference: 'cart-77',
 * })
 * console.log(link)
 */
export function createCheckoutLink(received: CheckoutLinkOptions): Promise<string> {
  return makeLink(received)
}

/** @param base The path that the shop is mounted at. */
export async function makeLink(received: CheckoutLinkOptions, isReusable = false, base = ''): Promise<string> {
  const options = ownOptions(received, OPTIONS)
  const { linkSecret, reference, customerEmail, landing, longOrderId, now = Date.now } = options
  checkFlag('allowInsecureHttp', options.allowInsecureHttp)
  const origin = originOf(options.origin, options.allowInsecureHttp) + base
  const expiresAt = options.expiresAt ?? now() + DAY_MS
  if (typeof expiresAt !== 'number' || !(expiresAt > now() && expiresAt <= LAST_TIME)) {
    throw new ConfigError(
      'expiresAt',
      'expiresAt must be a time in the future, in milliseconds since 1970 (not seconds, not a Date).',
    )
  }
  if (reference !== undefined) checkReference(reference)
  if (customerEmail !== undefined) checkEmail(customerEmail)
  checkFlag('landing', landing)
  checkFlag('longOrderId', longOrderId)
  const order = withEmail(options.order, customerEmail)
  await checkOrder(order, longOrderId, isReusable ? REUSE_LENGTH + 1 : 0)
  // An undefined value is not part of the link's JSON.
  const ownEmail = customerEmail === order.customer_email ? undefined : customerEmail
  const held = { order, origin, expiresAt, reference, customerEmail: ownEmail, ...(landing && { landing }) }
  const sealed = isReusable ? seal(linkSecret, REUSABLE, { ...held, reusable: true }) : seal(linkSecret, LINK, held)
  const link = `${origin}/checkout/${await sealed}`
  if (link.length <= LINK_LENGTH) return link
  throw new ConfigError(
    'link',
    `The checkout link would have ${link.length} characters; at most ${LINK_LENGTH} work everywhere. Shorten ` +
      'payload or description.',
  )
}

function withEmail(order: CheckoutOrder, customer_email: string | undefined): CheckoutOrder {
  return customer_email === undefined || order?.customer_email !== undefined ? order : { ...order, customer_email }
}

/**
 * Opens a link's token, the part after `/checkout/`.
 *
 * @param linkSecrets The secrets that are tried: the new one, and the previous one while it is being replaced.
 * @param now The clock. Default `Date.now`.
 * @returns The link's content; undefined when it has expired, was made with another secret, or was changed by as little
 *   as one bit.
 * @throws {ConfigError} when a secret is too short.
 * @example
 * import { openCheckoutLink } from 'edgetill/checkout-link'
 * const secret = 'the LINK_SECRET of the worker, at least 32 characters'
 * const { pathname } = new URL('https://pay.shop.example.com/checkout/the-token')
 * const opened = await openCheckoutLink(pathname.split('/')[2] ?? '', [secret])
 * console.log(opened?.order.order_id)
 */
export async function openCheckoutLink(
  token: string,
  linkSecrets: readonly string[],
  now: () => number = Date.now,
): Promise<CheckoutLink | undefined> {
  const link = await readCheckoutLink(token, linkSecrets)
  return link && now() < link.expiresAt ? link : undefined
}

/** Opens a link's token, also when it has expired. */
export async function readCheckoutLink(
  token: string,
  linkSecrets: readonly string[],
): Promise<CheckoutLink | undefined> {
  const opened = (await unseal(linkSecrets, LINK, token)) ?? (await unseal(linkSecrets, REUSABLE, token))
  return opened as CheckoutLink | undefined
}

/**
 * The id of a link, which `DELETE /api/links/:id` of the worker revokes. It follows from the link: `POST /api/links`
 * returns the same. It holds the order_id and the time of expiry, encrypted, and opens no payment.
 *
 * @param link The whole link.
 * @param linkSecret The secret that it was made with.
 * @throws {ConfigError} when it is not a link that was made with this secret.
 * @example
 * import { checkoutLinkId } from 'edgetill/checkout-link'
 * const idOf = (link: string) => checkoutLinkId(link, 'the LINK_SECRET of the worker, at least 32 characters')
 */
export async function checkoutLinkId(link: string, linkSecret: string): Promise<string> {
  const [, token = ''] = (typeof link === 'string' && /\/checkout\/([\w-]+)$/.exec(link)) || []
  const opened = await readCheckoutLink(token, [linkSecret])
  if (!opened) throw new ConfigError('link', 'link is not a checkout link that was made with this linkSecret.')
  // The link's nonce under another key: one link has one id, and their two keys never meet.
  const parts = [opened.order.order_id, opened.expiresAt, ...(opened.reusable ? [1] : [])]
  return sealUnder(nonceBytes(nonceOf(token)), linkSecret, ID, parts, '')
}

/** Opens an id of {@link checkoutLinkId}; undefined when no link of the given secrets has this id. */
export async function openCheckoutLinkId(
  id: string,
  linkSecrets: readonly string[],
): Promise<CheckoutLinkId | undefined> {
  const value = (await unseal(linkSecrets, ID, id)) as [string, number, 1?] | undefined
  return value && { order_id: value[0], expiresAt: value[1], nonce: nonceOf(id), ...(value[2] && { reusable: true }) }
}

function originOf(text: string, allowInsecureHttp = false): string {
  let url: URL
  try {
    url = new URL(text)
  } catch {
    throw new ConfigError(
      'origin',
      `origin: ${typeof text === 'string' ? JSON.stringify(text) : kindOf(text)} is not an address; write it as ` +
        'https://pay.shop.example.com.',
    )
  }
  const isInsecure = url.protocol === 'http:' && (allowInsecureHttp || LOOPBACK.test(url.hostname))
  if (url.protocol !== 'https:' && !isInsecure)
    throw new ConfigError(
      'origin',
      'origin must begin with https:// (http:// on loopback only, or with allowInsecureHttp).',
    )
  if (url.pathname === '/' && url.search === '' && url.hash === '') return url.origin
  throw new ConfigError('origin', `origin must be an address without a path, such as ${url.origin}.`)
}
