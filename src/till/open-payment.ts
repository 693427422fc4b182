import { eventFrom, makeCall, outcomeOf, wasUsed } from '../money/calls.ts'
import { again } from '../money/drive.ts'
import type { CreatePaymentInput } from '../operations/create-payment.ts'
import { askedFor } from '../orders/order.ts'
import { recordOf } from '../schemas/read.ts'
import { storeEvent, type TillOptions } from './events.ts'
import { ask, type Failed, failed, type Moved, movedOf, notSent } from './move-money.ts'
import { append, ONE, type Reading, readOrder, run } from './store.ts'

/** The outcome of a payment that was to be created. */
export type Opened =
  /** It can be paid at `url`. Null where nothing is left to be done there: of a direct payment `record` says how it went. */
  | { outcome: 'done'; url: string | null; record?: object }
  /** The order_id is used up: paid, declined or cancelled, or its address was lost. Another attempt needs a new one. */
  | { outcome: 'ended'; status: string }
  | Failed

/** A call ends within 30 seconds: later, the process that was opening the payment has died, or got no response. */
const OPENING_MS = 60_000

/** Creates the payment of an order, or finds the one that was created. The service takes an order_id once. */
export async function openPayment(scope: TillOptions, input: CreatePaymentInput): Promise<Opened> {
  const { order_id, mode, method, server_url } = input
  const asked = { terms: { mode, method, ...askedFor(input) }, server_url }
  let isSent = false
  const open = async (): Promise<Opened> => {
    const reading = await readOrder(scope, order_id)
    const { payment, order, now } = reading
    if (payment && JSON.stringify(payment.terms) !== JSON.stringify(asked.terms))
      return notSent('key_reused', `${order_id} was used for another payment.`)
    // While it is pending the customer may still be there, with the bank.
    if (payment?.url && (order.status ?? 'pending') === 'pending') return { outcome: 'done', url: payment.url }
    if (order.status !== null) return { outcome: 'ended', status: order.status }
    if (payment && now - Number(payment.written_at) < OPENING_MS) return notSent('in_progress', 'It is being opened.')
    const found = payment && (await findOut(scope, reading))
    if (found) return found
    if (!payment) await append(scope, reading, { kind: 'payment', id: '', body: asked, dueInMs: 15 * 60_000 })
    isSent = true
    return create(scope, reading, input, asked)
  }
  return again(open).catch((error) => failed(isSent ? order_id : '', isSent ? 'unknown' : 'not_sent', error))
}

/** Asks the service for the payment. @returns Undefined where it does not know the order_id: then it can be sent again. */
async function findOut(scope: TillOptions, reading: Reading): Promise<Opened | undefined> {
  const [first] = (await ask(scope, reading)).operations
  if (!first) return undefined
  const { order, payment } = await readOrder(scope, reading.order_id)
  if (order.status === null && payment?.url) return { outcome: 'done', url: payment.url }
  // Created and unpaid, but the address that the customer needs was in the response that was lost.
  return { outcome: 'ended', status: order.status ?? String(recordOf(first).status) }
}

async function create(scope: TillOptions, reading: Reading, input: CreatePaymentInput, asked: object): Promise<Opened> {
  const { order_id, order_key, payment, next } = reading
  const put = (set: string, ...values: string[]) =>
    run(scope, `UPDATE edgetill_log SET ${set} ${ONE}`, ...values, order_key, payment?.number ?? next - 1)
  let response: { url?: string; user_action_url?: string | null | undefined }
  try {
    response = await scope.client.createPayment(input)
  } catch (error) {
    // By another program, or by a process that was paused.
    const found = wasUsed(error) && (await findOut(scope, reading))
    if (found) return found
    const outcome = wasUsed(error) ? 'unknown' : outcomeOf(error)
    // It can be tried again at once, with other terms too.
    if (outcome !== 'unknown') await put('id = CAST(number AS text), next_at = NULL')
    return failed(order_id, outcome, error)
  }
  const url = response.url ?? response.user_action_url ?? null
  await put('body = ?', JSON.stringify({ ...asked, url }))
  if (response.url) return { outcome: 'done', url }
  await storeEvent(scope, eventFrom(input.method, { ...response, order_id }))
  return { outcome: 'done', url, record: response }
}

/** Cancels a payment, and stores that it is: its webhook, or the next look, says it too. */
export async function cancelPayment(scope: TillOptions, order_id: string): Promise<Moved> {
  const cancel = () => scope.client.cancelPayment({ order_id })
  const { answer } = await makeCall('', cancel, (error, outcome) => failed(order_id, outcome, error))
  const listed = async () => ask(scope, await readOrder(scope, order_id))
  if (answer.code === 'executed') await listed().catch(() => {})
  return movedOf(answer)
}
