// Your shop: checkout links, webhooks, a small API and a console, over a database of yours.

import { createServer } from 'node:http'
import process from 'node:process'
import { DatabaseSync } from 'node:sqlite'
import { createConsole } from 'edgetill/console'
import { createShop, nodeHandler } from 'edgetill/server'
import { postgres, sqlite } from 'edgetill/till'
import connect from 'postgres'
import { onAlert, onEvent } from './on-event.ts'

const { DATABASE = 'shop.db', DATABASE_URL, HOST = '127.0.0.1', PORT = '3000', TRUST } = process.env
// A file of SQLite needs nothing. Postgres may be shared by several processes, on several machines.
const sql = DATABASE_URL ? connect(DATABASE_URL) : undefined
const shop = createShop({
  database: sql ? postgres(sql) : sqlite(new DatabaseSync(DATABASE)),
  config: process.env,
  onEvent,
  onAlert,
  // Make your customers' pages look like your shop: add `logo: 'https://shop.example.com/logo.svg'`.
  pages: { accent: '#0b57d0' },
  console: createConsole,
  // Behind a proxy: the header in which it sends the client's address, such as x-forwarded-for.
  trust: TRUST || undefined,
})
await shop.start()
const server = createServer(nodeHandler(shop)).listen(Number(PORT), HOST, () =>
  console.log(`listening on port ${PORT}`),
)

/** Takes no more requests, and ends within eight seconds. Unfinished work stays due. */
async function stop(): Promise<void> {
  server.close()
  await shop.stop()
  await sql?.end({ timeout: 1 })
  process.exit()
}
process.once('SIGTERM', stop).once('SIGINT', stop)
