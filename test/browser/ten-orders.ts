import { serveOnNode } from '../../src/cli/service/serve-node.ts'
import { createEmulator, type Emulator, testCard } from '../../src/emulator/index.ts'
import { cardForm, direct, hosted, type Json, post, submit } from '../emulator/call.ts'

/** A served emulator whose orders are of ten kinds, and a receiver of their webhooks. */
export interface TenOrders {
  emulator: Emulator
  /** The addresses of the open checkouts, by order_id. */
  checkouts: Record<string, string>
  close(): Promise<void>
}

const LONG = 'Комплект керамічного посуду ручної роботи '.repeat(12) + 'x'.repeat(500)

export async function startTenOrders(): Promise<TenOrders> {
  let emulator: Emulator | undefined
  const served = await serveOnNode((request) => emulator?.fetch(request) ?? new Response(null, { status: 503 }))
  const receiver = await serveOnNode(
    (request) => new Response(null, { status: request.url.endsWith('/failing') ? 500 : 200 }),
  )
  const hook = receiver.origin
  emulator = createEmulator({ origin: served.origin, seed: 5 })
  // An address of loopback where nobody listens any more.
  const gone = await serveOnNode(() => new Response())
  await gone.close()
  const refusing = `${gone.origin}/hook`
  const checkouts: Record<string, string> = {}

  const send = (path: string, body: Json) => post(emulator as Emulator, path, body)
  const result_url = 'http://127.0.0.1:9/thanks'
  const pay = (order_id: string, more: Json = {}) =>
    send('/api/v1/payment', direct(emulator as Emulator, { order_id, server_url: `${hook}/hook`, result_url, ...more }))
  const open = async (order_id: string, more: Json = {}) => {
    const body = hosted(emulator as Emulator, { order_id, server_url: `${hook}/hook`, result_url, ...more })
    checkouts[order_id] = (await send('/api/v1/payment', body)).headers.get('location') ?? ''
  }
  const pos_id = emulator.credentials.posId

  await open('init-long-description', { description: LONG, customer_lang: 'EN' })
  await open('init-ukrainian', { description: 'Дві книжки', customer_lang: 'UK', result_url: undefined })
  await pay('paid')
  await open('three-d-secure')
  await submit(emulator, checkouts['three-d-secure'] ?? '', cardForm('three_d_secure'))
  await pay('declined', { cc_number: testCard('insufficient_funds') })
  await pay('captured-in-part', { method: 'auth' })
  await send('/api/v1/capture', { pos_id, order_id: 'captured-in-part', order_currency: 'UAH', charge_amount: 40 })
  await pay('voided', { method: 'auth' })
  emulator.control.voidPayment('voided')
  emulator.faults.next({ kind: 'corrupt_signature' })
  await pay('refunded-in-part')
  emulator.control.refundPayment('refunded-in-part', 50.25)
  await pay('recurring', { init_recurring: { interval_unit: 'month', interval_count: 1 } })
  await pay('webhook-failed', { server_url: `${hook}/failing` })
  await pay('webhook-refused', { server_url: refusing })
  await pay('rejected', { amount: -1 })
  await emulator.deliveries.idle()

  return {
    emulator,
    checkouts,
    async close() {
      emulator?.reset()
      await Promise.all([served.close(), receiver.close()])
    },
  }
}
