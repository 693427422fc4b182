// Generated from src/operations by `npm run client:update`.

import type { BodilessCallOptions, CallOptions } from '../http/types.ts'
import type { CancelPaymentInput } from '../operations/cancel-payment.ts'
import type { CancelRecurringInput } from '../operations/cancel-recurring.ts'
import type { CapturePaymentInput } from '../operations/capture-payment.ts'
import type { CaptureSplitPurchaseInput } from '../operations/capture-split-purchase.ts'
import type { PaymentForm } from '../operations/create-payment.ts'
import type { SplitPurchaseForm } from '../operations/create-split-purchase.ts'
import type { GetAccountInput } from '../operations/get-account.ts'
import type { ListAccountsInput } from '../operations/list-accounts.ts'
import type { ListOrderOperationsInput } from '../operations/list-order-operations.ts'
import type { PaymentResult } from '../operations/purchase.ts'
import type { RawRequestInput, RawRequestResult } from '../operations/raw-request.ts'
import type { RefundPaymentInput } from '../operations/refund-payment.ts'
import type { RefundSplitPurchaseInput } from '../operations/refund-split-purchase.ts'
import type { ResendWebhookInput } from '../operations/resend-webhook.ts'
import type { VoidPaymentInput } from '../operations/void-payment.ts'
import type { Account } from '../schemas/account.ts'
import type { Capture } from '../schemas/capture.ts'
import type { WebhookEvent } from '../schemas/event.ts'
import type { CancelledPayment } from '../schemas/payment.ts'
import type { RecurringCancellation } from '../schemas/recurring.ts'
import type { Refund, Void } from '../schemas/secondary-operation.ts'

/** Every operation, bound to one configuration. The functions can be taken out and passed on: they need no `this`. */
export interface Client {
  /**
   * Cancels a payment that was created and not paid. `POST {base_url}/api/v1/pos/{pos_id}/order/{order_id}/cancel`,
   * without a body.
   *
   * Applies to a hosted `purchase` (split ones included) or `auth` with status `init`. The record that comes back has
   * status `failure` and status_code `6007`; fields that the service does not know are null. Deno sends a request
   * without a body again when its connection drops: a rejection may then belong to the second copy.
   *
   * @param input The order.
   * @param options `signal`, `timeoutMs`, `deadlineMs`, `maxRetries`.
   * @throws {InvalidInputError} before anything is sent, naming each field that breaks a rule.
   * @throws {ConfigError} when the configuration is invalid.
   * @throws {ConnectionError} when the request provably never left: calling again is safe.
   * @throws {OutcomeUnknownError} when it may have been processed, but no response confirmed it: call `resolveOutcome`.
   * @throws {ApiError} when the service rejects it (4xx). Its response for a paid payment is not documented.
   * @see The API document, "Cancel a created, unpaid payment".
   * @example
   * import type { Client } from 'edgetill'
   * async function giveUp(client: Client): Promise<boolean> {
   *   const payment = await client.cancelPayment({ order_id: 'A-1' })
   *   return payment.status_code === '6007'
   * }
   */
  cancelPayment(input: CancelPaymentInput, options?: BodilessCallOptions): Promise<CancelledPayment>
  /**
   * Ends a subscription: no charge follows. `PUT {api_url}/api/v1/recurring/{recurring_id}/cancel`, without a body.
   * Beyond the API document.
   *
   * Deno sends a request without a body again when its connection drops: a rejection may then belong to the second
   * copy.
   *
   * The address is `apiUrl`, not `baseUrl`. Authenticates plainly with `X-API-KEY`, an assumption: public integrations
   * do so.
   *
   * @param input The subscription.
   * @param options `signal`, `timeoutMs`, `deadlineMs`, `maxRetries`.
   * @throws {InvalidInputError} before anything is sent, naming each field that breaks a rule.
   * @throws {ConfigError} when the configuration is invalid, or has no `apiUrl`.
   * @throws {ConnectionError} when the request provably never left: calling again is safe.
   * @throws {OutcomeUnknownError} when it may have been processed, but no response confirmed it. Cancelling again moves
   *   no money.
   * @throws {ApiError} when the service rejects it (4xx). Its response for a subscription that has ended is not
   *   documented.
   * @see Beyond the API document: the vendor states path and `recurring_status` elsewhere [A].
   * @example
   * import type { Client } from 'edgetill'
   * async function unsubscribe(client: Client, recurring_id: string): Promise<boolean> {
   *   const { recurring_status } = await client.cancelRecurring({ recurring_id })
   *   return recurring_status === 'canceled'
   * }
   */
  cancelRecurring(input: CancelRecurringInput, options?: BodilessCallOptions): Promise<RecurringCancellation>
  /**
   * Captures an authorization hold: in full, in part, or beyond it. `POST {base_url}/api/v1/capture`.
   *
   * Only an `auth` with status `success` can be captured. Without `charge_amount` the whole hold is charged. A capture
   * has NO idempotency key: never repeat a capture whose outcome is unknown before you have looked it up. A declined
   * capture is a value with `status: 'failure'`.
   *
   * @param input The documented parameters under their wire names.
   * @param options `signal`, `timeoutMs`, `deadlineMs`, `maxRetries`, and `passThrough` for fields that the API
   *   document does not show.
   * @throws {InvalidInputError} before anything is sent, naming each field that breaks a rule.
   * @throws {ConfigError} when the configuration is invalid.
   * @throws {ConnectionError} when the request provably never left: calling again is safe.
   * @throws {OutcomeUnknownError} when it may have been processed, but no response confirmed it: call `resolveOutcome`.
   * @throws {ApiError} when the service rejects it (4xx). Its response when nothing can be captured is not documented.
   * @see The API document, "Capture a reserve".
   * @example
   * import { type Client, isSuccess } from 'edgetill'
   * async function ship(client: Client): Promise<boolean> {
   *   const capture = await client.capturePayment({ order_id: 'A-1', order_currency: 'UAH', charge_amount: 80.25 })
   *   return isSuccess(capture)
   * }
   */
  capturePayment(input: CapturePaymentInput, options?: CallOptions): Promise<Capture>
  /**
   * Captures an authorized payment and divides it between sub-merchants. `POST {base_url}/api/v1/split/capture`. Beyond
   * the API document.
   *
   * Only an `auth` with status `success` can be captured. A capture has NO idempotency key: when its outcome is
   * unknown, call `resolveOutcome` before you send another. A declined capture is a value with `status: 'failure'`.
   * Authenticates plainly with `X-API-KEY`, an assumption: public integrations do so.
   *
   * @param input The parameters under their wire names.
   * @param options `signal`, `timeoutMs`, `deadlineMs`, `maxRetries`, and `passThrough` for additional body fields.
   * @throws {InvalidInputError} before anything is sent, naming each field that breaks a rule.
   * @throws {ConfigError} when the configuration is invalid.
   * @throws {ConnectionError} when the request provably never left: calling again is safe.
   * @throws {OutcomeUnknownError} when it may have been processed, but no response confirmed it: call `resolveOutcome`.
   * @throws {ApiError} when the service rejects it (4xx). Its response when nothing can be captured is not documented.
   * @see Beyond the API document: the vendor states path and body elsewhere [A]; the response is assumed to be the
   *   API document's "Secondary operation record".
   * @example
   * import { type Client, isSuccess } from 'edgetill'
   * async function ship(client: Client, sub_merchant_id: string): Promise<boolean> {
   *   const capture = await client.captureSplitPurchase({
   *     order_id: 'A-1', order_currency: 'UAH', charge_amount: 80.25, split: [{ amount: 80.25, sub_merchant_id }],
   *   })
   *   return isSuccess(capture)
   * }
   */
  captureSplitPurchase(input: CaptureSplitPurchaseInput, options?: CallOptions): Promise<Capture>
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
   * import type { Client } from 'edgetill'
   * async function payLink(client: Client): Promise<string> {
   *   const checkout = await client.createPayment({
   *     mode: 'hosted', method: 'purchase', amount: 100.5, currency: 'UAH', description: 'Two mugs', order_id: 'A-1',
   *     order_3ds_bypass: 'supported', customer_patronym: 'Ivanivna', customer_email: 'olena@example.com',
   *     customer_phone: '+380441234567', result_url: 'https://shop.example.com/thanks',
   *   })
   *   return checkout.url
   * }
   */
  createPayment<Mode extends 'hosted' | 'direct', Method extends 'purchase' | 'auth'>(
    input: PaymentForm<Mode, Method>,
    options?: CallOptions,
  ): Promise<PaymentResult<Mode, Method>>
  /**
   * Creates a purchase that is divided between sub-merchants. `POST {base_url}/api/v1/split/purchase`.
   *
   * Hosted, it returns a {@link Checkout} to redirect the customer to; direct, a {@link Payment}. A declined payment is
   * a value with `status: 'failure'`, not an exception. Amounts are in the currency's unit with at most 2 decimals.
   *
   * @param input The documented parameters under their wire names.
   * @param options `signal`, `timeoutMs`, `deadlineMs`, `maxRetries`, and `passThrough` for fields that the API
   *   document does not show.
   * @throws {InvalidInputError} before anything is sent, naming each field that breaks a rule.
   * @throws {ConfigError} when the configuration is invalid.
   * @throws {ConnectionError} when the request provably never left: calling again is safe.
   * @throws {OutcomeUnknownError} when it may have been processed, but no response confirmed it: call `resolveOutcome`.
   * @throws {ApiError} when the service rejects it (4xx); `apiCode` `P-409` means that the order_id was already used.
   * @see The API document, "Split purchase (direct and hosted)".
   * @example
   * import { type Client, splitAmount } from 'edgetill'
   * async function payTwoSellers(client: Client, sellers: [string, string]): Promise<string> {
   *   const parts = splitAmount(100.5, [9, 1])
   *   const checkout = await client.createSplitPurchase({
   *     mode: 'hosted', method: 'purchase', amount: 100.5, currency: 'UAH', description: 'Two mugs', order_id: 'A-2',
   *     order_3ds_bypass: 'supported', customer_patronym: 'Ivanivna', customer_email: 'olena@example.com',
   *     customer_phone: '+380441234567',
   *     split: sellers.map((sub_merchant_id, i) => ({ sub_merchant_id, amount: parts[i] ?? 0 })),
   *   })
   *   return checkout.url
   * }
   */
  createSplitPurchase<Mode extends 'hosted' | 'direct'>(
    input: SplitPurchaseForm<Mode>,
    options?: CallOptions,
  ): Promise<PaymentResult<Mode, 'purchase'>>
  /**
   * Reads one account with its balances. `GET {api_url}/api/v1/balances/pos/{pos_id}/accounts/{account_id}`.
   *
   * Balances have a separate address (`apiUrl`) and take no endpoints key. Retried after a network failure, a
   * 408, a 429 or a 5xx. `rollingReserve` of the response is read as `rolling_reserve`, as `listAccounts` has it.
   *
   * @param input The account.
   * @param options `signal`, `timeoutMs`, `deadlineMs`, `maxRetries`.
   * @throws {InvalidInputError} before anything is sent, naming each field that breaks a rule.
   * @throws {ConfigError} when the configuration is invalid, or has no `apiUrl`.
   * @throws {ConnectionError} when there was no response, after the retries.
   * @throws {ApiError} 400 invalid data, 401 invalid credentials, 500 unexpected error (after the retries).
   * @throws {UnexpectedResponseError} when the response does not match the documented shape; it is in `body`.
   * @see The API document, "Balances".
   * @example
   * import type { Client } from 'edgetill'
   * async function available(client: Client, account_id: string): Promise<number> {
   *   const account = await client.getAccount({ account_id })
   *   return account.balances.available
   * }
   */
  getAccount(input: GetAccountInput, options?: BodilessCallOptions): Promise<Account>
  /**
   * Reads all accounts of a POS with their balances. `GET {api_url}/api/v1/balances/pos/{pos_id}/accounts`.
   *
   * Balances have a separate address (`apiUrl`) and take no endpoints key. Retried after a network failure, a
   * 408, a 429 or a 5xx.
   *
   * @param input Another POS, if not the configuration's.
   * @param options `signal`, `timeoutMs`, `deadlineMs`, `maxRetries`.
   * @throws {InvalidInputError} before anything is sent.
   * @throws {ConfigError} when the configuration is invalid, or has no `apiUrl`.
   * @throws {ConnectionError} when there was no response, after the retries.
   * @throws {ApiError} 400 invalid data, 401 invalid credentials, 500 unexpected error (after the retries).
   * @throws {UnexpectedResponseError} when the response does not match the documented shape; it is in `body`.
   * @see The API document, "Balances".
   * @example
   * import type { Client } from 'edgetill'
   * async function available(client: Client): Promise<string[]> {
   *   const accounts = await client.listAccounts()
   *   return accounts.map(({ name, currency, balances }) => `${name}: ${balances.available} ${currency}`)
   * }
   */
  listAccounts(input?: ListAccountsInput, options?: BodilessCallOptions): Promise<Account[]>
  /**
   * Lists every operation of an order, the primary payment and all captures, voids, increments and refunds.
   * `GET {base_url}/api/v1/pos/{pos_id}/orders/{order_id}`. Beyond the API document.
   *
   * Each element has the type of that operation's webhook; `kind` distinguishes them. An element of an unexpected shape
   * becomes an `UnexpectedEvent` and never hides the others. Retried after a network failure, a 408, a 429 or a 5xx.
   * Authenticates plainly with `X-API-KEY`, an assumption: public integrations do so.
   *
   * @param input The order.
   * @param options `signal`, `timeoutMs`, `deadlineMs`, `maxRetries`.
   * @throws {InvalidInputError} before anything is sent, naming each field that breaks a rule.
   * @throws {ConfigError} when the configuration is invalid.
   * @throws {ConnectionError} when there was no response, after the retries.
   * @throws {ApiError} when the service rejects it; a 404 means that it does not know the order, or not this path.
   * @throws {UnexpectedResponseError} when the response is not an array; it is in `body`.
   * @see Beyond the API document: the vendor states the path, and that it returns an array of operations, elsewhere
   *   [A]; the elements are assumed to have the API document's webhook parameters.
   * @example
   * import { type Client, isSuccess } from 'edgetill'
   * async function refunded(client: Client): Promise<number> {
   *   const operations = await client.listOrderOperations({ order_id: 'A-1' })
   *   return operations.filter((one) => one.kind === 'refund' && isSuccess(one)).length
   * }
   */
  listOrderOperations(input: ListOrderOperationsInput, options?: BodilessCallOptions): Promise<WebhookEvent[]>
  /**
   * Sends a request that the API document does not show, with the guarantees of every other call: credentials, no
   * followed redirect, no repeated POST, limits, errors.
   *
   * The body and the response are not checked: that is up to the caller. A response without a body is fine. Only a GET,
   * or a request that got a 429, is retried.
   *
   * @param input Verb, path, body, authentication and base address.
   * @param options `signal`, `timeoutMs`, `deadlineMs`, `maxRetries`, `passThrough`.
   * @throws {InvalidInputError} before anything is sent.
   * @throws {ConfigError} when the configuration is invalid.
   * @throws {ConnectionError} when there was no response and nothing can have changed: calling again is safe.
   * @throws {OutcomeUnknownError} when it may have been processed and no response confirms it.
   * @throws {ApiError} when the service rejects it.
   * @throws {UnexpectedResponseError} when a GET's response is not JSON.
   * @see The API document has no such part: paths, bodies and responses of such requests are assumptions.
   * @example
   * import type { Client } from 'edgetill'
   * async function refund(client: Client, pos_id: string): Promise<unknown> {
   *   const { body } = await client.rawRequest({
   *     method: 'POST', path: '/api/v1/refund', authentication: 'plain',
   *     body: { pos_id, order_id: 'A-1', order_currency: 'UAH', refund_amount: 20 },
   *   })
   *   return body
   * }
   */
  rawRequest(input: RawRequestInput, options?: CallOptions): Promise<RawRequestResult>
  /**
   * Refunds a paid order, in full or in part. `POST {base_url}/api/v1/refund`. Beyond the API document.
   *
   * Only a successful purchase or capture can be refunded. Without `refund_amount` everything that is left is refunded.
   * A refund has NO idempotency key: when its outcome is unknown, call `resolveOutcome` before you send another. A
   * declined refund is a value with `status: 'failure'`. Authenticates plainly with `X-API-KEY`, an assumption: public
   * integrations do so.
   *
   * @param input The parameters under their wire names.
   * @param options `signal`, `timeoutMs`, `deadlineMs`, `maxRetries`, and `passThrough` for additional body fields.
   * @throws {InvalidInputError} before anything is sent, naming each field that breaks a rule.
   * @throws {ConfigError} when the configuration is invalid.
   * @throws {ConnectionError} when the request provably never left: calling again is safe.
   * @throws {OutcomeUnknownError} when it may have been processed, but no response confirmed it: call `resolveOutcome`.
   * @throws {ApiError} when the service rejects it (4xx). Its response when nothing can be refunded is not documented.
   * @see Beyond the API document: the vendor states path and body elsewhere [A]; the response is assumed to be the
   *   API document's "Secondary operation record".
   * @example
   * import { type Client, isSuccess } from 'edgetill'
   * async function payBack(client: Client): Promise<boolean> {
   *   const refund = await client.refundPayment({ order_id: 'A-1', order_currency: 'UAH', refund_amount: 20.5 })
   *   return isSuccess(refund)
   * }
   */
  refundPayment(input: RefundPaymentInput, options?: CallOptions): Promise<Refund>
  /**
   * Refunds a split purchase, each sub-merchant its part. `POST {base_url}/api/v1/split/refund`. Beyond the API
   * document.
   *
   * Only a successful purchase or capture can be refunded. A refund has NO idempotency key: when its outcome is
   * unknown, call `resolveOutcome` before you send another. A declined refund is a value with `status: 'failure'`.
   * Authenticates plainly with `X-API-KEY`, an assumption: public integrations do so.
   *
   * @param input The parameters under their wire names; the currency is `currency` here.
   * @param options `signal`, `timeoutMs`, `deadlineMs`, `maxRetries`, and `passThrough` for additional body fields.
   * @throws {InvalidInputError} before anything is sent, naming each field that breaks a rule.
   * @throws {ConfigError} when the configuration is invalid.
   * @throws {ConnectionError} when the request provably never left: calling again is safe.
   * @throws {OutcomeUnknownError} when it may have been processed, but no response confirmed it: call `resolveOutcome`.
   * @throws {ApiError} when the service rejects it (4xx). Its response when nothing can be refunded is not documented.
   * @see Beyond the API document: the vendor states path and body elsewhere [A]; the response is assumed to be the
   *   API document's "Secondary operation record".
   * @example
   * import { type Client, isSuccess } from 'edgetill'
   * async function payBack(client: Client, sub_merchant_id: string): Promise<boolean> {
   *   const refund = await client.refundSplitPurchase({
   *     order_id: 'A-2', currency: 'UAH', refund_amount: 10.05, split: [{ amount: 10.05, sub_merchant_id }],
   *   })
   *   return isSuccess(refund)
   * }
   */
  refundSplitPurchase(input: RefundSplitPurchaseInput, options?: CallOptions): Promise<Refund>
  /**
   * Has the service send an operation's webhook again, and returns the same data: the way to read an order's state.
   * `GET {base_url}/api/v1/pos/{pos_id}/orders/{order_id}/{operation}?callback=true`.
   *
   * The event has the type of a webhook, with `recurring` if the payment is recurring. It needs no signature: it came
   * over the connection that you opened. Retried after a network failure, a 408, a 429 or a 5xx.
   *
   * @param input The order, the operation and, of a recurring purchase, the transaction.
   * @param options `signal`, `timeoutMs`, `deadlineMs`, `maxRetries`.
   * @throws {InvalidInputError} before anything is sent, naming each field that breaks a rule.
   * @throws {ConfigError} when the configuration is invalid.
   * @throws {ConnectionError} when there was no response, after the retries.
   * @throws {ApiError} when the service rejects it; a 404 means that it does not know the order or the operation.
   * @throws {UnexpectedResponseError} when the response is not a JSON object; it is in `body`.
   * @see The API document, "Re-send a webhook for an operation".
   * @example
   * import { type Client, isSuccess } from 'edgetill'
   * async function isPaid(client: Client): Promise<boolean> {
   *   const event = await client.resendWebhook({ order_id: 'A-1', operation: 'purchase' })
   *   return event.kind === 'purchase' && isSuccess(event)
   * }
   */
  resendWebhook(input: ResendWebhookInput, options?: BodilessCallOptions): Promise<WebhookEvent>
  /**
   * Releases an authorization hold whole. `POST {base_url}/api/v1/void`. Beyond the API document.
   *
   * Only an `auth` with status `success` can be voided, and always the full amount. When the outcome of a void is
   * unknown, call `resolveOutcome`. A declined void is a value with `status: 'failure'`. Authenticates plainly with
   * `X-API-KEY`, an assumption: public integrations do so.
   *
   * @param input The parameters under their wire names.
   * @param options `signal`, `timeoutMs`, `deadlineMs`, `maxRetries`, and `passThrough` for additional body fields.
   * @throws {InvalidInputError} before anything is sent, naming each field that breaks a rule.
   * @throws {ConfigError} when the configuration is invalid.
   * @throws {ConnectionError} when the request provably never left: calling again is safe.
   * @throws {OutcomeUnknownError} when it may have been processed, but no response confirmed it: call `resolveOutcome`.
   * @throws {ApiError} when the service rejects it (4xx). Its response when nothing can be voided is not documented.
   * @see Beyond the API document: the vendor states path and body elsewhere [A]; the response is assumed to be the
   *   API document's "Secondary operation record".
   * @example
   * import { type Client, isSuccess } from 'edgetill'
   * async function release(client: Client): Promise<boolean> {
   *   const operation = await client.voidPayment({ order_id: 'A-1', order_currency: 'UAH' })
   *   return isSuccess(operation)
   * }
   */
  voidPayment(input: VoidPaymentInput, options?: CallOptions): Promise<Void>
}
