import { ConfigError } from '../errors.ts'
import type { WebhookEvent } from '../schemas/event.ts'
import type { Status } from '../schemas/values.ts'

/** A status, or a payment, operation, event, order or row that has one. */
export type HasStatus = Status | { readonly status?: Status | null | undefined } | WebhookEvent | null | undefined

/** The status of a value of any prototype and realm: a database row has another prototype. */
function statusOf(of: unknown, name: string): unknown {
  const given = of as { [member: string]: unknown } | null | undefined
  const reject = (what: string): never => {
    throw new ConfigError('status', `${name} takes a status, or an object with one (received: ${what}).`)
  }
  if (typeof given === 'function') reject('a function')
  if (typeof given !== 'object' || given === null) return given
  if (typeof given.then === 'function') reject('a promise; await it first')
  if (Array.isArray(given)) reject('a list; pass one of its entries')
  if ('status' in given || 'kind' in given) return given.status
  if ('checkout_id' in given || 'url' in given) reject('a Checkout, which has no status yet')
  if ('outcome' in given) reject('an outcome; pass its record')
  return undefined
}

/**
 * Whether a payment or an operation succeeded: its `status` is `success`. TypeScript cannot find a misspelt status,
 * since others may appear at any time, but it finds a misspelt `isSuccess`.
 * @throws {ConfigError} for a promise, a list, a `Checkout`, a `ResolvedOutcome` or a function: "not a success" would
 *   be wrong.
 * @see The API document, "States and transitions".
 * @example
 * import { isSuccess } from 'edgetill'
 * import type { WebhookEvent } from 'edgetill/webhooks'
 * const isPaid = (event: WebhookEvent): boolean => event.kind === 'purchase' && isSuccess(event)
 */
export const isSuccess = (of: HasStatus): boolean => statusOf(of, 'isSuccess') === 'success'

/**
 * Whether a status will not change any more: `success` and `failure`. False for every other one, unknown ones included.
 * (That these two are final is known from other public material: the API document shows no complete set.)
 * @throws {ConfigError} as {@link isSuccess}.
 * @see The API document, "States and transitions".
 * @example
 * import { isFinal } from 'edgetill'
 * isFinal('pending') // false
 */
export const isFinal = (of: HasStatus): boolean => {
  const status = statusOf(of, 'isFinal')
  return status === 'success' || status === 'failure'
}

/**
 * The address that the customer must be sent to now, for example for 3-D Secure; undefined when the customer has
 * nothing to do.
 * @see The API document, "States and transitions".
 * @example
 * import { customerActionUrl, type Payment } from 'edgetill'
 * const next = (payment: Payment): string => customerActionUrl(payment) ?? 'https://shop.example.com/thanks'
 */
export function customerActionUrl(payment: {
  readonly user_action_required?: boolean | null | undefined
  readonly user_action_url?: string | null | undefined
}): string | undefined {
  return payment?.user_action_required ? (payment.user_action_url ?? undefined) : undefined
}

/** The meaning of a status code. */
export interface StatusCodeMeaning {
  /** Which status it goes with. Decide by `status`, never by the code: lists differ between revisions. */
  group: 'success' | 'pending' | 'failure'
  /** In a few words. */
  meaning: string
}

// The API document shows 1000, 2122 and 6007; the others are from other public material. Codes that mean the same share
// a line.
const CATALOGUE = `s1000=transaction successful
s1002=amount reserved
s1004=refund successful
s1009=void successful
p2000=accepted
p2001=pending
p2119=processing
p2201=being clarified
p2012=on an anti-fraud check
p2102=one-time password required
p2112=verification by QR code
p2122=3-D Secure verification required
p2123=waiting for a redirect to the checkout page
p2124=waiting to continue
p2125=waiting for a further action
p2126=waiting for clearing
p9000=unknown error, contact support
f4000=invalid data
f4139=invalid amount
f4144=invalid card data
f4151=invalid input fields
f4001=card expired
f4005=internal error
f4160=could not create the transaction
f4009=insufficient funds
f4161=balance limit
f4010=transaction limit exceeded
f4012=amount limit exceeded
f6001=customer limit exceeded
f4119=this order_id already exists
f4124=invalid currency
f4128=no exchange rate
f4147=3-D Secure timeout
f4148=timeout
f4149=session expired
f4150=invalid operation
f4152=invalid configuration
f4153=rejected
f4154=rejected by anti-fraud
f4155=on a blacklist
f4156=card not supported
f4157=authorization failed
f4158=rejected by the issuer
f4159=wrong one-time password
f6007=payment has been cancelled`

const GROUPS = { s: 'success', p: 'pending', f: 'failure' } as const

/**
 * Explains a `status_code`; undefined for a code outside the catalogue, which is open: a hint for people, never a
 * reason to reject a record.
 * @see The API document, "Errors", 2 and 5; codes beyond 1000, 2122 and 6007 are an assumption.
 * @example
 * import { describeStatusCode } from 'edgetill'
 * describeStatusCode('4009')?.meaning // insufficient funds
 */
export function describeStatusCode(code: string | null | undefined): StatusCodeMeaning | undefined {
  if (typeof code !== 'string' || !/^\d{4}$/.test(code)) return undefined
  const match = new RegExp(`^([spf])${code}=(.*)$`, 'm').exec(CATALOGUE)
  return match ? { group: GROUPS[match[1] as 's' | 'p' | 'f'], meaning: match[2] ?? '' } : undefined
}
