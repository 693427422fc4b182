// The rules of money of one order: which capture, refund or void may be made, what its caller is answered, and what is found out
// about one whose outcome is unknown. Pure: a driver stores the state, carries out the commands, and has the words of the answers.

import type { OrderOperation, OrderTotals } from '../orders/order.ts'

/** A call that moves money of an order that was paid or authorized before. */
export type OperationKind = 'capture' | 'refund' | 'void'

/**
 * How an operation ended. `unknown`: it may have been executed. `not_sent`: the service could not be reached, or asked to wait;
 * the same key may try again.
 */
export type OperationState = 'done' | 'rejected' | 'unknown' | 'not_sent'

/** How a request is answered: a code, and the facts that belong to it. Under its key the first three are given again. */
export type MoneyAnswer =
  /** It was executed. `record`: the service's response, or what it shows of the operation, or what a person said of it. */
  | { code: 'executed'; record: object }
  /** The service does not know it: it was not executed. */
  | { code: 'not_executed'; kind: OperationKind }
  /** It ended as the driver has said with `responded`. */
  | { code: 'recorded'; response: unknown }
  | { code: 'key_reused' }
  /** An operation stands in the way, `isOwn`: of the same key. Its call is in progress, or nobody knows what became of it. */
  | { code: 'in_progress' | 'unsettled'; id: string; kind: OperationKind; isOwn: boolean }
  /** Its call ended otherwise than it was settled meanwhile. `record`: the service's response, where it was executed. */
  | { code: 'contradicted'; id: string; kind: OperationKind; record?: object }
  | { code: 'order_changed' }
  /** A pending operation may take the requested amount: `left`, in minor units, is free of it. */
  | { code: 'pending'; kind: OperationKind; left: number }
  /** It is more than its caller may refund of the whole order, `limit` in minor units, or names no amount. */
  | { code: 'over_limit'; limit: number }
  /** The state was lost, and the service was not asked yet. */
  | { code: 'order_rebuilt' }
  /** The state was lost, and the service shows an operation that may be this one. */
  | { code: 'unexplained'; kind: OperationKind; operation_id: string }
  | { code: 'unknown_order' | 'not_paid' | 'no_server_url' }
  | { code: 'paid_twice'; order_ids: string[] }
  /** To a person who settles an operation: there is none, or its outcome is known, or its call may still be in progress. */
  | { code: 'unknown_operation' | 'already_settled' }
  | { code: 'still_in_progress'; kind: OperationKind }

/** A capture, refund or void that is asked for. */
export interface MoneyRequest {
  /** Random. */
  id: string
  kind: OperationKind
  /** Hash of the key that its caller chose. */
  keyHash: string
  /** Hash of the kind and the fields. */
  fingerprint: string
  /** The amount that is asked for, in the currency's unit; null: all that is left. */
  amount: number | null
  /** Whether it names the currency: then the order need not be known here. */
  hasCurrency: boolean
  hasServerUrl: boolean
  /** The order as the caller knows it, see {@link versionOf}: of one that is another by now nothing is sent. */
  version?: string | undefined
  /** The amount that its caller may refund of the whole order, in minor units. */
  limit?: number | undefined
}

/** How an operation ended; `operation_id`: the service's id of the operation that it became, when that is known. */
export type MoneyEnd = { outcome: OperationState; answer: MoneyAnswer; operation_id?: string | undefined }

/** A request that was about to be sent. Without `outcome`: the call is in progress, or its process died. */
export interface MoneyOperation
  extends Omit<MoneyRequest, 'hasCurrency' | 'hasServerUrl' | 'version' | 'limit'>,
    Partial<{ [Name in keyof MoneyEnd]: MoneyEnd[Name] | undefined }> {
  started_at: number
  /** The required amount, in minor units. */
  expected: number
  /** The ids of the service's operations that were known before the call: a new id afterwards is this operation. */
  known: string[]
  /** An end that contradicts its own, until a person has said which of them counts. */
  late?: MoneyEnd | undefined
}

export interface OrderFacts {
  order_id: string
  /** Whether an event or a checkout of it is stored. */
  isKnown: boolean
  /** Whether it is known where the webhooks of its operations go. */
  isAddressable: boolean
  totals: OrderTotals
  operations: readonly OrderOperation[]
  operation_ids: readonly string[]
  /** The refunded amount of the other attempts at paying it, as {@link committed} counts, in minor units. */
  refundedBeside?: number | undefined
}

export interface OrderState {
  order: OrderFacts
  /** The oldest first. */
  operations: readonly MoneyOperation[]
  /** The storage was lost, and with it every key: when that was seen, whether the service was asked since, and what was kept. */
  loss?: { at: number; isAsked: boolean; kept?: readonly string[] }
  /** The request that waits until an earlier operation is settled. */
  waiting?: MoneyRequest
}

export type Message =
  | { type: 'request'; request: MoneyRequest }
  /** The operation is on disk. */
  | { type: 'recorded'; id: string }
  | ({ type: 'responded'; id: string } & MoneyEnd)
  /** The service was asked what became of an operation; `shown` is the one that it found. */
  | { type: 'looked_up'; id: string; outcome: 'executed' | 'not_executed' | 'unknown'; shown?: OrderOperation }
  /** An operation has waited: from the events alone, or with a question to the service. */
  | { type: 'check'; id: string; mayAsk: boolean }
  /** A person says what became of it. `isListed`: the operations that the service lists are stored by now. */
  | { type: 'by_hand'; id: string; executed: boolean; isListed: boolean }

type Of<Type extends Message['type']> = Extract<Message, { type: Type }>

export type Command =
  | { type: 'store'; operation: MoneyOperation }
  /** Begin to look at it on a schedule; `listed`: people see it. */
  | { type: 'watch'; operation: MoneyOperation; listed: boolean }
  | { type: 'unwatch'; operation: MoneyOperation }
  /** Store the service's response as an event, and watch the operation until its final status. */
  | { type: 'file'; operation: MoneyOperation; record: object }
  /** Keep an end beside the one that was settled before it: a person must look at both. */
  | { type: 'contradict'; operation: MoneyOperation; late: MoneyEnd }
  /** Make the call, then say `responded`. */
  | { type: 'send'; operation: MoneyOperation }
  /** Ask the service, then say `looked_up`. An absence counts after `settleAfterMs`. */
  | { type: 'look_up'; operation: MoneyOperation; known: string[]; settleAfterMs: number }
  /** Store what the service lists, then say the message. */
  | { type: 'list'; operation: MoneyOperation; message: Message }
  /** Store every operation of the order that the service lists, then say `request` again. */
  | { type: 'list_all'; request: MoneyRequest }
  /** Go on with this message once the commands before it are carried out. */
  | { type: 'then'; message: Message }
  | { type: 'answer'; answer: MoneyAnswer }

export interface Step {
  state: OrderState
  commands: Command[]
}

/** An operation that the storage held up for longer is not sent. */
export const SEND_MS = 30_000
/** A call ends within the SDK's 30 seconds after that: later, an operation without an outcome is one whose process died. */
const CALL_MS = 60_000
/**
 * When the service still knows of no operation after this long, there is none. An ASSUMPTION: the API document does not
 * say how long a request may take inside the service.
 */
const NEVER_MS = 120_000

/** After this long a call that was being made when the storage was lost has reached the service, and is listed. */
const RECOVER_MS = 60_000

/** Decides what follows from a message. */
export function step(state: OrderState, message: Message, now: number): Step {
  if (message.type === 'request') return request(state, message.request, now)
  const operation = state.operations.find(({ id }) => id === message.id)
  if (!operation) return message.type === 'by_hand' ? explain(state, message, now) : { state, commands: [] }
  switch (message.type) {
    case 'recorded':
      return isOpen(operation) ? send(state, operation, now) : answer(state, answerOf(operation))
    case 'responded':
      return isOpen(operation) ? responded(state, operation, message) : late(state, operation, message)
    case 'looked_up':
      return lookedUp(state, operation, message, now)
    case 'check':
      return isOpen(operation) ? settle(state, operation, message.mayAsk, now) : { state, commands: [] }
    case 'by_hand':
      return byHand(state, operation, message, now)
  }
}

/** One key is one request, and gets one answer. While the outcome of an operation is unknown, no other one is made. */
function request(state: OrderState, wanted: MoneyRequest, now: number): Step {
  const mine = state.operations.filter(({ keyHash, outcome }) => keyHash === wanted.keyHash && outcome !== 'not_sent')
  if (mine.some(({ fingerprint }) => fingerprint !== wanted.fingerprint)) return answer(state, { code: 'key_reused' })
  const ended = mine.find((operation) => !isOpen(operation))
  if (ended) return answer(state, answerOf(ended))
  const open = state.operations.find(isOpen)
  return open ? settle({ ...state, waiting: wanted }, open, true, now) : begin(state, wanted, now)
}

export interface AttemptFacts {
  order_id: string
  holdsMoney: boolean
  /** A capture, refund or void of it is without an answer. */
  isUnsettled: boolean
  /** An operation was made under the key of the request. */
  hasKey: boolean
}

/**
 * The attempt that a request is about. Where the shop names its order, that is the one that holds money. One key is one
 * operation of the whole order.
 *
 * @param named The attempt, where the shop names it.
 */
export function chooseAttempt(attempts: readonly AttemptFacts[], named?: string): string | MoneyAnswer {
  const keyed = attempts.find(({ hasKey }) => hasKey)
  if (named !== undefined) return keyed && keyed.order_id !== named ? { code: 'key_reused' } : named
  const [first, ...more] = attempts
  if (keyed || more.length === 0) return (keyed ?? first)?.order_id ?? { code: 'unknown_order' }
  const [paid, ...others] = attempts.filter((one) => one.holdsMoney || one.isUnsettled)
  if (!paid) return { code: 'not_paid' }
  const order_ids = [paid, ...others].map(({ order_id }) => order_id)
  return others.length === 0 ? paid.order_id : { code: 'paid_twice', order_ids }
}

/** The operation is watched before it is recorded, and recorded before it is sent: a process that dies leaves its trace. */
function begin(state: OrderState, wanted: MoneyRequest, now: number): Step {
  const waits = afterLoss(state, wanted, now)
  if (waits) return waits
  const { order, operations } = state
  const { hasCurrency, hasServerUrl, version, limit, ...fields } = wanted
  if (!order.isKnown && !hasCurrency) return answer(state, { code: 'unknown_order' })
  if (!order.isAddressable && !hasServerUrl) return answer(state, { code: 'no_server_url' })
  if (version !== undefined && version !== versionOf(order, operations)) return answer(state, { code: 'order_changed' })
  const { kind, amount } = wanted
  const left = leftOf(order, operations)[kind]
  const expected = amount === null ? left : Math.round(amount * 100)
  const asked = committed(order, operations)
  // A pending operation may fail: the amount that is left then is not known, so all of it cannot be asked for.
  const isMoving = partsOf(asked) !== partsOf(order.totals)
  if (isMoving && (amount === null || expected > left)) return answer(state, { code: 'pending', kind, left })
  const refunded = asked.refunded + (order.refundedBeside ?? 0)
  // All that is left may be more at the service than is known here.
  if (limit !== undefined && kind === 'refund' && (amount === null || refunded + expected > limit)) {
    return answer(state, { code: 'over_limit', limit })
  }
  const operation: MoneyOperation = {
    ...fields,
    started_at: now,
    expected,
    known: [
      ...order.operation_ids,
      // One without an operation_id has another id in the order.
      ...order.operations.flatMap(({ id, method }) => (method === kind ? id : [])),
      // Those whose webhook has not arrived yet must not be taken for this one either.
      ...operations.flatMap(({ operation_id }) => operation_id ?? []),
    ],
  }
  return {
    state: { ...state, operations: [...operations, operation] },
    commands: [
      { type: 'watch', operation, listed: false },
      { type: 'store', operation },
      { type: 'then', message: { type: 'recorded', id: operation.id } },
    ],
  }
}

/**
 * A storage that was lost knows no key. A key that is new to it may be that of an operation which was made before: so it waits
 * until the service was asked, and while the service shows an operation of its kind that no key explains.
 */
function afterLoss(state: OrderState, wanted: MoneyRequest, now: number): Step | undefined {
  const { loss } = state
  if (!loss) return undefined
  if (!loss.isAsked) {
    return now - loss.at < RECOVER_MS
      ? answer(state, { code: 'order_rebuilt' })
      : { state, commands: [{ type: 'list_all', request: wanted }] }
  }
  const found = unexplained(state).find(({ method }) => method === wanted.kind)
  return found && answer(state, { code: 'unexplained', kind: wanted.kind, operation_id: found.id })
}

/** The operations that the service shows, and that belong to no key. */
function unexplained({ order, operations, loss }: OrderState): OrderOperation[] {
  const isExplained = (id: string) => loss?.kept?.includes(id) || operations.some((one) => one.operation_id === id)
  return order.operations.filter(({ id, method }) => loss && isMoney(method) && !isExplained(id))
}

/** A person says that an operation of before the loss is accounted for: no later key may be its own. */
function explain(state: OrderState, { id, executed }: Of<'by_hand'>, now: number): Step {
  const found = unexplained(state).find((one) => one.id === id)
  if (!found) return answer(state, { code: 'unknown_operation' })
  if (!executed) return answer(state, { code: 'already_settled' })
  const { method, amount } = found
  const kind = method as OperationKind
  const ended = { outcome: 'done' as const, answer: settledByHand(state, kind, amount), operation_id: id }
  const nobodys = { id, kind, amount, keyHash: '', fingerprint: '', started_at: now, expected: 0, known: [], ...ended }
  const operations = [...state.operations, nobodys]
  return also({ state: { ...state, operations }, commands: [{ type: 'store', operation: nobodys }] }, ended.answer)
}

const TOTAL_OF = { capture: 'captured', refund: 'refunded', void: 'voided' } as const
const isMoney = (method: string): method is OperationKind => Object.hasOwn(TOTAL_OF, method)

type Moved = Pick<OrderFacts, 'totals' | 'operations'>

/** An order's totals, with what was asked for and is not final: pending at the service, in progress, or unknown. */
export function committed({ totals, operations }: Moved, made: readonly MoneyOperation[]): OrderTotals {
  const all = { ...totals }
  for (const { method, status, amount } of operations) {
    const isFinal = status === 'success' || status === 'failure'
    if (isMoney(method) && !isFinal) all[TOTAL_OF[method]] += Math.round((amount ?? 0) * 100)
  }
  for (const one of made) {
    const { kind, operation_id, outcome, expected } = one
    const isShown =
      operation_id === undefined
        ? match(made, one, operations) !== 'none'
        : operations.some(({ id, method }) => id === operation_id && method === kind)
    if (outcome !== 'rejected' && outcome !== 'not_sent' && !isShown) all[TOTAL_OF[kind]] += expected
  }
  return all
}

const partsOf = ({ authorized, captured, refunded, voided }: OrderTotals): string =>
  [authorized, captured, refunded, voided].join('-')

/** The attempt and the money that it holds, as one word: another one means that something was asked for since. */
export const versionOf = (order: Moved & Pick<OrderFacts, 'order_id'>, made: readonly MoneyOperation[]): string =>
  `${encodeURIComponent(order.order_id)}:${partsOf(committed(order, made))}`

/** The amount that is left for each kind of operation, in minor units. */
export function leftOf(order: Moved, made: readonly MoneyOperation[]): Record<OperationKind, number> {
  const { authorized, captured, refunded, voided } = committed(order, made)
  // Of an order that was charged beyond what was reserved, or paid back twice, nothing is left.
  const held = Math.max(authorized - captured - voided, 0)
  // A pending capture cannot be refunded yet.
  return { capture: held, refund: Math.max(order.totals.captured - refunded, 0), void: held }
}

/** Where the storage was slow, another request may count the operation as not executed by now: it stays so. */
function send(state: OrderState, operation: MoneyOperation, now: number): Step {
  if (now - operation.started_at > SEND_MS) return answer(state, blocked(operation, operation))
  return { state, commands: [{ type: 'send', operation }] }
}

/** An operation that was executed is watched until its final status; one with an unknown outcome is shown to people. */
function responded(state: OrderState, operation: MoneyOperation, message: Of<'responded'>): Step {
  const { outcome, answer, operation_id } = message
  return end(state, operation, { outcome, answer, operation_id }, [
    ...(outcome === 'unknown' ? [{ type: 'watch' as const, operation, listed: true }] : []),
    ...(outcome === 'rejected' || outcome === 'not_sent' ? [{ type: 'unwatch' as const, operation }] : []),
    ...filed(operation, answer),
    { type: 'answer', answer },
  ])
}

/** The call of an operation that was settled meanwhile: its process was paused, or the service slow. Nothing is dropped. */
function late(state: OrderState, operation: MoneyOperation, { type: _, id, ...late }: Of<'responded'>): Step {
  const { outcome, operation_id } = late
  const isDone = operation.outcome === 'done'
  const isSame =
    outcome === 'done'
      ? isDone && operation_id === (operation.operation_id ?? operation_id)
      : outcome === 'unknown' || !isDone
  const commands = [
    ...(isSame ? [] : [{ type: 'contradict' as const, operation, late }]),
    ...filed(operation, late.answer),
  ]
  return also({ state, commands }, answerOf(isSame ? operation : { ...operation, late }))
}

const filed = (operation: MoneyOperation, answer: MoneyAnswer): Command[] =>
  answer.code === 'executed' ? [{ type: 'file', operation, record: answer.record }] : []

/** The answer to whoever has its key. */
const answerOf = ({ id, kind, late, answer }: MoneyOperation): MoneyAnswer =>
  late
    ? { code: 'contradicted', id, kind, ...('record' in late.answer && { record: late.answer.record }) }
    : (answer as MoneyAnswer)

/**
 * Finds out what became of an operation: from the events, else by asking the service. It is asked about an operation whose
 * outcome is unknown, or whose worker must have died.
 */
function settle(state: OrderState, operation: MoneyOperation, mayAsk: boolean, now: number): Step {
  const found = match(state.operations, operation, state.order.operations)
  if (typeof found === 'object') return executed(state, operation, found, now)
  const isAskable = operation.outcome === 'unknown' || now - operation.started_at > CALL_MS
  if (found === 'unclear' || !mayAsk || !isAskable) return goOn(state, operation)
  const known = knownTo(state.operations, operation)
  return { state, commands: [{ type: 'look_up', operation, known, settleAfterMs: NEVER_MS }] }
}

/** The response of the service counts, whatever the events say: a record of an odd shape is stored but not added up. */
function lookedUp(state: OrderState, operation: MoneyOperation, message: Of<'looked_up'>, now: number): Step {
  const { outcome, shown } = message
  // By another process meanwhile.
  if (!isOpen(operation)) return resume({ state, commands: [] }, now)
  const { operations: made, order } = state
  const found = shown ? match(made, operation, [shown], () => true) : match(made, operation, order.operations)
  if (typeof found === 'object') return executed(state, operation, found, now)
  return found === 'none' && outcome === 'not_executed'
    ? resume(notExecuted(state, operation), now)
    : goOn(state, operation)
}

/** A person's word counts where the service cannot be asked. Its webhook may come later: the totals need its list first. */
function byHand(state: OrderState, operation: MoneyOperation, message: Of<'by_hand'>, now: number): Step {
  const { kind, amount, started_at, outcome, late } = operation
  if (late) {
    const chosen = (late.outcome === 'done') === message.executed ? late : (operation as MoneyEnd)
    return end(state, { ...operation, late: undefined }, chosen, [{ type: 'answer', answer: chosen.answer }])
  }
  if (!isOpen(operation)) return answer(state, { code: 'already_settled' })
  // Nobody contradicts the events.
  const found = match(state.operations, operation, state.order.operations)
  if (typeof found === 'object') return also(executed(state, operation, found, now), { code: 'already_settled' })
  if (outcome === undefined && now - started_at <= CALL_MS) return answer(state, { code: 'still_in_progress', kind })
  if (!message.executed) return also(notExecuted(state, operation), { code: 'not_executed', kind })
  if (!message.isListed) {
    return { state, commands: [{ type: 'list', operation, message: { ...message, isListed: true } }] }
  }
  const settled = settledByHand(state, kind, amount)
  return end(state, operation, { outcome: 'done', answer: settled }, [
    { type: 'unwatch', operation },
    { type: 'answer', answer: settled },
  ])
}

const settledByHand = ({ order }: OrderState, method: OperationKind, amount: number | null): MoneyAnswer => ({
  code: 'executed',
  record: { order_id: order.order_id, method, amount, settled_by_hand: true },
})

/** Exclude the operations of the service that are already matched to other requests. */
const knownTo = (made: readonly MoneyOperation[], { id, known }: MoneyOperation): string[] =>
  known.concat(made.flatMap((other) => (other.id === id ? [] : (other.operation_id ?? []))))

/**
 * The operation of the service that this one became: the one of its kind and amount that was not known before. Two that
 * match, or one that may be that of a request that a person has settled: which is which cannot be known.
 */
function match(
  made: readonly MoneyOperation[],
  operation: MoneyOperation,
  shown: readonly OrderOperation[],
  fits: (one: OrderOperation) => boolean = (one) => isLike(one, operation),
): OrderOperation | 'none' | 'unclear' {
  const known = knownTo(made, operation)
  const found = shown.filter((one) => fits(one) && !known.includes(one.id))
  const [first] = found
  if (!first) return 'none'
  const isOfOther = made.some(
    (other) =>
      other.outcome === 'done' &&
      other.operation_id === undefined &&
      other.keyHash !== operation.keyHash &&
      !other.known.includes(first.id) &&
      isLike(first, other),
  )
  return found.length > 1 || isOfOther ? 'unclear' : first
}

/** The trace in the order of an operation whose outcome is not known: then nobody need be asked about it. */
export function answeredBy<T extends OrderOperation>(
  made: readonly MoneyOperation[],
  operation: MoneyOperation,
  shown: readonly T[],
): T | undefined {
  const found = match(made, operation, shown)
  return typeof found === 'object' ? (found as T) : undefined
}

/** Every void of an order is like every other one. */
const isLike = ({ method, amount }: OrderOperation, { kind, expected }: MoneyOperation): boolean =>
  method === kind && (kind === 'void' || (amount !== null && Math.round(amount * 100) === expected))

function executed(state: OrderState, operation: MoneyOperation, found: OrderOperation, now: number): Step {
  const { id: operation_id, ...fields } = found
  const answer: MoneyAnswer = { code: 'executed', record: { operation_id, order_id: state.order.order_id, ...fields } }
  const isFinal = found.status === 'success' || found.status === 'failure'
  const watching: Command[] = isFinal ? [{ type: 'unwatch', operation }] : []
  return resume(end(state, operation, { outcome: 'done', answer, operation_id }, watching), now)
}

function notExecuted(state: OrderState, operation: MoneyOperation): Step {
  const answer: MoneyAnswer = { code: 'not_executed', kind: operation.kind }
  return end(state, operation, { outcome: 'rejected', answer }, [{ type: 'unwatch', operation }])
}

/** Writes how an operation ended. */
function end(
  state: OrderState,
  operation: MoneyOperation,
  { outcome, answer, operation_id }: MoneyEnd,
  commands: Command[],
): Step {
  const ended: MoneyOperation = { ...operation, outcome, answer, operation_id }
  const operations = state.operations.map((one) => (one.id === operation.id ? ended : one))
  return {
    state: { ...state, operations },
    commands: [{ type: 'store', operation: ended }, ...commands],
  }
}

/** The request that waited for the operation is looked at again. */
function resume({ state: { waiting, ...state }, commands }: Step, now: number): Step {
  if (!waiting) return { state, commands }
  const next = request(state, waiting, now)
  return { state: next.state, commands: [...commands, ...next.commands] }
}

/** The operation stays open: the request that waited for it is rejected. */
const goOn = (state: OrderState, operation: MoneyOperation): Step =>
  state.waiting ? answer(state, blocked(operation, state.waiting)) : { state, commands: [] }

export const isOpen = ({ outcome }: MoneyOperation): boolean => outcome === undefined || outcome === 'unknown'

const also = ({ state, commands }: Step, answer: MoneyAnswer): Step => ({
  state,
  commands: [...commands, { type: 'answer', answer }],
})

const answer = ({ waiting: _, ...state }: OrderState, reply: MoneyAnswer): Step => also({ state, commands: [] }, reply)

const blocked = ({ id, kind, keyHash, outcome }: MoneyOperation, by: { keyHash: string }): MoneyAnswer => ({
  code: outcome === 'unknown' ? 'unsettled' : 'in_progress',
  ...{ id, kind, isOwn: keyHash === by.keyHash },
})
