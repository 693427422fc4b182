import { type ClientConfig, resolveConfig } from '../config.ts'
import { cancelPayment } from '../operations/cancel-payment.ts'
import { cancelRecurring } from '../operations/cancel-recurring.ts'
import { capturePayment } from '../operations/capture-payment.ts'
import { captureSplitPurchase } from '../operations/capture-split-purchase.ts'
import { createPayment } from '../operations/create-payment.ts'
import { createSplitPurchase } from '../operations/create-split-purchase.ts'
import { getAccount } from '../operations/get-account.ts'
import { listAccounts } from '../operations/list-accounts.ts'
import { listOrderOperations } from '../operations/list-order-operations.ts'
import { rawRequest } from '../operations/raw-request.ts'
import { refundPayment } from '../operations/refund-payment.ts'
import { refundSplitPurchase } from '../operations/refund-split-purchase.ts'
import { resendWebhook } from '../operations/resend-webhook.ts'
import { voidPayment } from '../operations/void-payment.ts'
import type { Client } from './client-methods.ts'
import { MERCHANT } from './merchant.ts'

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
  const checked = resolveConfig(config)
  // Each operation takes a checked configuration as it takes the given one.
  const resolved = checked as unknown as ClientConfig
  const client: Client = {
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
  const { posId, baseUrl } = checked
  let dry: Client | undefined
  const check = async (name: string, input: object): Promise<void> => {
    const silent = { onRequest: undefined, onError: undefined, onWarning() {} }
    const nowhere = { fetch: () => Promise.reject(), signer: () => '-', maxRetries: 0 }
    dry ??= createClient({ ...(checked.given as ClientConfig), ...silent, ...nowhere })
    await dry[name as 'createPayment'](input as never).catch((error: { code?: unknown }) => {
      if (error.code === 'invalid_input') throw error
    })
  }
  return Object.assign(client, { [MERCHANT]: { posId, baseUrl, check } })
}
