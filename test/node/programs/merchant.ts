// The part that all programs of this folder share: a configuration for a server on loopback, and one hosted payment.
import type { ClientConfig, HostedPurchaseInput } from '../../../src/index.ts'

export const config = (baseUrl: string): ClientConfig => ({
  baseUrl,
  apiUrl: baseUrl,
  posId: '3f1c2c1e-6a5c-4b8e-9d53-0a4c1c7d2b11',
  apiKey: 'api-key-canary',
  apiSecret: 'api-secret-canary',
  endpointsKey: 'endpoints-key-canary',
  scheme: 'SVC',
  random: () => 0,
})

export const payment = (order_id: string): HostedPurchaseInput => ({
  mode: 'hosted',
  method: 'purchase',
  amount: 100.5,
  currency: 'UAH',
  description: 'Two mugs',
  order_id,
  order_3ds_bypass: 'supported',
  customer_patronym: 'Ivanivna',
  customer_email: 'olena@example.com',
  customer_phone: '+380441234567',
})

/** The outcome of a call in a form that travels as JSON. */
export async function outcome(call: Promise<unknown>): Promise<unknown> {
  try {
    return { value: await call }
  } catch (error) {
    const { name, code, reason, status, message } = error as Record<string, unknown>
    return { name, code, reason, status, message }
  }
}
