import { ConnectionError } from '../errors.ts'
import { CALL_NAMES, makeCall, storeNews } from '../money/calls.ts'
import { type Driver, drive } from '../money/drive.ts'
import { isOpen, type Message, type MoneyAnswer, type MoneyOperation, SEND_MS } from '../money/protocol.ts'
import { named } from '../orders/own-event.ts'
import { decideMoney } from '../outcome/decide.ts'
import { lookUpOrder, type OrderView } from '../outcome/look-up.ts'
import { storeEvent, type TillOptions } from './events.ts'
import { failed, type Moved, movedOf, unknown, unsent } from './outcome.ts'
import { append, type Reading, readOrder } from './store.ts'

/** An absence counts after ten minutes: another process may have been paused just before its call. */
const SETTLE_AFTER_MS = 600_000
const KINDS = Object.keys(CALL_NAMES)
const UNSENT = { method: 'POST', path: '', attempts: 0 }

/** Plays a message and all that follow from it. `protocol.ts` decides; this carries out its commands. */
export async function play(scope: TillOptions, order_id: string, first: Message, fields: object = {}): Promise<Moved> {
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
      await ask(scope, reading)
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
    const answer = (await drive(driver, first)) as MoneyAnswer
    return movedOf(answer, (id) => reading.made.some((one) => one.id === id && one.keyHash === request?.keyHash))
  } catch (error) {
    if (sent) return unknown(sent.id, 'The database failed after the call.', sent.record)
    if (request) return unsent(error)
    throw error
  }
}

/** Asks what the service shows of an order, and stores what is new. `methods`: what is looked for beside the payment. */
export async function ask(
  scope: TillOptions,
  { order_id, events }: Reading,
  methods: string[] = KINDS,
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
