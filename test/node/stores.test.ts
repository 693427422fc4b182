import { join } from 'node:path'
import { expect, it } from 'vitest'
import { folderInCheckout } from './support/fixtures.ts'
import { usePostgres } from './support/postgres.ts'
import { startCommand } from './support/process.ts'
import { writeProgram } from './support/program.ts'
import { root } from './support/runtimes.ts'

const folder = folderInCheckout()
const postgres = usePostgres()

interface Result {
  /** The rows after each of the 24 orders, three copies each at once, and after a hundred copies of each at once. */
  rows: string[]
  statuses: number[]
  unpaid: { before: string[]; after: string[] }
  order: { status: string; totals: { captured_minor: number; refunded_minor: number }; flags: string[] }
}

/** Sends the same events to a store in every order, and many times, always all at once. */
const PROGRAM = `
import { createWebhookHandler } from 'edgetill/webhooks'
import { testEvent } from 'edgetill/testing'

const at = (second) => '2026-03-01T10:00:0' + second + '.000'
const paid = { order_id: 'A-1', amount: 100.5, payment_id: 'p-1', transaction_id: 't-1' }
const events = [
  testEvent('purchase', { ...paid, status: 'pending', created_at: at(0), processed_at: at(1) }),
  testEvent('purchase', { ...paid, created_at: at(0), processed_at: at(2) }),
  testEvent('refund', { order_id: 'A-1', amount: 20.25, payment_id: 'p-1', created_at: at(3), processed_at: at(4) }),
  testEvent('purchase', { order_id: 'B-1', amount: 100.5, status: 'failure' }),
]
const receive = createWebhookHandler({ secrets: 'emulator-api-secret', onEvent: saveEvent })
const post = async (event) => (await receive(event.request('https://shop.example.com/webhooks'))).status

const permutations = (list) =>
  list.length < 2 ? [list] : list.flatMap((one, i) => permutations(list.toSpliced(i, 1)).map((rest) => [one, ...rest]))

// A-1 is paid, B-1 declined, C-1 paid with another amount.
for (const order_id of ['A-1', 'B-1', 'C-1']) await saveOrder({ order_id, amount: 100.5, currency: 'UAH' })
const names = async () => (await unpaidOrders()).map(({ order_id }) => order_id)
const before = await names()
const rows = []
const statuses = new Set()
const send = async (list) => {
  await run('DELETE FROM events')
  for (const status of await Promise.all(list.map(post))) statuses.add(status)
  rows.push(JSON.stringify(await run('SELECT key, order_id, kind, status, amount FROM events ORDER BY key')))
}
for (const order of permutations(events)) await send([...order, ...order, ...order])
await send(Array.from({ length: 100 }, () => events).flat())
await post(testEvent('purchase', { order_id: 'C-1', amount: 100 }))
await post(testEvent('unknown'))
await post(testEvent('unexpected'))
const order = await orderOf('A-1')
console.log(JSON.stringify({ rows, statuses: [...statuses], unpaid: { before, after: await names() }, order }))
`

const SQLITE = (module: string, Database: string) => `
import { store } from './${module}'
import { ${Database} as Database } from '${Database === 'Database' ? 'bun' : 'node'}:sqlite'
const { saveOrder, saveEvent, unpaidOrders, orderOf } = store()
const database = new Database(process.env.DATABASE)
const run = (sql) => database.prepare(sql).all()
`

const STORES = [
  ['node:sqlite', 'node', SQLITE('sqlite-node.ts', 'DatabaseSync')],
  ['bun:sqlite', 'bun', SQLITE('sqlite-bun.ts', 'Database')],
  [
    'Postgres',
    'node',
    `import { close, orderOf, saveEvent, saveOrder, unpaidOrders } from './postgres.ts'
import postgres from 'postgres'
const sql = postgres(process.env.DATABASE_URL)
const run = (text) => sql.unsafe(text.replace('amount', 'amount::float8 AS amount'))`,
  ],
] as const

it.each(STORES)(
  'the recipe for %s has the same state, however its events came',
  async (name, runtime, imports) => {
    const outfile = join(folder, `${name.replaceAll(/\W/g, '-')}.mjs`)
    const end = name === 'Postgres' ? 'await Promise.all([close(), sql.end()])' : ''
    const program = await writeProgram(`${imports}\n${PROGRAM}\n${end}`, outfile, join(root, 'examples/receivers'))
    const env = { DATABASE: `${outfile}.sqlite`, DATABASE_URL: postgres.url }
    const { output } = await startCommand(join(root, 'node_modules/.bin', runtime), [program], { env }).finished
    const result = JSON.parse(output.trim().split('\n').at(-1) ?? '') as Result

    expect([result.statuses, result.rows.length, new Set(result.rows).size]).toEqual([[200], 25, 1])
    const rows = JSON.parse(result.rows[0] ?? '') as Record<'order_id' | 'kind' | 'status' | 'amount', unknown>[]
    const seen = rows.map(({ order_id, kind, status, amount }) => [order_id, kind, status, amount].join(' '))
    expect(seen.toSorted()).toEqual([
      'A-1 purchase pending 100.5',
      'A-1 purchase success 100.5',
      'A-1 refund success 20.25',
      'B-1 purchase failure 100.5',
    ])
    // An order that was paid with another amount is not paid.
    expect(result.unpaid).toEqual({ before: ['A-1', 'B-1', 'C-1'], after: ['B-1', 'C-1'] })
    expect(result.order).toMatchObject({
      status: 'success',
      totals: { captured_minor: 10_050, refunded_minor: 2025 },
      flags: [],
    })
  },
  60_000,
)
