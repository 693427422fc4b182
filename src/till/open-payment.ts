import { isApiError, isConfigError } from '../errors.ts'
import { outcomeOf } from '../money/calls.ts'
import type { CreatePaymentInput } from '../operations/create-payment.ts'
import { lookUpOrder } from '../outcome/look-up.ts'
import { recordOf } from '../schemas/read.ts'
import { readEvent } from '../schemas/read-event.ts'
import { kept, storeEvent } from './events.ts'
import { type MoneyScope, storeNews } from './move-money.ts'
import { type Failed, failed, type Moved, notSent } from './outcome.ts'
import { append, type Payment, type Reading, readOrder, StorageError, type Tables } from './store.ts'

/** What became of a payment that was to be created. */
export type Opened =
  /** It can be paid at `url`. Null where nothing is left to be done there: of a direct payment `record` says how it went. */
  | { outcome: 'done'; url: string | null; record?: object }
  /** The order_id is used up: paid, declined or cancelled, or its address was lost. Another attempt needs a new one. */
  | { outcome: 'ended'; status: string }
  | Failed

/** A call ends within 30 seconds: later, the process that was opening the payment has died, or got no response. */
const OPENING_MS = 60_000
const FIRST_ASK_MS = 15 * 60_000

/** Creates the payment of an order, or finds the one that was created. The service takes an order_id once. */
export async function openPayment(scope: MoneyScope, input: CreatePaymentInput): Promise<Opened> {
  const { order_id } = input
  let isSent = false
  try {
    for (;;) {
      const reading = await readOrder(scope.tables, order_id)
      const { payment, order, now } = reading
      const body = bodyOf(input)
      if (payment && JSON.stringify(payment.terms) !== JSON.stringify(body.terms)) {
        return notSent('key_reused', `${order_id} was used for another payment.`)
      }
      // While it is pending the customer may still be there, with the bank.
      if (payment?.url && (order.status ?? 'pending') === 'pending') return { outcome: 'done', url: payment.url }
      if (order.status !== null) return { outcome: 'ended', status: order.status }
      if (payment && now - Number(payment.written_at) < OPENING_MS) {
        return notSent('in_progress', 'Another process is opening this payment, or was until a minute ago.')
      }
      const found = payment && (await ask(scope, reading))
      if (found) return found
      const isMine =
        payment || (await append(scope.tables, reading, { kind: 'payment', id: '', body, dueInMs: FIRST_ASK_MS }))
      if (!isMine) continue
      isSent = true
      return await create(scope, await readOrder(scope.tables, order_id), input)
    }
  } catch (error) {
    if (isSent) return failed(order_id, 'unknown', error)
    if (isConfigError(error)) throw error
    return error instanceof StorageError ? notSent('busy', error.message) : failed(order_id, 'not_sent', error)
  }
}

const bodyOf = ({ mode, method, amount, currency, init_recurring, server_url }: CreatePaymentInput): Payment => ({
  terms: {
    ...{ mode, method, amount, currency },
    ...(init_recurring && { recurring_amount: init_recurring.amount ?? amount }),
  },
  server_url,
})

/** Asks the service for the payment. @returns Undefined where it does not know the order_id: then it can be sent again. */
async function ask(scope: MoneyScope, reading: Reading): Promise<Opened | undefined> {
  const { order_id } = reading
  const { operations } = await lookUpOrder(scope.client, { order_id }, [], {})
  const [first] = operations
  if (!first) return undefined
  await storeNews(scope, reading, operations)
  const { order, payment } = await readOrder(scope.tables, order_id)
  if (order.status === null && payment?.url) return { outcome: 'done', url: payment.url }
  // Created and unpaid, but the address that the customer needs was in the response that was lost.
  return { outcome: 'ended', status: order.status ?? String(recordOf(first).status) }
}

async function create(scope: MoneyScope, reading: Reading, input: CreatePaymentInput): Promise<Opened> {
  const { tables, client } = scope
  const { order_id, order_key } = reading
  let response: { url?: string; user_action_url?: string | null | undefined }
  try {
    response = await client.createPayment(input)
  } catch (error) {
    // By another program, or by a process that was paused.
    const isUsed = isApiError(error) && (error.apiCode === 'P-409' || error.status === 409)
    const found = isUsed ? await ask(scope, reading) : undefined
    if (found) return found
    const outcome = isUsed ? 'unknown' : outcomeOf(error)
    // It can be tried again at once, with other terms too.
    if (outcome !== 'unknown') await put(tables, reading, 'id = CAST(number AS text), next_at = NULL')
    return failed(order_id, outcome, error)
  }
  const url = response.url ?? response.user_action_url ?? null
  await put(tables, reading, 'body = ?', JSON.stringify({ ...bodyOf(input), url }))
  // Nothing of an order that the service has just created was made before.
  await tables.run(
    `UPDATE edgetill_order SET listed_at = ${tables.clock}, lost_at = NULL WHERE order_key = ?`,
    order_key,
  )
  if (response.url) return { outcome: 'done', url }
  const record = kept(response, scope)
  await storeEvent(scope, readEvent({ ...record, order_id }))
  return { outcome: 'done', url, record }
}

/** Changes the row of a payment. */
const put = ({ run }: Tables, { order_key }: Reading, what: string, ...values: string[]): Promise<unknown> =>
  run(`UPDATE edgetill_log SET ${what} WHERE order_key = ? AND kind = 'payment' AND id = ''`, ...values, order_key)

/** Cancels a payment. Its webhook says so, or the service when it is asked: soon. */
export async function cancelPayment({ client, tables }: MoneyScope, order_id: string): Promise<Moved> {
  try {
    const record = await client.cancelPayment({ order_id })
    const reading = await readOrder(tables, order_id)
    const { url: _, terms, server_url } = reading.payment ?? {}
    if (terms) await put(tables, reading, `next_at = ${tables.clock}, body = ?`, JSON.stringify({ terms, server_url }))
    return { outcome: 'done', record }
  } catch (error) {
    return failed(order_id, outcomeOf(error), error)
  }
}
