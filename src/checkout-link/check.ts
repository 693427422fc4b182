import type { ClientConfig } from '../config.ts'
import { ConfigError, InvalidInputError, type Issue, isInvalidInputError } from '../errors.ts'
import {
  type CreatePaymentInput,
  createPayment,
  type HostedAuthInput,
  type HostedPurchaseInput,
} from '../operations/create-payment.ts'
import {
  type CreateSplitPurchaseInput,
  createSplitPurchase,
  type HostedSplitPurchaseInput,
} from '../operations/create-split-purchase.ts'
import { issueAt } from '../schemas/input.ts'

/**
 * The order that a customer is to pay: the input of a hosted `createPayment` or `createSplitPurchase`, without
 * `pos_id`.
 */
export type CheckoutOrder =
  | Omit<HostedPurchaseInput, 'pos_id'>
  | Omit<HostedAuthInput, 'pos_id'>
  | Omit<HostedSplitPurchaseInput, 'pos_id'>

/**
 * Each new attempt at an order adds `~2` to `~99`; a capture and a refund take an order_id of at most 32 characters.
 */
const ATTEMPT_SUFFIX = 3
const ID_LENGTH = { operable: 32 - ATTEMPT_SUFFIX, longest: 256 - ATTEMPT_SUFFIX }
const REFERENCE_LENGTH = 128
const EMAIL_LENGTH = 254

/**
 * @param more How many characters are added to the order_id.
 * @throws {InvalidInputError} when the order cannot be paid by a link; the text says which field, and what to do.
 */
export async function checkOrder(order: CheckoutOrder, longOrderId = false, more = 0): Promise<void> {
  if (order?.mode !== 'hosted') {
    rejectOrder('mode', order, 'a link needs mode "hosted": the customer pays on the service’s page')
  }
  const { order_id, method } = order
  if (typeof order_id !== 'string' || order_id === '' || order_id === '.' || order_id === '..') {
    rejectOrder('order_id', order, 'must be a non-empty string other than "." and ".."')
  }
  try {
    encodeURIComponent(order_id)
  } catch {
    rejectOrder('order_id', order, 'contains half of a surrogate pair')
  }
  // The worker itself names the second attempt at paying "A-1" "A-1~2".
  if (/~\d+$/.test(order_id)) {
    rejectOrder('order_id', order, 'must not end in "~" and a number: the worker names further attempts that way')
  }
  const mayBeLong = longOrderId && method !== 'auth'
  const limit = (mayBeLong ? ID_LENGTH.longest : ID_LENGTH.operable) - more
  if ([...order_id].length > limit) {
    const cannot = method === 'auth' ? 'captured' : 'refunded; pass longOrderId: true if that is meant'
    rejectOrder(
      'order_id',
      order,
      `must have at most ${limit} characters: the worker adds up to ${ATTEMPT_SUFFIX + more} for another attempt` +
        (mayBeLong ? '' : `, and a longer one could not be ${cannot}`),
    )
  }
  await checkAsTheSdkDoes(order)
}

/** @throws {ConfigError} for a reference that cannot be searched for. */
export function checkReference(reference: unknown): void {
  const isText = typeof reference === 'string' && reference !== '' && reference.length <= REFERENCE_LENGTH
  if (!isText || hasControls(reference)) {
    throw new ConfigError(
      'reference',
      `reference must be a text of 1 to ${REFERENCE_LENGTH} characters without line breaks, ` +
        'such as your own order number.',
    )
  }
}

/** @throws {ConfigError} for anything but `true` or `false`. */
export function checkFlag(field: string, value: unknown): void {
  if (value === undefined || typeof value === 'boolean') return
  throw new ConfigError(field, `${field} must be true or false.`)
}

/** @throws {ConfigError} for anything but an e-mail address. */
export function checkEmail(email: unknown): void {
  if (typeof email === 'string' && email.length <= EMAIL_LENGTH && /^[^\s@]+@[^\s@]+$/.test(email)) return
  throw new ConfigError('customerEmail', `customer e-mail must be one address of at most ${EMAIL_LENGTH} characters.`)
}

function rejectOrder(path: string, order: unknown, message: string): never {
  const value = (order as Record<string, unknown> | null | undefined)?.[path]
  reject([issueAt(path, message, value)])
}

const CALL = 'createCheckoutLink'
const CALLS = /create(Payment|SplitPurchase)/

function reject(issues: Issue[]): never {
  throw new InvalidInputError(CALL, issues)
}

const hasControls = (text: string): boolean => [...text].some((letter) => letter < ' ' || letter === '\u007f')

/** Runs the SDK's own check. Nothing is sent: this `fetch` fails for every request that passes the check. */
async function checkAsTheSdkDoes(order: CheckoutOrder): Promise<void> {
  const config: ClientConfig = {
    baseUrl: 'https://service.invalid',
    posId: '00000000-0000-4000-8000-000000000000',
    apiKey: 'none',
    apiSecret: 'none',
    endpointsKey: 'none',
    scheme: 'none',
    fetch: () => Promise.reject(),
    onWarning: () => {},
  }
  try {
    if ('split' in order) await createSplitPurchase(config, order as CreateSplitPurchaseInput)
    else await createPayment(config, order as CreatePaymentInput)
  } catch (error) {
    // Named after the function that was called, not after the call that the worker will make.
    if (isInvalidInputError(error))
      reject(error.issues.map((one) => ({ ...one, message: one.message.replace(CALLS, CALL) })))
  }
}
