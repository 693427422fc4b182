import { signWebhook } from '../../src/webhooks/sign.ts'
import { eventOf } from '../programs/events.ts'
import type { Goal, Measure, Subject } from '../report.ts'
import { quantile, sampleOf, takeTurns } from '../sample.ts'
import { API_SECRET, clientOf, type RunningWorker, type Sent, startWorker } from '../worker-process.ts'
import { keyOf, measureReading } from '../worker-reading.ts'

const IN_FLIGHT = [1, 32, 256]
/** Of bench/programs/bare-worker.ts, for each webhook. */
const BARE_CALLS = 5

export const measure: Subject = async ({ quick, say }) => {
  const measures: Measure[] = []
  say('receiving')
  const goals = await measureReceiving(measures, quick)
  say('receiving through the gate')
  goals.push(...(await measureReceiving(measures, quick, true)))
  await measureCalls(measures)
  say('reading')
  goals.push(...(await measureReading(measures, quick)))
  return {
    title: 'Receive webhooks with the worker',
    notes: [
      'The template’s bundle runs in workerd with its KV namespace, over HTTP on loopback. Each webhook (1.1 kB) is the first of a new order: one list, one read and three writes.',
      'The bare Hono route does the same KV operations and nothing else: no signature check, no parsing, no hash of the order. Through the gate it also makes the same calls of a Durable Object and of its storage.',
      'A latency is a percentile of the webhooks in one round (at least 100, or 200 without `--quick`, and twice as many as are in flight), then the median over the rounds.',
      'The local KV handles a few hundred writes per second, and scans all keys for a list with a prefix. Only the numbers of KV calls and of keys read apply to the real KV.',
    ],
    chart: { table: 'Webhooks per second', title: 'Webhooks per second (higher is better)' },
    measures,
    goals,
  }
}

interface Contender {
  name: string
  /** In front of the route's own. */
  path: string
  worker: RunningWorker
}

const PERCENTILES = { p50: 0.5, p99: 0.99 } as const

async function measureReceiving(measures: Measure[], quick: boolean, gated = false): Promise<Goal[]> {
  const start = (entry: string) => startWorker(entry, [], gated)
  const [through, goal] = gated ? [' through the gate', 0.7] : ['', 0.8]
  const calls = gated ? 'same KV and Durable Object calls' : 'same KV operations'
  const contenders: Contender[] = [
    { name: `the template${through}`, path: '', worker: await start('worker/index.ts') },
    {
      name: `bare Hono route, ${calls}`,
      path: gated ? '/gated' : '',
      worker: await start('bench/programs/bare-worker.ts'),
    },
  ]
  const goals: Goal[] = []
  let serial = 0
  const next = () => serial++
  try {
    for (const inFlight of gated ? IN_FLIGHT.slice(-1) : IN_FLIGHT) {
      const column = `${inFlight} in flight`
      const requests = Math.max(quick ? 100 : 200, 2 * inFlight)
      const senders = contenders.map((contender) => ({
        name: contender.name,
        call: toPath(clientOf(contender.worker, inFlight), contender.path),
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
      const text = `webhooks per second${through}, ${column}: divided by those of the bare route`
      goals.push({ text, measured: ours / bare, goal, unit: '×', atLeast: true })
    }
  } finally {
    for (const { worker } of contenders) await worker.stop()
  }
  return goals
}

/** KV calls of a webhook: the first of an order, the second, and a duplicate. */
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
      const response = await call(sentWebhook(event))
      const median = Number(response.headers['x-kv-calls'])
      if (column === 'first of an order' && median !== BARE_CALLS) {
        throw new Error(`The template calls KV ${median} times now: bench/programs/bare-worker.ts has to do the same.`)
      }
      const table = 'KV calls of a webhook'
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

/** The client, for routes under a path. */
function toPath(call: ReturnType<typeof clientOf>, path: string): ReturnType<typeof clientOf> {
  return (sent) => call({ ...sent, path: path + sent.path })
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
