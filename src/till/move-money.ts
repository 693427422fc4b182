import { merchantOf } from '../client/merchant.ts'
import { type ApiError, ConnectionError, isConfigError, isInvalidInputError } from '../errors.ts'
import { attemptOf } from '../orders/attempt-id.ts'
import { holdsMoney } from '../orders/fold.ts'
import { named as namedEvent } from '../orders/own-event.ts'
import { decideMoney } from '../outcome/decide.ts'
import { lookUpOrder, type OrderView } from '../outcome/look-up.ts'
import { CALL_NAMES, makeCall, storeNewEvents } from './calls.ts'
import { type Driver, drive } from './drive.ts'
import { storeEvent, type TillOptions, type TillScope } from './events.ts'
import {
  asOfEvents,
  CALL_MS,
  chooseAttempt,
  isOpen,
  type Message,
  type MoneyAnswer,
  type MoneyOperation,
  type MoneyRequest,
  SEND_MS,
} from './protocol.ts'
import { pause } from './queue.ts'
import { append, type Reading, readNamed, readOrder } from './store.ts'

/**
 * Why nothing was sent. `order_changed`: the order's money has moved since `ifVersion`. `in_progress`: another
 * operation of the order has no final outcome yet, or a backup was restored a minute ago. `unreachable`: the service
 * could not be reached, or asked to wait. `key_reused`: the key, or a payment's order_id, belongs to another request.
 * `busy`: the database failed. `paid_twice`: several attempts hold money, or have an open call: name one of
 * `order_ids`. `not_paid`: none of several attempts holds money. `over_limit`: the request is for more than
 * `limitMinor` leaves, or names no amount.
 */
export type NotSentReason =
  | 'order_changed'
  | 'in_progress'
  | 'unreachable'
  | 'key_reused'
  | 'busy'
  | 'paid_twice'
  | 'not_paid'
  | 'over_limit'
/** The outcome of a call that has no record. */
export type Failed<Record = object> =
  /**
   * The key's request is never executed. `code`: the error's, or `not_executed` if the service does not know the
   * operation. After `invalid_input` nothing was written: correct the input, and use the same key.
   */
  | { outcome: 'rejected'; error: { code: string; message: string; status?: number; apiCode?: string } }
  /**
   * The request may have been executed. Call again with the same key to find out: it never makes a second call.
   * `record`: the request was executed, but that could not be written.
   */
  | { outcome: 'unknown'; id: string; message: string; record?: Record | undefined }
  /** Nothing was sent. `sameKey`: whether the same key may try again. `order_ids`: the attempts that you could mean. */
  | { outcome: 'not_sent'; reason: NotSentReason; sameKey: boolean; message: string; order_ids?: string[] }
/**
 * The outcome of a call. `done`: it succeeded, or its `record.status` is pending. `declined`: the bank said no. These
 * two and `rejected` are final for their key; only a pending operation may still be declined.
 */
export type Moved<Record = object> = { outcome: 'done' | 'declined'; record: Record } | Failed<Record>

export const notSent = (reason: NotSentReason, message: string): Failed => ({
  ...{ outcome: 'not_sent', reason, sameKey: reason !== 'key_reused', message },
})
export const invalid = (message: string): Failed => ({ outcome: 'rejected', error: { code: 'invalid_input', message } })
const unknown = (id: string, why: string, record?: object): Failed => ({
  ...{ outcome: 'unknown', id, message: `${why} It may have been executed: call again with the same key.`, record },
})

/** The result for a call's error; with an empty `id` the call was not made yet. @throws {ConfigError} then. */
export function failed(id: string, outcome: 'unknown' | 'rejected' | 'not_sent', error: unknown): Failed {
  const { code, message, status, apiCode } = error as ApiError
  if (id === '' && isConfigError(error)) throw error
  if (outcome === 'unknown') return unknown(id, message)
  if (outcome === 'not_sent' && !isInvalidInputError(error))
    return notSent((error as Error).name === 'StorageError' ? 'busy' : 'unreachable', message)
  return { outcome: 'rejected', error: { code, message, ...(status && { status }), ...(apiCode && { apiCode }) } }
}

/** The result for an input that the SDK itself rejects: no row is written. */
export async function rejectionOf(client: object, name: string, input: object): Promise<Failed | undefined> {
  try {
    return void (await merchantOf(client).check(name, input))
  } catch (error) {
    return failed('', 'not_sent', error)
  }
}

/** The result for the protocol's answer. */
export function movedOf(answer: MoneyAnswer): Moved {
  const { code } = answer
  const kind = 'kind' in answer ? answer.kind : ''
  if (code === 'executed') {
    const { record } = answer
    return { outcome: 'status' in record && record.status === 'failure' ? 'declined' : 'done', record }
  }
  if (code === 'recorded') {
    // A shop's engine stores `moved` beside its HTTP response.
    const { moved = answer.response } = answer.response as { moved?: unknown }
    return moved as Moved
  }
  if (code === 'contradicted')
    return unknown(answer.id, 'Its call contradicts the settled outcome: see attention().', answer.record)
  if (code === 'unexplained') {
    const which = `the ${kind} ${answer.operation_id} may be this one`
    return unknown(answer.id, `A backup was restored, and ${which}: say so with settleByHand().`)
  }
  if (code === 'key_reused') return notSent(code, 'This key belongs to another request.')
  if (code === 'order_changed') return notSent(code, 'The order has changed since this version.')
  if (code === 'order_rebuilt') return notSent('in_progress', 'A backup was restored: try again in a minute.')
  if (code === 'paid_twice') {
    const order_ids = answer.order_ids.map((id) => (attemptOf(id).attempt > 1 ? id : `${id}~1`))
    const message = `Several attempts hold money, or have an open call. Name ${order_ids.join(' or ')}.`
    return { ...notSent(code, message), order_ids } as Moved
  }
  if (code === 'not_paid') return notSent(code, 'No attempt at paying this order holds money.')
  if (code === 'over_limit') {
    const most = `At most ${answer.limit / 100} of this order may be refunded, including earlier refunds.`
    return notSent(code, `${most} Name an amount.`)
  }
  if (code === 'pending') return notSent('in_progress', `Another one is pending: ask for at most ${answer.left / 100}.`)
  if (code === 'in_progress' || code === 'unsettled') {
    const message = `The ${kind} ${answer.id} of this order has no outcome yet.`
    return answer.isOwn ? unknown(answer.id, message) : notSent('in_progress', message)
  }
  const other = 'It is not found, settled already, or still in progress.'
  const message = code === 'not_executed' ? `The ${kind} was not executed. Use a new key.` : other
  return { outcome: 'rejected', error: { code, message } }
}

/** An absence counts after ten minutes: another process may have been paused just before its call. */
const SETTLE_AFTER_MS = 600_000
const UNSENT = { method: 'POST', path: '', attempts: 0 }

/** How long a request waits for an earlier request with its key. */
const WAIT_MS = 25_000

/** Repeated requests with a key get one end: a request that finds its key's call in progress waits and reads again. */
async function driveKey(scope: TillScope, driver: Driver, first: Message, isCalling: (id: string) => boolean) {
  const until = Date.now() + WAIT_MS
  for (let waited = 0, ms = 50; ; waited += ms, ms = Math.min(2 * ms, 1000)) {
    const answer = await drive(driver, first)
    const isWaiting = first.type === 'request' && answer?.code === 'in_progress' && answer.isOwn && isCalling(answer.id)
    if (!isWaiting || waited >= WAIT_MS || Date.now() >= until) return answer
    await pause(scope, ms)
  }
}

/**
 * The attempt that a request means: the named attempt, else the attempt of its key, else the attempt that holds money.
 */
function targetOf(reading: Reading, isWhole: boolean, { keyHash }: MoneyRequest): Reading | MoneyAnswer {
  const { attempts, order_id } = reading
  if (isWhole && attempts.length === 0) return reading
  const facts = attempts.map(({ order_id, order, calls }) => ({
    order_id,
    holdsMoney: holdsMoney(order.totals),
    isUnsettled: calls.some(isOpen),
    hasKey: calls.some((one) => one.keyHash === keyHash && one.outcome !== 'not_sent'),
  }))
  const chosen = chooseAttempt(facts, isWhole ? undefined : order_id)
  return typeof chosen === 'string' ? (attempts.find((one) => one.order_id === chosen) ?? reading) : chosen
}

/**
 * How a message ended. `why`: the reason for an unknown outcome. `sent`: a call that was made before `error`, with its
 * answer.
 */
export interface Played {
  /** The attempt that the message was about. */
  order_id: string
  answer?: MoneyAnswer | undefined
  why: string
  sent?: { id: string; answer?: MoneyAnswer } | undefined
  error?: unknown
}

/** Plays a message for a caller of the till. */
export async function play(scope: TillScope, named: string, first: Message, fields: object = {}): Promise<Moved> {
  const { answer, why, sent, error } = await playMoney(scope, named, first, fields)
  if (error !== undefined) {
    const record = sent?.answer?.code === 'executed' ? sent.answer.record : undefined
    if (sent) return unknown(sent.id, 'The database failed after the call.', record)
    if (first.type === 'request') return failed('', 'not_sent', error)
    throw error
  }
  const moved = movedOf(answer as MoneyAnswer)
  return moved.outcome === 'unknown' && why ? { ...moved, message: `${moved.message} ${why}` } : moved
}

/**
 * Plays a message, and every message that follows from it: `protocol.ts` decides, this executes its commands.
 * @param named For a request an order or an attempt, else an attempt.
 */
export async function playMoney(scope: TillScope, named: string, first: Message, fields: object = {}): Promise<Played> {
  let reading = {} as Reading
  /** The attempt whose operations the service has listed. */
  let listedId = ''
  /** The answer if the request fits no attempt. */
  let none: MoneyAnswer | undefined
  let why = ''
  let sent: Played['sent']
  /** Whether the call's webhook will come: `onEvent` gets the webhook, and the response counts until then. */
  let isAnnounced = false
  const driver: Driver = {
    now: () => reading.now,
    async read(message) {
      if (message.type !== 'request') {
        reading = await readOrder(scope, reading.order_id ?? named, listedId)
        return reading.state
      }
      const [read, isWhole] = await readNamed(scope, named, listedId)
      const target = targetOf(read, isWhole, message.request)
      if ('code' in target) {
        none = target
        throw none
      }
      reading = target
      const { openElsewhere } = target.state.order
      const beside = target.attempts.find(({ calls }) => openElsewhere && calls.includes(openElsewhere))
      // The other attempt's open operation ends now, or blocks the request.
      if (openElsewhere && beside) {
        await checkMoney(scope, beside.order_id, openElsewhere.id)
        reading = await readOrder(scope, target.order_id, listedId)
      }
      return reading.state
    },
    store({ operation }, { type }) {
      const { id, keyHash, outcome, answer, operation_id, known, maybeLost } = operation
      const before = reading.calls.find((one) => one.id === id)
      if (before) {
        if (!before.late && before.outcome === outcome) return
        const operations = reading.calls.map((one) => (one === before ? operation : one))
        const { server_url = addressOf(scope, reading) } = fields as { server_url?: unknown }
        isAnnounced = type === 'responded' && answer?.code === 'executed' && server_url !== undefined
        const event = isAnnounced ? { event: operation.kind } : {}
        const body = { outcome, answer, operation_id, ...(before.late && { known }), ...event }
        const isDoubted = asOfEvents({ ...reading.state, operations }).some(({ late }) => late)
        return append(scope, reading, { kind: 'end', id, body, isOpen: isDoubted })
      }
      // An operation that a person has accounted for has its end already.
      const due = isOpen(operation) && (maybeLost ? { isOpen: 2 as const } : { isOpen: true, dueInMs: 60_000 })
      const { id: _, keyHash: __, ...body } = operation
      return append(scope, reading, { kind: 'operation', id, body, name: keyHash || null, ...due })
    },
    contradict({ operation, late: body }) {
      scope.log?.('outcome_contradicted', aboutOf(operation, reading))
      return append(scope, reading, { kind: 'end', id: operation.id, body, isOpen: true })
    },
    async send(operation) {
      const { id } = operation
      sent = { id }
      const responseTo: Parameters<typeof makeCall>[2] = (error, outcome) => ({
        ...scope.responseTo?.(error, outcome, operation.kind),
        moved: failed(id, outcome, error),
      })
      const responded = await makeCall(id, () => call(scope, reading, operation, fields), responseTo)
      if (responded.outcome === 'unknown') scope.log?.('outcome_unknown', aboutOf(operation, reading))
      sent.answer = responded.answer
      return responded
    },
    storeResponse: async (event) => isAnnounced || storeEvent(scope, event),
    async list(operation) {
      await lookUp(scope, reading, Object.keys(CALL_NAMES))
      if (!operation) listedId = reading.order_id
    },
    async lookUp({ operation: { kind, expected, started_at }, known, settleAfterMs }) {
      // Take the age at the reading: an absence proves nothing about a later time.
      const afterMs = Math.max(settleAfterMs, scope.database.absentAfterMs ?? SETTLE_AFTER_MS)
      const settled = reading.now - started_at >= afterMs
      const view = await lookUp(scope, reading, [kind]).catch((error: unknown) =>
        scope.log?.('service_not_asked', { order_id: reading.order_id, operation: CALL_NAMES[kind] }, error),
      )
      const amount = kind === 'void' ? undefined : expected / 100
      const call = { operation: CALL_NAMES[kind], amount, currency: undefined, known: new Set(known), settled }
      const decided = view
        ? decideMoney(call, view)
        : { outcome: 'unknown' as const, why: 'The service cannot be asked.' }
      why = 'why' in decided ? decided.why : ''
      if (settled && view?.complete === false) why += ' It has no list of operations: settle it by hand.'
      return decided
    },
  }
  const isCalling = (id: string) =>
    reading.calls.some((one) => one.id === id && reading.now - one.started_at <= CALL_MS)
  try {
    const answer = await driveKey(scope, driver, first, isCalling)
    return { order_id: reading.order_id, answer, why }
  } catch (error) {
    return { order_id: reading.order_id ?? named, why, ...(none ? { answer: none } : { sent, error }) }
  }
}

/** Finds out the outcome of an operation, as far as the events and the service show it. */
export async function checkMoney(scope: TillScope, order_id: string, id: string): Promise<void> {
  const { error } = await playMoney(scope, order_id, { type: 'check', id })
  if (error !== undefined) throw error
}

const aboutOf = ({ id, kind }: MoneyOperation, { order_id }: Reading) => ({ attempt_id: id, operation: kind, order_id })

const addressOf = (scope: TillScope, { order_id, payment }: Reading) =>
  scope.addressOf ? scope.addressOf(order_id, payment) : payment?.server_url

/**
 * Asks the service about an order, and stores new events. `methods`: the operations that are looked for beside the
 * payment.
 */
export async function lookUp(
  scope: TillOptions,
  { order_id, events }: Reading,
  methods: string[] = [],
): Promise<OrderView> {
  const view = await lookUpOrder(scope.client, { order_id }, methods, { timeoutMs: 10_000 })
  await storeNewEvents(order_id, view.operations, events, (event) => storeEvent(scope, event))
  return { ...view, operations: view.operations.map((event) => namedEvent(order_id, event)) }
}

/** Makes a call. Ages are measured by the database's clock. */
async function call(scope: TillScope, reading: Reading, { kind, started_at }: MoneyOperation, fields: object) {
  const { order, order_id, now, read_at } = reading
  const server_url = await addressOf(scope, reading)
  const input = { order_currency: order.currency, ...(server_url && { server_url }), ...fields, order_id }
  return scope.client[CALL_NAMES[kind]](input as never, { deadlineMs: timeToSend(read_at + started_at - now) })
}

/**
 * The time left for a call, which the SDK compares once more just before `fetch`.
 * @throws {ConnectionError} if none is left.
 */
export function timeToSend(began_at: number): number {
  const left = Math.floor(began_at + SEND_MS - Date.now())
  if (left >= 1) return left
  throw new ConnectionError('This process was paused: nothing was sent.', UNSENT, 'timeout', undefined)
}
