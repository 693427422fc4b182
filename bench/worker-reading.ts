import { createHash } from 'node:crypto'
import type { WebhookEvent } from '../worker/sdk.ts'
import { orderKeyOf, putEvent } from '../worker/store/events.ts'
import { factOf } from '../worker/store/fact.ts'
import { putRecent } from '../worker/store/recent.ts'
import type { State } from '../worker/store/state.ts'
import { eventOf } from './programs/events.ts'
import type { Goal, Measure } from './report.ts'
import { sampleOf } from './sample.ts'
import { ADMIN_TOKEN, clientOf, type RunningWorker, type StoredRow, startWorker } from './worker-process.ts'

const EVENTS = [1, 10, 100, 1000]
const TIME = Date.parse('2026-03-01T10:00:00Z')

/** Reading an order, and the page of the latest orders: times, KV calls and keys read, on stores of different sizes. */
export async function measureReading(measures: Measure[], quick: boolean): Promise<Goal[]> {
  const rounds = quick ? 7 : 21
  const rows = await recordedRows(async (state) => {
    for (const count of EVENTS) await putOrder(state, `with-${count}`, count)
  })
  const small = await startWorker('bench/programs/counting-worker.ts', rows)
  const calls: number[] = []
  try {
    for (const count of EVENTS) {
      const prefix = `event/${await orderKeyOf(`with-${count}`)}/`
      const column = `${count} event${count === 1 ? '' : 's'}`
      calls.push(
        await measureRead(
          measures,
          small,
          'worker: reading an order',
          column,
          `/api/orders/with-${count}`,
          prefix,
          rounds,
        ),
      )
    }
  } finally {
    await small.stop()
  }
  const pageCalls: number[] = []
  for (const orders of quick ? [100, 10_000] : [100, 10_000, 100_000]) {
    const store = await startWorker('bench/programs/counting-worker.ts', await manyOrders(orders))
    try {
      const column = `${orders.toLocaleString('en')} orders`
      const table = 'worker: the page of the 20 latest orders'
      pageCalls.push(await measureRead(measures, store, table, column, '/api/orders', 'recent/', rounds))
    } finally {
      await store.stop()
    }
  }
  const growth = (list: number[]) => Math.max(...list) / Math.min(...list)
  return [
    { text: 'worker, KV calls to read an order: 1,000 events by 1', measured: growth(calls), goal: 1, unit: '×' },
    {
      text: 'worker, KV calls for the latest page: most orders by fewest',
      measured: growth(pageCalls),
      goal: 1,
      unit: '×',
    },
  ]
}

/** @returns How many calls of KV it took. */
async function measureRead(
  measures: Measure[],
  worker: RunningWorker,
  table: string,
  column: string,
  path: string,
  prefix: string,
  rounds: number,
): Promise<number> {
  const client = clientOf(worker)
  const call = async (sent: string) => {
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}` }
    const answered = await client({ method: 'GET', path: sent, headers })
    if (answered.status !== 200) throw new Error(`${sent}: ${answered.status} ${answered.text}`)
    return answered
  }
  const listPath = `/bench/list?prefix=${encodeURIComponent(prefix)}`
  const { headers } = await call(path)
  await call(listPath)
  const ours: number[] = []
  const bare: number[] = []
  for (let round = 0; round < rounds; round++) {
    ours.push((await call(path)).ms)
    bare.push((await call(listPath)).ms)
  }
  measures.push({ table, row: 'the template', column, unit: 'ms', ...sampleOf(ours), ours: true })
  measures.push({ table, row: 'a bare list of 20 keys on the same store', column, unit: 'ms', ...sampleOf(bare) })
  const counts = { 'KV calls': Number(headers['x-kv-calls']), 'keys read': Number(headers['x-kv-keys']) }
  for (const [row, median] of Object.entries(counts)) {
    measures.push({ table: `${table}: KV`, row, column, unit: 'count', median, low: median, high: median, rounds: 1 })
  }
  return counts['KV calls']
}

/** What the template's own code would write. */
async function recordedRows(write: (state: State) => Promise<void>): Promise<StoredRow[]> {
  const rows: StoredRow[] = []
  const state = {
    put: async (key: string, _value: unknown, metadata: object = {}) => {
      rows.push({ key, metadata })
    },
  }
  await write(state as unknown as State)
  return rows
}

async function putOrder(state: State, order_id: string, events: number): Promise<void> {
  const key = await orderKeyOf(order_id)
  await putRecent(state, order_id, TIME)
  for (let index = 0; index < events; index++) {
    const event = { ...eventOf('1.1 kB', index), order_id } as unknown as WebhookEvent
    await putEvent(state, key, await factOf(event), event, TIME, undefined)
  }
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
