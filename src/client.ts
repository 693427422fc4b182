import { type ClientConfig, resolveConfig } from './config.ts'
import {
  type CreatePaymentInput,
  createPayment,
  type DirectAuthInput,
  type DirectPurchaseInput,
  type HostedPurchaseInput,
} from './operations/create-payment.ts'
import type { Checkout } from './purchase-request.ts'
import type { Payment } from './schemas/payment.ts'
import type { CallOptions } from './transport.ts'

/** Every operation, bound to one configuration. The functions can be taken out and passed on: they need no `this`. */
export interface Client {
  /** Creates a payment; see the function `createPayment`. */
  createPayment: {
    (input: HostedPurchaseInput, options?: CallOptions): Promise<Checkout>
    (input: DirectPurchaseInput | DirectAuthInput, options?: CallOptions): Promise<Payment>
    (input: CreatePaymentInput, options?: CallOptions): Promise<Checkout | Payment>
  }
}

/**
 * Binds every operation to one configuration, which is checked here and now.
 *
 * @throws {ConfigError} naming the option to mend.
 * @example
 * import { createClient } from 'edgetill'
 * const client = createClient({
 *   baseUrl: 'https://pay.example.com', apiUrl: 'https://api.example.com',
 *   posId: '3f1c2c1e-6a5c-4b8e-9d53-0a4c1c7d2b11', apiKey: 'key', apiSecret: 'secret', endpointsKey: 'endpoints key',
 * })
 */
export function createClient(config: ClientConfig): Client {
  const resolved = resolveConfig(config)
  return {
    createPayment: ((input: CreatePaymentInput, options?: CallOptions) =>
      createPayment(resolved, input, options)) as Client['createPayment'],
  }
}
