// Node, Deno and Bun: calls a server on loopback and prints wall and CPU time of a call for each round.

import Stripe from 'stripe'
import { createClient } from '../../src/index.ts'
import { takeTurns } from '../sample.ts'

interface Argument {
  origin: string
  port: number
  rounds: number
  /** Calls of a round. */
  calls: number
}
interface Caller {
  name: string
  call: () => Promise<unknown>
}
/** µs for each round. */
export interface CallResult {
  name: string
  atOnce: number
  wall: number[]
  cpu: number[]
}

interface Host {
  Deno?: { args: string[] }
  process: { argv: string[]; cpuUsage(): { user: number; system: number } }
}
const host = globalThis as unknown as Host
const { origin, port, rounds, calls } = JSON.parse(host.Deno?.args[0] ?? host.process.argv[2] ?? '') as Argument

const input = { order_id: 'mugs-1001', order_currency: 'UAH', charge_amount: 60.5 }
const headers = {
  'content-type': 'application/json',
  accept: 'application/json',
  'user-agent': 'bench',
  'x-api-auth': 'SVC key:secret',
  'x-api-key': 'endpoints-key',
}
const url = `${origin}/api/v1/capture`
const body = JSON.stringify({ pos_id: '3f1c2c1e-6a5c-4b8e-9d53-0a4c1c7d2b11', ...input })

async function bareFetch(): Promise<unknown> {
  const response = await fetch(url, { method: 'POST', headers, body })
  return response.json()
}

/** What has to be done around `fetch` so that money moves once and nothing leaks: no replay, no redirect, two limits. */
async function guardedFetch(): Promise<unknown> {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(), 30_000)
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body: new Blob([body]),
      redirect: 'manual',
      keepalive: false,
      signal: controller.signal,
    })
    if (!response.ok || !response.body) throw new Error('refused')
    const chunks: Uint8Array[] = []
    let size = 0
    for (const reader = response.body.getReader(); ; ) {
      const { done, value } = await reader.read()
      if (done) break
      size += value.byteLength
      if (size > 1_048_576) throw new Error('too large')
      chunks.push(value)
    }
    const [first] = chunks
    const bytes =
      chunks.length === 1 && first ? first : new Uint8Array(await new Blob(chunks as BlobPart[]).arrayBuffer())
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } finally {
    clearTimeout(timer)
  }
}

const client = createClient({
  baseUrl: origin,
  posId: '3f1c2c1e-6a5c-4b8e-9d53-0a4c1c7d2b11',
  apiKey: 'key',
  apiSecret: 'secret',
  endpointsKey: 'endpoints-key',
})
const stripe = new Stripe('key', {
  host: '127.0.0.1',
  port,
  protocol: 'http',
  httpClient: Stripe.createFetchHttpClient(),
  maxNetworkRetries: 0,
  telemetry: false,
})

const callers: Caller[] = [
  { name: 'edgetill', call: () => client.capturePayment(input) },
  { name: 'fetch with the same guard', call: guardedFetch },
  { name: 'bare fetch', call: bareFetch },
  { name: 'stripe, its fetch client', call: () => stripe.paymentIntents.capture('pi_1', { amount_to_capture: 6050 }) },
]

const results: CallResult[] = []
for (const { call } of callers) for (let i = 0; i < 300; i++) await call()
for (const atOnce of [1, 100]) {
  const cpu = new Map<Caller, number[]>(callers.map((caller) => [caller, []]))
  const wall = await takeTurns(callers, rounds, async (caller) => {
    const used = host.process.cpuUsage()
    const startedAt = performance.now()
    for (let done = 0; done < calls; done += atOnce) {
      if (atOnce === 1) await caller.call()
      else await Promise.all(Array.from({ length: atOnce }, caller.call))
    }
    const elapsed = performance.now() - startedAt
    const after = host.process.cpuUsage()
    const total = Math.ceil(calls / atOnce) * atOnce
    cpu.get(caller)?.push((after.user - used.user + after.system - used.system) / total)
    return (elapsed / total) * 1000
  })
  for (const caller of callers) {
    results.push({ name: caller.name, atOnce, wall: wall.get(caller) ?? [], cpu: cpu.get(caller) ?? [] })
  }
}
console.log(JSON.stringify(results))
