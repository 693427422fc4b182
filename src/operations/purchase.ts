import type { ResolvedConfig } from '../config.ts'
import type { Issue } from '../errors.ts'
import { warn } from '../hooks.ts'
import { unknownOutcome } from '../http/failure.ts'
import { readRecord } from '../http/read-record.ts'
import type { Answer, CallOptions, WireRequest } from '../http/types.ts'
import { hundredths } from '../lib/decimal.ts'
import { countCharacters, isObject } from '../lib/kind.ts'
import { CAPTURE_ORDER_ID_LENGTH } from '../lib/limits.ts'
import type { Schema } from '../schemas/fields.ts'
import { checkInput, issueAt, rejectInput } from '../schemas/input.ts'
import { type Payment, paymentSchema } from '../schemas/payment.ts'
import {
  cardIssues,
  type DirectPurchaseFields,
  type HostedPurchaseFields,
  missingCustomerFields,
} from '../schemas/purchase.ts'
import type { Split } from '../schemas/split.ts'

/** A checkout page that the customer is to be sent to. Nothing is paid yet: the webhooks tell. */
export interface Checkout {
  /** Absolute address of the checkout form. Redirect the customer there, with 303. */
  url: string
  /** The service's identifier of the checkout, when the address has the documented form. */
  checkout_id: string | undefined
}

type PurchaseInput = (HostedPurchaseFields | DirectPurchaseFields) & { method: string }

/**
 * Checks the input of a purchase and builds its request: pure but for the clock, which tells whether a card has expired.
 * @param more Rules across several fields.
 */
export function purchaseRequest<Input extends PurchaseInput>(
  config: ResolvedConfig,
  operation: string,
  path: string,
  received: Input,
  schema: Schema<Input>,
  more: (input: Input) => Issue[],
  { passThrough }: CallOptions,
): { input: Input; request: WireRequest } {
  const input = checkInput(operation, schema, received, (checked) => [
    ...(checked.mode === 'direct' ? cardIssues(checked, Date.now()) : []),
    ...(config.customerFields === 'required' ? missingCustomerFields(checked).map(requiredIssue) : []),
    ...more(checked),
  ])
  const { mode, order_id, amount, currency, method, server_url } = input
  for (const path of missingCustomerFields(input)) {
    const message = `${path} is missing: the API document's table requires it, and its own examples omit it.`
    warn(config, { operation, code: 'missing_customer_field', path, message })
  }
  const length = countCharacters(order_id)
  if (length > CAPTURE_ORDER_ID_LENGTH) {
    const message = `order_id has ${length} characters, and the service's later operations on an order take at most ${CAPTURE_ORDER_ID_LENGTH}.`
    warn(config, { operation, code: 'order_id_not_capturable', path: 'order_id', message })
  }
  warnAboutPort(config, operation, 'server_url', server_url)
  const body: Record<string, unknown> = { pos_id: config.posId, ...input }
  if (typeof body.exp_year === 'number') body.exp_year %= 100
  const request: WireRequest = {
    operation,
    method: 'POST',
    base: 'baseUrl',
    path,
    body: jsonBody(operation, body, passThrough),
    authentication: 'hmac',
    endpointsKeyHeader: 'X-API-KEY',
    redirectExpected: mode === 'hosted',
    subject: { order_id, amount, currency },
    howToFindOut:
      `Ask before trying again: resendWebhook({ order_id, operation: '${method}' }) tells the state of order ${JSON.stringify(order_id)}. ` +
      'If the service does not know it, send the same order_id again: order ids are unique, so that it cannot be paid twice.',
  }
  return { input, request }
}

const requiredIssue = (path: string): Issue => issueAt(path, 'is required', undefined)

/** The JSON text of a body, made once: what is signed is what is sent. */
export function jsonBody(
  operation: string,
  body: Record<string, unknown>,
  passThrough: Record<string, unknown> | undefined,
): string {
  if (passThrough !== undefined && !isPlainObject(passThrough)) {
    rejectInput(operation, 'passThrough', 'must be a plain object of extra fields', passThrough)
  }
  for (const name of Object.keys(passThrough ?? {})) {
    if (!Object.hasOwn(body, name)) continue
    rejectInput(operation, `passThrough.${name}`, 'must not be a field that the call itself sends', body[name])
  }
  try {
    return JSON.stringify({ ...body, ...passThrough })
  } catch {
    return rejectInput(operation, '', 'must be JSON: no BigInt, nothing that contains itself', body)
  }
}

// A toJSON would replace the whole body.
function isPlainObject(value: unknown): boolean {
  return isObject(value) && typeof value.toJSON !== 'function'
}

/** Warns about a webhook destination on a port that the service only calls by agreement. */
export function warnAboutPort(
  config: ResolvedConfig,
  operation: string,
  path: string,
  address: string | undefined,
): void {
  if (address === undefined) return
  const { protocol, port } = new URL(address)
  const used = port || (protocol === 'https:' ? '443' : '80')
  if (/^8?443$/.test(used)) return
  warn(config, {
    operation,
    code: 'unusual_webhook_port',
    path,
    message: `${path} is on port ${used}: the service calls 443 and 8443 only, unless its support agreed to another.`,
  })
}

/** Warns about split amounts that do not add up to the amount, where one is sent. */
export function warnAboutSplitSum(
  config: ResolvedConfig,
  operation: string,
  split: readonly Split[],
  field: string,
  amount: number | undefined,
): void {
  if (amount === undefined) return
  const sum = split.reduce((total, entry) => total + hundredths(entry.amount), 0)
  if (sum === hundredths(amount)) return
  warn(config, {
    operation,
    code: 'split_sum',
    path: 'split',
    message: `The split amounts add up to ${sum / 100}, and ${field} is ${amount}: the API document does not say whether they may differ.`,
  })
}

/** Reads the checkout address of a redirect. */
export function readCheckout(location: string): Checkout {
  return { url: location, checkout_id: /\/checkout\/([^/?#]+)\/form$/.exec(new URL(location).pathname)?.[1] }
}

/** Reads a payment record. The payment exists: a record of another shape is handed over in the error. */
export function readPayment(request: WireRequest, answer: Answer): Payment {
  return readRecord(paymentSchema, request, answer)
}

/** Reads the answer to a hosted purchase, which can only be a redirect. */
export function readHosted(request: WireRequest, answer: Answer): Checkout {
  if (answer.location !== undefined) return readCheckout(answer.location)
  const what = `was answered with ${answer.status} and a body instead of the documented redirect`
  throw unknownOutcome({ request, ...answer }, 'unreadable_answer', what, answer.status)
}
