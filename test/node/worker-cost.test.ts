import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import {
  type Calls,
  COLUMNS,
  callsOfOrder,
  costOf,
  costTable,
  PRICES_OF,
  readCalls,
} from '../../scripts/worker-cost.ts'
import { signWebhook } from '../../src/webhooks/index.ts'
import { at, payment } from '../worker/support/events.ts'
import { World } from '../worker/support/world.ts'
import { root } from './support/runtimes.ts'

const readme = readFileSync(join(root, 'worker/README.md'), 'utf8')

/** Counts the calls of KV and of the object while something happens. */
async function count(world: World, act: () => Promise<unknown>): Promise<Calls> {
  const read = (): Calls => {
    const { get, put, delete: deleted, list } = world.kv.calls
    const { object, rowsRead, rowsWritten } = world.object.calls
    // A deletion costs what a write costs.
    const kv = { 'KV reads': get, 'KV writes': put + deleted, 'KV lists': list }
    return { ...kv, 'object calls': object, 'rows read': rowsRead, 'rows written': rowsWritten }
  }
  const before = read()
  await act()
  await world.idle()
  const after = read()
  return Object.fromEntries(COLUMNS.map((column) => [column, after[column] - before[column]])) as Calls
}

const post = (world: World, path: string, key: string) =>
  world.api(path, { method: 'POST', headers: { 'idempotency-key': key }, body: '{}' })

/** A run of the cron. */
const cron = (world: World): Promise<Calls> => count(world, () => world.cron())

/** The run of the cron that removes the data of an order, when its RETENTION_DAYS are over. */
async function erasure(): Promise<Calls> {
  const world = new World({ kind: 'strict', onEvent: () => {}, env: { RETENTION_DAYS: '30' } })
  await world.open(await world.link({ order_id: 'A-1' }))
  const paid = payment('A-1')
  await world.deliver({ ...paid, status: 'pending', processed_at: at(1) })
  await world.deliver(paid)
  for (let i = 0; i < 5; i++) await world.advance(900_000)
  world.time += 31 * 86_400_000
  return cron(world)
}

/** Every row of the table, as it happens to an order with an `onEvent`. */
async function measure(): Promise<Map<string, Calls>> {
  const world = new World({ kind: 'strict', onEvent: () => {} })
  const rows = new Map<string, Calls>()
  const row = async (call: string, act: () => Promise<unknown>) => void rows.set(call, await count(world, act))
  const pause = async () => {
    world.time += 15_000
  }
  // The tables are there: another order came before.
  await world.deliver(payment('A-0'))
  await world.advance(60_000)
  for (let i = 0; i < 5; i++) await world.advance(900_000)
  rows.set('the cron, each minute, with nothing due', await cron(world))
  const link = await world.link({ order_id: 'A-1', method: 'auth' })
  await row('a link, opened the first time', () => world.get(link))
  await row('a link, opened again', () => world.get(link))
  const event = payment('A-1', { method: 'auth', status: 'pending', processed_at: at(1) })
  const send = (fields: object) =>
    world.post(signWebhook({ ...event, ...fields }, world.emulator.credentials.apiSecret).body)
  await pause()
  await row('a webhook, the first of its order', () => send({}))
  const [listed, idle] = [await cron(world), await cron(world)]
  const ofList = COLUMNS.map((column) => [column, listed[column] - idle[column]])
  rows.set('the cron, for an order that has changed', Object.fromEntries(ofList) as Calls)
  await pause()
  await row('a further webhook', () => send({ status: 'success', processed_at: at(2) }))
  await pause()
  await row('a copy of a webhook', () => send({ status: 'success', processed_at: at(2) }))
  const page = (await world.get(link)).headers.get('location') ?? ''
  await row('a result page', () => world.get(page))
  await row('`GET /api/orders/:order_id`', () => world.api('/api/orders/A-1'))
  for (let i = 0; i < 20; i++) await world.deliver(payment(`B-${i}`))
  await world.advance(60_000)
  await row('`GET /api/orders`, a page of 20', () => world.api('/api/orders?limit=20'))
  const auth = await world.open(await world.link({ order_id: 'A-2', method: 'auth' }))
  await world.advance(2_000)
  world.emulator.faults.rate({ kind: 'delay', ms: 3_600_000, on: 'webhook' }, 1)
  await world.pay(auth)
  await world.advance(3_601_000)
  await row('a capture', () => post(world, '/api/orders/A-2/capture', 'c'))
  await pause()
  await row('a refund', () => post(world, '/api/orders/A-2/refund', 'r'))
  rows.set('the cron, when it removes the data of an order', await erasure())
  return rows
}

const tableOf = (rows: ReadonlyMap<string, Calls>): string =>
  [...rows].map(([call, calls]) => `| ${call} | ${COLUMNS.map((column) => calls[column]).join(' | ')} |`).join('\n')

it('worker/README.md says what each call costs in KV and Durable Object calls', async () => {
  const measured = await measure()
  expect(tableOf(readCalls(readme))).toBe(tableOf(measured))
})

it('worker/README.md says what that costs in money, as scripts/worker-cost.ts computes it', () => {
  expect(readme).toContain(costTable(readCalls(readme)))
  expect(readme).toContain(`the public prices of ${PRICES_OF}`)
})

it('worker/README.md says where the first limits are', () => {
  const { 'KV writes': writes, 'KV lists': lists } = callsOfOrder(readCalls(readme))
  expect(readme).toContain(`1,000 KV writes a day are enough for ${Math.floor(1000 / writes)} such orders`)
  expect([writes <= 4, lists <= 1, Math.floor(1000 / writes) >= 240]).toEqual([true, true, true])
})

it('counts what is included, and what is paid for beyond it', () => {
  const order = callsOfOrder(readCalls(readme))
  const sum = (ordersADay: number) => Object.values(costOf(ordersADay, order)).reduce((a, b) => a + b, 0)
  expect(sum(0)).toBe(5)
  const none = Object.fromEntries(COLUMNS.map((column) => [column, 0])) as Calls
  const writes = { ...none, 'KV writes': 2 }
  // 60 million writes, of which one is included, at 5 dollars a million.
  expect(costOf(1_000_000, writes).KV).toBe(295)
})
