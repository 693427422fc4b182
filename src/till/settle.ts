import { isConfigError } from '../errors.ts'
import { isFinal } from '../helpers/status.ts'
import { attemptId, attemptOf, storedId } from '../orders/attempt-id.ts'
import { holdsMoney } from '../orders/fold.ts'
import { needsPerson } from '../orders/needs-person.ts'
import { recordOf } from '../schemas/read.ts'
import { eventFrom } from './calls.ts'
import type { SqlStatement } from './database.ts'
import { sideBySide } from './drive.ts'
import { type DueEvent, eventIn, storeEvent, type TillOptions, type TillScope } from './events.ts'
import { putListed } from './listed.ts'
import { checkMoney, lookUp, type Moved, movedOf } from './move-money.ts'
import { cancelAttempt } from './open-payment.ts'
import { bookkeepingOf, withoutPerson } from './personal-data.ts'
import { isDeclined, isOpen, type MoneyAnswer, type MoneyOperation } from './protocol.ts'
import { callInTime, errorText, ON_EVENT_MS, pauseAfter } from './queue.ts'
import { recordFrom } from './records.ts'
import {
  CLOSED,
  checkOwner,
  ONE,
  type Reading,
  type Row,
  readOrder,
  run,
  runAll,
  type TillOrder,
  update,
} from './store.ts'
import { hasEnded, type UnsettledOperation } from './unsettled.ts'

/** Entries that a person should look at. */
export type TillAttention =
  /**
   * It has not been known for ten minutes whether `attempt` was executed: call `settleByHand`, or wait. With `may_be`
   * only a person can decide.
   */
  | { kind: 'operation_unsettled'; order_id: string; attempt: UnsettledOperation }
  /**
   * A pending operation was declined, which is its key's outcome now. `settleByHand` confirms that a person has seen
   * it.
   */
  | { kind: 'operation_declined'; order_id: string; id: string; record: object }
  /** The call of a settled operation, or an event, contradicts its end. `settleByHand` decides which end counts. */
  | { kind: 'operation_contradicted'; order_id: string; id: string; settled: Moved; late: Moved }
  | { kind: 'flag'; order_id: string; flags: TillOrder['flags'] }
  /**
   * `onEvent` has failed at least five times: it is called again within six hours. After twenty failures it waits for
   * `replay`.
   */
  | {
      kind: 'on_event_failing' | 'on_event_given_up'
      order_id: string
      event_id: string
      attempts: number
      error: string | null
    }
  /** A genuine event without an order_id. */
  | { kind: 'stray'; event_id: string; record: object }
  /** A genuine webhook that cannot be read; `reason`: a code of `WebhookVerificationError`. */
  | { kind: 'stray'; event_id: string; data: string; reason: string }

const MINUTE_MS = 60_000
/** How long `onEvent` waits for an operation's webhook, before it gets the response. */
const WEBHOOK_MS = 15 * MINUTE_MS
const DAY_MS = 1440 * MINUTE_MS
/** The first and the longest pause of each kind. */
const PAUSES = { event: [1000, DAY_MS / 4], operation: [MINUTE_MS, DAY_MS], payment: [15 * MINUTE_MS, DAY_MS] } as const

/** After this many failures, about two days, `onEvent` is not called again. */
export const MAX_ATTEMPTS = 20
/** A row that is given up gets a time this far ahead, so that it is never due again. */
export const NEVER = 8_000_000_000_000_000

/**
 * Processes due rows of one kind, least-tried first. A row that fails, or that another process takes, does not stop
 * the others.
 */
export async function doDue(scope: TillScope, kind: 'event' | 'operation' | 'payment'): Promise<void> {
  if (kind === 'event' && !scope.onEvent) return
  const due = `SELECT l.*, v.owner FROM edgetill_log l, (SELECT max(owner) AS owner FROM edgetill_version) v
    WHERE kind = ? AND next_at <= ${scope.database.clock} ORDER BY attempts, next_at LIMIT 50`
  const rows = await run(scope, due, kind)
  await sideBySide([...new Set(rows.map(({ order_id }) => order_id))], async (order) => {
    for (const row of rows.filter(({ order_id }) => order_id === order)) {
      checkOwner(scope, row)
      await doRow(scope, row).catch((error: unknown) => isConfigError(error) && Promise.reject(error))
    }
  })
}

/** When a row is due again that was tried this often. */
function nextOf({ database }: TillScope, { kind, attempts }: Row): string {
  const pause = pauseAfter(attempts, ...PAUSES[kind as keyof typeof PAUSES])
  return `${database.clock} + ${kind === 'event' && attempts >= MAX_ATTEMPTS ? NEVER : pause}`
}

/** Postponing a row claims it: one process works on it, and a crash only delays it. */
export async function doRow(scope: TillScope, row: Row): Promise<void> {
  const attempts = row.attempts + 1
  const set = `attempts = attempts + 1, next_at = ${nextOf(scope, { ...row, attempts })} + ${ON_EVENT_MS}`
  const claim = update(set, `NOT ${CLOSED} AND ${ONE} AND next_at = ? RETURNING next_at, body`)
  const [claimed] = await run(scope, claim, row.order_id, row.number, row.next_at)
  if (claimed) await doClaimed(scope, { ...row, ...claimed, attempts })
}

/** Works on a claimed row. @param due The row's event, and its order. */
export async function doClaimed(scope: TillScope, row: Row, due?: DueEvent): Promise<void> {
  const { body, attempts } = row
  const later = nextOf(scope, row)
  const done = isDone(scope, row, due).then((isOver) => [isOver ? 'NULL' : later])
  const [next, error = null] = await done.catch((error: unknown) => {
    const about = { event_id: row.id, order_id: attemptId(row.order_id, Number(row.attempt)), attempts }
    if (row.kind === 'event') scope.log?.('on_event_failed', about, error)
    else scope.log?.('reconciliation_failed', { order_id: about.order_id }, error)
    return [later, errorText(error)]
  })
  // The error may name a customer whose data was erased in between.
  const end = update(`error = CASE WHEN body = ? THEN ? END, next_at = ${next}`, `${ONE} AND next_at = ?`)
  await run(scope, end, body, error, row.order_id, row.number, row.next_at)
}

/** Calls `onEvent`, or looks whether an operation or a payment is over: in the rows, else at the service. */
async function isDone(scope: TillScope, row: Row, due?: DueEvent, mayAsk = true): Promise<boolean> {
  const { kind, id, written_at } = row
  const order_id = attemptId(row.order_id, Number(row.attempt))
  if (kind === 'event') {
    const read = async () => {
      const reading = await readOrder(scope, order_id)
      return { event: await eventIn(scope, row), order: (await scope.shown?.(reading)) ?? reading.order }
    }
    const { event, order } = due ?? (await read())
    return callInTime(() => scope.onEvent?.({ id, event }, order)).then(() => true)
  }
  const reading = await readOrder(scope, order_id)
  const { calls, order, now } = reading
  const own = calls.find((one) => one.id === id)
  const isPaidElsewhere = reading.attempts.some(
    (one) => one.attempt !== reading.attempt && holdsMoney(one.order.totals),
  )
  // An unpaid payment is given up after a week.
  const isForgotten = now - Number(written_at) > 7 * DAY_MS && !isPaidElsewhere
  const isPast = kind === 'payment' && (isFinal(order.status ?? '') || isForgotten)
  const isOver = isPast || (own !== undefined && hasEnded(own, order.operations))
  if (isOver) return isHeard(scope, reading, own)
  if (!mayAsk) {
    // The payment can still be paid, or has been: a person has to look at it.
    if (kind === 'payment' && isPaidElsewhere) await run(scope, update('is_open = 1', ONE), row.order_id, row.number)
    return false
  }
  if (own && isOpen(own)) await checkMoney(scope, order_id, id)
  else {
    const [shown] = (await lookUp(scope, reading, own && [own.kind])).operations
    // An order that holds money takes no second payment.
    if (!own && shown && recordOf(shown).status === 'init' && isPaidElsewhere) await cancelAttempt(scope, order_id)
  }
  return isDone(scope, row, due, false)
}

/** Whether an operation's webhook has come. If it does not come in time, `onEvent` gets the response. */
async function isHeard(scope: TillOptions, { order_id, events, now }: Reading, own: MoneyOperation | undefined) {
  const response = events.find(({ id }) => id === own?.id)
  const { operation_id } = response ?? {}
  if (!own || !response || events.some((one) => one !== response && one.operation_id === operation_id)) return true
  if (now - own.started_at < WEBHOOK_MS) return false
  const { answer } = own
  if (answer?.code === 'executed') await storeEvent(scope, eventFrom(own.kind, { ...answer.record, order_id }))
  return true
}

/** The entries that a person should look at, as they are now. */
export async function listAttention(scope: TillOptions): Promise<TillAttention[]> {
  // Each half has its own index.
  const sql = `SELECT * FROM edgetill_log WHERE is_open > 0 UNION ALL SELECT * FROM edgetill_log WHERE is_open = 0 AND kind = 'event'
    AND next_at > 0 AND attempts > 4 ORDER BY written_at`
  const rows = await run(scope, sql)
  const found: TillAttention[] = []
  for (const order_id of new Set(rows.flatMap(({ kind, order_id }) => (kind === 'stray' ? [] : order_id)))) {
    const { attempts } = await readOrder(scope, order_id)
    for (const { order, calls, now } of attempts) {
      const isOld = (started_at: string) => now - Date.parse(started_at) >= 10 * MINUTE_MS
      const old = order.attempts.filter(({ started_at, may_be }) => may_be !== undefined || isOld(started_at))
      found.push(...old.map((attempt) => ({ kind: 'operation_unsettled' as const, order_id, attempt })))
      for (const one of calls.filter(({ late }) => late)) {
        const { id, answer } = one
        const late = movedOf(one.late?.answer as MoneyAnswer)
        if (isDeclined(one) && 'record' in late)
          found.push({ kind: 'operation_declined', order_id, id, record: late.record as object })
        else found.push({ kind: 'operation_contradicted', order_id, id, settled: movedOf(answer as MoneyAnswer), late })
      }
    }
    const all = [...new Set(attempts.flatMap(({ order }) => order.flags))]
    const flags = all.filter((flag) => needsPerson({ flags: [flag] }))
    if (flags.length > 0) found.push({ kind: 'flag', order_id, flags })
  }
  for (const { kind, order_id, id: event_id, body, attempts, next_at, error } of rows) {
    if (kind === 'stray') {
      const { record, data, reason } = JSON.parse(body)
      found.push({ kind, event_id, ...(record ? { record } : { data, reason }) })
    }
    const failing = attempts < MAX_ATTEMPTS ? ('on_event_failing' as const) : ('on_event_given_up' as const)
    if (kind === 'event' && next_at !== null && attempts > 4)
      found.push({ kind: failing, order_id, event_id, attempts, error })
  }
  return found
}

/**
 * Makes an event due again, also after it was handled or given up.
 * @returns The event's row, if there is such an event.
 */
export async function makeDue(scope: TillOptions, where: string, ...values: string[]): Promise<Row | undefined> {
  const set = `attempts = 0, error = NULL, next_at = ${scope.database.clock}`
  return (await run(scope, update(set, `kind = 'event' AND ${where} RETURNING *`), ...values))[0]
}

/** Marks payments that have not ended for a day: a pending payment, and one about which the service cannot be asked. */
export async function markOpenPayments(scope: TillOptions): Promise<void> {
  const isPending = `EXISTS (SELECT 1 FROM edgetill_log e WHERE e.order_id = l.order_id AND e.attempt = l.attempt AND e.kind = 'event'
    AND e.summary LIKE '%"status":"pending"%')`
  const due = `SELECT l.order_id, l.number, 1 AS is_open FROM edgetill_log l WHERE l.kind = 'payment' AND l.next_at > 0 AND l.is_open = 0
    AND l.written_at <= ${scope.database.clock} - ${DAY_MS} AND (l.error IS NOT NULL OR ${isPending})`
  const over = `SELECT order_id, number, 0 AS is_open FROM edgetill_log WHERE kind = 'payment' AND is_open > 0 AND next_at IS NULL`
  for (const { is_open, order_id, number } of await run(scope, `${due} UNION ALL ${over}`))
    await run(scope, update('is_open = ?', ONE), is_open, order_id, number)
}

/** Replaces an error's text, which may name a customer. */
const REMOVED = 'Removed with the personal data.'

/** A row of an erased order. `later`: when it was written, if it was kept. */
export type Erased = Pick<Row, 'kind' | 'id' | 'attempt' | 'summary' | 'written_at'> & { later: number[] }

/**
 * Removes a customer's data from an order's rows; keys and bookkeeping stay.
 * @param until Rows after this time are kept, and the lists are updated later. @returns The rows, except operations.
 */
export async function eraseOrder(scope: TillOptions, order_id: string, until?: number): Promise<Erased[]> {
  const base_id = storedId(attemptOf(order_id).base_id)
  // Erase events first: an event's record is restored from the record of its end.
  const sql = `SELECT ${scope.database.clock} AS now, l.* FROM edgetill_log l WHERE order_id = ? AND kind <> 'operation' ORDER BY kind = 'event' DESC`
  const rows = await run(scope, sql, base_id)
  const timeOf = ({ kind, body, written_at }: Row) =>
    Number((kind === 'payment' && JSON.parse(body).link?.opened_at) || written_at)
  const isKept = (row: Row) => until !== undefined && timeOf(row) > until
  const bases = new Set(
    rows.filter((row) => row.kind === 'event' && isKept(row)).map(({ body }) => JSON.parse(body).of),
  )
  const error = `error = CASE WHEN error IS NOT NULL THEN '${REMOVED}' END`
  const erase = update(`body = ?, ${error}, unlisted = ${scope.database.clock} + 1`, `${ONE} AND body = ?`)
  const updates = rows.flatMap((row): SqlStatement[] => {
    if (isKept(row) || bases.has(Number(row.number))) return []
    const body = JSON.stringify(erasedBody(row, rows))
    return body === row.body && (row.error ?? REMOVED) === REMOVED
      ? []
      : [[erase, [body, base_id, row.number, row.body]]]
  })
  if (updates.length > 0) await runAll(scope, updates)
  if (rows.length > 0 && until === undefined) await putListed(scope, [{ order_id: base_id, unlisted: NEVER }])
  return rows.map((row) => ({ ...row, later: isKept(row) ? [timeOf(row)] : [] }))
}

/** A row's body without personal data. */
function erasedBody({ kind, body, summary: text, now }: Row, rows: readonly Row[]): object {
  // The service's message may repeat the customer's input.
  const cut = (name: string, value: unknown) => (name === 'message' ? 'Removed.' : name === 'url' ? null : value)
  const stored = JSON.parse(body, cut)
  if (kind === 'event') {
    const { of, fields, left, issues } = stored
    const base = rows.find(({ number }) => of !== undefined && Number(number) === of)
    const summary = JSON.parse(text ?? '{}')
    const record = bookkeepingOf(recordFrom(stored, summary, base && JSON.parse(base.body).answer?.record), summary)
    return { record, fields: fields && { kind: fields.kind }, left, issues, erased: stored.erased ?? Number(now) }
  }
  const { answer, event, buyer, link } = stored
  if (buyer) stored.buyer = { reference: buyer.reference }
  if (link) {
    const { link: _, description: __, ...page } = link.page
    stored.link = { ...link, page }
  }
  if (answer?.code === 'executed')
    answer.record = { ...withoutPerson(answer.record), ...(event && bookkeepingOf(answer.record, answer.record)) }
  return stored
}
