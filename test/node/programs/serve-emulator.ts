import { createEmulator } from '../../../src/emulator/index.ts'

/** Hands `emulator.fetch` itself to the runtime's own server, and answers what a client sees over loopback. */

interface Server {
  port: number
  stop(): Promise<unknown> | unknown
}
type Handler = (request: Request, server: { remoteAddr: string }) => Promise<Response>
interface Runtime {
  Deno?: { serve(options: object, handler: Handler): { addr: { port: number }; shutdown(): Promise<void> } }
  Bun?: { serve(options: object): { port: number; stop(force: boolean): Promise<void> } }
}

export interface Seen {
  statuses: number[]
  record: Record<string, unknown>
  page: string
  orders: number
}

export async function main(): Promise<Seen> {
  const emulator = createEmulator()
  const server = serve(emulator.fetch)
  const origin = `http://127.0.0.1:${server.port}`
  const { apiKey, apiSecret, endpointsKey, posId, scheme } = emulator.credentials
  const headers = { 'x-api-auth': `${scheme} ${apiKey}:${apiSecret}`, 'x-api-key': endpointsKey }
  const body = { pos_id: posId, mode: 'hosted', method: 'purchase', amount: 1, currency: 'UAH', order_id: 'A-1' }
  const customer = { customer_patronym: 'x', customer_email: 'x@example.com', customer_phone: '1' }
  const created = await fetch(`${origin}/api/v1/payment`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ ...body, ...customer, description: 'x', order_3ds_bypass: 'supported' }),
    redirect: 'manual',
  })
  const form = new URL(created.headers.get('location') ?? '')
  const page = await fetch(origin + form.pathname)
  const paid = await fetch(origin + form.pathname, {
    method: 'POST',
    body: new URLSearchParams({ cc_number: '4111111111111111', exp_month: '12', exp_year: '40', card_cvv: '123' }),
    redirect: 'manual',
  })
  const again = await fetch(`${origin}/api/v1/pos/${posId}/orders/A-1/purchase?callback=true`, { headers })
  const seen = {
    statuses: [created.status, page.status, paid.status, again.status],
    record: (await again.json()) as Record<string, unknown>,
    page: await page.text(),
    orders: emulator.orders.list().length,
  }
  await paid.text()
  await server.stop()
  return seen
}

function serve(handler: Handler): Server {
  const { Deno, Bun } = globalThis as Runtime
  if (Deno !== undefined) {
    const server = Deno.serve({ port: 0, hostname: '127.0.0.1', onListen: () => {} }, handler)
    return { port: server.addr.port, stop: () => server.shutdown() }
  }
  if (Bun !== undefined) {
    const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: handler })
    return { port: server.port, stop: () => server.stop(true) }
  }
  throw new Error('This program is for Deno and Bun.')
}
