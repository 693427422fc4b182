// Calls whose answer is a redirect to somewhere else.
import { createClient } from '../../../src/index.ts'
import { config, outcome, payment } from './merchant.ts'

export async function main({ baseUrl }: { baseUrl: string }): Promise<unknown> {
  const client = createClient(config(baseUrl))
  return {
    hosted: await outcome(client.createPayment(payment('hosted'))),
    balances: await outcome(client.listAccounts()),
    capture: await outcome(client.capturePayment({ order_id: 'capture', order_currency: 'UAH' })),
  }
}
