// Creates two payments one after the other: the first may open a connection that the second then finds in the pool.
import { createClient } from '../../../src/index.ts'
import { config, outcome, payment } from './merchant.ts'

export async function main({ baseUrl, orders }: { baseUrl: string; orders: string[] }): Promise<unknown[]> {
  const client = createClient(config(baseUrl))
  const outcomes: unknown[] = []
  for (const order of orders) outcomes.push(await outcome(client.createPayment(payment(order))))
  return outcomes
}
