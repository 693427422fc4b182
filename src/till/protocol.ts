// The rules of an order's money: which capture, refund or void may be made, the answer to its caller, and the search
// for an unknown outcome. Pure: a driver stores the state, executes the commands, and words the answers.

import type { OrderOperation, OrderTotals } from '../orders/order.ts'

export type OperationKind = 'capture' | 'refund' | 'void'

/**
 * `unknown`: the operation may have been executed. `not_sent`: the service could not be reached, or asked to wait; the
 * same key may try again.
 */
export type OperationState = 'done' | 'rejected' | 'unknown' | 'not_sent'

/** The answer to a request. A repeated key gets `executed`, `not_executed` and `recorded` again. */
export type MoneyAnswer =
  /**
   * Executed. `record`: the service's response, the operation as the service lists it, or a person's statement.
   */
  | { code: 'executed'; record: object }
  | { code: 'not_executed'; kind: OperationKind }
  /** The response that the driver has passed on with `responded`. */
  | { code: 'recorded'; response: unknown }
  | { code: 'key_reused' }
  /** An operation blocks the request: its call is in progress, or its outcome unknown. `isOwn`: it has the same key. */
  | { code: 'in_progress' | 'unsettled'; id: string; kind: OperationKind; isOwn: boolean }
  /** The call contradicts the end that was settled before. `record`: the service's response to an executed call. */
  | { code: 'contradicted'; id: string; kind: OperationKind; record?: object }
  | { code: 'order_changed' }
  /** A pending operation may use up the requested amount. `left`, in minor units, can still be requested. */
  | { code: 'pending'; kind: OperationKind; left: number }
  /** The caller may refund `limit`, in minor units, of the whole order: the request exceeds it, or has no amount. */
  | { code: 'over_limit'; limit: number }
  /** The state was lost, and the service was not asked yet. */
  | { code: 'order_rebuilt' }
  /** The state was lost, and the service shows an operation, `operation_id`, that may be `id`: a person decides. */
  | { code: 'unexplained'; id: string; kind: OperationKind; operation_id: string }
  | { code: 'unknown_order' | 'not_paid' | 'no_server_url' }
  | { code: 'paid_twice'; order_ids: string[] }
  /**
   * For a person who settles an operation: it does not exist, its outcome is known, or its call may still be in
   * progress.
   */
  | { code: 'unknown_operation' | 'already_settled' }
  | { code: 'still_in_progress'; kind: OperationKind }

/** A request for a capture, refund or void. */
export interface MoneyRequest {
  /** Random. */
  id: string
  kind: OperationKind
  /** Hash of the key that its caller chose. */
  keyHash: string
  /** Hash of the kind and the fields. */
  fingerprint: string
  /** In the currency's unit; null: the whole rest. */
  amount: number | null
  /** Whether the request names a currency: the order then need not be known here. */
  hasCurrency: boolean
  hasServerUrl: boolean
  /** The order's version that the caller saw, see {@link versionOf}. If it has changed, nothing is sent. */
  version?: string | undefined
  /** How much its caller may refund of the whole order, in minor units. */
  limit?: number | undefined
}

/** How an operation ended; `operation_id`: the service's id, if it is known. */
export type MoneyEnd = { outcome: OperationState; answer: MoneyAnswer; operation_id?: string | undefined }

/** A request that was about to be sent. Without `outcome` the call is in progress, or its process died. */
export interface MoneyOperation
  extends Omit<MoneyRequest, 'hasCurrency' | 'hasServerUrl' | 'version' | 'limit'>,
    Partial<{ [Name in keyof MoneyEnd]: MoneyEnd[Name] | undefined }> {
  started_at: number
  /** Its amount, in minor units. */
  expected: number
  /** The service's operations that were known before the call: a new id afterwards is this operation. */
  known: string[]
  /**
   * An end that contradicts the stored end, from its call or the events, until a person has decided which end counts.
   */
  late?: MoneyEnd | undefined
  /** Never sent: the key may have been lost, and an operation that no key explains may belong to this request. */
  maybeLost?: true | undefined
}

export interface OrderFacts {
  order_id: string
  /** Whether the order has a stored row. */
  isKnown: boolean
  /** Whether the address for the operations' webhooks is known. */
  isAddressable: boolean
  totals: OrderTotals
  operations: readonly OrderOperation[]
  operation_ids: readonly string[]
  /** The other attempts' refunds, as {@link committed} counts them, in minor units. */
  refundedElsewhere?: number | undefined
  /** An operation without an outcome in another attempt, and the versions of the other attempts that hold money. */
  openElsewhere?: MoneyOperation | undefined
  versionsBeside?: readonly string[] | undefined
}

export interface OrderState {
  order: OrderFacts
  /** The oldest first. */
  operations: readonly MoneyOperation[]
  /**
   * Set if the storage was lost, and every key with it. `isAsked`: the service was asked since. `keyless`: operations
   * that need no key.
   */
  loss?: { at: number; isAsked: boolean; keyless?: readonly string[] }
  /** A request that waits until an earlier operation is settled. */
  waiting?: MoneyRequest
}

export type Message =
  | { type: 'request'; request: MoneyRequest }
  /** The operation is on disk. */
  | { type: 'recorded'; id: string }
  | ({ type: 'responded'; id: string } & MoneyEnd)
  /** The service was asked about an operation; `shown`: the found operation. */
  | { type: 'looked_up'; id: string; outcome: 'executed' | 'not_executed' | 'unknown'; shown?: OrderOperation }
  /** Time to check an operation again. */
  | { type: 'check'; id: string }
  /** A person settles an operation. `isListed`: the service's list of operations was stored. */
  | { type: 'by_hand'; id: string; executed: boolean; isListed: boolean }

type Of<Type extends Message['type']> = Extract<Message, { type: Type }>

export type Command =
  | { type: 'store'; operation: MoneyOperation }
  /** Store the service's response as an event. */
  | { type: 'store_response'; operation: MoneyOperation; record: object }
  /** Keep an end that contradicts the settled end: a person must look at both. */
  | { type: 'contradict'; operation: MoneyOperation; late: MoneyEnd }
  /** Make the call, then pass on `responded`. */
  | { type: 'send'; operation: MoneyOperation }
  /** Ask the service, then pass on `looked_up`. An absence counts after `settleAfterMs`. */
  | { type: 'look_up'; operation: MoneyOperation; known: string[]; settleAfterMs: number }
  /** Store the service's list, then pass on the message. */
  | { type: 'list'; operation: MoneyOperation; message: Message }
  /** Store the service's list of every operation, then pass on `request` again. */
  | { type: 'list_all'; request: MoneyRequest }
  /** Go on with this message after the commands before it. */
  | { type: 'then'; message: Message }
  | { type: 'answer'; answer: MoneyAnswer }

export interface Step {
  state: OrderState
  commands: Command[]
}

/** An operation that the storage has delayed for longer is not sent. */
export const SEND_MS = 30_000
/** A call ends within the SDK's 30 seconds after {@link SEND_MS}. Without an outcome by then, its process has died. */
export const CALL_MS = 60_000
/**
 * If the service lists no operation after this long, there is none. An ASSUMPTION: the API document has no limit for a
 * request.
 */
const NEVER_MS = 120_000
/** How long the service may take to list a call that was in progress when the storage was lost. */
const RECOVER_MS = 60_000

/** Decides on the commands that follow from a message. */
export function step(before: OrderState, message: Message, now: number): Step {
  const state = { ...before, operations: asOfEvents(before) }
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
      return isOpen(operation) && !operation.maybeLost ? settle(state, operation, now) : { state, commands: [] }
    case 'by_hand':
      return byHand(state, operation, message, now)
  }
}

/** A key belongs to one request and gets one answer. While an outcome is unknown, no other operation is made. */
function request(state: OrderState, wanted: MoneyRequest, now: number): Step {
  const mine = state.operations.filter(({ keyHash, outcome }) => keyHash === wanted.keyHash && outcome !== 'not_sent')
  if (mine.some(({ fingerprint }) => fingerprint !== wanted.fingerprint)) return answer(state, { code: 'key_reused' })
  const ended = mine.find((operation) => !isOpen(operation))
  if (ended) return answer(state, answerOf(ended))
  const lost = mine.find(({ maybeLost }) => maybeLost)
  if (lost) return claim(state, lost)
  if (state.order.openElsewhere) return answer(state, blocked(state.order.openElsewhere, wanted))
  const open = findOpen(state.operations)
  return open ? settle({ ...state, waiting: wanted }, open, now) : begin(state, wanted, now)
}

export interface AttemptFacts {
  order_id: string
  holdsMoney: boolean
  /** Whether the attempt has an operation without an outcome. */
  isUnsettled: boolean
  /** Whether the attempt has an operation under the request's key. */
  hasKey: boolean
}

/**
 * Chooses the attempt that a request means: by default the attempt that holds money. A key is used once in the whole
 * order, not once for each attempt.
 * @param named The attempt, if the shop names it.
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

/** The operation is recorded before it is sent: a process that dies leaves its trace. */
function begin(state: OrderState, wanted: MoneyRequest, now: number): Step {
  const { order, operations } = state
  const { hasCurrency, hasServerUrl, version, limit, ...fields } = wanted
  const { kind, amount } = wanted
  const left = leftOf(order, operations)[kind]
  const expected = amount === null ? left : Math.round(amount * 100)
  const operation: MoneyOperation = {
    ...fields,
    started_at: now,
    expected,
    known: [
      ...order.operation_ids,
      // The order identifies an operation without an operation_id by another id.
      ...order.operations.flatMap(({ id, method }) => (method === kind ? id : [])),
      // Operations whose webhook has not arrived yet must not be taken for this operation either.
      ...operations.flatMap(({ operation_id }) => operation_id ?? []),
    ],
  }
  const waits = afterLoss(state, operation, wanted)
  if (waits) return waits
  if (!order.isKnown && !hasCurrency) return answer(state, { code: 'unknown_order' })
  if (!order.isAddressable && !hasServerUrl) return answer(state, { code: 'no_server_url' })
  if (version !== undefined && version !== versionOf(order, operations)) return answer(state, { code: 'order_changed' })
  // The doubted operation's caller was advised to use a new key, which could now make the operation twice.
  const doubted = operations.find((one) => one.kind === kind && one.late && one.answer?.code === 'not_executed')
  if (doubted) return answer(state, { code: 'unsettled', id: doubted.id, kind, isOwn: false })
  const committedTotals = committed(order, operations)
  // A pending operation may fail, so the whole rest cannot be requested: its amount is not known.
  const isMoving = partsOf(committedTotals) !== partsOf(order.totals)
  if (isMoving && (amount === null || expected > left)) return answer(state, { code: 'pending', kind, left })
  const refunded = committedTotals.refunded_minor + (order.refundedElsewhere ?? 0)
  // Without an amount the service takes its own rest, which may exceed the rest that is known here.
  if (limit !== undefined && kind === 'refund' && (amount === null || refunded + expected > limit)) {
    return answer(state, { code: 'over_limit', limit })
  }
  return {
    state: { ...state, operations: [...operations, operation] },
    commands: [
      { type: 'store', operation },
      { type: 'then', message: { type: 'recorded', id: operation.id } },
    ],
  }
}

/**
 * After a loss, a new key may belong to an earlier operation, so its request waits until the service was asked. The
 * request is not sent while the service shows an operation of its kind that no key explains.
 */
function afterLoss(state: OrderState, operation: MoneyOperation, wanted: MoneyRequest): Step | undefined {
  const { loss } = state
  if (!loss) return undefined
  if (!loss.isAsked) {
    return operation.started_at - loss.at < RECOVER_MS
      ? answer(state, { code: 'order_rebuilt' })
      : { state, commands: [{ type: 'list_all', request: wanted }] }
  }
  const [found] = unexplained(state, operation.kind)
  if (!found) return undefined
  const reply = mayBe(operation, found)
  const remembered: MoneyOperation = { ...operation, known: [], outcome: 'unknown', answer: reply, maybeLost: true }
  const commands: Command[] = [{ type: 'store', operation: remembered }]
  return also({ state: { ...state, operations: [...state.operations, remembered] }, commands }, reply)
}

const mayBe = ({ id, kind }: MoneyOperation, { id: operation_id }: OrderOperation): MoneyAnswer => {
  return { code: 'unexplained', id, kind, operation_id }
}

/** The service's operations of a kind that no key explains. */
function unexplained(state: OrderState, kind: string): OrderOperation[] {
  const isIts = ({ id, method }: OrderOperation) => isMoney(method) && method === kind && !isExplained(state, id)
  return state.loss ? state.order.operations.filter(isIts) : []
}

const isExplained = ({ operations, loss }: OrderState, id: string): boolean | undefined =>
  loss?.keyless?.includes(id) || operations.some((one) => one.operation_id === id)

/** The answer for a key that may have been lost: not executed, once each operation at the service has another key. */
function claim(state: OrderState, operation: MoneyOperation): Step {
  const [found] = unexplained(state, operation.kind)
  if (found) return answer(state, mayBe(operation, found))
  return denied(state, operation)
}

/** A person decides whether an unexplained operation belongs to this key. No other key gets the same operation. */
function claimByHand(state: OrderState, operation: MoneyOperation, isIts: boolean, now: number): Step {
  const all = unexplained(state, operation.kind)
  const found = all.find((one) => isLike(one, operation)) ?? all[0]
  if (!isIts || !found) return denied(state, operation)
  return also(executed(state, operation, found, now), shownAs(state.order, found))
}

/**
 * A person confirms an operation from before the loss. The key that waits for it gets it; if none waits, no later key
 * gets it.
 */
function explain(state: OrderState, { id, executed }: Of<'by_hand'>, now: number): Step {
  const found = state.order.operations.find((one) => one.id === id && unexplained(state, one.method).includes(one))
  if (!found) return answer(state, { code: 'unknown_operation' })
  if (!executed) return answer(state, { code: 'already_settled' })
  const { method, amount } = found
  const waiting = state.operations.find((one) => one.maybeLost && isOpen(one) && isLike(found, one))
  if (waiting) return claimByHand(state, waiting, true, now)
  const kind = method as OperationKind
  const ended = { outcome: 'done' as const, answer: settledByHand(state, kind, amount), operation_id: id }
  const foreign = { id, kind, amount, keyHash: '', fingerprint: '', started_at: now, expected: 0, known: [], ...ended }
  const operations = [...state.operations, foreign]
  return also({ state: { ...state, operations }, commands: [{ type: 'store', operation: foreign }] }, ended.answer)
}

/**
 * The operations, updated from the events. A pending operation gets its final status. An operation that counts as not
 * executed gets a late end if the service shows an operation like it that no other key explains.
 */
export function asOfEvents(
  state: Pick<OrderState, 'operations' | 'loss'> & { order: Pick<OrderFacts, 'order_id' | 'operations'> },
): MoneyOperation[] {
  const { operations: calls, order } = state
  return calls.map((one) => {
    const { outcome, operation_id, answer, late, kind, maybeLost } = one
    if (late) return one
    const record = answer?.code === 'executed' ? answer.record : {}
    if (outcome === 'done' && 'status' in record && !isOver(record)) {
      const shown = order.operations.find(({ id, method }) => id === operation_id && method === kind)
      if (!shown || !isOver(shown)) return one
      const { id: _, ...fields } = shown
      const end: MoneyEnd = { outcome, answer: { code: 'executed', record: { ...record, ...fields } }, operation_id }
      return shown.status === 'success' ? { ...one, ...end } : { ...one, late: end }
    }
    if (outcome !== 'rejected' || maybeLost) return one
    const lost = unexplained(state as OrderState, kind)
    const isOfOther = (found: OrderOperation) =>
      calls.some((other) => isPossible(other) && !other.known.includes(found.id) && isLike(found, other))
    const found = order.operations.find(
      (shown) =>
        shown.status !== 'failure' &&
        isLike(shown, one) &&
        !knownTo(calls, one).includes(shown.id) &&
        !lost.includes(shown) &&
        !isOfOther(shown),
    )
    return found ? { ...one, late: { outcome: 'done', answer: shownAs(order, found), operation_id: found.id } } : one
  })
}

/** Whether a call may have made one of the service's operations, without it being known which. */
const isPossible = ({ outcome, operation_id }: MoneyOperation): boolean =>
  outcome !== 'rejected' && outcome !== 'not_sent' && operation_id === undefined

const TOTAL_OF = { capture: 'captured_minor', refund: 'refunded_minor', void: 'voided_minor' } as const
const isOver = ({ status }: { status: unknown }): boolean => status === 'success' || status === 'failure'
const isMoney = (method: string): method is OperationKind => Object.hasOwn(TOTAL_OF, method)

type Moved = Pick<OrderFacts, 'totals' | 'operations'>

/** An order's totals with every operation that is not final: pending at the service, in progress, or unknown. */
export function committed({ totals, operations }: Moved, calls: readonly MoneyOperation[]): OrderTotals {
  const all = { ...totals }
  for (const { method, status, amount } of operations) {
    if (isMoney(method) && !isOver({ status })) all[TOTAL_OF[method]] += Math.round((amount ?? 0) * 100)
  }
  for (const one of calls) {
    const { kind, operation_id, outcome, expected, maybeLost } = one
    const isShown =
      operation_id === undefined
        ? match(calls, one, operations) !== 'none'
        : operations.some(({ id, method }) => id === operation_id && method === kind)
    if (outcome !== 'rejected' && outcome !== 'not_sent' && !maybeLost && !isShown) all[TOTAL_OF[kind]] += expected
  }
  return all
}

const partsOf = (totals: OrderTotals): string =>
  [totals.authorized_minor, totals.captured_minor, totals.refunded_minor, totals.voided_minor].join('-')

/** The attempts and their money as one word. Any later operation changes the word. */
export const versionOf = (
  order: Moved & Pick<OrderFacts, 'order_id' | 'versionsBeside'>,
  calls: readonly MoneyOperation[],
): string => {
  const own = `${encodeURIComponent(order.order_id)}:${partsOf(committed(order, calls))}`
  return [own, ...(order.versionsBeside ?? [])].sort().join()
}

/** The rest for each kind of operation, in minor units. */
export function leftOf(order: Moved, calls: readonly MoneyOperation[]): Record<OperationKind, number> {
  const all = committed(order, calls)
  // An order that was captured beyond its hold, or refunded twice, has no rest.
  const held = Math.max(all.authorized_minor - all.captured_minor - all.voided_minor, 0)
  // A pending capture cannot be refunded yet.
  return { capture: held, refund: Math.max(order.totals.captured_minor - all.refunded_minor, 0), void: held }
}

/** Sends an operation, unless the storage was slow: another request may already count it as not executed. */
function send(state: OrderState, operation: MoneyOperation, now: number): Step {
  if (now - operation.started_at > SEND_MS) return answer(state, blocked(operation, operation))
  return { state, commands: [{ type: 'send', operation }] }
}

function responded(state: OrderState, operation: MoneyOperation, message: Of<'responded'>): Step {
  const { outcome, answer, operation_id } = message
  return end(state, operation, { outcome, answer, operation_id }, [
    ...storeResponse(operation, answer),
    { type: 'answer', answer },
  ])
}

/**
 * Keeps the response for an operation that was settled before it came: the process was paused, or the service was
 * slow.
 */
function late(state: OrderState, operation: MoneyOperation, { type: _, id, ...late }: Of<'responded'>): Step {
  const { outcome, operation_id } = late
  const isDone = operation.outcome === 'done'
  const isSame =
    outcome === 'done'
      ? isDone && operation_id === (operation.operation_id ?? operation_id)
      : outcome === 'unknown' || !isDone
  const commands: Command[] = isSame ? [] : [{ type: 'contradict', operation, late }]
  commands.push(...storeResponse(operation, late.answer))
  return also({ state, commands }, answerOf(isSame ? operation : { ...operation, late }))
}

const storeResponse = (operation: MoneyOperation, answer: MoneyAnswer): Command[] =>
  answer.code === 'executed' ? [{ type: 'store_response', operation, record: answer.record }] : []

/** Whether an operation was pending and then declined: its late end counts. */
export const isDeclined = ({ operation_id, late }: MoneyOperation): boolean =>
  operation_id !== undefined && late?.operation_id === operation_id

/** The answer to its key. */
function answerOf(operation: MoneyOperation): MoneyAnswer {
  const { id, kind, late, answer } = operation
  if (!late) return answer as MoneyAnswer
  if (isDeclined(operation)) return late.answer
  return { code: 'contradicted', id, kind, ...('record' in late.answer && { record: late.answer.record }) }
}

/**
 * Finds an outcome in the events. Otherwise asks the service, if the outcome is unknown or the process must have died.
 */
function settle(state: OrderState, operation: MoneyOperation, now: number): Step {
  const found = traceOf(state, operation)
  if (typeof found === 'object') return executed(state, operation, found, now)
  const isAskable = operation.outcome === 'unknown' || now - operation.started_at > CALL_MS
  if (found === 'unclear' || !isAskable) return goOn(state, operation)
  const known = knownTo(state.operations, operation)
  return { state, commands: [{ type: 'look_up', operation, known, settleAfterMs: NEVER_MS }] }
}

/** The service's response wins over the events, because the fold does not count a record of an odd shape. */
function lookedUp(state: OrderState, operation: MoneyOperation, message: Of<'looked_up'>, now: number): Step {
  const { outcome, shown } = message
  // Another process has settled it.
  if (!isOpen(operation)) return resume({ state, commands: [] }, now)
  const found = shown ? traceOf(state, operation, [shown], () => true) : traceOf(state, operation)
  if (typeof found === 'object') return executed(state, operation, found, now)
  return found === 'none' && outcome === 'not_executed'
    ? resume(notExecuted(state, operation), now)
    : goOn(state, operation)
}

/**
 * A person decides if the service cannot be asked. The webhook may come later, so the totals need the service's list
 * first.
 */
function byHand(state: OrderState, operation: MoneyOperation, message: Of<'by_hand'>, now: number): Step {
  const { kind, amount, started_at, outcome, late } = operation
  if (late) {
    const isLate = isDeclined(operation) || (late.outcome === 'done') === message.executed
    const chosen = isLate ? late : (operation as MoneyEnd)
    // The operation of the rejected end is excluded from now on.
    const known = operation.known.concat(isLate ? [] : (late.operation_id ?? []))
    return end(state, { ...operation, known, late: undefined }, chosen, [{ type: 'answer', answer: chosen.answer }])
  }
  if (!isOpen(operation)) return answer(state, { code: 'already_settled' })
  if (operation.maybeLost) return claimByHand(state, operation, message.executed, now)
  // The events win over a person.
  const found = traceOf(state, operation)
  if (typeof found === 'object') return also(executed(state, operation, found, now), { code: 'already_settled' })
  if (outcome === undefined && now - started_at <= CALL_MS) return answer(state, { code: 'still_in_progress', kind })
  if (!message.executed) return also(notExecuted(state, operation), { code: 'not_executed', kind })
  const doubtful = match(state.operations, operation, state.order.operations)
  if (typeof doubtful === 'object')
    return also(executed(state, operation, doubtful, now), shownAs(state.order, doubtful))
  if (!message.isListed) {
    return { state, commands: [{ type: 'list', operation, message: { ...message, isListed: true } }] }
  }
  const settled = settledByHand(state, kind, amount)
  return end(state, operation, { outcome: 'done', answer: settled }, [{ type: 'answer', answer: settled }])
}

const settledByHand = ({ order }: OrderState, method: OperationKind, amount: number | null): MoneyAnswer => ({
  code: 'executed',
  record: { order_id: order.order_id, method, amount, settled_by_hand: true },
})

/** Exclude the operations of the service that are already matched to other requests. */
const knownTo = (calls: readonly MoneyOperation[], { id, known }: MoneyOperation): string[] =>
  known.concat(calls.flatMap((other) => (other.id === id ? [] : (other.operation_id ?? []))))

/**
 * Finds the service's operation for a request: of the same kind and amount, and not known before. `unclear` if two
 * match, or if the match may belong to a request that a person has settled.
 */
function match(
  calls: readonly MoneyOperation[],
  operation: MoneyOperation,
  shown: readonly OrderOperation[],
  fits: (one: OrderOperation) => boolean = (one) => isLike(one, operation),
): OrderOperation | 'none' | 'unclear' {
  const known = knownTo(calls, operation)
  const found = shown.filter((one) => fits(one) && !known.includes(one.id))
  const [first] = found
  if (!first) return 'none'
  const isOfOther = calls.some(
    (other) =>
      other.outcome === 'done' &&
      other.operation_id === undefined &&
      other.keyHash !== operation.keyHash &&
      !other.known.includes(first.id) &&
      isLike(first, other),
  )
  return found.length > 1 || isOfOther ? 'unclear' : first
}

/**
 * The result of {@link match}. If the operation was open when the storage was lost, an unexplained match may belong to
 * a later key, which was lost: only a person can decide.
 */
function traceOf(
  state: OrderState,
  operation: MoneyOperation,
  shown = state.order.operations,
  fits?: (one: OrderOperation) => boolean,
): ReturnType<typeof match> {
  const found = match(state.operations, operation, shown, fits)
  const isOlder = state.loss !== undefined && operation.started_at <= state.loss.at
  return typeof found === 'object' && isOlder && !isExplained(state, found.id) ? 'unclear' : found
}

/** The service's operation behind an unknown outcome, if the events are enough to find it. */
export function answeredBy<T extends OrderOperation>(
  calls: readonly MoneyOperation[],
  operation: MoneyOperation,
  shown: readonly T[],
): T | undefined {
  const found = operation.maybeLost ? 'unclear' : match(calls, operation, shown)
  return typeof found === 'object' ? (found as T) : undefined
}

/** All voids of an order are alike. */
const isLike = ({ method, amount }: OrderOperation, { kind, expected }: MoneyOperation): boolean =>
  method === kind && (kind === 'void' || (amount !== null && Math.round(amount * 100) === expected))

function executed(state: OrderState, operation: MoneyOperation, found: OrderOperation, now: number): Step {
  const shown = { outcome: 'done', answer: shownAs(state.order, found), operation_id: found.id } as const
  return resume(end(state, operation, shown), now)
}

const shownAs = ({ order_id }: Pick<OrderFacts, 'order_id'>, { id, ...fields }: OrderOperation): MoneyAnswer => ({
  code: 'executed',
  record: { operation_id: id, order_id, ...fields },
})

function notExecuted(state: OrderState, operation: MoneyOperation): Step {
  const answer: MoneyAnswer = { code: 'not_executed', kind: operation.kind }
  return end(state, operation, { outcome: 'rejected', answer })
}

const denied = (state: OrderState, operation: MoneyOperation): Step =>
  also(notExecuted(state, operation), { code: 'not_executed', kind: operation.kind })

/** Stores an operation's end. */
function end(state: OrderState, operation: MoneyOperation, how: MoneyEnd, commands: Command[] = []): Step {
  const { outcome, answer, operation_id } = how
  const ended: MoneyOperation = { ...operation, outcome, answer, operation_id }
  const operations = state.operations.map((one) => (one.id === operation.id ? ended : one))
  return { state: { ...state, operations }, commands: [{ type: 'store', operation: ended }, ...commands] }
}

/** Decides about a waiting request again. */
function resume({ state: { waiting, ...state }, commands }: Step, now: number): Step {
  if (!waiting) return { state, commands }
  const next = request(state, waiting, now)
  return { state: next.state, commands: [...commands, ...next.commands] }
}

/** The operation stays open: a waiting request is rejected. */
const goOn = (state: OrderState, operation: MoneyOperation): Step =>
  state.waiting ? answer(state, blocked(operation, state.waiting)) : { state, commands: [] }

/** The operation that blocks others: it may have been sent, and has no outcome yet. */
export const findOpen = (calls: readonly MoneyOperation[]): MoneyOperation | undefined =>
  calls.find((one) => isOpen(one) && !one.maybeLost)

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
