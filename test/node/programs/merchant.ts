// The part that all programs of this folder share: a configuration for a server on loopback, and one hosted payment.
import type { ClientConfig, HostedPurchaseInput } from '../../../src/index.ts'
import { HOSTED } from '../../support/inputs.ts'
import { CONFIG } from '../../support/mock-fetch.ts'

export const config = (baseUrl: string): ClientConfig => ({
  ...CONFIG,
  baseUrl,
  apiUrl: baseUrl,
  ...{ apiKey: 'api-key-canary', apiSecret: 'api-secret-canary', endpointsKey: 'endpoints-key-canary' },
  random: () => 0,
})

export const payment = (order_id: string): HostedPurchaseInput => ({ ...HOSTED, order_id })

/** The outcome of a call in a form that travels as JSON. */
export async function outcome(call: Promise<unknown>): Promise<unknown> {
  try {
    return { value: await call }
  } catch (error) {
    const { name, code, reason, status, message } = error as Record<string, unknown>
    return { name, code, reason, status, message }
  }
}
