// Cancels payments one after the other: POSTs without a body.
import { createClient } from '../../../src/index.ts'
import { config, outcome } from './merchant.ts'

export async function main({ baseUrl, orders }: { baseUrl: string; orders: string[] }): Promise<unknown[]> {
  const client = createClient(config(baseUrl))
  const outcomes: unknown[] = []
  for (const order_id of orders) outcomes.push(await outcome(client.cancelPayment({ order_id })))
  return outcomes
}
