import { type ClientConfig, resolveConfig } from './config.ts'
import type { CallOptions } from './http/types.ts'
import { type CancelPaymentInput, cancelPayment } from './operations/cancel-payment.ts'
import { type CancelRecurringInput, cancelRecurring } from './operations/cancel-recurring.ts'
import { type CapturePaymentInput, capturePayment } from './operations/capture-payment.ts'
import { type CaptureSplitPurchaseInput, captureSplitPurchase } from './operations/capture-split-purchase.ts'
import {
  type CreatePaymentInput,
  createPayment,
  type DirectAuthInput,
  type DirectPurchaseInput,
  type HostedPurchaseInput,
} from './operations/create-payment.ts'
import {
  type CreateSplitPurchaseInput,
  createSplitPurchase,
  type DirectSplitPurchaseInput,
  type HostedSplitPurchaseInput,
} from './operations/create-split-purchase.ts'
import { type GetAccountInput, getAccount } from './operations/get-account.ts'
import { type ListAccountsInput, listAccounts } from './operations/list-accounts.ts'
import { type ListOrderOperationsInput, listOrderOperations } from './operations/list-order-operations.ts'
import type { Checkout } from './operations/purchase.ts'
import { type RefundPaymentInput, refundPayment } from './operations/refund-payment.ts'
import { type RefundSplitPurchaseInput, refundSplitPurchase } from './operations/refund-split-purchase.ts'
import { type RequestInput, type RequestResult, request } from './operations/request.ts'
import { type ResendWebhookInput, resendWebhook } from './operations/resend-webhook.ts'
import { type VoidPaymentInput, voidPayment } from './operations/void-payment.ts'
import type { Account } from './schemas/account.ts'
import type { Capture } from './schemas/capture.ts'
import type { WebhookEvent } from './schemas/event.ts'
import type { CancelledPayment, Payment } from './schemas/payment.ts'
import type { RecurringCancellation } from './schemas/recurring.ts'
import type { Refund, Void } from './schemas/secondary-operation.ts'

/** Every operation, bound to one configuration. The functions can be taken out and passed on: they need no `this`. */
export interface Client {
  /** Creates a payment; see the function `createPayment`. */
  createPayment: {
    (input: HostedPurchaseInput, options?: CallOptions): Promise<Checkout>
    (input: DirectPurchaseInput | DirectAuthInput, options?: CallOptions): Promise<Payment>
    (input: CreatePaymentInput, options?: CallOptions): Promise<Checkout | Payment>
  }
  /** Creates a purchase that is divided between sub-merchants; see the function `createSplitPurchase`. */
  createSplitPurchase: {
    (input: HostedSplitPurchaseInput, options?: CallOptions): Promise<Checkout>
    (input: DirectSplitPurchaseInput, options?: CallOptions): Promise<Payment>
    (input: CreateSplitPurchaseInput, options?: CallOptions): Promise<Checkout | Payment>
  }
  /** Charges a reserve; see the function `capturePayment`. */
  capturePayment(input: CapturePaymentInput, options?: CallOptions): Promise<Capture>
  /** Cancels an unpaid hosted payment; see the function `cancelPayment`. */
  cancelPayment(input: CancelPaymentInput, options?: CallOptions): Promise<CancelledPayment>
  /** Reads all accounts of a POS; see the function `listAccounts`. */
  listAccounts(input?: ListAccountsInput, options?: CallOptions): Promise<Account[]>
  /** Reads one account; see the function `getAccount`. */
  getAccount(input: GetAccountInput, options?: CallOptions): Promise<Account>
  /** Has a webhook sent again and answers its data; see the function `resendWebhook`. */
  resendWebhook(input: ResendWebhookInput, options?: CallOptions): Promise<WebhookEvent>
  /**
   * Refunds a paid order, in full or in part. `POST {base_url}/api/v1/refund`. Beyond the API document.
   *
   * Only a successful purchase or capture can be refunded. Without `refund_amount` everything that is left is refunded. A
   * refund has NO idempotency key: when its outcome is unknown, call `resolveOutcome` before you send another. A declined
   * refund is a value with `status: 'failure'`. Authenticates plainly with `X-API-KEY`, an assumption: public
   * integrations do so.
   *
   * @param input The parameters under their wire names.
   * @param options `signal`, `timeoutMs`, and `passThrough` for further body fields.
   * @throws {InvalidInputError} before anything is sent, naming each field that breaks a rule.
   * @throws {ConfigError} when the configuration cannot work.
   * @throws {ConnectionError} when the request provably never left: calling again is safe.
   * @throws {OutcomeUnknownError} when it may have been processed, but no response confirmed it: call `resolveOutcome`.
   * @throws {ApiError} when the service rejects it (4xx). What it returns when nothing can be refunded is not shown.
   * @throws {UnexpectedResponseError} when the record does not match the documented shape; it is in `body`.
   * @see Beyond the API document: path and body are said by the vendor elsewhere [A]; the response is assumed to be the
   *   API document's "Secondary operation record".
   * @example
   * import type { Client } from 'edgetill'
   * async function payBack(client: Client): Promise<boolean> {
   *   const refund = await client.refundPayment({ order_id: 'A-1', order_currency: 'UAH', refund_amount: 20.5 })
   *   return refund.status === 'success'
   * }
   */
  refundPayment(input: RefundPaymentInput, options?: CallOptions): Promise<Refund>
  /**
   * Releases an authorization hold whole. `POST {base_url}/api/v1/void`. Beyond the API document.
   *
   * Only an `auth` with status `success` can be voided, and always the full amount. When the outcome of a void is unknown,
   * call `resolveOutcome`. A declined void is a value with `status: 'failure'`. Authenticates plainly with `X-API-KEY`, an
   * assumption: public integrations do so.
   *
   * @param input The parameters under their wire names.
   * @param options `signal`, `timeoutMs`, and `passThrough` for further body fields.
   * @throws {InvalidInputError} before anything is sent, naming each field that breaks a rule.
   * @throws {ConfigError} when the configuration cannot work.
   * @throws {ConnectionError} when the request provably never left: calling again is safe.
   * @throws {OutcomeUnknownError} when it may have been processed, but no response confirmed it: call `resolveOutcome`.
   * @throws {ApiError} when the service rejects it (4xx). What it returns when nothing can be voided is not shown.
   * @throws {UnexpectedResponseError} when the record does not match the documented shape; it is in `body`.
   * @see Beyond the API document: path and body are said by the vendor elsewhere [A]; the response is assumed to be the
   *   API document's "Secondary operation record".
   * @example
   * import type { Client } from 'edgetill'
   * async function release(client: Client): Promise<boolean> {
   *   const operation = await client.voidPayment({ order_id: 'A-1', order_currency: 'UAH' })
   *   return operation.status === 'success'
   * }
   */
  voidPayment(input: VoidPaymentInput, options?: CallOptions): Promise<Void>
  /**
   * Captures an authorized payment and divides it between sub-merchants. `POST {base_url}/api/v1/split/capture`. Beyond the
   * API document.
   *
   * Only an `auth` with status `success` can be captured. A capture has NO idempotency key: when its outcome is unknown,
   * call `resolveOutcome` before you send another. A declined capture is a value with `status: 'failure'`. Authenticates
   * plainly with `X-API-KEY`, an assumption: public integrations do so.
   *
   * @param input The parameters under their wire names.
   * @param options `signal`, `timeoutMs`, and `passThrough` for further body fields.
   * @throws {InvalidInputError} before anything is sent, naming each field that breaks a rule.
   * @throws {ConfigError} when the configuration cannot work.
   * @throws {ConnectionError} when the request provably never left: calling again is safe.
   * @throws {OutcomeUnknownError} when it may have been processed, but no response confirmed it: call `resolveOutcome`.
   * @throws {ApiError} when the service rejects it (4xx). What it returns when nothing can be captured is not shown.
   * @throws {UnexpectedResponseError} when the record does not match the documented shape; it is in `body`.
   * @see Beyond the API document: path and body are said by the vendor elsewhere [A]; the response is assumed to be the
   *   API document's "Secondary operation record".
   * @example
   * import type { Client } from 'edgetill'
   * async function ship(client: Client, sub_merchant_id: string): Promise<boolean> {
   *   const capture = await client.captureSplitPurchase({
   *     order_id: 'A-1', order_currency: 'UAH', charge_amount: 80.25, split: [{ amount: 80.25, sub_merchant_id }],
   *   })
   *   return capture.status === 'success'
   * }
   */
  captureSplitPurchase(input: CaptureSplitPurchaseInput, options?: CallOptions): Promise<Capture>
  /**
   * Refunds a split purchase, each sub-merchant its part. `POST {base_url}/api/v1/split/refund`. Beyond the API document.
   *
   * Only a successful purchase or capture can be refunded. A refund has NO idempotency key: when its outcome is unknown,
   * call `resolveOutcome` before you send another. A declined refund is a value with `status: 'failure'`. Authenticates
   * plainly with `X-API-KEY`, an assumption: public integrations do so.
   *
   * @param input The parameters under their wire names; the currency is `currency` here.
   * @param options `signal`, `timeoutMs`, and `passThrough` for further body fields.
   * @throws {InvalidInputError} before anything is sent, naming each field that breaks a rule.
   * @throws {ConfigError} when the configuration cannot work.
   * @throws {ConnectionError} when the request provably never left: calling again is safe.
   * @throws {OutcomeUnknownError} when it may have been processed, but no response confirmed it: call `resolveOutcome`.
   * @throws {ApiError} when the service rejects it (4xx). What it returns when nothing can be refunded is not shown.
   * @throws {UnexpectedResponseError} when the record does not match the documented shape; it is in `body`.
   * @see Beyond the API document: path and body are said by the vendor elsewhere [A]; the response is assumed to be the
   *   API document's "Secondary operation record".
   * @example
   * import type { Client } from 'edgetill'
   * async function payBack(client: Client, sub_merchant_id: string): Promise<boolean> {
   *   const refund = await client.refundSplitPurchase({
   *     order_id: 'A-2', currency: 'UAH', refund_amount: 10.05, split: [{ amount: 10.05, sub_merchant_id }],
   *   })
   *   return refund.status === 'success'
   * }
   */
  refundSplitPurchase(input: RefundSplitPurchaseInput, options?: CallOptions): Promise<Refund>
  /**
   * Lists every operation of an order, the primary payment and all captures, voids, increments and refunds.
   * `GET {base_url}/api/v1/pos/{pos_id}/orders/{order_id}`. Beyond the API document.
   *
   * Each element is typed as the webhook of that operation is: `method` tells them apart. An element of an unexpected shape
   * becomes an `UnexpectedEvent` and never hides the others. Retried after a network failure, a 429 or a 5xx. Authenticates
   * plainly with `X-API-KEY`, an assumption: public integrations do so.
   *
   * @param input The order.
   * @param options `signal`, `timeoutMs`.
   * @throws {InvalidInputError} before anything is sent, naming each field that breaks a rule.
   * @throws {ConfigError} when the configuration cannot work.
   * @throws {ConnectionError} when there was no response, after the retries.
   * @throws {ApiError} when the service rejects it; a 404 means that it does not know the order, or not this path.
   * @throws {UnexpectedResponseError} when the response is not an array; it is in `body`.
   * @see Beyond the API document: the path, and that it returns an array of operations, is said by the vendor elsewhere
   *   [A]; the elements are assumed to have the API document's webhook parameters.
   * @example
   * import type { Client } from 'edgetill'
   * async function refunded(client: Client): Promise<number> {
   *   const operations = await client.listOrderOperations({ order_id: 'A-1' })
   *   return operations.filter((one) => one.method === 'refund' && one.status === 'success').length
   * }
   */
  listOrderOperations(input: ListOrderOperationsInput, options?: CallOptions): Promise<WebhookEvent[]>
  /**
   * Ends a subscription: no further charge is made. `PUT {api_url}/api/v1/recurring/{recurring_id}/cancel`, without a body.
   * Beyond the API document.
   *
   * The address is `apiUrl`, not `baseUrl`. Authenticates plainly with `X-API-KEY`, an assumption: public integrations do so.
   *
   * @param input The subscription.
   * @param options `signal`, `timeoutMs`.
   * @throws {InvalidInputError} before anything is sent, naming each field that breaks a rule.
   * @throws {ConfigError} when the configuration cannot work, or has no `apiUrl`.
   * @throws {ConnectionError} when the request provably never left: calling again is safe.
   * @throws {OutcomeUnknownError} when it may have been processed, but no response confirmed it. Cancelling again moves no
   *   money.
   * @throws {ApiError} when the service rejects it (4xx). What it returns for a subscription that has ended is not shown.
   * @throws {UnexpectedResponseError} when the response has no `recurring_status`; it is in `body`.
   * @see Beyond the API document: path and `recurring_status` are said by the vendor elsewhere [A].
   * @example
   * import type { Client } from 'edgetill'
   * async function unsubscribe(client: Client, recurring_id: string): Promise<boolean> {
   *   const { recurring_status } = await client.cancelRecurring({ recurring_id })
   *   return recurring_status === 'canceled'
   * }
   */
  cancelRecurring(input: CancelRecurringInput, options?: CallOptions): Promise<RecurringCancellation>
  /** Sends what the document does not show; see the function `request`. */
  request(input: RequestInput, options?: CallOptions): Promise<RequestResult>
}

/**
 * Binds every operation to one configuration, which is checked here and now.
 *
 * @throws {ConfigError} naming the option to mend.
 * @example
 * import { createClient } from 'edgetill'
 * const client = createClient({
 *   baseUrl: 'https://pay.example.com', apiUrl: 'https://api.example.com',
 *   posId: '3f1c2c1e-6a5c-4b8e-9d53-0a4c1c7d2b11', apiKey: 'key', apiSecret: 'secret', endpointsKey: 'endpoints-key',
 * })
 */
export function createClient(config: ClientConfig): Client {
  const resolved = resolveConfig(config)
  return {
    createPayment: ((input: CreatePaymentInput, options?: CallOptions) =>
      createPayment(resolved, input, options)) as Client['createPayment'],
    createSplitPurchase: ((input: CreateSplitPurchaseInput, options?: CallOptions) =>
      createSplitPurchase(resolved, input, options)) as Client['createSplitPurchase'],
    capturePayment: (input, options) => capturePayment(resolved, input, options),
    cancelPayment: (input, options) => cancelPayment(resolved, input, options),
    listAccounts: (input, options) => listAccounts(resolved, input, options),
    getAccount: (input, options) => getAccount(resolved, input, options),
    resendWebhook: (input, options) => resendWebhook(resolved, input, options),
    refundPayment: (input, options) => refundPayment(resolved, input, options),
    voidPayment: (input, options) => voidPayment(resolved, input, options),
    captureSplitPurchase: (input, options) => captureSplitPurchase(resolved, input, options),
    refundSplitPurchase: (input, options) => refundSplitPurchase(resolved, input, options),
    listOrderOperations: (input, options) => listOrderOperations(resolved, input, options),
    cancelRecurring: (input, options) => cancelRecurring(resolved, input, options),
    request: (input, options) => request(resolved, input, options),
  }
}
