import { createClient } from '../../../client/client.ts'
import type { Emulator } from '../../../emulator/index.ts'
import { SALE } from '../../../testing/sample-shop.ts'

/** Plays a day over the worker's own API, unless the shop has orders: so that there is something to look at. */
export async function fillDay(origin: string, adminToken: string, emulator: Emulator): Promise<void> {
  const api = async (path: string, body?: object): Promise<{ [name: string]: unknown }> => {
    const authorization = `Bearer ${adminToken}`
    const headers = { authorization, 'content-type': 'application/json', 'idempotency-key': path }
    const init = body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers }
    const response = await fetch(`${origin}/api/${path}`, init)
    if (!response.ok) throw new Error(`/api/${path}: ${response.status} ${await response.text()}`)
    return (await response.json()) as { [name: string]: unknown }
  }
  const link = async (order_id: string, description: string, amount: number, how: object = {}): Promise<string> => {
    return String((await api('links', { order: { ...SALE, order_id, description, amount, ...how } })).url)
  }
  const open = async (url: string): Promise<string> => {
    const { status, headers } = await fetch(url, { redirect: 'manual' })
    const checkout = headers.get('location')
    if (!checkout) throw new Error(`${url.slice(0, 60)}…: ${status} instead of a redirect`)
    return checkout
  }
  const pay = async (url: string, options?: Parameters<Emulator['pay']>[1]): Promise<void> => {
    await emulator.pay(await open(url), options)
    await emulator.deliveries.idle()
  }
  if (((await api('orders?limit=1')).orders as unknown[]).length > 0) return

  await pay(await link('olena-mugs', 'Two mugs', 100.5))
  await pay(await link('taras-bowl', 'A bowl', 340, { customer_email: 'taras@example.com' }))
  const again = await link('maria-teapot', 'A teapot', 480)
  await pay(again, { card: 'declined' })
  await pay(again)
  await pay(await link('ivan-lamp', 'A lamp, made to order', 250, { method: 'auth' }))
  await api('orders/ivan-lamp/capture', { charge_amount: 100 })
  await pay(await link('sofia-plates', 'Six plates', 720))
  await api('orders/sofia-plates/refund', { refund_amount: 120 })
  await open(await link('petro-vase', 'A vase', 60))
  await link('lesia-jug', 'A jug', 95)
  // Paid, and no link of this shop opened it: that is flagged, with an alert.
  const client = createClient({ ...emulator.credentials, fetch: emulator.fetch })
  const addresses = { result_url: `${origin}/`, server_url: `${origin}/webhooks` }
  const stranger = { ...SALE, ...addresses, order_id: 'from-elsewhere', description: 'A candle', amount: 45 }
  await emulator.pay((await client.createPayment(stranger)).url)
  await emulator.deliveries.idle()
}
