import type { Fetch } from '../../config.ts'
import { createEmulator, type OrderView, TEST_CARDS } from '../../emulator/index.ts'
import { isObject } from '../../lib/kind.ts'
import { parseJson } from '../json.ts'

type Json = Record<string, unknown>
type Exchange = { path: string; sent: Json; status: number; returned: Json }
type SeedOrder = { [name in 'mode' | 'method' | 'amount' | 'currency']: unknown } & {
  order_id: string
  card?: string
  steps: { do: string; amount?: unknown }[]
}

/** A record of a run. No credential, no card and no text of a customer is in it. */
export interface Recording {
  /** For `edgetill emulator --seed-file`. */
  orders: SeedOrder[]
  /** The differences of the emulator with these orders: statuses, codes and names of fields. */
  differs: string[]
}

/** Listens to the calls of a run. */
export function createRecorder(baseUrl: string, send: Fetch): { fetch: Fetch; recording(): Recording } {
  const exchanges: Exchange[] = []
  return {
    async fetch(input, init) {
      const response = await send(input, init)
      const url = String(input instanceof Request ? input.url : input)
      if (url.startsWith(baseUrl)) {
        const path = new URL(url).pathname.slice(new URL(baseUrl).pathname.replace(/\/$/, '').length)
        const sent = parse(await new Response(init?.body).text())
        exchanges.push({ path, sent, status: response.status, returned: parse(await response.clone().text()) })
      }
      return response
    },
    recording: () => recordingOf(exchanges),
  }
}

/** A list with one record, as the response to a cancel is, counts as the record. */
function parse(text: string): Json {
  const [value] = [parseJson(text)].flat()
  return isObject(value) ? value : {}
}

function recordingOf(exchanges: readonly Exchange[]): Recording {
  const recorded = new Map<string, { order: SeedOrder; payment: Json; operations: Json[] }>()
  for (const { path, sent, status, returned } of exchanges) {
    if (status !== 200 && status !== 303) continue
    const cancelled = /\/order\/([^/]+)\/cancel$/.exec(path)?.[1]
    const order_id = decodeURIComponent(cancelled ?? String(sent.order_id))
    if (/^\/api\/v1\/(payment|split\/purchase)$/.test(path)) {
      const { mode, method, amount, currency } = sent
      const card = mode === 'direct' ? { card: cardOf(returned) } : {}
      const order = { order_id, mode, method, amount, currency, ...card, steps: [] }
      recorded.set(order_id, { order, payment: returned, operations: [] })
    }
    const entry = recorded.get(order_id)
    if (entry === undefined) continue
    if (cancelled !== undefined) {
      entry.order.steps.push({ do: 'cancel' })
      entry.payment = returned
    }
    const step = /^\/api\/v1\/(?:split\/)?(capture|void|refund)$/.exec(path)?.[1]
    if (step === undefined || returned.status !== 'success') continue
    entry.order.steps.push({ do: step, ...(step !== 'void' && { amount: returned.amount }) })
    entry.operations.push(returned)
  }
  const recording: Recording = { orders: [], differs: [] }
  const emulator = createEmulator()
  for (const { order, payment, operations } of recorded.values()) {
    try {
      emulator.seedOrders([order])
      recording.orders.push(order)
      recording.differs.push(...compare(emulator.orders.get(order.order_id) as OrderView, payment, operations))
    } catch (error) {
      recording.differs.push(`${order.order_id}: the emulator rejects it: ${(error as Error).message}`)
    }
  }
  return { ...recording, differs: [...new Set(recording.differs)] }
}

/** The test card for the same end of a payment. */
function cardOf({ status, status_code, user_action_required }: Json): string {
  if (user_action_required === true) return 'three_d_secure'
  if (status === 'pending') return 'timeout'
  if (status !== 'failure') return 'success'
  return TEST_CARDS.find(({ code }) => code === status_code)?.name ?? 'declined'
}

function compare({ payments: [paid], operations: others }: OrderView, payment: Json, operations: readonly Json[]) {
  const differences = (what: string, seen: Json, emulated: Json): string[] => {
    const values = ['status', 'status_code', 'amount'].filter((name) => name in seen && seen[name] !== emulated[name])
    const isKnown = (name: string) => name in emulated || /^(customer_|recurring$|order_currency$)/.test(name)
    const fields = Object.keys(seen).filter((name) => !isKnown(name))
    return [
      ...values.map((name) => `${what}: ${name} is ${seen[name]}, in the emulator ${emulated[name] ?? 'missing'}.`),
      ...fields.map((name) => `${what}: the field ${name} is not in the emulator.`),
    ]
  }
  const first = differences(`${paid?.mode} ${paid?.method}`, payment, { ...paid })
  return [
    ...first,
    ...operations.flatMap((seen, index) => differences(String(seen.method), seen, { ...others[index] })),
  ]
}

export function recordingText(file: string, { orders, differs }: Recording): string {
  const command = `npx edgetill emulator --seed-file ${file}`
  const what = orders.length === 1 ? 'order' : 'orders'
  const title = `Recorded ${orders.length} ${what} in ${file}: ${command} begins with them.`
  const says = differs.length === 0 ? 'The emulator reproduces them.' : 'The emulator differs:'
  return [title, says, ...differs.map((line) => `  ${line}`)].join('\n')
}
