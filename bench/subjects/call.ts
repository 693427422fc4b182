import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { CallResult } from '../programs/call.ts'
import type { Goal, Measure, Subject } from '../report.ts'
import { PROCESS_RUNTIMES, root, runProgram } from '../runtimes.ts'
import { sampleOf } from '../sample.ts'

const ANSWER = JSON.stringify({
  id: 'pi_1',
  object: 'payment_intent',
  operation_id: '9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d',
  payment_id: '3f1c2c1e-6a5c-4b8e-9d53-0a4c1c7d2b11',
  order_id: 'mugs-1001',
  amount: 60.5,
  currency: 'UAH',
  status: 'success',
  method: 'capture',
  status_code: '1000',
  created_at: '2026-03-01T10:00:00.000',
  processed_at: '2026-03-01T10:00:05.000',
  fee: { amount: 1.51, currency: 'UAH' },
})

export const measure: Subject = async ({ quick, say }) => {
  const server = await serve()
  const measures: Measure[] = []
  const goals: Goal[] = []
  try {
    for (const runtime of PROCESS_RUNTIMES) {
      say(runtime)
      const given = { ...server, rounds: quick ? 15 : 51, calls: quick ? 100 : 200 }
      const results = await runProgram<CallResult[]>(runtime, join(root, 'bench/programs/call.ts'), given)
      for (const { name, atOnce, wall, cpu } of results) {
        const table = atOnce === 1 ? 'call, one after the other' : `call, ${atOnce} at once`
        const shared = { table, row: name, unit: 'µs', ours: name === 'edgetill' } as const
        measures.push({ ...shared, column: `${runtime}, wall`, ...sampleOf(wall) })
        measures.push({ ...shared, column: `${runtime}, CPU`, ...sampleOf(cpu) })
      }
      goals.push(...goalsOf(runtime, results))
    }
  } finally {
    server.close()
  }
  return {
    subject: 'call',
    notes: [
      'One operation (capture: checks the input, sends, reads, checks the answer) against the same server on loopback; µs a call.',
      'The guard: a body that no runtime sends twice, no redirect, a time limit, a size limit. Its price is the row "with the same guard" less "bare fetch".',
      'CPU is that of the whole process, threads included.',
    ],
    measures,
    goals,
  }
}

function goalsOf(runtime: string, results: readonly CallResult[]): Goal[] {
  const find = (name: string) => results.find((result) => result.name === name && result.atOnce === 1)
  const ours = find('edgetill')
  const guarded = find('fetch with the same guard')
  if (!ours || !guarded) return []
  // Round by round: what slowed both in the same minute is no difference.
  const over = (kind: 'wall' | 'cpu') => sampleOf(ours[kind].map((value, i) => value - (guarded[kind][i] ?? 0))).median
  const text = `call, ${runtime}: over the same guarded fetch`
  if (runtime !== 'node') return [{ text: `${text}, wall`, measured: over('wall'), goal: 100, unit: 'µs' }]
  return [
    { text: `${text}, wall`, measured: (over('wall') / sampleOf(guarded.wall).median) * 100, goal: 5, unit: '%' },
    { text: `${text}, CPU`, measured: over('cpu'), goal: 60, unit: 'µs' },
  ]
}

async function serve(): Promise<{ origin: string; port: number; close: () => void }> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(ANSWER) })
      response.end(ANSWER)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
