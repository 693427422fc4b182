// `node bench/programs/search.ts [ORDERS]`: the time of a search of the console over a book of two million orders.

import { DatabaseSync } from 'node:sqlite'
import { listBook, putListed, SHOP } from '../../src/shop/books/tables.ts'
import { openTables } from '../../src/shop/lib/tables.ts'
import type { GateStorage } from '../../src/shop/runtime.ts'

const ORDERS = Number(process.argv[2] ?? 2_000_000)
const DAY_MS = 86_400_000
const NOW = Date.parse('2026-11-26T12:00:00Z')
/** A shop of a thousand orders a day; an accountant looks for words in 92 of them. */
const STEP_MS = DAY_MS / 1000
const GOODS = ['Кухоль із глини', 'Two mugs', 'Lamp', 'Блакитна тарілка', 'Набір тарілок', 'Jug of Lesia']

const database = new DatabaseSync(':memory:')
const made = new Map<string, ReturnType<typeof database.prepare>>()
const prepared = (query: string) => made.get(query) ?? made.set(query, database.prepare(query)).get(query)
const sql = {
  exec(query: string, ...bindings: never[]) {
    const rows = prepared(query)?.all(...bindings)
    return { toArray: () => rows }
  },
}
const storage = {
  sql,
  transactionSync: <T>(work: () => T): T => work(),
} as unknown as GateStorage
const tables = openTables(storage, SHOP)

database.exec('BEGIN')
for (let i = 0; i < ORDERS; i++) {
  const order_id = `order-${i}`
  const amount = 50 + (i % 9_000) / 100
  const description = `${GOODS[i % GOODS.length]} ${i % 977}`
  const summary = {
    order_id,
    status: 'success',
    amount,
    currency: 'UAH',
    flags: [],
    description,
    customer_name: 'Olena',
  }
  putListed(tables, {
    ...{ order_id, since: NOW - (ORDERS - i) * STEP_MS, version: 1, email: `c${i}@example.com`, phone: `+38044${i}` },
    ...{ last_four: String(i % 10_000).padStart(4, '0'), isOpen: i % 50 === 0, due_at: null, attention: [] },
    ...{ failing: [], attempts: [order_id], money: [], audit: [], summary: summary as never },
  })
}
database.exec('COMMIT')

const SEARCHES = {
  'no search': undefined,
  'an id': `order-${Math.round(ORDERS / 2)}`,
  'the last four digits': '4242',
  'an amount': '77.77',
  'a common word': 'кухоль',
  'a word that nine orders have': 'jug 461',
  'words that no order has': 'no such thing',
}
console.log(`${ORDERS} orders, ${Math.round((ORDERS * STEP_MS) / DAY_MS)} days`)
for (const [name, search] of Object.entries(SEARCHES)) {
  const filter = { ...(search !== undefined && { search, wordsSince: NOW - 92 * DAY_MS }) }
  const times = Array.from({ length: 9 }, () => {
    const began = performance.now()
    listBook(tables, filter, 21, undefined)
    return performance.now() - began
  }).sort((a, b) => a - b)
  const rows = listBook(tables, filter, 21, undefined).length
  console.log(`${name}: ${times[4]?.toFixed(1)} ms (${times[0]?.toFixed(1)} to ${times[8]?.toFixed(1)}), ${rows} rows`)
}
