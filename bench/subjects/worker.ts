import { signWebhook } from '../../src/webhooks/sign.ts'
import { eventOf } from '../programs/events.ts'
import type { Goal, Measure, Subject } from '../report.ts'
import { quantile, sampleOf } from '../sample.ts'
import { API_SECRET, clientOf, type RunningWorker, type Sent, startWorker } from '../worker-process.ts'
import { measureReading } from '../worker-reading.ts'

const IN_FLIGHT = [1, 32, 256]

export const measure: Subject = async ({ quick, say }) => {
  const measures: Measure[] = []
  say('receiving')
  const goals = await measureReceiving(measures, quick)
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

async function send(
  worker: RunningWorker,
  inFlight: number,
  requests: number,
  next: () => number,
): Promise<{ rate: number; ms: number[] }> {
  const call = clientOf(worker, inFlight)
  const waiting: Sent[] = Array.from({ length: requests }, () => {
    const serial = next()
    const { body } = signWebhook(eventOf('1.1 kB', serial), API_SECRET)
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    return { method: 'POST', path: `/webhooks?order=mugs-${serial}`, headers, body }
  })
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
