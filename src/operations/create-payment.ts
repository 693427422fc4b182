// POST {base_url}/api/v1/payment (API document, "Create payment, including two-step" and "Recurring payments")

import * as v from 'valibot'
import type { ClientConfig, ResolvedConfig } from '../config.ts'
import type { Issue } from '../errors.ts'
import { call, send } from '../http/send.ts'
import type { CallOptions, ParsedResponse } from '../http/types.ts'
import { countCharacters } from '../lib/kind.ts'
import { CAPTURE_ORDER_ID_LENGTH } from '../lib/limits.ts'
import { anInput, fieldsOf, inputObject, objectMessage, pure, type Schema } from '../schemas/fields.ts'
import { issueAt, oneOf, url } from '../schemas/input.ts'
import type { Payment } from '../schemas/payment.ts'
import {
  type CardOrToken,
  type DirectPurchaseFields,
  directFields,
  type HostedPurchaseFields,
  hostedFields,
} from '../schemas/purchase.ts'
import { type InitRecurring, initRecurringSchema, recurringIssues } from '../schemas/recurring.ts'
import {
  buildPurchase,
  type Checkout,
  checkPurchase,
  type PaymentResult,
  readCheckout,
  readHosted,
  readPayment,
  warnAboutPurchase,
} from './purchase.ts'
import { warnAboutPort } from './warnings.ts'

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
export type DirectPurchaseInput = DirectPurchaseForm & CardOrToken

/** The fields of a {@link DirectPurchaseInput} but those of its card or token. */
export interface DirectPurchaseForm extends DirectPurchaseFields {
  /** One-step: the money is charged at once. */
  method: 'purchase'
  /** Attaches a subscription to this purchase. */
  init_recurring?: InitRecurring | undefined
}

/** A direct authorization hold, to be captured later. */
export type DirectAuthInput = DirectAuthForm & CardOrToken

/** The fields of a {@link DirectAuthInput} but those of its card or token. */
export interface DirectAuthForm extends DirectPurchaseFields {
  /** Two-step: the money is reserved, and captured later. */
  method: 'auth'
  /** A subscription is attached to a purchase only. */
  init_recurring?: undefined
}

/** The input of `createPayment`; `mode` and `method` choose the form. */
export type CreatePaymentInput = HostedPurchaseInput | HostedAuthInput | DirectPurchaseInput | DirectAuthInput

/**
 * The one form of {@link CreatePaymentInput} that a mode and a method choose, so that a mistake is reported only for
 * that form.
 */
export type PaymentForm<Mode extends 'hosted' | 'direct', Method extends 'purchase' | 'auth'> = {
  mode: Mode
  method: Method
} & Extract<CreatePaymentInput, { mode: Mode; method: Method }>

const inputSchema: Schema<CreatePaymentInput> = /* @__PURE__ */ pure(() => {
  const purchase = { method: oneOf(['purchase']) }
  const init_recurring = v.optional(initRecurringSchema)
  const recurringAuth = 'must be left out with method "auth"'
  const auth = { method: oneOf(['auth']) }
  const noRecurring = { init_recurring: v.optional(v.custom<undefined>(() => false, recurringAuth)) }
  const referrer = { customer_referrer: v.optional(url) }
  const forms = {
    hosted: {
      purchase: inputObject(
        fieldsOf<HostedPurchaseInput>()({ ...hostedFields, ...purchase, ...referrer, init_recurring }),
      ),
      auth: inputObject(fieldsOf<HostedAuthInput>()({ ...hostedFields, ...auth, ...referrer, ...noRecurring })),
    },
    direct: {
      purchase: inputObject(fieldsOf<DirectPurchaseForm>()({ ...directFields, ...purchase, init_recurring })),
      auth: inputObject(fieldsOf<DirectAuthForm>()({ ...directFields, ...auth, ...noRecurring })),
    },
  }
  return v.lazy((given): Schema<CreatePaymentInput> => {
    const form = v.safeParse(formSchema, given)
    return form.success ? forms[form.output.mode][form.output.method] : (formSchema as unknown as Schema<never>)
  })
})

/** The fields that choose the table of parameters. */
const formSchema = /* @__PURE__ */ pure(() => {
  const entries = { mode: oneOf(['hosted', 'direct']), method: oneOf(['purchase', 'auth']) }
  return v.pipe(anInput, v.looseObject(entries, objectMessage))
})

function inputIssues({ method, order_id, init_recurring }: CreatePaymentInput): Issue[] {
  const issues = init_recurring ? recurringIssues(init_recurring) : []
  if (method === 'auth' && countCharacters(order_id) > CAPTURE_ORDER_ID_LENGTH) {
    const message = `must have at most ${CAPTURE_ORDER_ID_LENGTH} characters with method "auth", to be captured`
    issues.push(issueAt('order_id', message, order_id))
  }
  return issues
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

async function run(
  config: ResolvedConfig,
  received: CreatePaymentInput,
  options: CallOptions,
): Promise<Checkout | Payment> {
  const input = checkRequest(config, received)
  const request = buildPurchase(config, OPERATION, '/api/v1/payment', input, options)
  return readResponse(input, await send(config, request, options))
}

/**
 * Creates a payment: one-step (`purchase`) or two-step (`auth`), hosted or direct, with a subscription if
 * `init_recurring` is given. `POST {base_url}/api/v1/payment`.
 *
 * A hosted purchase returns a {@link Checkout} to redirect the customer to; a direct payment returns a
 * {@link Payment}, whose `user_action_url` is the address for the customer when 3-D Secure is required. The response
 * to a hosted `auth` is not shown in the API document: use {@link isCheckout} to find out which of the two it is. A
 * declined payment is a value with `status: 'failure'`, not an exception.
 *
 * Amounts are in the currency's unit with at most 2 decimals. `order_id` is the only idempotency key: the service
 * rejects a second payment with the same `order_id`.
 *
 * @param config The configuration, as for `createClient`.
 * @param input The documented parameters under their wire names.
 * @param options `signal`, `timeoutMs`, `deadlineMs`, `maxRetries`, and `passThrough` for fields that the API
 *   document does not show.
 * @throws {InvalidInputError} before anything is sent, naming each field that breaks a rule.
 * @throws {ConfigError} when the configuration is invalid.
 * @throws {ConnectionError} when the request provably never left: calling again is safe.
 * @throws {OutcomeUnknownError} when it may have been processed, but no response confirmed it: call `resolveOutcome`.
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
export async function createPayment<Mode extends 'hosted' | 'direct', Method extends 'purchase' | 'auth'>(
  config: ClientConfig,
  input: PaymentForm<Mode, Method>,
  options: CallOptions = {},
): Promise<PaymentResult<Mode, Method>> {
  return call(OPERATION, run, config, input, options) as Promise<PaymentResult<Mode, Method>>
}
