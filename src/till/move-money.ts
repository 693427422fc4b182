import { CALL_NAMES, lookedUp, makeCall, newsAmong } from '../money/calls.ts'
import { type Driver, drive } from '../money/drive.ts'
import {
  type Command,
  isOpen,
  type Message,
  type MoneyAnswer,
  type MoneyOperation,
  SEND_MS,
} from '../money/protocol.ts'
import { fieldsOf } from '../orders/summary.ts'
import { decideMoney } from '../outcome/decide.ts'
import { lookUpOrder, named, type OrderView } from '../outcome/look-up.ts'
import type { WebhookEvent } from '../schemas/event.ts'
import { recordOf } from '../schemas/read.ts'
import { type Scope, storeEvent } from './events.ts'
import { failed, type Moved, movedOf, notSent, unknown, unsent } from './outcome.ts'
import { again, append, type End, type Reading, readOrder } from './store.ts'

/** An absence counts after ten minutes: another process may have been paused just before its call. */
const SETTLE_AFTER_MS = 600_000
const FIRST_LOOK_MS = 60_000

/** Plays a message and all that follow from it. `protocol.ts` decides; this carries out its commands. */
export async function play(scope: Scope, order_id: string, first: Message, fields: object = {}): Promise<Moved> {
  const request = first.type === 'request' ? first.request : undefined
  let reading = {} as Reading
  /** The operation whose call was made, and the service's record of it. */
  let sent: { id: string; record?: object } | undefined
  const driver: Driver = {
    now: () => reading.now,
    async read() {
      reading = await readOrder(scope, order_id)
      return reading.state
    },
    async carryOut(command) {
      if (command.type !== 'send') return carryOut(scope, reading, command)
      const { id } = command.operation
      sent = { id }
      const responded = await send(scope, reading, command.operation, fields)
      sent = { id, ...executed(responded) }
      return responded
    },
  }
  const ownOf = (id: string) => reading.made.find((one) => one.id === id && one.keyHash === request?.keyHash)
  try {
    const answer = (await drive(driver, first)) as MoneyAnswer
    const late = request && reading.made.find(({ id, late }) => late && ownOf(id))
    if (late) return movedOf({ code: 'contradicted', id: late.id, kind: late.kind, ...executed(late.late) })
    return movedOf(answer, (id) => id === request?.id || ownOf(id) !== undefined)
  } catch (error) {
    if (sent) return unknown(sent.id, 'The database failed after the call.', sent.record)
    if (!request) throw error
    return unsent(error)
  }
}

/** @returns The message that follows. @throws LOST where the order has changed meanwhile. */
async function carryOut(
  scope: Scope,
  reading: Reading,
  command: Exclude<Command, { type: 'answer' | 'then' | 'send' }>,
): Promise<Message | undefined> {
  const { order_id, now, made } = reading
  switch (command.type) {
    case 'store': {
      const { id, keyHash, outcome, answer, operation_id } = command.operation
      const before = made.find((one) => one.id === id)
      if (before)
        return before.outcome === outcome
          ? undefined
          : append(scope, reading, ['end', id, { outcome, answer, operation_id }])
      // One that a person accounts for has its end already.
      const due = isOpen(command.operation) && { isOpen: true, dueInMs: FIRST_LOOK_MS }
      return append(scope, reading, ['operation', id, command.operation], { name: keyHash || null, ...due })
    }
    case 'contradict':
      return append(scope, reading, ['end', command.operation.id, command.late], { isOpen: true })
    case 'file': {
      const { kind } = command.operation
      const event = { order_id, ...command.record, method: kind, kind } as unknown as WebhookEvent
      // If that fails, the next look at the operation stores what the service lists.
      await storeEvent(scope, event).catch(() => {})
      return
    }
    case 'list_all':
      await ask(scope, reading)
      await again(async () => {
        const order = await readOrder(scope, order_id)
        if (order.state.loss?.isAsked === false) await append(scope, order, ['listed', order.recovered, {}])
      })
      return { type: 'request', request: command.request }
    case 'list':
      await ask(scope, reading).catch(() => {})
      return command.message
    case 'look_up': {
      const { operation, known, settleAfterMs } = command
      const { kind, expected, started_at } = operation
      // What is absent was absent when the order was read.
      const settled = now - started_at >= Math.max(settleAfterMs, SETTLE_AFTER_MS)
      const view = await ask(scope, reading, [kind]).catch(() => undefined)
      const amount = kind === 'void' ? undefined : expected / 100
      const call = { operation: CALL_NAMES[kind], amount, currency: undefined, known: new Set(known), settled }
      return lookedUp(operation, view ? decideMoney(call, view) : { outcome: 'unknown' })
    }
    // Of `watch` and `unwatch` the row itself is due: see settle.ts.
  }
}

/** The service's record, of an end that was executed. */
export const executed = (end: Pick<End, 'answer'> = {}): { record?: object } =>
  end.answer?.code === 'executed' ? { record: end.answer.record } : {}

/** Asks what the service shows of an order, and stores what is new. */
export async function ask(
  scope: Scope,
  { order_id, events }: Reading,
  methods: readonly string[] = Object.keys(CALL_NAMES),
): Promise<OrderView> {
  const view = await lookUpOrder(scope.client, { order_id }, methods, { timeoutMs: 10_000 })
  const operations = view.operations.map((event) => named(order_id, event))
  const isNews = newsAmong(events)
  for (const event of operations)
    if (recordOf(event).order_id && isNews({ id: '', ...fieldsOf(event) })) await storeEvent(scope, event)
  return { ...view, operations }
}

/** Makes the call, once. */
async function send(scope: Scope, reading: Reading, { id, kind, started_at }: MoneyOperation, fields: object) {
  const { order, order_id, payment, now, asked_at } = reading
  const server_url = payment?.server_url
  const input = { order_currency: order.currency, ...(server_url && { server_url }), ...fields, order_id }
  // By the database's clock. The SDK compares it once more in the last step before `fetch`: a process that was paused sends nothing.
  const deadlineMs = Math.floor(started_at + SEND_MS - (now + Date.now() - asked_at))
  const paused = notSent('busy', 'The database or this process took more than 30 seconds: nothing was sent.')
  const answer = { code: 'recorded', response: paused } as const
  if (deadlineMs < 1) return { type: 'responded', id, outcome: 'not_sent', answer } as const
  const call = scope.client[CALL_NAMES[kind] as 'voidPayment'] as (input: object, options: object) => Promise<object>
  return makeCall(
    id,
    () => call(input, { deadlineMs }),
    (error, outcome) => failed(id, outcome, error),
  )
}

/** Settles an operation by hand: one without an outcome, or one that has two ends. */
export const settleByHand = (scope: Scope, order_id: string, id: string, executed: boolean): Promise<Moved> =>
  again(async () => {
    const reading = await readOrder(scope, order_id)
    const settled = reading.made.find((one) => one.id === id)
    if (!settled?.late) return play(scope, order_id, { type: 'by_hand', id, executed, isListed: false })
    const { outcome, answer, operation_id } = (settled.late.outcome === 'done') === executed ? settled.late : settled
    await append(scope, reading, ['end', id, { outcome, answer, operation_id }])
    return movedOf(answer as MoneyAnswer)
  })
