import { orderKeyOf } from '../src/shop/store/event-log.ts'
import type { KvStore } from '../src/shop/store/kv.ts'
import { orderFrom } from '../src/shop/store/order.ts'
import { putRecent, summaryOf } from '../src/shop/store/order-index.ts'
import { eventOf } from './programs/events.ts'
import type { Goal, Measure } from './report.ts'
import { sampleOf, takeTurns } from './sample.ts'
import {
  ADMIN_TOKEN,
  BINDINGS,
  clientOf,
  keyOf,
  type RunningWorker,
  type StoredRow,
  sentWebhook,
  startWorker,
} from './worker-process.ts'

const EVENTS = [1, 10, 100, 1000]
const ORDERS = [100, 10_000, 100_000]
const TIME = Date.parse('2026-03-01T10:00:00Z')

/** A page of the template, and what the bare Worker has instead. */
interface Reading {
  table: string
  column: string
  path: string
  bare: { name: string; path: string }
}

/** Reading an order, and the page of the latest orders, on stores of different sizes. */
export async function measureReading(measures: Measure[], quick: boolean): Promise<Goal[]> {
  const rounds = quick ? 7 : 21
  const counts = quick ? EVENTS.slice(0, -1) : EVENTS
  const ofOrder = await withWorkers([], async (workers) => {
    const ratios: number[] = []
    for (const count of counts) {
      const order_id = `with-${count}`
      for (const worker of workers) await deliver(worker, order_id, count)
      const column = `${count.toLocaleString('en')} event${count === 1 ? '' : 's'}`
      const bare = { name: 'a bare list of the same rows in a gate', path: `/orders/${keyOf(order_id)}` }
      const reading = { table: 'Read an order', column, path: `/api/orders/${order_id}`, bare }
      ratios.push(await measureRead(measures, workers, reading, rounds))
    }
    return ratios
  })
  const ofPage: number[] = []
  for (const orders of ORDERS) {
    const column = `${orders.toLocaleString('en')} orders`
    const bare = { name: 'a bare list of 20 keys on the same store', path: '/orders?limit=20' }
    const reading = { table: 'List the 20 latest orders', column, path: '/api/orders', bare }
    const read = (workers: Workers) => measureRead(measures, workers, reading, rounds)
    ofPage.push(await withWorkers(await manyOrders(orders), read))
  }
  const last = (list: readonly { toLocaleString(locale: string): string }[]) => list.at(-1)?.toLocaleString('en')
  const times = (text: string, ratios: number[]): Goal => ({
    text,
    measured: ratios.at(-1) ?? Number.NaN,
    goal: 3,
    unit: '×',
  })
  return [
    times(`an order with ${last(counts)} events: the template divided by a bare list`, ofOrder),
    times(`the 20 latest of ${last(ORDERS)} orders: the template divided by a bare list`, ofPage),
  ]
}

type Workers = readonly [template: RunningWorker, bare: RunningWorker]

async function withWorkers<T>(rows: readonly StoredRow[], work: (workers: Workers) => Promise<T>): Promise<T> {
  const workers = [
    await startWorker('worker/index.ts', rows),
    await startWorker('bench/programs/bare-worker.ts', rows),
  ] as const
  try {
    return await work(workers)
  } finally {
    for (const worker of workers) await worker.stop()
  }
}

/** Sends an order's webhooks, one after the other. */
async function deliver(worker: RunningWorker, order_id: string, count: number): Promise<void> {
  const call = clientOf(worker)
  for (let index = 0; index < count; index++) {
    const { status, text } = await call(sentWebhook({ ...eventOf('1.1 kB', index), order_id }))
    if (status !== 200) throw new Error(`${status}: ${text}`)
  }
}

/** Takes the times of both, and returns the ratio of their medians. */
async function measureRead(
  measures: Measure[],
  [template, bareWorker]: Workers,
  { table, column, path, bare }: Reading,
  rounds: number,
): Promise<number> {
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` }
  const contenders = [
    { name: 'the template', call: clientOf(template), path, ours: true },
    { ...bare, call: clientOf(bareWorker), ours: false },
  ]
  const read = async ({ call, path: sent }: (typeof contenders)[number]): Promise<number> => {
    const response = await call({ method: 'GET', path: sent, headers })
    if (response.status !== 200) throw new Error(`${sent}: ${response.status} ${response.text}`)
    return response.ms
  }
  for (const contender of contenders) await read(contender)
  const times = await takeTurns(contenders, rounds, read)
  const samples = contenders.map((contender) => sampleOf(times.get(contender) ?? []))
  contenders.forEach(({ name, ours }, index) => {
    const sample = samples[index]
    if (sample) measures.push({ table, row: name, column, unit: 'ms', ...sample, ...(ours && { ours }) })
  })
  const [ours, theirs] = samples
  return (ours?.median ?? Number.NaN) / (theirs?.median ?? Number.NaN)
}

/** Rows of the index as the template's own code writes them; computing each of 100,000 would take longer than reading them. */
async function manyOrders(count: number): Promise<StoredRow[]> {
  const rows: StoredRow[] = []
  const put = async (key: string, _value: unknown, metadata: object = {}) => void rows.push({ key, metadata })
  const order = orderFrom('order-0', [], { checkout: undefined, posId: BINDINGS.POS_ID })
  await putRecent({ put } as unknown as KvStore, summaryOf(order), TIME)
  const first = await orderKeyOf('order-0')
  if (keyOf('order-0') !== first) throw new Error('The order key is computed in another way now.')
  return Array.from({ length: count }, (_, index) => {
    const order_id = `order-${index}`
    return rows.map(
      ({ key, metadata }): StoredRow => ({
        key: key.replace(first, keyOf(order_id)),
        metadata: { ...metadata, order_id },
      }),
    )
  }).flat()
}
