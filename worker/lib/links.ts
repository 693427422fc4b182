import {
  type ClientConfig,
  type CreatePaymentInput,
  type CreateSplitPurchaseInput,
  createPayment,
  createSplitPurchase,
  type ExpectedPayment,
  isInvalidInputError,
} from '../sdk.ts'
import { deriveKey, fromBase64url, seal, toBase64url, unseal } from './crypto.ts'

type WithoutPos<T> = T extends unknown ? Omit<T, 'pos_id'> : never

/** What a customer is to pay: the input of a hosted `createPayment` or `createSplitPurchase`, without `pos_id`. */
export type CheckoutOrder =
  | WithoutPos<Extract<CreatePaymentInput, { mode: 'hosted' }>>
  | WithoutPos<Extract<CreateSplitPurchaseInput, { mode: 'hosted' }>>

/** What {@link createCheckoutLink} takes. */
export interface CheckoutLinkOptions {
  /** The worker's origin, such as `https://pay.shop.example.com`. */
  origin: string
  /** The worker's `LINK_SECRET`, at least 32 characters. */
  linkSecret: string
  /** `server_url` and `result_url` are filled in by the worker unless they are given. */
  order: CheckoutOrder
  /** Milliseconds since 1970 after which the link no longer leads to a payment. Default: 24 hours from now. */
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
/** Some browsers, and Cloudflare (16 kB), reject longer addresses. */
const LINK_LENGTH = 8_000

/**
 * Makes a link that lets one customer pay one order: `<origin>/checkout/<token>`. The order travels inside, encrypted
 * with a key that is derived from `LINK_SECRET`: nobody can choose another price, and nobody reads the customer's data
 * in an address. Runs on any runtime: in the shop's server, in a script, in another Worker.
 *
 * @throws {TypeError} when the order cannot be paid, something is missing, or the link would be too long; the text says
 *   which field, and what to do.
 * @example
 * import { createCheckoutLink } from './links.ts'
 * const link = await createCheckoutLink({
 *   origin: 'https://pay.shop.example.com',
 *   linkSecret: 'the LINK_SECRET of the worker, at least 32 characters',
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
  const origin = originOf(options.origin)
  const expiresAt = options.expiresAt ?? now() + DAY_MS
  if (!Number.isFinite(expiresAt) || expiresAt <= now()) {
    throw new TypeError('expiresAt must be a time in the future, in milliseconds since 1970 (not seconds, not a Date).')
  }
  await checkOrder(order)
  const link = `${origin}/checkout/${await seal(linkSecret, 'checkout link', { order, origin, expiresAt })}`
  if (link.length <= LINK_LENGTH) return link
  throw new TypeError(
    `The checkout link would have ${link.length} characters; at most ${LINK_LENGTH} work everywhere. Shorten payload or description.`,
  )
}

/** Opens a link's token; undefined when it was made with another secret, or was changed by as little as one bit. */
export async function openCheckoutLink(
  token: string,
  linkSecrets: readonly string[],
): Promise<CheckoutLink | undefined> {
  return (await unseal(linkSecrets, 'checkout link', token)) as CheckoutLink | undefined
}

function originOf(text: string): string {
  let url: URL
  try {
    url = new URL(text)
  } catch {
    throw new TypeError(`origin: ${JSON.stringify(text)} is not an address; write it as https://pay.shop.example.com.`)
  }
  if (!/^https?:$/.test(url.protocol)) throw new TypeError('origin must begin with https:// (or http:// on loopback).')
  if (url.pathname === '/' && url.search === '' && url.hash === '') return url.origin
  throw new TypeError(`origin must be an address without a path, such as ${url.origin}.`)
}

/** A further attempt at an order adds `~2` to `~99`, and an authorization's order_id has at most 32 characters. */
const ATTEMPT_SUFFIX = 3
const ID_LENGTH = { auth: 32 - ATTEMPT_SUFFIX, purchase: 256 - ATTEMPT_SUFFIX }

async function checkOrder(order: CheckoutOrder): Promise<void> {
  if (order?.mode !== 'hosted') {
    throw new TypeError('A checkout link needs an order with mode "hosted": the customer pays on the service’s page.')
  }
  const { order_id, method } = order
  if (typeof order_id !== 'string' || order_id === '' || order_id === '.' || order_id === '..') {
    throw new TypeError('order_id must be a non-empty string other than "." and "..", which no address can carry.')
  }
  try {
    encodeURIComponent(order_id)
  } catch {
    throw new TypeError('order_id contains half of a surrogate pair: it is not well-formed text.')
  }
  // "A-1~2" is what the worker itself calls the second attempt at paying "A-1".
  if (/~\d+$/.test(order_id)) {
    throw new TypeError('order_id must not end in "~" and a number: the worker names further attempts that way.')
  }
  const limit = method === 'auth' ? ID_LENGTH.auth : ID_LENGTH.purchase
  if ([...order_id].length > limit) {
    throw new TypeError(
      `order_id must have at most ${limit} characters${method === 'auth' ? ' to be captured' : ''}: the worker adds up to ${ATTEMPT_SUFFIX} for a further attempt.`,
    )
  }
  await checkAsTheSdkDoes(order)
}

/** Runs the SDK's own check. Nothing is sent: this `fetch` rejects every request that passes the check. */
async function checkAsTheSdkDoes(order: CheckoutOrder): Promise<void> {
  const config: ClientConfig = {
    baseUrl: 'https://service.invalid',
    posId: '00000000-0000-4000-8000-000000000000',
    apiKey: 'none',
    apiSecret: 'none',
    endpointsKey: 'none',
    maxRetries: 0,
    fetch: async () => new Response('{}', { status: 400 }),
    onWarning: () => {},
  }
  try {
    if ('split' in order) await createSplitPurchase(config, order as CreateSplitPurchaseInput)
    else await createPayment(config, order as CreatePaymentInput)
  } catch (error) {
    if (isInvalidInputError(error)) throw new TypeError(`Order ${order.order_id} cannot be paid: ${error.message}`)
  }
}

/** The address of an order's result page. `t` proves that the worker made it: nobody reads an order by guessing its id. */
export async function resultLink(origin: string, order_id: string, linkSecret: string): Promise<string> {
  const key = await deriveKey(linkSecret, 'result link')
  const mark = await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(order_id))
  return `${origin}${resultPath(order_id)}?t=${toBase64url(new Uint8Array(mark))}`
}

export const resultPath = (order_id: string): string => `/return/${encodeURIComponent(order_id)}`

/** Whether `t` belongs to this order. Compared in constant time by the runtime. */
export async function isResultLink(
  order_id: string,
  t: string | undefined,
  secrets: readonly string[],
): Promise<boolean> {
  const mark = t === undefined ? undefined : fromBase64url(t)
  if (mark === undefined) return false
  for (const secret of secrets) {
    const key = await deriveKey(secret, 'result link')
    if (await crypto.subtle.verify('HMAC', key, mark, new TextEncoder().encode(order_id))) return true
  }
  return false
}

/**
 * Where a payment's webhooks go. The address carries what was asked for, sealed and bound to the attempt's order_id, so
 * that no webhook depends on what KV shows at that moment.
 */
export async function webhookAddress(
  origin: string,
  order_id: string,
  { amount, currency, recurring_amount }: ExpectedPayment,
  linkSecret: string,
): Promise<string> {
  const expected = { amount, currency, recurring_amount }
  return `${origin}/webhooks?expected=${await seal(linkSecret, 'expected payment', expected, order_id)}`
}

/** What a webhook's address carries; undefined when it is missing, belongs to another order, or cannot be opened. */
export async function openExpected(
  sealed: string | undefined,
  order_id: string,
  linkSecrets: readonly string[],
): Promise<ExpectedPayment | undefined> {
  if (!sealed) return undefined
  const value = await unseal(linkSecrets, 'expected payment', sealed, order_id).catch(() => undefined)
  const { amount, currency } = (value ?? {}) as ExpectedPayment
  return typeof amount === 'number' && typeof currency === 'string' ? (value as ExpectedPayment) : undefined
}
