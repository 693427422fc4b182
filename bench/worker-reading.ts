import { createHash } from 'node:crypto'
import { summarizeEvent } from '../src/orders/summary.ts'
import { recordOf } from '../src/schemas/read.ts'
import { type LoggedEvent, orderKeyOf, putEvent } from '../src/shop/store/event-log.ts'
import type { KvStore } from '../src/shop/store/kv.ts'
import { orderFrom } from '../src/shop/store/order.ts'
import { putRecent, summaryOf } from '../src/shop/store/order-index.ts'
import { readEvent } from '../src/webhooks/index.ts'
import { eventOf } from './programs/events.ts'
import type { Goal, Measure } from './report.ts'
import { sampleOf, takeTurns } from './sample.ts'
import { ADMIN_TOKEN, clientOf, type RunningWorker, type StoredRow, startWorker } from './worker-process.ts'

const EVENTS = [1, 10, 100, 1000]
const ORDERS = [100, 10_000, 100_000]
const TIME = Date.parse('2026-03-01T10:00:00Z')

/** Reading an order, and the page of the latest orders: times, KV calls and keys read, on stores of different sizes. */
export async function measureReading(measures: Measure[], quick: boolean): Promise<Goal[]> {
  const rounds = quick ? 7 : 21
  const rows = await recordedRows(async (state) => {
    for (const count of EVENTS) await putOrder(state, `with-${count}`, count)
  })
  const ofOrder: Counts[] = []
  const small = await startWorker('bench/programs/counting-worker.ts', rows)
  try {
    for (const count of EVENTS) {
      const order_id = `with-${count}`
      const reading: Reading = {
        table: 'Read an order',
        column: `${count.toLocaleString('en')} event${count === 1 ? '' : 's'}`,
        path: `/api/orders/${order_id}`,
        bare: 'a bare list of the same keys on the same store',
        prefix: `event/${await orderKeyOf(order_id)}/`,
        limit: 1000,
      }
      ofOrder.push(await measureRead(measures, small, reading, rounds))
    }
  } finally {
    await small.stop()
  }
  const ofPage: Counts[] = []
  const ratios: number[] = []
  for (const orders of ORDERS) {
    const store = await startWorker('bench/programs/counting-worker.ts', await manyOrders(orders))
    try {
      const reading: Reading = {
        table: 'List the 20 latest orders',
        column: `${orders.toLocaleString('en')} orders`,
        path: '/api/orders',
        bare: 'a bare list of 20 keys on the same store',
        prefix: 'recent/',
        limit: 20,
      }
      const { ratio, ...counts } = await measureRead(measures, store, reading, rounds)
      ofPage.push(counts)
      ratios.push(ratio)
    } finally {
      await store.stop()
    }
  }
  const growth = (text: string, all: Counts[], what: keyof Counts): Goal => {
    const list = all.map((counts) => counts[what])
    return { text, measured: Math.max(...list) / Math.min(...list), goal: 1, unit: '×' }
  }
  return [
    growth('KV calls to read an order: 1,000 events divided by 1', ofOrder, 'KV calls'),
    growth('KV calls to list the latest orders: most orders divided by fewest', ofPage, 'KV calls'),
    growth('keys read to list the latest orders: most orders divided by fewest', ofPage, 'keys read'),
    {
      text: `the 20 latest of ${ORDERS.at(-1)?.toLocaleString('en')} orders: the template divided by a bare list`,
      measured: ratios.at(-1) ?? Number.POSITIVE_INFINITY,
      goal: 3,
      unit: '×',
    },
  ]
}

/** A page of the template, and the list that it stands beside. */
interface Reading {
  table: string
  column: string
  path: string
  bare: string
  prefix: string
  limit: number
}

type Counts = Record<'KV calls' | 'keys read', number>

async function measureRead(
  measures: Measure[],
  worker: RunningWorker,
  { table, column, path, bare, prefix, limit }: Reading,
  rounds: number,
): Promise<Counts & { ratio: number }> {
  const client = clientOf(worker)
  const call = async (sent: string) => {
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}` }
    const response = await client({ method: 'GET', path: sent, headers })
    if (response.status !== 200) throw new Error(`${sent}: ${response.status} ${response.text}`)
    return response
  }
  const listPath = `/bench/list?limit=${limit}&prefix=${encodeURIComponent(prefix)}`
  const { headers } = await call(path)
  await call(listPath)
  const times = await takeTurns([path, listPath], rounds, async (sent) => (await call(sent)).ms)
  const shared = { table, column, unit: 'ms' } as const
  measures.push({ ...shared, row: 'the template', ...sampleOf(times.get(path) ?? []), ours: true })
  measures.push({ ...shared, row: bare, ...sampleOf(times.get(listPath) ?? []) })
  const [page, list] = [path, listPath].map((sent) => sampleOf(times.get(sent) ?? []).median)
  const counts: Counts = { 'KV calls': Number(headers['x-kv-calls']), 'keys read': Number(headers['x-kv-keys']) }
  for (const [row, median] of Object.entries(counts)) {
    measures.push({ table: `${table}: KV`, row, column, unit: 'count', median, low: median, high: median, rounds: 1 })
  }
  return { ...counts, ratio: (page ?? Number.NaN) / (list ?? Number.NaN) }
}

/** What the template's own code would write. */
async function recordedRows(write: (state: KvStore) => Promise<void>): Promise<StoredRow[]> {
  const rows: StoredRow[] = []
  const state = {
    put: async (key: string, _value: unknown, metadata: object = {}) => {
      rows.push({ key, metadata })
    },
  }
  await write(state as unknown as KvStore)
  return rows
}

async function putOrder(state: KvStore, order_id: string, events: number): Promise<void> {
  const key = await orderKeyOf(order_id)
  const logged: LoggedEvent[] = []
  for (let index = 0; index < events; index++) {
    const event = readEvent({ ...eventOf('1.1 kB', index), order_id })
    const summary = { ...summarizeEvent(event), received_at: TIME }
    logged.push(summary)
    await putEvent(state, key, summary, { event: recordOf(event) }, async () => {})
  }
  // As the order's gate writes it.
  const order = orderFrom(order_id, logged, { checkout: undefined, posId: 'ed9e7111-0000-4000-8000-000000000001' })
  await putRecent(state, summaryOf(order), TIME)
}

/** Orders of one event each, made from the rows of one: computing 100,000 of them would take longer than reading them. */
async function manyOrders(count: number): Promise<StoredRow[]> {
  const first = await orderKeyOf('order-0')
  if (keyOf('order-0') !== first) throw new Error('The order key is computed in another way now.')
  const template = await recordedRows((state) => putOrder(state, 'order-0', 1))
  return Array.from({ length: count }, (_, index) => {
    const key = keyOf(`order-${index}`)
    return template.map((row): StoredRow => {
      const metadata = 'order_id' in row.metadata ? { ...row.metadata, order_id: `order-${index}` } : row.metadata
      return { key: row.key.replace(first, key), metadata }
    })
  }).flat()
}

/** The template's key of an order, faster than the template's own way. */
export const keyOf = (order_id: unknown): string => createHash('sha256').update(String(order_id)).digest('base64url')
