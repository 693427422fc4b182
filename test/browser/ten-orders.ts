import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Served, serveOnNode } from '../../src/cli/service/serve-node.ts'
import { createEmulator, type Emulator, testCard } from '../../src/emulator/index.ts'
import { direct, hosted, type Json, plain } from '../emulator/call.ts'

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
  const served: Served = await serveOnNode((request) => emulator?.fetch(request) ?? new Response(null, { status: 503 }))
  const receiver = createServer((request, response) => {
    request.resume()
    request.on('end', () => {
      response.statusCode = request.url === '/failing' ? 500 : 200
      response.end()
    })
  })
  await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done))
  const hook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
  emulator = createEmulator({ origin: served.origin, seed: 5 })
  // A port of loopback that nobody listens on any more.
  const gone = createServer()
  await new Promise<void>((done) => gone.listen(0, '127.0.0.1', done))
  const refusing = `http://127.0.0.1:${(gone.address() as AddressInfo).port}/hook`
  await new Promise((done) => gone.close(done))
  const checkouts: Record<string, string> = {}

  const send = async (path: string, body: Json): Promise<Response> =>
    fetch(served.origin + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...plain(emulator as Emulator) },
      body: JSON.stringify(body),
      redirect: 'manual',
    })
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
  await fetch(checkouts['three-d-secure'] ?? '', {
    method: 'POST',
    body: new URLSearchParams({
      cc_number: testCard('three_d_secure'),
      exp_month: '12',
      exp_year: '39',
      card_cvv: '123',
    }),
    redirect: 'manual',
  })
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
      await served.close()
      receiver.closeAllConnections()
      await new Promise((done) => receiver.close(done))
    },
  }
}
