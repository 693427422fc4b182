import { createClient } from '../../src/index.ts'
import { CAPTURE, TOKEN } from '../../test/support/inputs.ts'
import { OPERATIONS as OPERATION_LIST } from '../../test/support/operations.ts'

/** One way of making a call. */
export interface Caller {
  operation: Operation
  name: string
  call: () => Promise<unknown>
}

/** One operation for each authentication scheme: key and secret in a header, and a signed body. */
export const OPERATIONS = ['capturePayment', 'createPayment'] as const
export type Operation = (typeof OPERATIONS)[number]

/** µs for each round. */
export interface CallResult {
  operation: Operation
  name: string
  atOnce: number
  wall: number[]
  cpu: number[]
}

export const OURS = 'edgetill'
export const UNSIGNED = 'edgetill, unsigned (authentication: plain)'
export const GUARDED = 'fetch with the same guard'
export const BARE = 'bare fetch'
export const STRIPE = 'stripe, its fetch client'

const POS = '3f1c2c1e-6a5c-4b8e-9d53-0a4c1c7d2b11'
const [capture] = OPERATION_LIST.capturePayment
const payment = OPERATION_LIST.createPayment[2]

/** The callers that need no package of a peer, by operation. */
export function callersFor(origin: string): Caller[] {
  const config = {
    baseUrl: origin,
    posId: POS,
    apiKey: 'key',
    apiSecret: 'secret',
    endpointsKey: 'endpoints-key',
    scheme: 'SVC',
  }
  const client = createClient(config)
  const unsigned = createClient({ ...config, authentication: 'plain' })
  return [
    { operation: 'capturePayment', name: OURS, call: () => capture.call(client) },
    ...fetches('capturePayment', `${origin}/api/v1/capture`, 'SVC key:secret', CAPTURE),
    { operation: 'createPayment', name: OURS, call: () => payment.call(client) },
    { operation: 'createPayment', name: UNSIGNED, call: () => payment.call(unsigned) },
    // Signed in advance: the cost of signing is a separate row.
    ...fetches('createPayment', `${origin}/api/v1/payment`, `SVC-HMAC-SHA1 key:${'0f'.repeat(20)}`, TOKEN),
  ]
}

function fetches(operation: Operation, url: string, authentication: string, input: object): Caller[] {
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json',
    'user-agent': 'bench',
    'x-api-auth': authentication,
    'x-api-key': 'endpoints-key',
  }
  const body = JSON.stringify({ pos_id: POS, ...input })
  const bare = async () => (await fetch(url, { method: 'POST', headers, body })).json()
  return [
    { operation, name: GUARDED, call: () => guardedFetch(url, headers, body) },
    { operation, name: BARE, call: bare },
  ]
}

/** Wraps `fetch` so that money moves once and nothing leaks: no replay, no redirect, no cache, two limits. */
async function guardedFetch(url: string, headers: Record<string, string>, body: string): Promise<unknown> {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(), 30_000)
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body: new Blob([body]),
      redirect: 'manual',
      keepalive: false,
      cache: 'no-store',
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
      signal: controller.signal,
    })
    if (!response.ok || !response.body) throw new Error('rejected')
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(await limited(response.body)))
  } finally {
    clearTimeout(timer)
  }
}

async function limited(body: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for (const reader = body.getReader(); ; ) {
    const { done, value } = await reader.read()
    if (done) break
    size += value.byteLength
    if (size > 1_048_576) throw new Error('too large')
    chunks.push(value)
  }
  const [first] = chunks
  if (first && chunks.length === 1) return first
  const bytes = new Uint8Array(size)
  let offset = 0
  for (const chunk of chunks) {
    bytes.set(chunk, offset)
    offset += chunk.byteLength
  }
  return bytes
}
