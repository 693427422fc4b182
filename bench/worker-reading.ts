import { eventOf } from './programs/events.ts'
import type { Goal, Measure } from './report.ts'
import { sampleOf, takeTurns } from './sample.ts'
import { ADMIN_TOKEN, clientOf, keyOf, type RunningWorker, sentWebhook, startWorker } from './worker-process.ts'

const EVENTS = [1, 10, 100, 1000]
const ORDERS = [1_000, 100_000] as const
const LISTS = ['', '?status=failure', '?open=true', '?reference=cart-7', '?search=customer-77@']
/** A page of 11 % of all orders, which are sorted. It has no goal. */
const BROAD = '?search=customer-9'

/** A contender of the comparison. */
interface Contender {
  name: string
  worker: RunningWorker
  path: string
  column: string
  ours?: true
}

/** Reading an order, and pages of lists, on stores of different sizes. */
export async function measureReading(measures: Measure[], quick: boolean): Promise<Goal[]> {
  const rounds = quick ? 7 : 21
  const counts = quick ? EVENTS.slice(0, -1) : EVENTS
  const goals: Goal[] = []
  await withWorkers(['worker/index.ts', 'bench/programs/bare-worker.ts'], async ([template, bare]) => {
    let ratio = Number.NaN
    for (const count of counts) {
      const order_id = `with-${count}`
      for (const worker of [template, bare]) await deliver(worker, order_id, count)
      const column = `${count.toLocaleString('en')} event${count === 1 ? '' : 's'}`
      ratio = await measureRead(measures, 'Read an order', rounds, [
        { name: 'the template', worker: template, path: `/api/orders/${order_id}`, column, ours: true },
        { name: 'a bare list of the same rows in an object', worker: bare, path: `/orders/${keyOf(order_id)}`, column },
      ])
    }
    const text = `an order with ${counts.at(-1)?.toLocaleString('en')} events: the template divided by a bare list`
    goals.push({ text, measured: ratio, goal: 3, unit: '×' })
  })
  const program = 'bench/programs/listing-worker.ts'
  await withWorkers([program, program], async ([few, many]) => {
    await fill(few, ORDERS[0])
    await fill(many, ORDERS[1])
    const columns = ORDERS.map((count) => `${count.toLocaleString('en')} orders`)
    const ratios: number[] = []
    for (const query of [...LISTS, BROAD]) {
      const path = `/api/orders${query}`
      const of = (worker: RunningWorker, column = ''): Contender => ({ name: path, worker, path, column, ours: true })
      const both = [of(many, columns[1]), of(few, columns[0])] as const
      ratios.push(await measureRead(measures, 'List 20 orders', rounds, both))
    }
    const text = `20 of ${columns[1]}, by the filter that is slowest: divided by 20 of ${columns[0]}`
    goals.push({ text, measured: Math.max(...ratios.slice(0, LISTS.length)), goal: 1.5, unit: '×' })
  })
  return goals
}

type Workers = readonly [RunningWorker, RunningWorker]

async function withWorkers(
  [first, second]: readonly [string, string],
  work: (workers: Workers) => Promise<void>,
): Promise<void> {
  const workers = [await startWorker(first), await startWorker(second)] as const
  try {
    await work(workers)
  } finally {
    for (const worker of workers) await worker.stop()
  }
}

/** Orders of a call, for which an object has 30 seconds. */
const FILLED = 10_000

async function fill(worker: RunningWorker, orders: number): Promise<void> {
  const call = clientOf(worker)
  for (let first = 0; first < orders; first += FILLED) {
    const count = Math.min(FILLED, orders - first)
    const { status, text } = await call({ method: 'POST', path: `/fill?first=${first}&count=${count}` })
    if (status !== 200) throw new Error(`${status}: ${text}`)
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
  table: string,
  rounds: number,
  contenders: readonly [Contender, Contender],
): Promise<number> {
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` }
  const callers = new Map(contenders.map((contender) => [contender, clientOf(contender.worker)]))
  const read = async (contender: Contender): Promise<number> => {
    const { path } = contender
    const response = await callers.get(contender)?.({ method: 'GET', path, headers })
    if (response?.status !== 200) throw new Error(`${path}: ${response?.status} ${response?.text}`)
    return response.ms
  }
  for (const contender of contenders) await read(contender)
  const times = await takeTurns(contenders, rounds, read)
  const samples = contenders.map((contender) => sampleOf(times.get(contender) ?? []))
  contenders.forEach(({ name, column, ours }, index) => {
    const sample = samples[index]
    if (sample) measures.push({ table, row: name, column, unit: 'ms', ...sample, ...(ours && { ours }) })
  })
  const [first, second] = samples
  return (first?.median ?? Number.NaN) / (second?.median ?? Number.NaN)
}
