import type { ResolvedConfig } from '../config.ts'
import type { Issue } from '../errors.ts'
import { warn } from '../hooks.ts'
import { jsonBody, recordOf } from '../http/body.ts'
import { compareWithRequest } from '../http/compare.ts'
import { invalidResponse } from '../http/errors.ts'
import type { CallOptions, ParsedResponse, WireRequest } from '../http/types.ts'
import { countCharacters, isObject } from '../lib/kind.ts'
import { CAPTURE_ORDER_ID_LENGTH } from '../lib/limits.ts'
import type { Schema } from '../schemas/fields.ts'
import { checkInput, issueAt } from '../schemas/input.ts'
import { type Payment, paymentSchema } from '../schemas/payment.ts'
import {
  cardIssues,
  type DirectPurchaseFields,
  type HostedPurchaseFields,
  missingCustomerFields,
} from '../schemas/purchase.ts'
import { warnAboutPort } from './warnings.ts'

/** A checkout page to send the customer to. Nothing is paid yet: the webhooks report the payment. */
export interface Checkout {
  /** Absolute address of the checkout form. Redirect the customer there, with 303. */
  url: string
  /** The service's identifier of the checkout, when the address has the documented form. */
  checkout_id: string | undefined
}

/**
 * The result of a created payment, by mode and method. The API document does not show the response to a hosted
 * `auth`: it is either.
 */
export type PaymentResult<Mode extends 'hosted' | 'direct', Method extends 'purchase' | 'auth'> = Mode extends 'direct'
  ? Payment
  : Method extends 'purchase'
    ? Checkout
    : Checkout | Payment

/**
 * Whether the result of `createPayment` is a checkout to send the customer to, rather than a payment.
 * @example
 * import { type Checkout, isCheckout, type Payment } from 'edgetill'
 * const next = (result: Checkout | Payment) => (isCheckout(result) ? result.url : result.user_action_url)
 */
export function isCheckout(result: Checkout | Payment): result is Checkout {
  // Every payment has a payment_id; it may also have an undocumented `url`.
  return isObject(result) && 'url' in result && !('payment_id' in result)
}

type PurchaseInput = (HostedPurchaseFields | DirectPurchaseFields) & { method: string }

/**
 * Checks the input of a purchase. The clock decides whether a card has expired.
 * @param more Rules across several fields.
 */
export function checkPurchase<Input extends PurchaseInput>(
  config: ResolvedConfig,
  operation: string,
  received: Input,
  schema: Schema<Input>,
  more: (input: Input) => Issue[] = () => [],
): Input {
  return checkInput(operation, schema, received, (checked) => [
    ...(checked.mode === 'direct' ? cardIssues(checked, Date.now()) : []),
    ...(config.customerFields === 'required' ? missingCustomerFields(checked).map(requiredIssue) : []),
    ...more(checked),
  ])
}

const requiredIssue = (path: string): Issue => issueAt(path, 'is required', undefined)

/** Passes legal but probably mistaken fields of a purchase to `onWarning`. */
export function warnAboutPurchase(config: ResolvedConfig, operation: string, input: PurchaseInput): void {
  const { order_id, server_url } = input
  const path = missingCustomerFields(input).join(', ')
  if (path !== '') {
    const message = `Missing, and required by the API document's table: ${path}.`
    warn(config, { operation, code: 'missing_customer_field', path, message })
  }
  const length = countCharacters(order_id)
  if (length > CAPTURE_ORDER_ID_LENGTH) {
    const message = `order_id has ${length} characters: a capture or refund takes at most ${CAPTURE_ORDER_ID_LENGTH}.`
    warn(config, { operation, code: 'order_id_not_capturable', path: 'order_id', message })
  }
  warnAboutPort(config, operation, 'server_url', server_url)
}

/** Builds the request of a purchase from its checked input. */
export function buildPurchase(
  config: ResolvedConfig,
  operation: string,
  path: string,
  input: PurchaseInput,
  { passThrough }: CallOptions,
): WireRequest {
  const { mode, method, order_id, pos_id, amount, currency } = input
  const body: Record<string, unknown> = { pos_id: config.posId, ...input }
  if (typeof body.exp_year === 'number') body.exp_year %= 100
  return {
    operation,
    method: 'POST',
    base: 'baseUrl',
    path,
    body: jsonBody(operation, body, passThrough),
    authentication: 'hmac',
    endpointsKeyHeader: 'X-API-KEY',
    redirectExpected: mode === 'hosted',
    subject: { order_id, pos_id, amount, currency },
    methods: [method],
    howToFindOut:
      'Ask before you try again: resolveOutcome(client, error), or ' +
      `resendWebhook({ order_id, operation: '${method}' }), returns the state of order ${JSON.stringify(order_id)}. ` +
      'If the service does not know it, send the same order_id again: it cannot be paid twice.',
  }
}

/** Reads a payment record. */
export function readPayment(response: ParsedResponse): Payment {
  return compareWithRequest(response, recordOf<Payment>(response, paymentSchema))
}

/** Reads the response to a hosted purchase, which can only be a redirect. */
export function readHosted(response: ParsedResponse): Checkout {
  if (response.location !== undefined) return readCheckout(response)
  const what = ' and a body instead of the documented redirect'
  throw invalidResponse(response.attempt, { reason: 'unreadable_response', what, body: response.json })
}

const CHECKOUT_PATH = /^(.*)\/api\/v1\/checkout\/([^/]+)\/form$/

/**
 * Reads the address of a checkout from a redirect. A redirect to another party or to an endpoint of the API created
 * no checkout, and must not be shown to a customer. Another page of the service may be one: the call succeeds with a
 * warning.
 */
export function readCheckout({ attempt, location = '' }: ParsedResponse): Checkout {
  const { config, request, head } = attempt
  const { status } = head
  const base = new URL(config.baseUrl)
  const { href, protocol, origin, pathname } = new URL(location)
  const [, below, id] = CHECKOUT_PATH.exec(pathname) ?? []
  const checkout_id = below === '' || base.origin + below === config.baseUrl ? id : undefined
  const isSecure = protocol === 'https:' || base.protocol === 'http:'
  const isDocumented = checkout_id !== undefined && (status === 303 || status === 302)
  const isTrusted = status === 303 && (origin === base.origin || config.checkoutOrigins.includes(origin))
  const isEndpoint = `${origin}${pathname}`.startsWith(`${config.baseUrl}/api/v1/`) && checkout_id === undefined
  if (!isSecure || isEndpoint || !(isDocumented || isTrusted)) {
    const what = ', a redirect that is not to a checkout page'
    throw invalidResponse(attempt, { reason: 'unexpected_redirect', what, location })
  }
  if (checkout_id === undefined && origin === base.origin) {
    warn(config, {
      operation: request.operation,
      code: 'unusual_checkout_address',
      path: 'location',
      message:
        'The checkout address does not have the documented path: if it is right, name its origin in checkoutOrigins.',
    })
  }
  return { url: href, checkout_id }
}
