import { CALLS } from '../programs/bare-worker.ts'
import { eventOf } from '../programs/events.ts'
import type { Goal, Measure, Subject } from '../report.ts'
import { quantile, sampleOf, takeTurns } from '../sample.ts'
import { clientOf, type RunningWorker, sentWebhook, startWorker } from '../worker-process.ts'
import { measureReading } from '../worker-reading.ts'

const IN_FLIGHT = [1, 32, 256]

export const measure: Subject = async ({ quick, say }) => {
  const measures: Measure[] = []
  say('receiving')
  const goals = await measureReceiving(measures, quick)
  say('reading')
  goals.push(...(await measureReading(measures, quick)))
  return {
    title: 'Receive webhooks with the worker',
    notes: [
      `The template’s bundle runs in workerd with its KV namespace and its object, over HTTP on loopback. Each webhook (1.1 kB) is the first of a new order: ${CALLS['object calls']} calls of the object, ${CALLS['rows read']} row read and ${CALLS['rows written']} written there, and ${CALLS['KV writes']} writes of KV. Its row and its event in KV are written before the response; its \`onEvent\`, the row of the list and the order in KV come after it.`,
      'The bare Hono route makes the same calls of KV and of the object, before and after its response, and nothing else: no signature check, no parsing, no hash of the order, no alerts.',
      'A latency is a percentile of the webhooks in one round (at least 100, or 200 without `--quick`, and twice as many as are in flight), then the median over the rounds.',
      'The local KV handles a few hundred writes per second, and scans all keys for a list with a prefix. The lists of orders are filled directly, and are those of one month. What calls the worker makes is in worker/README.md, “What it costs”.',
    ],
    chart: { table: 'Webhooks per second', title: 'Webhooks per second (higher is better)' },
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
    {
      name: 'bare Hono route, same KV and Durable Object calls',
      worker: await startWorker('bench/programs/bare-worker.ts'),
    },
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
        measures.push({ ...shared, table: 'Webhooks per second', unit: '/s', ...rate })
        for (const [label, share] of Object.entries(PERCENTILES)) {
          const sample = sampleOf(sender.latencies.map((sorted) => quantile(sorted, share)))
          measures.push({ ...shared, table: `Latency of a webhook, ${label}`, unit: 'ms', ...sample })
        }
      }
      const [ours = 0, bare = 0] = senders.map((one) => sampleOf(rates.get(one) ?? []).median)
      const text = `webhooks per second, ${column}: divided by those of the bare route`
      goals.push({ text, measured: ours / bare, goal: 0.7, unit: '×', atLeast: true })
    }
  } finally {
    for (const { worker } of contenders) await worker.stop()
  }
  return goals
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
      const response = await call(sent)
      if (response.status !== 200) throw new Error(`${response.status}: ${response.text}`)
      ms.push(response.ms)
    }
  }
  await Promise.all(Array.from({ length: inFlight }, lane))
  return { rate: (requests / (performance.now() - startedAt)) * 1000, ms }
}
