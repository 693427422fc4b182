import type { Client } from '../client/client-methods.ts'
import { isConfigError } from '../errors.ts'
import { CALL_NAMES, eventOfResponse, lookedUp, outcomeOf } from '../money/calls.ts'
import type { Command, Message, MoneyAnswer, MoneyOperation, MoneyRequest, OrderState } from '../money/protocol.ts'
import { isOpen, SEND_MS, step } from '../money/protocol.ts'
import { decide } from '../outcome/decide.ts'
import { eventOf, lookUpOrder } from '../outcome/look-up.ts'
import type { WebhookEvent } from '../schemas/event.ts'
import { kept, nameOf, type Scope, storeEvent } from './events.ts'
import { failed, type Moved, movedOf, notSent, unknown } from './outcome.ts'
import { addOrder, append, type Reading, readOrder, StorageError, writeEnd } from './store.ts'

/** What the till calls of a client. */
export type TillClient = Pick<
  Client,
  | 'createPayment'
  | 'capturePayment'
  | 'refundPayment'
  | 'voidPayment'
  | 'cancelPayment'
  | 'listOrderOperations'
  | 'resendWebhook'
>

/** A scope with its client. */
export interface MoneyScope extends Scope {
  client: TillClient
}

/** An absence counts after ten minutes: another process may have been paused just before its call. */
const SETTLE_AFTER_MS = 600_000
const LOOK_UP = { timeoutMs: 10_000 }
const FIRST_LOOK_MS = 60_000
/** Another process has written since the order was read. */
const LOST = Symbol('lost')

/**
 * Plays a message and all that follow from it. `protocol.ts` decides; this carries out its commands. What was decided from an older
 * state is not written: the order is read again, and decided again.
 */
export async function play(scope: MoneyScope, order_id: string, first: Message, fields: object = {}): Promise<Moved> {
  const request = first.type === 'request' ? first.request : undefined
  let answer: Moved = notSent('busy', 'Nothing was decided.')
  let waiting: MoneyRequest | undefined
  /** The operation whose call was made, and the service's record of it. */
  let sent: { id: string; record?: object } | undefined
  const messages = [first]
  try {
    for (let message = messages.shift(); message; message = messages.shift()) {
      const reading = await readOrder(scope.tables, order_id)
      const open = reading.late.find(({ id }) => find(reading, id)?.keyHash === request?.keyHash)
      if (open && message === first) return movedOf(contradiction(open), [])
      const { state, commands } = step({ ...stateOf(reading), ...(waiting && { waiting }) }, message, reading.now)
      const said: Message[] = []
      try {
        for (const command of commands) {
          if (command.type === 'answer') answer = movedOf(command.answer, reading.operations, request)
          else if (command.type === 'send') {
            sent = { id: command.operation.id }
            const responded = await send(scope, reading, command.operation, fields)
            if (responded.answer.code === 'executed') sent.record = responded.answer.record
            said.push(responded)
          } else said.push(...(await carryOut(scope, reading, command)))
        }
        messages.push(...said)
        waiting = state.waiting
      } catch (error) {
        if (error !== LOST) throw error
        messages.unshift(waiting ? { type: 'request', request: waiting } : message)
      }
    }
    return answer
  } catch (error) {
    if (sent) return unknown(sent.id, 'The database failed after the call.', sent.record)
    if (!request || isConfigError(error)) throw error
    return error instanceof StorageError ? notSent('busy', error.message) : failed('', 'not_sent', error)
  }
}

const find = ({ operations }: Reading, id: string) => operations.find((one) => one.id === id)

const contradiction = ({ id, end }: Reading['late'][0]): MoneyAnswer => ({
  ...{ code: 'contradicted', id, kind: 'refund' },
  ...(end.answer?.code === 'executed' && { record: end.answer.record }),
})

function stateOf({ order, events, operations, row, next }: Reading): OrderState {
  const { lost_at, listed_at, backup_at } = row
  // What was on its way when the database was lost has reached the service after a minute.
  const isAsked = listed_at !== null && Number(listed_at) > Number(lost_at) + (lost_at === null ? 0 : FIRST_LOOK_MS)
  // What was made before the backup needs no key.
  const explained = events.filter(({ written_at }) => lost_at !== null && Number(written_at) <= Number(backup_at))
  return {
    order: {
      ...{
        order_id: order.order_id,
        totals: order.totals,
        operations: order.operations,
        isKnown: next > 1,
        isAddressable: true,
      },
      operation_ids: events.flatMap(({ operation_id }) => operation_id ?? []),
    },
    operations: [...operations, ...explained.flatMap(({ operation_id: id }) => (id === undefined ? [] : nobodys(id)))],
    // Before the first money call of an order the service is asked what was made before.
    ...((lost_at !== null || !isAsked) && { loss: { at: Number(lost_at), isAsked } }),
  }
}

const nobodys = (id: string): MoneyOperation => ({
  ...{ id, operation_id: id, kind: 'refund', keyHash: '', fingerprint: '', amount: null, expected: 0, started_at: 0 },
  ...{ known: [], outcome: 'done' },
})

/** @returns The messages that follow. @throws LOST where the order has changed meanwhile. */
async function carryOut(
  scope: MoneyScope,
  reading: Reading,
  command: Exclude<Command, { type: 'answer' | 'send' }>,
): Promise<Message[]> {
  const { tables, client } = scope
  const { order_id } = reading
  const write = async (isWritten: Promise<boolean>): Promise<[]> => {
    if (!(await isWritten)) throw LOST
    return []
  }
  switch (command.type) {
    case 'then':
      return [command.message]
    case 'list_all':
      await list(scope, reading)
      return [{ type: 'request', request: command.request }]
    case 'list':
      await list(scope, reading).catch(() => {})
      return [command.message]
    case 'store': {
      const { id, keyHash, outcome } = command.operation
      const before = find(reading, id)
      if (before)
        return before.outcome === 'unknown' && outcome === 'unknown'
          ? []
          : write(writeEnd(tables, reading, command.operation))
      // One that a person accounts for has its end already.
      const open = isOpen(command.operation) && { isOpen: true, dueInMs: FIRST_LOOK_MS }
      return write(
        append(tables, reading, { kind: 'operation', id, name: keyHash || null, body: command.operation, ...open }),
      )
    }
    case 'contradict':
      return write(
        append(tables, reading, { kind: 'late', id: command.operation.id, isOpen: true, body: command.late }),
      )
    case 'file':
      // If that fails, the next look at the operation stores what the service lists.
      await storeEvent(scope, eventOfResponse(command.operation, { order_id, ...command.record })).catch(() => {})
      return []
    case 'look_up': {
      const { operation, known, settleAfterMs } = command
      const { kind, amount, started_at } = operation
      // What is absent was absent when the order was read.
      const settled = reading.now - started_at >= Math.max(settleAfterMs, SETTLE_AFTER_MS)
      const view = await lookUpOrder(client, { order_id }, [kind], LOOK_UP).catch(() => undefined)
      if (!view) return [lookedUp(operation, { outcome: 'unknown' })]
      await storeNews(scope, reading, view.operations)
      const call = {
        operation: CALL_NAMES[kind],
        amount: amount ?? undefined,
        currency: undefined,
        known: new Set(known),
        settled,
      }
      return [lookedUp(operation, decide(call, view))]
    }
    default:
      // Its row is due by itself: see settle.ts.
      return []
  }
}

/** The database's time, from this machine's clock since the order was read. */
const nowOf = ({ now, asked_at }: Reading): number => now + Date.now() - asked_at

/** Stores what the service lists of an order, and that it was asked. */
export async function list(scope: MoneyScope, reading: Reading): Promise<void> {
  const { client, tables } = scope
  const { order_id, order_key } = reading
  const { operations } = await lookUpOrder(client, { order_id }, ['capture', 'refund', 'void'], LOOK_UP)
  await storeNews(scope, reading, operations)
  await addOrder(tables, reading)
  await tables.run(`UPDATE edgetill_order SET listed_at = ${tables.clock} WHERE order_key = ?`, order_key)
}

export async function storeNews(
  scope: Scope,
  { order_id, events }: Reading,
  seen: readonly WebhookEvent[],
): Promise<void> {
  for (const event of seen.flatMap((one) => eventOf(order_id, one))) {
    // What was reported before says nothing new, and `init` no more than that the customer has not paid.
    const isNew = event.record.status !== 'init' && !events.some(({ name }) => name === nameOf(event))
    if (isNew) await storeEvent(scope, event)
  }
}

/** Makes the call, once. */
async function send(
  scope: MoneyScope,
  reading: Reading,
  { id, kind, started_at }: MoneyOperation,
  fields: object,
): Promise<Extract<Message, { type: 'responded' }>> {
  const { order, order_id, payment } = reading
  const server_url = payment?.server_url
  const input = { order_currency: order.currency, ...(server_url && { server_url }), ...fields, order_id }
  const responded = { type: 'responded', id } as const
  try {
    const call = scope.client[CALL_NAMES[kind] as 'voidPayment'] as (input: object, options: object) => Promise<object>
    // The SDK compares it with the clock in the last step before `fetch`: a process that was paused sends nothing.
    const deadlineMs = Math.floor(started_at + SEND_MS - nowOf(reading))
    const paused = notSent('busy', 'The database or this process took more than 30 seconds: nothing was sent.')
    if (deadlineMs < 1) return { ...responded, outcome: 'not_sent', answer: { code: 'recorded', response: paused } }
    const record = kept(await call(input, { deadlineMs }), scope)
    const operation_id = String((record as { operation_id?: unknown }).operation_id)
    return { ...responded, outcome: 'done', answer: { code: 'executed', record }, operation_id }
  } catch (error) {
    const outcome = outcomeOf(error)
    return { ...responded, outcome, answer: { code: 'recorded', response: failed(id, outcome, error) } }
  }
}

/** Settles an operation by hand: one without an outcome, or one that has two ends. */
export async function settleByHand(scope: MoneyScope, order_id: string, id: string, executed: boolean): Promise<Moved> {
  const reading = await readOrder(scope.tables, order_id)
  if (!reading.late.some((one) => one.id === id)) {
    return play(scope, order_id, { type: 'by_hand', id, executed, isListed: false })
  }
  await scope.tables.run(
    "UPDATE edgetill_log SET is_open = 0, name = ? WHERE order_key = ? AND kind = 'late' AND id = ? AND is_open = 1 RETURNING id",
    ...[executed ? 'executed' : 'not_executed', reading.order_key, id],
  )
  const { answer } = find(await readOrder(scope.tables, order_id), id) as Required<MoneyOperation>
  return movedOf(answer, [])
}
