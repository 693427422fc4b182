// A shop of edgetill/server in a process of its own: over a file of SQLite, or over Postgres if there is a DATABASE_URL.
import { createServer } from 'node:http'
import { DatabaseSync } from 'node:sqlite'
import connect from 'postgres'
import { createShop, nodeHandler } from '../../../src/shop/server.ts'
import { postgres, sqlite } from '../../../src/till/index.ts'

const { DATABASE = '', DATABASE_URL, PORT } = process.env
const database = DATABASE_URL ? postgres(connect(DATABASE_URL, { onnotice() {} })) : sqlite(new DatabaseSync(DATABASE))
const shop = createShop({ database, config: process.env, onEvent() {} })
await shop.start()
createServer(nodeHandler(shop)).listen(Number(PORT), '127.0.0.1', () => console.log('listening'))
