// `node bench/programs/till-lists.ts [POSTGRES_URL]`: how long the lists of a till take over 1,000 and 100,000 orders, on node:sqlite or, with an
// address, on Postgres. `node bench/programs/till-lists.ts bytes [ORDERS]`: how many bytes of SQLite an order takes that was paid and refunded
// in part, its list row and indexes included, over 20,000 orders.

import { DatabaseSync } from 'node:sqlite'
import { createEmulator } from '../../src/emulator/index.ts'
import { createClient } from '../../src/index.ts'
import { createTill, type OrdersQuery, postgres, sqlite, type TillDatabase } from '../../src/till/index.ts'
import { readEvent, readWebhook, type WebhookEvent } from '../../src/webhooks/index.ts'

const [url, orders = '20000'] = process.argv.slice(2)
let receive: (event: WebhookEvent) => Promise<void>
const emulator = createEmulator({
  seed: 1,
  webhookUrl: 'https://shop.example.com/webhooks',
  async fetch(input, init) {
    await receive(await readWebhook(new Request(input, init), emulator.credentials.apiSecret))
    return new Response(null)
  },
})
const client = createClient({ ...emulator.credentials, fetch: emulator.fetch as typeof fetch })
const NOW = Date.UTC(2026, 10, 20)

const SHOWN = JSON.stringify({
  ...{
    order_id: 'mugs-1',
    state: 'paid',
    sum: 100.5,
    status: 'success',
    method: 'purchase',
    amount: 100.5,
    currency: 'UAH',
    flags: [],
  },
  totals: { authorized_minor: 10_050, captured_minor: 10_050, refunded_minor: 0, voided_minor: 0, fee_minor: null },
  ...{
    updated_at: '2026-11-01T10:00:00.000',
    reference: 'INV-1',
    description: 'Two mugs and a plate',
    customer_name: 'Olena Shevchenko',
  },
})

/** Fills the list with copies of the till's rows, and the log with a row for each order. */
async function fill(database: TillDatabase, count: number): Promise<void> {
  const n = url
    ? `SELECT i FROM generate_series(1, ${count}) AS n(i)`
    : `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count}) SELECT i FROM n`
  const since = `${NOW} - (${count} - i) * (CAST(${60 * 86_400_000} AS bigint) / ${count})`
  await database.run(
    `INSERT INTO edgetill_order (order_id, token, since, state, is_open, flags, status, amount, refunded, tail, reference, email, phone, last_four,
       payway, words, shown)
     SELECT 'mugs-' || i, '', ${since}, CASE WHEN i % 50 = 0 THEN 2 WHEN i % 20 = 0 THEN 7 ELSE 3 END, CASE WHEN i % 100 = 0 THEN 2 ELSE 0 END,
       CASE WHEN i % 200 = 0 THEN 2 ELSE 0 END, CASE WHEN i % 50 = 0 THEN 'failure' ELSE 'success' END, (10000 + i) / 100.0,
       CASE WHEN i % 20 = 0 THEN 1 END, CAST(i AS text), 'INV-' || i, 'buyer' || i || '@example.com', (1000000 + i) || '083',
       substr('0000' || (i % 10000), length('0000' || (i % 10000)) - 3), 'card',
       'mugs-' || i || ' uah inv-' || i || ' two mugs and a plate olena shevchenko buyer' || i || '@example.com +38001' || i || ' =' || ((10000 + i) / 100.0),
       '${SHOWN}' FROM (${n}) AS t`,
    [],
  )
  await database.run(
    `INSERT INTO edgetill_log (order_id, number, attempt, kind, id, written_at, is_open, body, attempts)
     SELECT 'mugs-' || i, 1, 1, 'event', 'id' || i, ${since}, 0, '{}', 0 FROM (${n}) AS t`,
    [],
  )
  await database.run(
    `INSERT INTO edgetill_money (order_id, attempt, id, at, kind, method, amount, fee, currency)
     SELECT 'mugs-' || i, 1, 'p', ${since}, 'paid', 'card', 10000 + i, 0, 'UAH' FROM (${n}) AS t`,
    [],
  )
  await database.run('ANALYZE', [])
}

const queries = (count: number): Record<string, OrdersQuery> => ({
  newest: {},
  'after a cursor in the middle': { cursor: `${NOW - 30 * 86_400_000}/` },
  'state failed': { states: ['failed'] },
  'status success': { status: 'success' },
  flag: { flag: 'amount_mismatch' },
  open: { open: true },
  'a day': { from: new Date(NOW - 86_400_000 / 24), to: new Date(NOW) },
  'search id': { search: `mugs-${count - 7}` },
  'search e-mail': { search: `buyer${count - 7}@example.com` },
  'search phone': { search: `380${[...String(1_000_000 + count - 7)].reverse().join('')}` },
  'search card': { search: String((count - 7) % 10_000).padStart(4, '0') },
  'search sum': { search: (100 + (count - 7) / 100).toFixed(2) },
  'search words, found in each': { search: 'olena mugs' },
  'search words, found in none': { search: 'nobody nothing' },
})

const median = (times: number[]): number => times.toSorted((a, b) => a - b)[times.length >> 1] as number

async function open(): Promise<TillDatabase> {
  if (!url) return sqlite(new DatabaseSync(':memory:'))
  const { default: connect } = await import('postgres')
  const database = postgres(connect(url, { onnotice() {} }))
  for (const table of ['log', 'version', 'order', 'money'])
    await database.run(`DROP TABLE IF EXISTS edgetill_${table}`, [])
  return database
}

/** Sells orders, refunds a part of each, and counts the pages of every table and index. */
async function measureBytes(count: number): Promise<void> {
  const handle = new DatabaseSync(':memory:')
  const till = createTill({ client, database: sqlite(handle), onEvent() {} })
  await till.migrate()
  receive = till.receive
  const pages = () => handle.prepare('SELECT name, sum(pgsize) AS bytes FROM dbstat GROUP BY 1 ORDER BY 2 DESC').all()
  const empty = new Map(pages().map(({ name, bytes }) => [name, Number(bytes)]))
  for (let i = 0; i < count; i++) {
    const order_id = `order-${10_000_000 + i}`
    const sale = {
      order_id,
      amount: 100.5,
      currency: 'UAH',
      description: 'Two mugs',
      server_url: 'https://shop.example.com/webhooks',
    }
    const buyer = { customer_email: `olena${i}@example.com`, customer_phone: `+38044${1_234_567 + i}` }
    const opened = await till.createPayment(
      { mode: 'hosted', method: 'purchase', order_3ds_bypass: 'supported', ...sale, ...buyer },
      { reference: `INV-${i}` },
    )
    await emulator.pay(String('url' in opened && opened.url))
    await till.refund({ order_id, refund_amount: 30, order_currency: 'UAH' }, { key: `key-${i}` })
    await emulator.deliveries.idle()
    if (i % 100 === 99) await till.settle()
  }
  await till.settle()
  const used = pages().map(({ name, bytes }) => [name, (Number(bytes) - Number(empty.get(name))) / count] as const)
  for (const [name, bytes] of used) if (bytes >= 1) console.log(`${name}: ${bytes.toFixed(0)}`)
  console.log(`an order: ${used.reduce((sum, [, bytes]) => sum + bytes, 0).toFixed(0)} bytes`)
}

if (url === 'bytes') {
  await measureBytes(Number(orders))
  process.exit(0)
}

const measured: Record<string, number[]> = {}
for (const count of [1000, 100_000]) {
  const database = await open()
  const till = createTill({ client, database })
  await till.migrate()
  await fill(database, count)
  await till.receive(
    readEvent({
      order_id: 'page',
      payment_id: 'p',
      method: 'purchase',
      status: 'success',
      amount: 1,
      currency: 'UAH',
      created_at: '2026-11-01T10:00:00.000',
    }),
  )
  const work: [string, () => Promise<unknown>][] = [
    ['page of an order', () => till.order('page')],
    ...Object.entries(queries(count)).map(([name, query]): [string, () => Promise<unknown>] => [
      name,
      () => till.orders(query),
    ]),
    ['one day of takings', () => till.days({ from: '2026-11-19', to: '2026-11-19' })],
  ]
  for (const [name, run] of work) {
    const times: number[] = []
    for (let i = 0; i < 25; i++) {
      const start = performance.now()
      await run()
      times.push(performance.now() - start)
    }
    measured[name] = [...(measured[name] ?? []), median(times.slice(5))]
  }
}
console.log(`| ${url ? 'Postgres' : 'SQLite'}, ms | 1,000 | 100,000 | × |\n| --- | ---: | ---: | ---: |`)
for (const [name, [few = 0, many = 0]] of Object.entries(measured))
  console.log(`| ${name} | ${few.toFixed(2)} | ${many.toFixed(2)} | ${(many / few).toFixed(2)} |`)
process.exit(0)
