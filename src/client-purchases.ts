// The docstrings are those of the functions of the same name in src/operations; test/node/client-docs.test.ts compares them.

import type { CallOptions } from './http/types.ts'
import type {
  CreatePaymentInput,
  DirectAuthInput,
  DirectPurchaseInput,
  HostedPurchaseInput,
} from './operations/create-payment.ts'
import type {
  CreateSplitPurchaseInput,
  DirectSplitPurchaseInput,
  HostedSplitPurchaseInput,
} from './operations/create-split-purchase.ts'
import type { Checkout } from './operations/purchase.ts'
import type { Payment } from './schemas/payment.ts'

/** The client's methods that create a payment. */
export interface PurchaseMethods {
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
   * @param input The documented parameters under their wire names.
   * @param options `signal`, `timeoutMs`, `deadlineMs`, `maxRetries`, and `passThrough` for fields that the API document does not show.
   * @throws {InvalidInputError} before anything is sent, naming each field that breaks a rule.
   * @throws {ConfigError} when the configuration is invalid.
   * @throws {ConnectionError} when the request provably never left: calling again is safe.
   * @throws {OutcomeUnknownError} when it may have been processed and no response confirms it: ask with `resendWebhook` first.
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
  createPayment(input: HostedPurchaseInput, options?: CallOptions): Promise<Checkout>
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
   * @param input The documented parameters under their wire names.
   * @param options `signal`, `timeoutMs`, `deadlineMs`, `maxRetries`, and `passThrough` for fields that the API document does not show.
   * @throws {InvalidInputError} before anything is sent, naming each field that breaks a rule.
   * @throws {ConfigError} when the configuration is invalid.
   * @throws {ConnectionError} when the request provably never left: calling again is safe.
   * @throws {OutcomeUnknownError} when it may have been processed and no response confirms it: ask with `resendWebhook` first.
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
  createPayment(input: DirectPurchaseInput | DirectAuthInput, options?: CallOptions): Promise<Payment>
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
   * @param input The documented parameters under their wire names.
   * @param options `signal`, `timeoutMs`, `deadlineMs`, `maxRetries`, and `passThrough` for fields that the API document does not show.
   * @throws {InvalidInputError} before anything is sent, naming each field that breaks a rule.
   * @throws {ConfigError} when the configuration is invalid.
   * @throws {ConnectionError} when the request provably never left: calling again is safe.
   * @throws {OutcomeUnknownError} when it may have been processed and no response confirms it: ask with `resendWebhook` first.
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
  createPayment(input: CreatePaymentInput, options?: CallOptions): Promise<Checkout | Payment>
  /**
   * Creates a purchase that is divided between sub-merchants. `POST {base_url}/api/v1/split/purchase`.
   *
   * Hosted, it returns a {@link Checkout} to redirect the customer to; direct, a {@link Payment}. A declined payment is a
   * value with `status: 'failure'`, not an exception. Amounts are in the currency's unit with at most 2 decimals.
   *
   * @param input The documented parameters under their wire names.
   * @param options `signal`, `timeoutMs`, `deadlineMs`, `maxRetries`, and `passThrough` for fields that the API document does not show.
   * @throws {InvalidInputError} before anything is sent, naming each field that breaks a rule.
   * @throws {ConfigError} when the configuration is invalid.
   * @throws {ConnectionError} when the request provably never left: calling again is safe.
   * @throws {OutcomeUnknownError} when it may have been processed and no response confirms it: ask with `resendWebhook` first.
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
  createSplitPurchase(input: HostedSplitPurchaseInput, options?: CallOptions): Promise<Checkout>
  /**
   * Creates a purchase that is divided between sub-merchants. `POST {base_url}/api/v1/split/purchase`.
   *
   * Hosted, it returns a {@link Checkout} to redirect the customer to; direct, a {@link Payment}. A declined payment is a
   * value with `status: 'failure'`, not an exception. Amounts are in the currency's unit with at most 2 decimals.
   *
   * @param input The documented parameters under their wire names.
   * @param options `signal`, `timeoutMs`, `deadlineMs`, `maxRetries`, and `passThrough` for fields that the API document does not show.
   * @throws {InvalidInputError} before anything is sent, naming each field that breaks a rule.
   * @throws {ConfigError} when the configuration is invalid.
   * @throws {ConnectionError} when the request provably never left: calling again is safe.
   * @throws {OutcomeUnknownError} when it may have been processed and no response confirms it: ask with `resendWebhook` first.
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
  createSplitPurchase(input: DirectSplitPurchaseInput, options?: CallOptions): Promise<Payment>
  /**
   * Creates a purchase that is divided between sub-merchants. `POST {base_url}/api/v1/split/purchase`.
   *
   * Hosted, it returns a {@link Checkout} to redirect the customer to; direct, a {@link Payment}. A declined payment is a
   * value with `status: 'failure'`, not an exception. Amounts are in the currency's unit with at most 2 decimals.
   *
   * @param input The documented parameters under their wire names.
   * @param options `signal`, `timeoutMs`, `deadlineMs`, `maxRetries`, and `passThrough` for fields that the API document does not show.
   * @throws {InvalidInputError} before anything is sent, naming each field that breaks a rule.
   * @throws {ConfigError} when the configuration is invalid.
   * @throws {ConnectionError} when the request provably never left: calling again is safe.
   * @throws {OutcomeUnknownError} when it may have been processed and no response confirms it: ask with `resendWebhook` first.
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
  createSplitPurchase(input: CreateSplitPurchaseInput, options?: CallOptions): Promise<Checkout | Payment>
}
