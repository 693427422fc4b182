import { type ClientConfig, resolveConfig } from './config.ts'
import type { CallOptions } from './http/types.ts'
import { type CancelPaymentInput, cancelPayment } from './operations/cancel-payment.ts'
import { type CapturePaymentInput, capturePayment } from './operations/capture-payment.ts'
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
import type { Checkout } from './operations/purchase.ts'
import { type RequestInput, type RequestResult, request } from './operations/request.ts'
import { type ResendWebhookInput, resendWebhook } from './operations/resend-webhook.ts'
import type { Account } from './schemas/account.ts'
import type { Capture } from './schemas/capture.ts'
import type { Payment } from './schemas/payment.ts'
import type { WebhookEvent } from './webhooks/event.ts'

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
  cancelPayment(input: CancelPaymentInput, options?: CallOptions): Promise<Payment>
  /** Reads all accounts of a POS; see the function `listAccounts`. */
  listAccounts(input?: ListAccountsInput, options?: CallOptions): Promise<Account[]>
  /** Reads one account; see the function `getAccount`. */
  getAccount(input: GetAccountInput, options?: CallOptions): Promise<Account>
  /** Has a webhook sent again and answers its data; see the function `resendWebhook`. */
  resendWebhook(input: ResendWebhookInput, options?: CallOptions): Promise<WebhookEvent>
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
    request: (input, options) => request(resolved, input, options),
  }
}
