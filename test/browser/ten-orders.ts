import { serveOnNode } from '../../src/cli/service/serve-node.ts'
import { createEmulator } from '../../src/emulator/index.ts'
import { cardForm, direct, post, submit } from '../emulator/call.ts'

const LONG = 'Комплект керамічного посуду ручної роботи '.repeat(12) + 'x'.repeat(500)

export type TenOrders = Awaited<ReturnType<typeof startTenOrders>>

/** A served emulator whose orders are of ten kinds, and a receiver of their webhooks. */
export async function startTenOrders() {
  const served = await serveOnNode((request) => emulator.fetch(request))
  const receiver = await serveOnNode(
    (request) => new Response(null, { status: request.url.endsWith('/failing') ? 500 : 200 }),
  )
  const emulator = createEmulator({ origin: served.origin, seed: 5 })
  // An address of loopback where nobody listens any more.
  const gone = await serveOnNode(() => new Response())
  await gone.close()
  /** The address of an open checkout. */
  const checkout = (order_id: string) => emulator.orders.get(order_id)?.checkout_url ?? ''

  const addresses = { server_url: `${receiver.origin}/hook`, result_url: 'http://127.0.0.1:9/thanks' }
  const price = { amount: 100.5, currency: 'UAH', ...addresses }
  const init_recurring = { interval_unit: 'month', interval_count: 1 }
  emulator.faults.next({ kind: 'corrupt_signature', order_id: 'refunded-in-part' })
  emulator.seedOrders([
    { ...price, order_id: 'init-long-description', mode: 'hosted', description: LONG, customer_lang: 'EN' },
    { ...price, order_id: 'init-ukrainian', mode: 'hosted', customer_lang: 'UK', result_url: undefined },
    { ...price, order_id: 'paid' },
    { ...price, order_id: 'three-d-secure', mode: 'hosted' },
    { ...price, order_id: 'declined', card: 'insufficient_funds' },
    { ...price, order_id: 'captured-in-part', method: 'auth', steps: [{ do: 'capture', amount: 40 }] },
    { ...price, order_id: 'voided', method: 'auth', steps: [{ do: 'void' }] },
    { ...price, order_id: 'refunded-in-part', steps: [{ do: 'refund', amount: 50.25 }] },
    { ...price, order_id: 'recurring', init_recurring },
    { ...price, order_id: 'webhook-failed', server_url: `${receiver.origin}/failing` },
    { ...price, order_id: 'webhook-refused', server_url: `${gone.origin}/hook` },
  ])
  await submit(emulator, checkout('three-d-secure'), cardForm('three_d_secure'))
  await post(emulator, '/api/v1/payment', direct(emulator, { order_id: 'rejected', amount: -1 }))
  await emulator.deliveries.idle()

  return {
    emulator,
    checkout,
    async close() {
      emulator.reset()
      await Promise.all([served.close(), receiver.close()])
    },
  }
}
