import { expect, it } from 'vitest'
import type { OrderView } from '../../src/emulator/domain/orders.ts'
import { testCard } from '../../src/emulator/index.ts'
import { createClient, type DirectPurchaseInput, isOutcomeUnknownError } from '../../src/index.ts'
import { CARD } from '../support/inputs.ts'
import { createRandom, isLong, seedOfRun } from '../worker/support/random.ts'
import { ORIGIN, World } from '../worker/support/world.ts'

// Orders of every kind, with every fault at once, between the emulator and the worker's receiver over a hostile KV. At
// the end, what the worker made of the webhooks has to be what the emulator knows to have happened.

const ORDERS = isLong() ? 2_000 : 100
const MINUTE = 60_000
const UNKNOWN = 'emulator_unknown'

const FAULTS = [
  { kind: 'duplicate', times: 2 },
  { kind: 'reorder' },
  { kind: 'delay', ms: 10 * MINUTE },
  { kind: 'drop' },
  { kind: 'corrupt_signature' },
  { kind: 'missing_padding' },
  { kind: 'numbers_as_strings' },
  { kind: 'null_fee' },
  { kind: 'unknown_fields' },
  { kind: 'unknown_status' },
  { kind: 'unknown_method' },
  { kind: 'reset', when: 'before_commit' },
  { kind: 'reset', when: 'after_commit' },
  { kind: 'too_many_requests', retryAfter: 0 },
  { kind: 'server_error', status: 500, body: 'html' },
  { kind: 'server_error', status: 503, body: 'empty' },
  { kind: 'body', body: 'truncated' },
  { kind: 'body', body: 'huge' },
] as const

function openChaos(random: () => number) {
  const world = new World({
    kind: 'hostile',
    emulator: { seed: Math.floor(random() * 2 ** 31), retryDelaysMs: Array.from({ length: 60 }, () => 10 * MINUTE) },
  })
  for (const fault of FAULTS) world.emulator.faults.rate(fault, 0.04)
  const client = createClient({
    ...world.emulator.credentials,
    fetch: world.emulator.fetch as typeof fetch,
    random: () => 0,
  })
  return { world, client }
}

type Chaos = ReturnType<typeof openChaos>

const CARDS = ['success', 'success', 'three_d_secure', 'declined', 'insufficient_funds', 'fee_null'] as const

/** A call whose answer may be lost or refused: what really happened is asked of the emulator, at the end. */
async function attempt(call: Promise<unknown>): Promise<void> {
  await call.catch((error: { code?: string }) => {
    if (!isOutcomeUnknownError(error) && error.code !== 'api') throw error
  })
}

async function playOrder({ world, client }: Chaos, order_id: string, random: () => number): Promise<void> {
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T
  const { emulator } = world
  const method = pick(['purchase', 'auth'] as const)
  const card = testCard(pick(CARDS))
  const order = { ...CARD, method, order_id, amount: 100.5, cc_number: card, server_url: `${ORIGIN}/webhooks` }
  await attempt(client.createPayment(order as DirectPurchaseInput))
  const pending = emulator.orders.get(order_id)?.payments[0]?.user_action_url
  if (pending) {
    const body = new URLSearchParams({ outcome: pick(['pass', 'pass', 'fail']) })
    await emulator.fetch(pending, { method: 'POST', body }).catch(() => {})
  }
  const steps = Math.floor(random() * 3)
  for (let step = 0; step < steps; step++) {
    await world.advance(pick([0, 1, 1_000, MINUTE]))
    if (method === 'auth') {
      const capture = {
        order_id,
        order_currency: 'UAH',
        charge_amount: pick([10, 33.33, 0.01]),
        server_url: order.server_url,
      }
      await attempt(client.capturePayment(capture))
    }
    const name = pick(['refund', 'void', 'auth_increment'])
    // Refused by the emulator when the order cannot have it: then nothing happened.
    await emulator.fetch(`${emulator.credentials.baseUrl}/_emulator/api/${name}`, {
      method: 'POST',
      body: JSON.stringify({ order_id, amount: pick([1, 5.25]) }),
    })
  }
}

/** What happened to an order, by the emulator's own account. */
function truthOf({ payments, operations }: OrderView): Map<string, { status: string; amount: number; method: string }> {
  const primary = payments.map((one) => [one.transaction_id, one] as const)
  const secondary = operations.map((one) => [one.operation_id, one] as const)
  return new Map([...primary, ...secondary].map(([id, { status, amount, method }]) => [id, { status, amount, method }]))
}

it('after every fault at once, each order in KV is what happened', { timeout: 1_200_000 }, async () => {
  const seed = seedOfRun()
  const random = createRandom(seed)
  const chaos = openChaos(random)
  const { world } = chaos
  const { emulator } = world
  for (let n = 0; n < ORDERS; n++) await playOrder(chaos, `chaos-${seed}-${n}`, random)
  emulator.faults.clear()
  for (let hour = 0; hour < 12; hour++) {
    await world.advance(60 * MINUTE)
    await emulator.deliveries.idle()
  }

  const orders = emulator.orders.list()
  const undelivered = emulator.deliveries.filter(({ attempts }) => !attempts.some(({ status }) => status === 200))
  expect(undelivered, `seed ${seed}`).toEqual([])
  expect(orders.length, `seed ${seed}`).toBeGreaterThan(ORDERS / 2)
  let operations = 0
  for (const view of orders) {
    const truth = truthOf(view)
    const sent = emulator.deliveries.filter(({ order_id }) => order_id === view.order_id)
    const stored = await world.order(view.order_id)
    const known = new Map(stored?.operations.map(({ id, status, amount, method }) => [id, { status, amount, method }]))
    for (const [id, expected] of truth) {
      const about = sent.filter(({ event }) => (event.operation_id ?? event.transaction_id) === id)
      // The service itself told something else of these: there is no way to know better.
      if (about.some(({ event }) => event.status === UNKNOWN || event.method === UNKNOWN)) continue
      expect(known.get(id), `seed ${seed}, ${view.order_id}, ${expected.method}`).toEqual(expected)
      operations++
    }
    const distinct = new Set(
      sent.map(({ event }) =>
        JSON.stringify([
          event.operation_id ?? event.transaction_id,
          event.method,
          event.status,
          event.status_code,
          event.processed_at,
        ]),
      ),
    )
    expect(stored?.events.length ?? 0, `seed ${seed}, ${view.order_id}`).toBe(distinct.size)
  }
  expect(operations).toBeGreaterThan(ORDERS)
})
