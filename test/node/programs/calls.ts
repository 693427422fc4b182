// Calls of a client, one after the other: the first may open a connection that the next then finds in the pool.
import { createClient } from '../../../src/index.ts'
import { config, outcome, payment } from './merchant.ts'

export type Call = [operation: 'create' | 'capture' | 'cancel' | 'accounts', order_id: string]

export async function main({ baseUrl, calls }: { baseUrl: string; calls: Call[] }): Promise<unknown[]> {
  const client = createClient(config(baseUrl))
  const make = {
    create: (order_id: string) => client.createPayment(payment(order_id)),
    capture: (order_id: string) => client.capturePayment({ order_id, order_currency: 'UAH' }),
    cancel: (order_id: string) => client.cancelPayment({ order_id }),
    accounts: () => client.listAccounts(),
  }
  const outcomes: unknown[] = []
  for (const [operation, order_id] of calls) outcomes.push(await outcome(make[operation](order_id)))
  return outcomes
}
