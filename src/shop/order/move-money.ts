import { isFinal } from '../../helpers/status.ts'
import { callOf, makeCall, requestOf } from '../../money/calls.ts'
import { type Driver, drive } from '../../money/drive.ts'
import {
  chooseAttempt,
  committed,
  isOpen,
  type Message,
  type MoneyAnswer,
  type MoneyOperation,
  type OperationKind,
  type OrderFacts,
} from '../../money/protocol.ts'
import { holdsMoney } from '../../orders/fold.ts'
import { recordOf } from '../../schemas/read.ts'
import { baseOrderId } from '../lib/attempt-id.ts'
import { operationAddress, originOf } from '../lib/links.ts'
import { describeError, logError } from '../lib/log.ts'
import { type RecordedResponse, responseTo } from '../lib/money-answers.ts'
import { type Problem, problemOf } from '../lib/problem.ts'
import { askService, ONE_LOOK, storeListed } from './ask-service.ts'
import { makeOperation } from './money-calls.ts'
import { listOperations, type OrderReading, putOperation, readAttempts, readOrder } from './order.ts'
import { attemptIds, ownAttempt } from './published.ts'
import { noteAsked, takeStock } from './rebuild.ts'
import type { OrderScope } from './scope.ts'
import { storeShown } from './store-event.ts'
import { unwatch, watchOperation } from './watchlist.ts'

type Fields = Record<string, unknown>

/** A capture, refund or void as it came to `/api`. */
export interface MoneyCall {
  kind: OperationKind
  idempotencyKey: string
  /** The fields of the SDK's input without `order_id`; `order_currency` defaults to the order's. */
  fields: Fields
  /** The order's totals as the caller knows them. */
  version?: string | undefined
  /** The amount that its caller may refund of the whole order, in minor units. */
  limit?: number | undefined
}

/**
 * Makes a capture, refund or void once for each Idempotency-Key. `money/protocol.ts` decides; this carries out its commands.
 *
 * @throws {StorageError} before it is sent.
 */
export async function moveMoney(scope: OrderScope, order_id: string, call: MoneyCall): Promise<RecordedResponse> {
  const { kind, idempotencyKey, fields, version, limit } = call
  const request = {
    ...(await requestOf(kind, fields, idempotencyKey)),
    // Without a name it is of the first attempt.
    version: version?.includes(':') === false ? `${encodeURIComponent(baseOrderId(order_id))}:${version}` : version,
    limit,
  }
  const target = await attemptFor(scope, order_id, request.keyHash)
  if (typeof target !== 'string') return responseTo(target)
  return answerTo(scope, target, { type: 'request', request }, fields)
}

/** The attempt at paying the order that a money call is about. */
async function attemptFor(scope: OrderScope, named: string, keyHash: string): Promise<string | MoneyAnswer> {
  await takeStock(scope, named)
  const { store } = scope
  const own = ownAttempt(store, named)
  if (own === undefined && attemptIds(store, named).length === 1) return named
  const attempts = readAttempts(scope, named).map(({ order, made }) => ({
    order_id: order.order_id,
    holdsMoney: holdsMoney(order.totals),
    isUnsettled: made.some(isOpen),
    hasKey: made.some((one) => one.keyHash === keyHash && one.outcome !== 'not_sent'),
  }))
  return chooseAttempt(attempts, own)
}

/** Settles an operation by hand, but not against what the events say. With `unknown` the service is asked. */
export async function settleByHand(
  scope: OrderScope,
  order_id: string,
  { attempt_id: id, executed }: { attempt_id: string; executed: boolean | 'unknown' },
): Promise<RecordedResponse> {
  const attempts = readAttempts(scope, order_id)
  const its = attempts.find(({ order, made }) => [...made, ...order.operations].some((one) => one.id === id))
  const attempt = its?.order.order_id ?? order_id
  if (executed !== 'unknown') return answerTo(scope, attempt, { type: 'by_hand', id, executed, isListed: false })
  await checkOperation(scope, attempt, id, true)
  const found = listOperations(scope.store, attempt).find((made) => made.id === id)
  if (!found) return responseTo({ code: 'unknown_operation' })
  return { status: 200, body: { state: isOpen(found) ? 'unknown' : (found.outcome as string) } }
}

/** Finds out what became of an operation that has waited. @param mayAsk Else from the events alone. */
export const checkOperation = (scope: OrderScope, order_id: string, id: string, mayAsk: boolean): Promise<unknown> =>
  play(scope, order_id, { type: 'check', id, mayAsk })

/** Stores what the service lists of an order. */
export const listAtService = (scope: OrderScope, operation: MoneyOperation, order_id: string): Promise<unknown> =>
  askService(scope, { ...callOf(operation, order_id), amount: undefined }, { ...ONE_LOOK, known: [] })

async function answerTo(scope: OrderScope, order_id: string, first: Message, fields = {}): Promise<RecordedResponse> {
  return responseTo((await play(scope, order_id, first, fields)) as MoneyAnswer)
}

const AFTER_ASKING: ReadonlySet<Message['type']> = new Set(['request', 'looked_up'])

/** Plays a message and all that follow from it. @returns The answer to the caller, where there is one. */
function play(scope: OrderScope, order_id: string, first: Message, fields: Fields = {}): ReturnType<typeof drive> {
  const { store } = scope
  let reading: OrderReading
  const failed = ({ id, kind }: MoneyOperation, code: string, error?: unknown): void =>
    logError(code, { attempt_id: id, operation: kind, order_id, ...(error !== undefined && describeError(error)) })
  const driver: Driver = {
    now: scope.now,
    failed,
    async read(message, before) {
      if (before && !AFTER_ASKING.has(message.type)) return before
      // Again after the service was asked: what was learnt there is known from now on.
      const { rebuilt_at, asked } = await takeStock(scope, order_id)
      reading = readOrder(scope, order_id)
      const isAsked = asked === 1
      const loss = !(isAsked && rebuilt_at === null) && { loss: { at: rebuilt_at ?? 0, isAsked } }
      return { order: factsOf(scope, reading), operations: reading.made, ...loss }
    },
    store({ operation }, message) {
      try {
        putOperation(store, order_id, operation)
      } catch (error) {
        // The caller gets the response even when it cannot be recorded: the operation then blocks others until it is settled.
        if (message.type !== 'responded') throw error
        failed(operation, 'outcome_not_recorded', error)
      }
    },
    contradict: ({ operation }) => failed(operation, 'outcome_contradicted'),
    watch({ operation, listed }) {
      if (listed) failed(operation, 'outcome_unknown')
      return watchOperation(store, order_id, operation, listed)
    },
    unwatch: ({ operation }) => unwatchEnded(scope, order_id, operation),
    send: (operation) => send(scope, operation, fields, reading),
    async file(event, operation) {
      // `onEvent` gets the webhook.
      await storeShown(scope, event, { notify: false })
      // Without its final status the service is asked about it, in case that its webhook does not arrive.
      if (isFinal(String(recordOf(event).status))) await unwatchEnded(scope, order_id, operation)
    },
    lookUp: ({ operation, known, settleAfterMs }) =>
      askService(scope, callOf(operation, order_id), { ...(first.type === 'check' && ONE_LOOK), known, settleAfterMs }),
    async list(operation) {
      if (operation) return listAtService(scope, operation, order_id)
      await storeListed(scope, order_id)
      noteAsked(scope, reading.events, readOrder(scope, order_id).order)
    },
  }
  return drive(driver, first)
}

function factsOf(scope: OrderScope, { order, events, checkout }: OrderReading): OrderFacts {
  const { order_id, totals, operations } = order
  const operation_ids = events.flatMap(({ operation_id }) => operation_id ?? [])
  const isKnown = events.length > 0 || checkout !== undefined
  const isAddressable = originOf(scope.env, checkout) !== ''
  const refundedBeside = readAttempts(scope, order_id)
    .filter(({ order }) => order.order_id !== order_id)
    .reduce((sum, { order, made }) => sum + committed(order, made).refunded, 0)
  return { order_id, isKnown, isAddressable, totals, operations, operation_ids, refundedBeside }
}

/** Makes the call. It is never repeated automatically. */
async function send(
  scope: OrderScope,
  { id, kind }: MoneyOperation,
  fields: Fields,
  { order, events, checkout }: OrderReading,
): Promise<Message> {
  const { order_id } = order
  const expected = events.find((event) => event.expected)?.expected ?? checkout
  const server_url = fields.server_url ?? (await operationAddress(scope.env, order_id, checkout, expected))
  const input = { order_currency: order.currency, server_url, ...fields, order_id }
  return makeCall(
    id,
    () => makeOperation(scope, kind, input),
    (error, outcome) => {
      const problem = problemOf(error)
      if (!problem) throw error
      const body = outcome === 'unknown' ? { ...problem, ...outcomeUnknown(kind) } : problem
      return { status: body.status, body }
    },
  )
}

/** One whose end could not be stored stays watched, so that an alarm settles it. */
async function unwatchEnded(scope: OrderScope, order_id: string, operation: MoneyOperation): Promise<void> {
  const made = listOperations(scope.store, order_id)
  if (!made.some((one) => one.id === operation.id && isOpen(one))) await unwatch(scope.store, order_id, operation.id)
}

export const outcomeUnknown = (kind: OperationKind | 'cancel'): Problem => ({
  status: 502,
  code: 'outcome_unknown',
  title: 'It may have been executed.',
  detail:
    kind === 'cancel'
      ? 'Send the same request again: a payment that is cancelled stays cancelled.'
      : `Send the same request again with the same Idempotency-Key: it finds out, and never makes a second ${kind}. Or have the webhook re-sent with POST …/resend and {"operation":"${kind}"}.`,
})
