import { isFinal } from '../../helpers/status.ts'
import type { CallOptions } from '../../http/types.ts'
import { callOf, eventOfResponse, lookedUp, makeCall, requestOf } from '../../money/calls.ts'
import { type Driver, drive } from '../../money/drive.ts'
import {
  answeredBy,
  type Command,
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
import { baseOrderId } from '../lib/attempt-id.ts'
import { operationAddress } from '../lib/links.ts'
import { describeError, logError } from '../lib/log.ts'
import { type RecordedResponse, responseTo } from '../lib/money-answers.ts'
import { type Problem, problemOf } from '../lib/problem.ts'
import { askService, ONE_LOOK, storeListed } from './ask-service.ts'
import { orderKeyOf } from './events.ts'
import { makeOperation } from './money-calls.ts'
import { listOperations, type OrderReading, putOperation, readAttempts, readOrder } from './order.ts'
import { attemptIds, ownAttempt } from './published.ts'
import { noteAsked, takeStock } from './rebuild.ts'
import { unwatch, watch, watchUnknown } from './schedule.ts'
import type { OrderScope } from './scope.ts'
import { storeShown } from './store-event.ts'

/** A capture, refund or void as it came to `/api`. */
export interface MoneyCall {
  kind: OperationKind
  idempotencyKey: string
  /** The fields of the SDK's input without `order_id`; `order_currency` defaults to the order's. */
  fields: Record<string, unknown>
  /** The order's totals as the caller knows them. */
  version?: string | undefined
  /** What its caller may refund of the whole order, in minor units. */
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
  return responseTo((await run(scope, target, { type: 'request', request }, { fields })) as MoneyAnswer)
}

/** The attempt at paying the order that a money call is about. */
async function attemptFor(scope: OrderScope, named: string, keyHash: string): Promise<string | MoneyAnswer> {
  await takeStock(scope, named)
  const { store, env } = scope
  const own = ownAttempt(store, named)
  if (own === undefined && attemptIds(store, named).length === 1) return named
  const attempts = (await readAttempts(store, named, env.POS_ID)).map(({ order, made }) => ({
    order_id: order.order_id,
    holdsMoney: holdsMoney(order.totals),
    isUnsettled: made.some(isOpen),
    hasKey: made.some((one) => one.keyHash === keyHash && one.outcome !== 'not_sent'),
  }))
  return chooseAttempt(attempts, own)
}

/**
 * Settles an operation manually when its outcome cannot be determined: not against what the events say. With
 * `unknown` the service is asked.
 */
export async function settleByHand(
  scope: OrderScope,
  order_id: string,
  { attempt_id: id, executed }: { attempt_id: string; executed: boolean | 'unknown' },
): Promise<RecordedResponse> {
  const attempts = await readAttempts(scope.store, order_id, scope.env.POS_ID)
  const its = attempts.find(({ order, made }) => [...made, ...order.operations].some((one) => one.id === id))
  const attempt = its?.order.order_id ?? order_id
  const one = its?.made.find((made) => made.id === id)
  const isAnswered = its && one && isOpen(one) && answeredBy(its.made, one, its.order.operations)
  if (isAnswered || executed === 'unknown') await checkOperation(scope, attempt, id, executed === 'unknown')
  if (executed === 'unknown') return foundOut(scope, attempt, id)
  const message = { type: 'by_hand' as const, id, executed, isListed: false }
  return responseTo((await run(scope, attempt, message)) as MoneyAnswer)
}

/** How an operation stands after it was looked up. */
async function foundOut({ store }: OrderScope, order_id: string, id: string): Promise<RecordedResponse> {
  const one = (await listOperations(store, await orderKeyOf(order_id))).find((made) => made.id === id)
  if (!one) return responseTo({ code: 'unknown_operation' })
  return { status: 200, body: { state: isOpen(one) ? 'unknown' : (one.outcome as string) } }
}

/** Finds out what became of an operation that has waited. @param mayAsk Else from the events alone. */
export async function checkOperation(scope: OrderScope, order_id: string, id: string, mayAsk: boolean): Promise<void> {
  await run(scope, order_id, { type: 'check', id, mayAsk }, { lookUp: ONE_LOOK })
}

/** Stores what the service lists of an order. */
export async function listAtService(scope: OrderScope, operation: MoneyOperation, order_id: string): Promise<void> {
  await askService(scope, { ...callOf(operation, order_id), amount: undefined }, { ...ONE_LOOK, known: [] })
}

interface RunOptions {
  /** Of the request. */
  fields?: Record<string, unknown>
  /** How patiently the service is asked. */
  lookUp?: CallOptions
}

const AFTER_ASKING: ReadonlySet<Message['type']> = new Set(['request', 'looked_up'])

/** Plays a message and all that follow from it. @returns The answer to the caller, where there is one. */
function run(
  scope: OrderScope,
  order_id: string,
  first: Message,
  options: RunOptions = {},
): Promise<MoneyAnswer | undefined> {
  let reading: OrderReading
  const driver: Driver = {
    now: scope.now,
    async read(message, before) {
      if (before && !AFTER_ASKING.has(message.type)) return before
      // Again after the service was asked: what was learnt there is known from now on.
      const { rebuilt_at, asked: isAsked = false } = await takeStock(scope, order_id)
      reading = await readOrder(scope.store, order_id, scope.env.POS_ID)
      const isSure = isAsked && rebuilt_at === undefined
      const loss = !isSure && { loss: { at: rebuilt_at ?? 0, isAsked } }
      const order = { ...factsOf(scope, order_id, reading), refundedBeside: await refundedBeside(scope, order_id) }
      return { order, operations: reading.made, ...loss }
    },
    carryOut: (command, message) => carryOut(scope, order_id, command, message, reading, options),
  }
  return drive(driver, first)
}

function factsOf(
  { env }: OrderScope,
  order_id: string,
  { order, events, checkout }: OrderReading,
): Omit<OrderFacts, 'refundedBeside'> {
  const { totals, operations } = order
  const operation_ids = events.flatMap(({ operation_id }) => operation_id ?? [])
  const isKnown = events.length > 0 || checkout !== undefined
  const isAddressable = Boolean(env.PUBLIC_ORIGIN || checkout?.origin)
  return { order_id, isKnown, isAddressable, totals, operations, operation_ids }
}

/** What is refunded of the other attempts at paying the order. */
async function refundedBeside({ store, env }: OrderScope, order_id: string): Promise<number> {
  const others = attemptIds(store, order_id).filter((id) => id !== order_id)
  const readings = await Promise.all(others.map((id) => readOrder(store, id, env.POS_ID)))
  return readings.reduce((sum, { order, made }) => sum + committed(order, made).refunded, 0)
}

/** @returns The message that follows from a command. */
async function carryOut(
  scope: OrderScope,
  order_id: string,
  command: Exclude<Command, { type: 'answer' | 'then' }>,
  message: Message,
  reading: OrderReading,
  { fields = {}, lookUp = {} }: RunOptions,
): Promise<Message | undefined> {
  if (command.type === 'list_all') {
    await storeListed(scope, order_id)
    await noteAsked(scope, reading.events, (await readOrder(scope.store, order_id, scope.env.POS_ID)).order)
    return { type: 'request', request: command.request }
  }
  const { operation } = command
  const { id, kind, started_at } = operation
  switch (command.type) {
    case 'store': {
      const stored = putOperation(scope.store, await orderKeyOf(order_id), operation)
      // The caller gets the response even when it cannot be recorded: the operation then blocks others until it is settled.
      if (message.type !== 'responded') return void (await stored)
      return void (await stored.catch((error: unknown) => {
        logError('outcome_not_recorded', { attempt_id: id, operation: kind, order_id, ...describeError(error) })
      }))
    }
    case 'watch':
      if (command.listed) logError('outcome_unknown', { attempt_id: id, operation: kind, order_id })
      return void (await (command.listed
        ? watchUnknown(scope, order_id, operation)
        : watch(scope, { kind, order_id, attempt_id: id, since: started_at })))
    case 'unwatch':
      return void (await unwatchEnded(scope, order_id, operation))
    case 'contradict':
      return void logError('outcome_contradicted', { attempt_id: id, operation: kind, order_id })
    case 'file':
      return void (await file(scope, order_id, command))
    case 'send':
      return send(scope, order_id, operation, fields, reading)
    case 'look_up': {
      const { known, settleAfterMs } = command
      return lookedUp(
        operation,
        await askService(scope, callOf(operation, order_id), { ...lookUp, known, settleAfterMs }),
      )
    }
    case 'list':
      await listAtService(scope, operation, order_id).catch((error: unknown) => {
        logError('reconciliation_failed', { order_id, ...describeError(error) })
      })
      return command.message
  }
}

/** Makes the call. It is never repeated automatically. */
async function send(
  scope: OrderScope,
  order_id: string,
  { id, kind }: MoneyOperation,
  fields: Record<string, unknown>,
  { order, events, checkout }: OrderReading,
): Promise<Message> {
  const expected = events.find((event) => event.expected)?.expected ?? checkout
  const server_url = fields.server_url ?? (await operationAddress(scope.env, order_id, checkout?.origin, expected))
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

/** Stores the response like an event; `onEvent` gets the webhook. */
async function file(
  scope: OrderScope,
  order_id: string,
  { operation, record }: Extract<Command, { type: 'file' }>,
): Promise<void> {
  const { id, kind } = operation
  try {
    await storeShown(scope, eventOfResponse(operation, record), { notify: false })
    // Without its final status the service is asked about it, in case that its webhook does not arrive.
    if (isFinal(String((record as { status?: unknown }).status))) await unwatchEnded(scope, order_id, operation)
  } catch (error) {
    logError('operation_not_logged', { attempt_id: id, operation: kind, order_id, ...describeError(error) })
  }
}

/** One whose end could not be stored stays watched, so that an alarm settles it. */
async function unwatchEnded(scope: OrderScope, order_id: string, operation: MoneyOperation): Promise<void> {
  const made = await listOperations(scope.store, await orderKeyOf(order_id))
  if (!made.some((one) => one.id === operation.id && isOpen(one))) await unwatch(scope, order_id, operation)
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
