import { type ApiError, ConnectionError, isConfigError } from '../errors.ts'
import { CALL_NAMES, makeCall, storeNews } from '../money/calls.ts'
import { type Driver, drive } from '../money/drive.ts'
import { isOpen, type Message, type MoneyAnswer, type MoneyOperation, SEND_MS } from '../money/protocol.ts'
import { named } from '../orders/own-event.ts'
import { decideMoney } from '../outcome/decide.ts'
import { lookUpOrder, type OrderView } from '../outcome/look-up.ts'
import { storeEvent, type TillOptions } from './events.ts'
import { append, type Reading, readOrder } from './store.ts'

/**
 * Why nothing was sent. `order_changed`: money of the order was moved since `ifVersion`. `in_progress`: another operation of the order
 * has no final outcome yet, or its backup was restored a minute ago. `unreachable`: the service could not be reached, or asked to
 * wait. `key_reused`: the key, or a payment's order_id, belongs to another request. `busy`: the database failed.
 */
export type NotSentReason = 'order_changed' | 'in_progress' | 'unreachable' | 'key_reused' | 'busy'
/** The outcome of a call that has no record. */
export type Failed<Record = object> =
  /** It never is executed under this key. `code`: of an error (`api`, `invalid_input`), or `not_executed`: the service does not know it. */
  | { outcome: 'rejected'; error: { code: string; message: string; status?: number; apiCode?: string } }
  /** It may have been executed: the same key finds out, and never makes a second one. `record`: it was, but could not be written so. */
  | { outcome: 'unknown'; id: string; message: string; record?: Record | undefined }
  /** Nothing was sent. `sameKey`: whether the same key may try again. */
  | { outcome: 'not_sent'; reason: NotSentReason; sameKey: boolean; message: string }
/** The outcome of a call. `done` and `rejected` are the same for the same key for ever; whether money moved is `record.status`. */
export type Moved<Record = object> = { outcome: 'done'; record: Record } | Failed<Record>

export const notSent = (reason: NotSentReason, message: string): Failed => ({
  ...{ outcome: 'not_sent', reason, sameKey: reason !== 'key_reused', message },
})
const unknown = (id: string, why: string, record?: object): Failed => ({
  ...{ outcome: 'unknown', id, message: `${why} It may have been executed: call again with the same key.`, record },
})

/** The result for the error of a call; with an empty `id` it was not made yet. @throws {ConfigError} then. */
export function failed(id: string, outcome: 'unknown' | 'rejected' | 'not_sent', error: unknown): Failed {
  const { code, message, status, apiCode } = error as ApiError
  if (id === '' && isConfigError(error)) throw error
  if (outcome === 'unknown') return unknown(id, message)
  if (outcome === 'not_sent') return notSent((error as Error).name === 'StorageError' ? 'busy' : 'unreachable', message)
  return { outcome, error: { code, message, ...(status && { status }), ...(apiCode && { apiCode }) } }
}

/** The result for an answer of the protocol. */
export function movedOf(answer: MoneyAnswer): Moved {
  const { code } = answer
  const kind = 'kind' in answer ? answer.kind : ''
  if (code === 'executed') return { outcome: 'done', record: answer.record }
  if (code === 'recorded') return answer.response as Moved
  if (code === 'contradicted') return unknown(answer.id, 'It ended otherwise: see attention().', answer.record)
  if (code === 'unexplained') return unknown(answer.operation_id, `The service shows a ${kind}: settle it by hand.`)
  if (code === 'key_reused') return notSent(code, 'This key belongs to another request.')
  if (code === 'order_changed') return notSent(code, 'The order has changed since this version.')
  if (code === 'order_rebuilt') return notSent('in_progress', 'A backup was restored: try again in a minute.')
  if (code === 'pending') return notSent('in_progress', `Another one is pending: ask for at most ${answer.left / 100}.`)
  if (code === 'in_progress' || code === 'unsettled') {
    const message = `The ${kind} ${answer.id} of this order has no outcome yet.`
    return answer.isOwn ? unknown(answer.id, message) : notSent('in_progress', message)
  }
  const other = 'It is not found, settled already, or still in progress.'
  const message = code === 'not_executed' ? `The service does not know the ${kind}. Use a new key.` : other
  return { outcome: 'rejected', error: { code, message } }
}

/** An absence counts after ten minutes: another process may have been paused just before its call. */
const SETTLE_AFTER_MS = 600_000
const UNSENT = { method: 'POST', path: '', attempts: 0 }

/** Plays a message and all that follow from it. `protocol.ts` decides; this carries out its commands. */
export async function play(scope: TillOptions, order_id: string, first: Message, fields: object = {}): Promise<Moved> {
  let reading = {} as Reading
  let isAsked = false
  /** The operation whose call was made, and the service's record of it. */
  let sent: { id: string; record?: object } | undefined
  const driver: Driver = {
    now: () => reading.now,
    async read() {
      reading = await readOrder(scope, order_id, isAsked)
      return reading.state
    },
    store({ operation }) {
      const { id, keyHash, outcome, answer, operation_id } = operation
      const before = reading.made.find((one) => one.id === id)
      if (before?.late || (before && before.outcome !== outcome))
        return append(scope, reading, { kind: 'end', id, body: { outcome, answer, operation_id } })
      if (before) return
      // One that a person accounts for has its end already.
      const due = isOpen(operation) && { isOpen: true, dueInMs: 60_000 }
      return append(scope, reading, { kind: 'operation', id, body: operation, name: keyHash || null, ...due })
    },
    contradict: ({ operation: { id }, late: body }) => append(scope, reading, { kind: 'end', id, body, isOpen: true }),
    async send(operation) {
      const { id } = operation
      sent = { id }
      const make = () => call(scope, reading, operation, fields)
      const responded = await makeCall(id, make, (error, outcome) => failed(id, outcome, error))
      if (responded.answer.code === 'executed') sent.record = responded.answer.record
      return responded
    },
    // If that fails, the next look at the operation stores what the service lists.
    file: (event) => storeEvent(scope, event),
    async list(operation) {
      await ask(scope, reading, Object.keys(CALL_NAMES))
      isAsked ||= !operation
    },
    async lookUp({ operation: { kind, expected, started_at }, known, settleAfterMs }) {
      // An absent row was absent when the order was read.
      const settled = reading.now - started_at >= Math.max(settleAfterMs, SETTLE_AFTER_MS)
      const view = await ask(scope, reading, [kind]).catch(() => undefined)
      const amount = kind === 'void' ? undefined : expected / 100
      const call = { operation: CALL_NAMES[kind], amount, currency: undefined, known: new Set(known), settled }
      return view ? decideMoney(call, view) : { outcome: 'unknown' }
    },
    // Of `watch` and `unwatch` the row itself is due: see settle.ts.
  }
  try {
    // A look at what is due has no answer.
    return movedOf((await drive(driver, first)) ?? { code: 'already_settled' })
  } catch (error) {
    if (sent) return unknown(sent.id, 'The database failed after the call.', sent.record)
    if (first.type === 'request') return failed('', 'not_sent', error)
    throw error
  }
}

/** Asks what the service shows of an order, and stores what is new. `methods`: what is looked for beside the payment. */
export async function ask(
  scope: TillOptions,
  { order_id, events }: Reading,
  methods: string[] = [],
): Promise<OrderView> {
  const view = await lookUpOrder(scope.client, { order_id }, methods, { timeoutMs: 10_000 })
  await storeNews(order_id, view.operations, events, (event) => storeEvent(scope, event))
  return { ...view, operations: view.operations.map((event) => named(order_id, event)) }
}

/** Makes a call. By the database's clock: the SDK compares `deadlineMs` once more in the last step before `fetch`. */
async function call({ client }: TillOptions, reading: Reading, { kind, started_at }: MoneyOperation, fields: object) {
  const { order, order_id, payment, now, asked_at } = reading
  const server_url = payment?.server_url
  const input = { order_currency: order.currency, ...(server_url && { server_url }), ...fields, order_id }
  const deadlineMs = Math.floor(started_at + SEND_MS - (now + Date.now() - asked_at))
  if (deadlineMs < 1)
    throw new ConnectionError('This process was paused: nothing was sent.', UNSENT, 'timeout', undefined)
  return client[CALL_NAMES[kind]](input as never, { deadlineMs })
}
