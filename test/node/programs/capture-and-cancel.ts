// One capture (with a body) and one cancellation (without) for each order, one after the other.
import { createClient } from '../../../src/index.ts'
import { config, outcome } from './merchant.ts'

export async function main({ baseUrl, orders }: { baseUrl: string; orders: string[] }): Promise<unknown> {
  const client = createClient(config(baseUrl))
  const outcomes: Record<string, unknown> = {}
  for (const order_id of orders) {
    outcomes[`capture ${order_id}`] = await outcome(client.capturePayment({ order_id, order_currency: 'UAH' }))
    outcomes[`cancel ${order_id}`] = await outcome(client.cancelPayment({ order_id }))
  }
  return outcomes
}
