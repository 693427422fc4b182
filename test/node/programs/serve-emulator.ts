import { createEmulator } from '../../../src/emulator/index.ts'

/** Hands `emulator.fetch` itself to the runtime's own server, and returns what a client sees over loopback. */
export async function main(): Promise<{ statuses: number[]; page: string; orders: number }> {
  const emulator = createEmulator()
  const server = serve(emulator.fetch)
  const origin = `http://127.0.0.1:${server.port}`
  const body = JSON.stringify({ method: 'credit', order_id: 'A-1', amount: 1, currency: 'UAH' })
  const paid = await fetch(`${origin}/_emulator/api/payment`, { method: 'POST', body })
  const page = await fetch(`${origin}/_emulator`)
  const seen = { statuses: [paid.status, page.status], page: await page.text(), orders: emulator.orders.list().length }
  await paid.text()
  await server.stop()
  return seen
}

type Handler = (request: Request, server: { remoteAddr: string }) => Promise<Response>
interface Runtime {
  Deno?: { serve(options: object, handler: Handler): { addr: { port: number }; shutdown(): Promise<void> } }
  Bun?: { serve(options: object): { port: number; stop(force: boolean): Promise<void> } }
}

function serve(handler: Handler): { port: number; stop(): Promise<void> } {
  const { Deno, Bun } = globalThis as Runtime
  const options = { port: 0, hostname: '127.0.0.1', fetch: handler, onListen() {} }
  if (Deno !== undefined) {
    const { addr, shutdown } = Deno.serve(options, handler)
    return { port: addr.port, stop: () => shutdown() }
  }
  const server = Bun?.serve(options)
  if (server === undefined) throw new Error('This program is for Deno and Bun.')
  return { port: server.port, stop: () => server.stop(true) }
}
