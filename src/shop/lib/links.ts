import { REUSE_LENGTH } from '../../checkout-link/link.ts'
import { isMarkOf, markOf, seal, unseal } from '../../checkout-link/seal.ts'
import { encodeBase64url } from '../../lib/base64url.ts'
import type { ExpectedPayment } from '../../orders/index.ts'
import type { ShopEnv } from '../env.ts'
import { equalSecret } from './crypto.ts'

/** The request that created a payment. */
export interface ExpectedOrder extends ExpectedPayment {
  /** The shop's own name of the sale. */
  reference?: string
}

const RESULT = 'result link'
const EXPECTED = 'expected payment'
const SHORT = 'short address'

/**
 * The address of an order's result page. `t` proves that the worker made it: an order cannot be read by guessing its
 * id.
 */
export async function resultLink(origin: string, order_id: string, linkSecret: string): Promise<string> {
  return `${origin}${resultPath(order_id)}?t=${await markOf(linkSecret, RESULT, order_id)}`
}

/**
 * An order's part of an address. `..` would be a step up, so its first attempt, `..~1`, stands for it. Half of a
 * surrogate pair has no encoding, and is replaced too.
 */
export const orderPart = (order_id: string): string =>
  encodeURIComponent(order_id.replace(/^\.\.?$/, '$&~1').replace(/\p{Surrogate}/gu, '\ufffd'))

export const resultPath = (order_id: string): string => `/return/${encodeURIComponent(order_id)}`

/** Letters that a person can read out. */
const LETTERS = 'ABCDEFGHJKMNPQRSTVWXYZ23456789'

export const randomId = (length: number): string =>
  [...crypto.getRandomValues(new Uint8Array(length))].map((byte) => LETTERS[byte % LETTERS.length]).join('')

/** Whether a reusable link may have made the order. */
export const isReuseId = (order_id: string): boolean => new RegExp(`-[${LETTERS}]{${REUSE_LENGTH}}$`).test(order_id)

/** The order_id of the reusable link that has made an order; any other order's own. */
export const linkOfReuse = (order_id: string): string =>
  isReuseId(order_id) ? order_id.slice(0, -REUSE_LENGTH - 1) : order_id

const SHORT_BYTES = 9
const shortMark = async (name: string, secret: string): Promise<string> =>
  (await markOf(secret, SHORT, name)).slice(0, 4)

/** The name of a short address: 12 random characters, and 4 that prove to the Worker that it made the name. */
export async function newShort(linkSecret: string): Promise<string> {
  const name = encodeBase64url(crypto.getRandomValues(new Uint8Array(SHORT_BYTES)), false)
  return name + (await shortMark(name, linkSecret))
}

/** Whether {@link newShort} made it; a guess causes no look-up. */
export async function isShort(short: string, secrets: readonly string[]): Promise<boolean> {
  const [, name, mark = ''] = /^([\w-]{12})([\w-]{4})$/.exec(short) ?? []
  if (name === undefined) return false
  for (const secret of secrets) if (equalSecret(mark, await shortMark(name, secret))) return true
  return false
}

/** Whether `t` belongs to this order. */
export const isResultLink = (order_id: string, t: string, secrets: readonly string[]): Promise<boolean> =>
  isMarkOf(secrets, RESULT, order_id, t)

/**
 * The address that receives a payment's webhooks. It carries the requested payment, sealed and bound to the attempt's
 * order_id, so that no webhook depends on the state of KV at that moment.
 */
export async function webhookAddress(
  origin: string,
  order_id: string,
  { amount, currency, recurring_amount, reference }: ExpectedOrder,
  linkSecret: string,
): Promise<string> {
  const expected = { amount, currency, recurring_amount, reference }
  return `${origin}/webhooks?expected=${await seal(linkSecret, EXPECTED, expected, order_id)}`
}

/** The worker's origin; '' if unknown. */
export const originOf = (env: Pick<ShopEnv, 'PUBLIC_ORIGIN'>, checkout: { origin?: string } | undefined): string =>
  env.PUBLIC_ORIGIN || (checkout?.origin ?? '')

/** The contents of a webhook's address; undefined when it is empty, belongs to another order, or cannot be opened. */
export const unsealExpected = (sealed: string, order_id: string | undefined, secrets: readonly string[]) =>
  unseal(secrets, EXPECTED, sealed, order_id).catch(() => undefined) as Promise<ExpectedOrder | undefined>
