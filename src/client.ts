import type { ClientMethods } from './client-methods.ts'
import { type ClientConfig, resolveConfig } from './config.ts'
import type { BodilessCallOptions, CallOptions } from './http/types.ts'
import { cancelPayment } from './operations/cancel-payment.ts'
import { cancelRecurring } from './operations/cancel-recurring.ts'
import { capturePayment } from './operations/capture-payment.ts'
import { captureSplitPurchase } from './operations/capture-split-purchase.ts'
import { createPayment } from './operations/create-payment.ts'
import { createSplitPurchase } from './operations/create-split-purchase.ts'
import { type GetAccountInput, getAccount } from './operations/get-account.ts'
import { type ListAccountsInput, listAccounts } from './operations/list-accounts.ts'
import { type ListOrderOperationsInput, listOrderOperations } from './operations/list-order-operations.ts'
import { type RawRequestInput, type RawRequestResult, rawRequest } from './operations/raw-request.ts'
import { refundPayment } from './operations/refund-payment.ts'
import { refundSplitPurchase } from './operations/refund-split-purchase.ts'
import { type ResendWebhookInput, resendWebhook } from './operations/resend-webhook.ts'
import { voidPayment } from './operations/void-payment.ts'
import type { Account } from './schemas/account.ts'
import type { WebhookEvent } from './schemas/event.ts'

/** Every operation, bound to one configuration. The functions can be taken out and passed on: they need no `this`. */
export interface Client extends ClientMethods {
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
   * Asks the service to send an operation's webhook again, and returns the same data: the way to learn the state of an order.
   * `GET {base_url}/api/v1/pos/{pos_id}/orders/{order_id}/{operation}?callback=true`.
   *
   * The event has the type of a webhook, with `recurring` where the payment is a recurring one. It needs no signature: it
   * came over the connection that you opened. Retried after a network failure, a 408, a 429 or a 5xx.
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
   * import type { Client } from 'edgetill'
   * async function isPaid(client: Client): Promise<boolean> {
   *   const event = await client.resendWebhook({ order_id: 'A-1', operation: 'purchase' })
   *   return event.kind === 'purchase' && event.status === 'success'
   * }
   */
  resendWebhook(input: ResendWebhookInput, options?: BodilessCallOptions): Promise<WebhookEvent>
  /**
   * Lists every operation of an order, the primary payment and all captures, voids, increments and refunds.
   * `GET {base_url}/api/v1/pos/{pos_id}/orders/{order_id}`. Beyond the API document.
   *
   * Each element is typed as the webhook of that operation is: `kind` tells them apart. An element of an unexpected shape
   * becomes an `UnexpectedEvent` and never hides the others. Retried after a network failure, a 408, a 429 or a 5xx. Authenticates
   * plainly with `X-API-KEY`, an assumption: public integrations do so.
   *
   * @param input The order.
   * @param options `signal`, `timeoutMs`, `deadlineMs`, `maxRetries`.
   * @throws {InvalidInputError} before anything is sent, naming each field that breaks a rule.
   * @throws {ConfigError} when the configuration is invalid.
   * @throws {ConnectionError} when there was no response, after the retries.
   * @throws {ApiError} when the service rejects it; a 404 means that it does not know the order, or not this path.
   * @throws {UnexpectedResponseError} when the response is not an array; it is in `body`.
   * @see Beyond the API document: the path, and that it returns an array of operations, is said by the vendor elsewhere
   *   [A]; the elements are assumed to have the API document's webhook parameters.
   * @example
   * import type { Client } from 'edgetill'
   * async function refunded(client: Client): Promise<number> {
   *   const operations = await client.listOrderOperations({ order_id: 'A-1' })
   *   return operations.filter((one) => one.kind === 'refund' && one.status === 'success').length
   * }
   */
  listOrderOperations(input: ListOrderOperationsInput, options?: BodilessCallOptions): Promise<WebhookEvent[]>
  /**
   * Sends a request that the API document does not show, with the guarantees of every other call: credentials, no followed
   * redirect, no repeated POST, limits, errors.
   *
   * The body and the response are not checked: that is up to the caller. A response without a body is fine. Only a GET, or
   * a request that got a 429, is retried.
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
   * async function refund(client: Client): Promise<unknown> {
   *   const { body } = await client.rawRequest({
   *     method: 'POST', path: '/api/v1/refund', authentication: 'plain',
   *     body: { pos_id: '3f1c2c1e-6a5c-4b8e-9d53-0a4c1c7d2b11', order_id: 'A-1', order_currency: 'UAH', refund_amount: 20 },
   *   })
   *   return body
   * }
   */
  rawRequest(input: RawRequestInput, options?: CallOptions): Promise<RawRequestResult>
}

/**
 * Binds every operation to one configuration, which is checked here and now.
 *
 * @throws {ConfigError} naming the option to fix.
 * @example
 * import { createClient } from 'edgetill'
 * const client = createClient({
 *   baseUrl: 'https://pay.example.com', apiUrl: 'https://api.example.com',
 *   posId: '3f1c2c1e-6a5c-4b8e-9d53-0a4c1c7d2b11', apiKey: 'key', apiSecret: 'secret', endpointsKey: 'endpoints-key',
 *   scheme: 'the-scheme-word',
 * })
 */
export function createClient(config: ClientConfig): Client {
  const resolved = resolveConfig(config)
  return {
    createPayment: (input, options) => createPayment(resolved, input, options),
    createSplitPurchase: (input, options) => createSplitPurchase(resolved, input, options),
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
    rawRequest: (input, options) => rawRequest(resolved, input, options),
  }
}
