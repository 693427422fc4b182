import { mkdirSync, writeFileSync } from 'node:fs'
import type { AddressInfo, Server } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Order } from '../../../src/index.ts'
import { writeProgram } from './program.ts'
import { root } from './runtimes.ts'

/** A receiver of guides/receivers.md that runs in this process, and its store. */
export interface Receiver {
  /** Posts the body of a webhook, and returns the status. */
  post(body: string): Promise<number>
  orderOf(order_id: string): Order
  /** How many events are stored. */
  rows(): number
  close(): Promise<void>
}

interface Program {
  default?: { fetch(request: Request): Response | Promise<Response> }
  server?: Server & { closeAllConnections(): void }
  orderOf: Receiver['orderOf']
  rows: Receiver['rows']
}

let count = 0

/** Bundles a receiver with its store, and imports it. The program exports `server`, or `default` with a `fetch`. */
export async function loadReceiver(program: string, store: string): Promise<Receiver> {
  const folder = join(root, 'test-output', 'receivers')
  mkdirSync(folder, { recursive: true })
  writeFileSync(
    join(folder, 'store.ts'),
    `${store}\nexport const rows = () => Number(database.prepare('SELECT count(*) AS n FROM events').get()?.n)\n`,
  )
  const outfile = join(folder, `receiver-${process.pid}-${count++}.mjs`)
  await writeProgram(`${program}\nexport { orderOf, rows } from './store.ts'\n`, outfile, folder)
  const {
    server,
    default: app,
    orderOf,
    rows,
  } = (await import(/* @vite-ignore */ pathToFileURL(outfile).href)) as Program
  if (server && !server.listening) await new Promise((resolve) => server.once('listening', resolve))
  const origin = server ? `http://127.0.0.1:${(server.address() as AddressInfo).port}` : 'https://shop.example.com'
  return {
    post: async (body) => {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      const request = new Request(`${origin}/webhooks`, { method: 'POST', headers, body })
      const response = await (server ? fetch(request) : app?.fetch(request))
      return response?.status ?? 0
    },
    orderOf,
    rows,
    close: async () => {
      if (!server) return
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
