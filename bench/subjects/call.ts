import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { TOKEN } from '../../test/support/inputs.ts'
import type { CallResult } from '../programs/call-callers.ts'
import { BARE, GUARDED, OPERATIONS, type Operation, OURS, STRIPE, UNSIGNED } from '../programs/call-callers.ts'
import type { Goal, Measure, Subject } from '../report.ts'
import { PROCESS_RUNTIMES, root, runProgram } from '../runtimes.ts'
import { sampleOf } from '../sample.ts'

/** The difference between two callers in each round, so that a disturbance of both cancels out. */
const DIFFERENCES = [
  ['the guard: guarded fetch minus bare fetch', GUARDED, BARE],
  ['edgetill minus guarded fetch', OURS, GUARDED],
  ['the signer: edgetill signed minus unsigned', OURS, UNSIGNED],
  ['edgetill minus bare fetch', OURS, BARE],
  ['stripe’s fetch client minus bare fetch', STRIPE, BARE],
] as const
const KINDS = { wall: 'wall', cpu: 'CPU' } as const

export const measure: Subject = async ({ quick, say }) => {
  const server = await serve()
  const results = new Map<string, CallResult[]>()
  try {
    for (const runtime of PROCESS_RUNTIMES) {
      say(runtime)
      // Many short turns, each compared with its neighbours: other work of the machine spoils only some turns.
      const given = { origin: server.origin, port: server.port, rounds: quick ? 16 : 120, calls: 50 }
      results.set(runtime, await runProgram<CallResult[]>(runtime, join(root, 'bench/programs/call.ts'), given))
    }
  } finally {
    server.close()
  }
  const measures: Measure[] = []
  const goals: Goal[] = []
  for (const operation of OPERATIONS) {
    for (const atOnce of [1, 100]) {
      for (const [runtime, all] of results) {
        const found = all.filter((one) => one.operation === operation && one.atOnce === atOnce)
        measures.push(...cellsOf(tableOf(operation, atOnce), runtime, found))
        goals.push(...goalsOf(tableOf(operation, atOnce), runtime, found))
      }
    }
  }
  const bytes = OPERATIONS.map((name) => `${name} ${server.sent('/api/', name)}, stripe ${server.sent('/v1/', name)}`)
  return {
    title: 'Make a call',
    notes: [
      'A whole operation against the same server on loopback: it checks the input, sends, reads, and checks the response. Every caller gets the same response.',
      `Bytes of the request bodies: ${bytes.join('; ')}.`,
      'The guard is a body that no runtime sends twice, no redirect, no cache, no referrer, a time limit and a size limit.',
      'capturePayment sends key and secret in a header; createPayment signs its body.',
      'Rows with a sign are differences, taken in each round: median (quartiles). CPU is that of the whole process with its threads.',
    ],
    chart: { table: tableOf('createPayment', 1), title: 'createPayment, one after the other (lower is better)' },
    measures,
    goals,
  }
}

function tableOf(operation: Operation, atOnce: number): string {
  return `${operation}, ${atOnce === 1 ? 'one after the other' : `${atOnce} at once`}`
}

function cellsOf(table: string, runtime: string, results: readonly CallResult[]): Measure[] {
  return Object.entries(KINDS).flatMap(([kind, title]) => {
    const shared = { table, column: `${runtime}, ${title}`, unit: 'µs' } as const
    const cells: Measure[] = results.map((result) => ({
      ...shared,
      row: result.name,
      ...sampleOf(result[kind as keyof typeof KINDS]),
      ours: result.name === OURS,
      peer: result.name.startsWith('stripe'),
    }))
    for (const [row, more, less] of DIFFERENCES) {
      const values = difference(results, kind as keyof typeof KINDS, more, less)
      if (values.length > 0) cells.push({ ...shared, row, ...sampleOf(values), difference: true })
    }
    return cells
  })
}

function difference(results: readonly CallResult[], kind: keyof typeof KINDS, more: string, less: string): number[] {
  const minuend = results.find(({ name }) => name === more)?.[kind] ?? []
  const subtrahend = results.find(({ name }) => name === less)?.[kind] ?? []
  return subtrahend.length === 0 ? [] : minuend.map((value, round) => value - (subtrahend[round] ?? Number.NaN))
}

function goalsOf(table: string, runtime: string, results: readonly CallResult[]): Goal[] {
  const over = (kind: keyof typeof KINDS) => sampleOf(difference(results, kind, OURS, GUARDED)).median
  const text = `${table}, on ${runtime}: more than the guarded fetch`
  if (runtime !== 'node') return [{ text: `${text}, wall`, measured: over('wall'), goal: 100, unit: 'µs' }]
  const guarded = sampleOf(results.find(({ name }) => name === GUARDED)?.wall ?? []).median
  return [
    { text: `${text}, wall`, measured: (over('wall') / guarded) * 100, goal: 5, unit: '%' },
    { text: `${text}, CPU`, measured: over('cpu'), goal: 60, unit: 'µs' },
  ]
}

const COMMON = {
  // The fields that stripe requires of a record.
  id: 'pi_1',
  object: 'payment_intent',
  payment_id: '3f1c2c1e-6a5c-4b8e-9d53-0a4c1c7d2b11',
  order_id: TOKEN.order_id,
  amount: TOKEN.amount,
  currency: TOKEN.currency,
  status: 'success',
  status_code: '1000',
  created_at: '2026-03-01T10:00:00.000',
  processed_at: '2026-03-01T10:00:05.000',
  fee: { amount: 1.51, currency: 'UAH' },
}
const RESPONSES: Record<Operation, string> = {
  capturePayment: JSON.stringify({
    ...COMMON,
    operation_id: '9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d',
    method: 'capture',
  }),
  createPayment: JSON.stringify({
    ...COMMON,
    method: 'purchase',
    mode: 'direct',
    description: 'Two mugs with the name of your cat',
    transaction_id: '6ec0bd7f-11c0-43da-975e-2a8ad9000001',
    pos_id: '0d4f6b7e-5f5e-4c0f-9a51-6f4f3f1c2b11',
    status_description: 'Payment was successful',
    user_action_required: false,
    user_action_url: null,
    gateway_order_id: '4021000001',
    eci: '05',
    mcc: '5411',
    options_3ds: 'supported',
    cc_mask: '411111******1111',
    cc_token: 'tok-7f8a0c2e5d1b4a6f9e3c',
    cc_token_expiration: '2029-12-31T23:59:59.000',
    customer_fname: 'Olena',
    customer_lname: 'Kovalenko',
    customer_email: 'olena@example.com',
    customer_phone: '+380441234567',
    customer_ip: '203.0.113.7',
    result_url: 'https://shop.example.com/thanks',
    bank_short_name: 'The bank',
  }),
}

interface CallServer {
  origin: string
  port: number
  /** Bytes of the last request body of an operation under a path. */
  sent: (below: '/api/' | '/v1/', operation: Operation) => number
  close: () => void
}

/** A server on loopback that has one response for each operation. */
export async function serve(): Promise<CallServer> {
  const sent = new Map<string, number>()
  const server = createServer((request, response) => {
    const { url = '', headers } = request
    const operation: Operation = url.includes('/capture') ? 'capturePayment' : 'createPayment'
    sent.set((url.startsWith('/api/') ? '/api/' : '/v1/') + operation, Number(headers['content-length']))
    const body = RESPONSES[operation]
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
      response.end(body)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    sent: (below, operation) => sent.get(below + operation) ?? 0,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
