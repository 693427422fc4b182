// POST {base_url}/api/v1/payment (API document, "Create payment, including two-step" and "Recurring payments")

import type { ClientConfig, ResolvedConfig } from '../config.ts'
import type { Issue } from '../errors.ts'
import { call } from '../http/send.ts'
import type { CallOptions, ParsedResponse, WireRequest } from '../http/types.ts'
import { type InitRecurring, initRecurringSchema, recurringIssues } from '../schemas/init-recurring.ts'
import { issueAt, oneOf, url } from '../schemas/input.ts'
import type { Payment } from '../schemas/payment.ts'
import { type DirectPurchaseFields, type HostedPurchaseFields, purchaseSchemas } from '../schemas/purchase.ts'
import { optional } from '../schemas/schema.ts'
import {
  buildPurchase,
  type Checkout,
  checkPurchase,
  readCheckout,
  readHosted,
  readPayment,
  warnAboutPort,
  warnAboutPurchase,
} from './purchase.ts'

/** A hosted one-step payment: the customer pays on the service's page. */
export interface HostedPurchaseInput extends HostedPurchaseFields {
  /** One-step: the money is charged at once. */
  method: 'purchase'
  /** The page that the customer came from. */
  customer_referrer?: string | undefined
  /** Attaches a subscription to this purchase. */
  init_recurring?: InitRecurring | undefined
}

/** A hosted authorization hold, to be captured later. */
export interface HostedAuthInput extends HostedPurchaseFields {
  /** Two-step: the money is reserved, and captured later. */
  method: 'auth'
  /** The page that the customer came from. */
  customer_referrer?: string | undefined
  /** A subscription is attached to a purchase only. */
  init_recurring?: undefined
}

/** A direct one-step payment, with card data or a token. */
export interface DirectPurchaseInput extends DirectPurchaseFields {
  /** One-step: the money is charged at once. */
  method: 'purchase'
  /** Attaches a subscription to this purchase. */
  init_recurring?: InitRecurring | undefined
}

/** A direct authorization hold, to be captured later. */
export interface DirectAuthInput extends DirectPurchaseFields {
  /** Two-step: the money is reserved, and captured later. */
  method: 'auth'
  /** A subscription is attached to a purchase only. */
  init_recurring?: undefined
}

/** The input of `createPayment`; `mode` and `method` choose the form. */
export type CreatePaymentInput = HostedPurchaseInput | HostedAuthInput | DirectPurchaseInput | DirectAuthInput

const inputSchema = /* @__PURE__ */ purchaseSchemas<CreatePaymentInput>(() => ({
  method: oneOf('purchase', 'auth'),
  customer_referrer: optional(url()),
  init_recurring: optional(initRecurringSchema()),
}))

function inputIssues({ method, init_recurring }: CreatePaymentInput): Issue[] {
  if (!init_recurring) return []
  if ((method as string) === 'purchase') return recurringIssues(init_recurring)
  return [issueAt('init_recurring', 'left out with method "auth": it belongs to a purchase', init_recurring)]
}

const OPERATION = 'createPayment'

function checkRequest(config: ResolvedConfig, received: CreatePaymentInput): CreatePaymentInput {
  const input = checkPurchase(config, OPERATION, received, inputSchema, inputIssues)
  warnAboutPurchase(config, OPERATION, input)
  warnAboutPort(config, OPERATION, 'init_recurring.notification_url', input.init_recurring?.notification_url)
  return input
}

function readResponse({ mode, method }: CreatePaymentInput, response: ParsedResponse): Checkout | Payment {
  if (mode === 'direct') return readPayment(response)
  if (method === 'purchase') return readHosted(response)
  // The response to a hosted auth is not shown: a redirect gives a Checkout, a record gives a Payment.
  return response.location === undefined ? readPayment(response) : readCheckout(response)
}

/**
 * Creates a payment: one-step (`purchase`) or two-step (`auth`), hosted or direct, with a subscription if
 * `init_recurring` is given. `POST {base_url}/api/v1/payment`.
 *
 * A hosted purchase returns a {@link Checkout} to redirect the customer to; a direct payment returns a {@link Payment},
 * whose `user_action_url` is where the customer goes when 3-D Secure asks for them. The response to a hosted `auth` is not
 * shown in the API document: it is either, and {@link isCheckout} says which. A declined payment is a value with
 * `status: 'failure'`, not an exception.
 *
 * Amounts are in the currency's unit with at most 2 decimals. `order_id` is the only idempotency key: a second payment
 * with the same one is rejected by the service.
 *
 * @param config The configuration, as for `createClient`.
 * @param input The documented parameters under their wire names.
 * @param options `signal`, `timeoutMs`, `deadlineMs`, `maxRetries`, and `passThrough` for fields that the API document does not show.
 * @throws {InvalidInputError} before anything is sent, naming each field that breaks a rule.
 * @throws {ConfigError} when the configuration is invalid.
 * @throws {ConnectionError} when the request provably never left: calling again is safe.
 * @throws {OutcomeUnknownError} when it may have been processed and no response confirms it: ask with `resendWebhook` first.
 * @throws {ApiError} when the service rejects it (4xx); `apiCode` `P-409` means that the order_id was already used.
 * @see The API document, "Create payment, including two-step (`auth`)" and "Recurring payments".
 * @example
 * import { createPayment, type ClientConfig } from 'edgetill'
 * async function payLink(config: ClientConfig): Promise<string> {
 *   const checkout = await createPayment(config, {
 *     mode: 'hosted', method: 'purchase', amount: 100.5, currency: 'UAH', description: 'Two mugs', order_id: 'A-1',
 *     order_3ds_bypass: 'supported', customer_patronym: 'Ivanivna', customer_email: 'olena@example.com',
 *     customer_phone: '+380441234567', result_url: 'https://shop.example.com/thanks',
 *   })
 *   return checkout.url
 * }
 */
export function createPayment(
  config: ClientConfig,
  input: HostedPurchaseInput,
  options?: CallOptions,
): Promise<Checkout>
export function createPayment(
  config: ClientConfig,
  input: DirectPurchaseInput | DirectAuthInput,
  options?: CallOptions,
): Promise<Payment>
export function createPayment(
  config: ClientConfig,
  input: CreatePaymentInput,
  options?: CallOptions,
): Promise<Checkout | Payment>
export async function createPayment(
  config: ClientConfig,
  input: CreatePaymentInput,
  options: CallOptions = {},
): Promise<Checkout | Payment> {
  // The checked copy: the caller's object may change while the response is waited for.
  let checked: CreatePaymentInput
  const build = (resolved: ResolvedConfig): WireRequest => {
    checked = checkRequest(resolved, input)
    return buildPurchase(resolved, OPERATION, '/api/v1/payment', checked, options)
  }
  return call(config, OPERATION, options, build, (response) => readResponse(checked, response))
}
