import { CALL_NAMES, eventOfResponse, lookedUp, makeCall, storeNews } from '../money/calls.ts'
import { again, type Driver, drive } from '../money/drive.ts'
import { type Command, isOpen, type Message, type MoneyAnswer, SEND_MS } from '../money/protocol.ts'
import { decideMoney } from '../outcome/decide.ts'
import { eventOf, lookUpOrder, named, type OrderView } from '../outcome/look-up.ts'
import { type Scope, storeEvent } from './events.ts'
import { failed, type Moved, movedOf, notSent, unknown, unsent } from './outcome.ts'
import { append, type End, type Reading, readOrder } from './store.ts'

/** An absence counts after ten minutes: another process may have been paused just before its call. */
const SETTLE_AFTER_MS = 600_000
const FIRST_LOOK_MS = 60_000

/** Plays a message and all that follow from it. `protocol.ts` decides; this carries out its commands. */
export async function play(scope: Scope, order_id: string, first: Message, fields: object = {}): Promise<Moved> {
  const request = first.type === 'request' ? first.request : undefined
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
    async carryOut(command) {
      if (command.type === 'list_all') isAsked = true
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
    const late = reading.made.find((one) => one.late && ownOf(one.id))
    if (late) return movedOf({ ...late, code: 'contradicted', ...executed(late.late) })
    return movedOf(answer, (id) => id === request?.id || ownOf(id) !== undefined)
  } catch (error) {
    if (sent) return unknown(sent.id, 'The database failed after the call.', sent.record)
    if (!request) throw error
    return unsent(error)
  }
}

type Carried = Exclude<Command, { type: 'answer' | 'then' | 'send' }>

/** @returns The message that follows. @throws LOST where the order has changed meanwhile. */
async function carryOut(scope: Scope, reading: Reading, command: Carried): Promise<Message | undefined> {
  switch (command.type) {
    case 'store': {
      const { id, keyHash, outcome, answer, operation_id } = command.operation
      const before = reading.made.find((one) => one.id === id)
      if (before?.outcome === outcome && before) return
      if (before) return append(scope, reading, { kind: 'end', id, body: { outcome, answer, operation_id } })
      // One that a person accounts for has its end already.
      const due = isOpen(command.operation) && { isOpen: true, dueInMs: FIRST_LOOK_MS }
      return append(scope, reading, { kind: 'operation', id, body: command.operation, name: keyHash || null, ...due })
    }
    case 'contradict':
      return append(scope, reading, { kind: 'end', id: command.operation.id, body: command.late, isOpen: true })
    case 'file':
      // If that fails, the next look at the operation stores what the service lists.
      await storeEvent(scope, eventOfResponse(command.operation, command.record)).catch(() => {})
      return
    case 'list_all':
      await ask(scope, reading)
      return { type: 'request', request: command.request }
    case 'list':
      await ask(scope, reading).catch(() => {})
      return command.message
    case 'look_up': {
      const { operation, known, settleAfterMs } = command
      const { kind, expected, started_at } = operation
      // An absent row was absent when the order was read.
      const settled = reading.now - started_at >= Math.max(settleAfterMs, SETTLE_AFTER_MS)
      const view = await ask(scope, reading, [kind]).catch(() => undefined)
      const amount = kind === 'void' ? undefined : expected / 100
      const call = { operation: CALL_NAMES[kind], amount, currency: undefined, known: new Set(known), settled }
      return lookedUp(operation, view ? decideMoney(call, view) : { outcome: 'unknown' })
    }
    // Of `watch` and `unwatch` the row itself is due: see settle.ts.
  }
}

/** The service's record, of an end that was executed. */
export const executed = ({ answer }: Pick<End, 'answer'> = {}): { record?: object } =>
  answer?.code === 'executed' ? { record: answer.record } : {}

/** Asks what the service shows of an order, and stores what is new. `methods`: what is looked for beside the payment. */
export async function ask(
  scope: Scope,
  order: Reading,
  methods: string[] = Object.keys(CALL_NAMES),
): Promise<OrderView> {
  const { order_id, events } = order
  const view = await lookUpOrder(scope.client, { order_id }, methods, { timeoutMs: 10_000 })
  const own = view.operations.flatMap((event) => eventOf(order_id, event))
  await storeNews(own, events, (event) => storeEvent(scope, event))
  return { ...view, operations: view.operations.map((event) => named(order_id, event)) }
}

/** Makes the call, once. */
async function send(scope: Scope, reading: Reading, { id, kind, started_at }: Sent, fields: object) {
  const { order, order_id, payment, now, asked_at } = reading
  const server_url = payment?.server_url
  const input = { order_currency: order.currency, ...(server_url && { server_url }), ...fields, order_id }
  // By the database's clock. The SDK compares it once more in the last step before `fetch`: a process that was paused sends nothing.
  const deadlineMs = Math.floor(started_at + SEND_MS - (now + Date.now() - asked_at))
  const paused = notSent('busy', 'This process was paused: nothing was sent.')
  const answer = { code: 'recorded', response: paused } as const
  if (deadlineMs < 1) return { type: 'responded', id, outcome: 'not_sent', answer } as const
  const call = () => (scope.client[CALL_NAMES[kind] as 'voidPayment'] as Call)(input, { deadlineMs })
  return makeCall(id, call, (error, outcome) => failed(id, outcome, error))
}
type Call = (input: object, options: object) => Promise<object>
type Sent = Extract<Command, { type: 'send' }>['operation']

/** Settles an operation by hand: one without an outcome, or one that has two ends. */
export const settleByHand = (scope: Scope, order_id: string, id: string, executed: boolean): Promise<Moved> =>
  again(async () => {
    const reading = await readOrder(scope, order_id)
    const settled = reading.made.find((one) => one.id === id)
    if (!settled?.late) return play(scope, order_id, { type: 'by_hand', id, executed, isListed: false })
    const { outcome, answer, operation_id } = (settled.late.outcome === 'done') === executed ? settled.late : settled
    await append(scope, reading, { kind: 'end', id, body: { outcome, answer, operation_id } })
    return movedOf(answer as MoneyAnswer)
  })
