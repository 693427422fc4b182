import { signWebhook } from '../../src/webhooks/sign.ts'
import { eventOf } from '../programs/events.ts'
import type { Goal, Measure, Subject } from '../report.ts'
import { quantile, sampleOf } from '../sample.ts'
import { API_SECRET, clientOf, type RunningWorker, type Sent, startWorker } from '../worker-process.ts'
import { keyOf, measureReading } from '../worker-reading.ts'

const IN_FLIGHT = [1, 32, 256]

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

async function measureReceiving(measures: Measure[], quick: boolean): Promise<Goal[]> {
  const contenders: Contender[] = [
    { name: 'the template', worker: await startWorker('worker/index.ts') },
    { name: 'bare Hono route, same KV operations', worker: await startWorker('bench/programs/bare-worker.ts') },
  ]
  const goals: Goal[] = []
  let serial = 0
  try {
    for (const { worker } of contenders) await send(worker, 4, 12, () => serial++)
    for (const inFlight of IN_FLIGHT) {
      const rounds = quick ? 3 : 9
      const requests = Math.max(quick ? 24 : 60, inFlight)
      const rates = new Map<Contender, number[]>(contenders.map((one) => [one, []]))
      const latencies = new Map<Contender, number[]>(contenders.map((one) => [one, []]))
      for (let round = 0; round < rounds; round++) {
        const order = round % 2 === 0 ? contenders : contenders.toReversed()
        for (const contender of order) {
          const { rate, ms } = await send(contender.worker, inFlight, requests, () => serial++)
          rates.get(contender)?.push(rate)
          latencies.get(contender)?.push(...ms)
        }
      }
      for (const contender of contenders) {
        const ours = contender === contenders[0]
        const shared = { row: contender.name, column: `${inFlight} in flight`, ours }
        measures.push({
          ...shared,
          table: 'worker: webhooks a second',
          unit: '/s',
          ...sampleOf(rates.get(contender) ?? []),
        })
        const sorted = (latencies.get(contender) ?? []).sort((a, b) => a - b)
        for (const [label, share] of [
          ['p50', 0.5],
          ['p99', 0.99],
        ] as const) {
          const median = quantile(sorted, share)
          const table = `worker: latency of a webhook, ${label}`
          measures.push({ ...shared, table, unit: 'ms', median, low: median, high: median, rounds: 1 })
        }
      }
      const [ours = 0, bare = 0] = contenders.map((one) => sampleOf(rates.get(one) ?? []).median)
      const text = `worker, ${inFlight} in flight: webhooks a second by the bare route’s`
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

async function send(
  worker: RunningWorker,
  inFlight: number,
  requests: number,
  next: () => number,
): Promise<{ rate: number; ms: number[] }> {
  const call = clientOf(worker, inFlight)
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
