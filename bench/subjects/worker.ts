import { signWebhook } from '../../src/webhooks/sign.ts'
import { eventOf } from '../programs/events.ts'
import type { Goal, Measure, Subject } from '../report.ts'
import { quantile, sampleOf, takeTurns } from '../sample.ts'
import { API_SECRET, clientOf, type RunningWorker, type Sent, startWorker } from '../worker-process.ts'
import { keyOf, measureReading } from '../worker-reading.ts'

const IN_FLIGHT = [1, 32, 256]
/** Of bench/programs/bare-worker.ts, for each webhook. */
const BARE_CALLS = 3

export const measure: Subject = async ({ quick, say }) => {
  const measures: Measure[] = []
  say('receiving')
  const goals = await measureReceiving(measures, quick)
  await measureCalls(measures)
  say('reading')
  goals.push(...(await measureReading(measures, quick)))
  return {
    subject: 'worker',
    notes: [
      'The template’s bundle in workerd with its KV, over HTTP on loopback. Each webhook (1.1 kB) is the first of a new order: one list and two writes.',
      'The bare Hono route does the same KV operations and nothing else: no signature, no parsing, no hash of the order.',
      'Latencies: of the webhooks of a round (at least 100, 200 when not quick, and twice as many as are in flight), then the median of the rounds.',
      'The local KV takes a few hundred writes a second and scans all keys for a prefixed list: KV calls and keys read are what carries over to the real one.',
    ],
    measures,
    goals,
  }
}

interface Contender {
  name: string
  worker: RunningWorker
}

const PERCENTILES = { p50: 0.5, p99: 0.99 } as const

async function measureReceiving(measures: Measure[], quick: boolean): Promise<Goal[]> {
  const contenders: Contender[] = [
    { name: 'the template', worker: await startWorker('worker/index.ts') },
    { name: 'bare Hono route, same KV operations', worker: await startWorker('bench/programs/bare-worker.ts') },
  ]
  const goals: Goal[] = []
  let serial = 0
  const next = () => serial++
  try {
    for (const inFlight of IN_FLIGHT) {
      const column = `${inFlight} in flight`
      const requests = Math.max(quick ? 100 : 200, 2 * inFlight)
      const senders = contenders.map((contender) => ({
        name: contender.name,
        call: clientOf(contender.worker, inFlight),
        latencies: [] as number[][],
      }))
      for (const { call } of senders) await sendMany(call, inFlight, Math.max(25, inFlight), next)
      const rates = await takeTurns(senders, quick ? 3 : 10, async ({ call, latencies }) => {
        const { rate, ms } = await sendMany(call, inFlight, requests, next)
        latencies.push(ms.sort((a, b) => a - b))
        return rate
      })
      for (const sender of senders) {
        const shared = { row: sender.name, column, ours: sender === senders[0] }
        const rate = sampleOf(rates.get(sender) ?? [])
        measures.push({ ...shared, table: 'worker: webhooks a second', unit: '/s', ...rate })
        for (const [label, share] of Object.entries(PERCENTILES)) {
          const sample = sampleOf(sender.latencies.map((sorted) => quantile(sorted, share)))
          measures.push({ ...shared, table: `worker: latency of a webhook, ${label}`, unit: 'ms', ...sample })
        }
      }
      const [ours = 0, bare = 0] = senders.map((one) => sampleOf(rates.get(one) ?? []).median)
      const text = `worker, ${column}: webhooks a second by the bare route’s`
      goals.push({ text, measured: ours / bare, goal: 0.8, unit: '×', atLeast: true })
    }
  } finally {
    for (const { worker } of contenders) await worker.stop()
  }
  return goals
}

/** How often a webhook calls KV: the first of an order, a second one, and one that is known. */
async function measureCalls(measures: Measure[]): Promise<void> {
  const worker = await startWorker('bench/programs/counting-worker.ts')
  const first = eventOf('1.1 kB', 1)
  const webhooks = {
    'first of an order': first,
    'second of an order': { ...first, status: 'failure' },
    duplicate: first,
  }
  try {
    const call = clientOf(worker)
    for (const [column, event] of Object.entries(webhooks)) {
      const answered = await call(sentWebhook(event))
      const median = Number(answered.headers['x-kv-calls'])
      if (column === 'first of an order' && median !== BARE_CALLS) {
        throw new Error(`The template calls KV ${median} times now: bench/programs/bare-worker.ts has to do the same.`)
      }
      const table = 'worker: KV calls of a webhook'
      measures.push({ table, row: 'the template', column, unit: 'count', median, low: median, high: median, rounds: 1 })
    }
  } finally {
    await worker.stop()
  }
}

function sentWebhook(event: Record<string, unknown>): Sent {
  const { body } = signWebhook(event, API_SECRET)
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  return { method: 'POST', path: `/webhooks?key=${keyOf(event.order_id)}`, headers, body }
}

async function sendMany(
  call: ReturnType<typeof clientOf>,
  inFlight: number,
  requests: number,
  next: () => number,
): Promise<{ rate: number; ms: number[] }> {
  const waiting = Array.from({ length: requests }, () => sentWebhook(eventOf('1.1 kB', next())))
  const ms: number[] = []
  const startedAt = performance.now()
  const lane = async (): Promise<void> => {
    for (let sent = waiting.pop(); sent; sent = waiting.pop()) {
      const answered = await call(sent)
      if (answered.status !== 200) throw new Error(`${answered.status}: ${answered.text}`)
      ms.push(answered.ms)
    }
  }
  await Promise.all(Array.from({ length: inFlight }, lane))
  return { rate: (requests / (performance.now() - startedAt)) * 1000, ms }
}
