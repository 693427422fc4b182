import { type EmulatorOptions, testCard } from '../../../src/emulator/index.ts'
import {
  type Bench,
  cardForm,
  createBench,
  direct,
  get,
  hosted,
  type Json,
  openCheckout,
  plain,
  post,
  SPLIT,
  submit,
} from '../call.ts'
import type { Create } from './row.ts'
import { OPTIONAL, RECURRING } from './targets.ts'

export const DAILY = { interval_unit: 'day', interval_count: 1 }

/** The methods of webhooks. */
export const PRIMARY = ['purchase', 'auth', 'credit', 'p2p', 'lookup']
export const SECONDARY = ['capture', 'void', 'auth_increment', 'refund']

/** Calls that many rows need, and a day of the service from which records of every kind can be taken. */

async function jsonOf(response: Response): Promise<Json> {
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
  return (await response.json()) as Json
}

export async function payDirect({ emulator }: Bench, more: Json = {}, path = '/api/v1/payment'): Promise<Json> {
  return jsonOf(await post(emulator, path, direct(emulator, more)))
}

/** A bench with a direct payment whose webhooks have arrived. */
export async function paid(more: Json = {}, options: EmulatorOptions = {}): Promise<Bench> {
  const bench = createBench(options)
  await payDirect(bench, more)
  await bench.emulator.deliveries.idle()
  return bench
}

export async function capture({ emulator }: Bench, more: Json = {}): Promise<Json> {
  return jsonOf(await sendCapture({ emulator } as Bench, more))
}

export function sendCapture({ emulator }: Bench, more: Json = {}): Promise<Response> {
  const pos_id = emulator.credentials.posId
  return post(emulator, '/api/v1/capture', { pos_id, order_id: 'A-1', order_currency: 'UAH', ...more })
}

export function sendCancel({ emulator }: Bench, orderId = 'A-1', headers = plain(emulator)): Promise<Response> {
  const { baseUrl, posId } = emulator.credentials
  const url = `${baseUrl}/api/v1/pos/${posId}/order/${encodeURIComponent(orderId)}/cancel`
  return emulator.fetch(url, { method: 'POST', headers })
}

export async function cancel(bench: Bench, orderId = 'A-1'): Promise<Json> {
  const response = await sendCancel(bench, orderId)
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
  const list = (await response.json()) as Json[]
  if (!Array.isArray(list) || list.length !== 1) throw new Error('The cancellation is not an array of one record')
  return list[0] as Json
}

export async function resend(...request: Parameters<typeof sendResend>): Promise<Json> {
  return jsonOf(await sendResend(...request))
}

export function sendResend({ emulator }: Bench, operation: string, query = 'callback=true', orderId = 'A-1') {
  const { baseUrl, posId } = emulator.credentials
  return get(emulator, `${baseUrl}/api/v1/pos/${posId}/orders/${encodeURIComponent(orderId)}/${operation}?${query}`)
}

/** The address of a POS's accounts. */
export const accountsUrl = ({ emulator: { credentials } }: Bench, posId = credentials.posId): string =>
  `${credentials.apiUrl}/api/v1/balances/pos/${posId}/accounts`

export async function listAccounts(bench: Bench): Promise<Json[]> {
  const { accounts } = await jsonOf(await get(bench.emulator, accountsUrl(bench)))
  return accounts as Json[]
}

export async function available(bench: Bench, currency = 'UAH'): Promise<number> {
  const account = (await listAccounts(bench)).find((candidate) => candidate.currency === currency)
  return ((account?.balances ?? {}) as { available: number }).available
}

/** Pays a hosted payment on its page, passing 3-D Secure when it is asked for. */
export async function payHosted(
  { emulator }: Bench,
  more: Json = {},
  card: Parameters<typeof testCard>[0] = 'success',
) {
  const form = await openCheckout(emulator, more)
  const answer = await submit(emulator, form, cardForm(card))
  const next = answer.headers.get('location')
  if (next?.endsWith('/3ds')) await submit(emulator, next, new URLSearchParams({ outcome: 'pass' }))
}

export type Samples = Awaited<ReturnType<typeof takeSamples>>

/** Samples cost a day of the service; all rows of one emulator share them. */
const samples = new WeakMap<Create, Promise<Samples>>()
export function samplesOf(create: Create): Promise<Samples> {
  const taken = samples.get(create) ?? takeSamples(create)
  samples.set(create, taken)
  return taken
}

/** One payment of each kind, with every optional parameter sent. */
async function takeSamples(create: Create) {
  const bench = createBench({}, create)
  const { emulator, received } = bench
  /** Answers that hold a payment record. */
  const payments: Json[] = []
  const captures: Json[] = []
  payments.push(await payDirect(bench, { ...OPTIONAL, order_id: 'auth', method: 'auth' }))
  payments.push(await payDirect(bench, { ...OPTIONAL, order_id: 'wait', cc_number: testCard('three_d_secure') }))
  payments.push(await payDirect(bench, { ...OPTIONAL, order_id: 'split', split: SPLIT }, '/api/v1/split/purchase'))
  payments.push(await payDirect(bench, { order_id: 'rec', init_recurring: RECURRING }))
  for (const card of ['limit_exceeded', 'bank_pay', 'payer_changes_amount', 'fee_null'] as const) {
    payments.push(await payDirect(bench, { ...OPTIONAL, order_id: card, cc_number: testCard(card) }))
  }
  await post(emulator, '/api/v1/payment', hosted(emulator, { ...OPTIONAL, order_id: 'gone', customer_city: 'Kyiv' }))
  payments.push(await cancel(bench, 'gone'))
  captures.push(await capture(bench, { order_id: 'auth', charge_amount: 10.5, comment: 'Part' }))
  emulator.control.incrementAuth('auth', 5)
  captures.push(await capture(bench, { order_id: 'auth', comment: 'Rest' }))
  emulator.control.refundPayment('auth', 1.25)
  await payDirect(bench, { order_id: 'void', method: 'auth' })
  emulator.control.voidPayment('void')
  await payDirect(bench, { order_id: 'limited', method: 'auth', cc_number: testCard('capture_declined') })
  captures.push(await capture(bench, { order_id: 'limited', charge_amount: 3 }))
  emulator.control.incrementAuth('limited', 2)
  for (const method of ['credit', 'p2p', 'lookup'] as const) {
    emulator.control.createPayment({ method, order_id: method, amount: 12.5, currency: 'UAH' })
  }
  await emulator.deliveries.idle()
  /** Webhooks by the `method` of their event. */
  const webhooks: Record<string, Json[]> = {}
  for (const { event } of received) {
    const method = String(event.method)
    webhooks[method] = [...(webhooks[method] ?? []), event]
  }
  return { payments, captures, webhooks }
}

/** The events that have arrived, once everything under way is delivered. */
export async function eventsOf(bench: Bench): Promise<Json[]> {
  await bench.emulator.deliveries.idle()
  return bench.received.map(({ event }) => event)
}

/** One payment that passes through all its states, with a secondary operation of each kind. */
export async function everyKind(bench: Bench): Promise<void> {
  await payHosted(bench, { method: 'auth' }, 'three_d_secure')
  await capture(bench, { charge_amount: 10, server_url: 'https://shop.example/hook' })
  bench.emulator.control.incrementAuth('A-1', 5)
  bench.emulator.control.refundPayment('A-1', 2)
  await payDirect(bench, { order_id: 'V', method: 'auth' })
  bench.emulator.control.voidPayment('V')
}
