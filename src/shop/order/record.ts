import { hundredths } from '../../lib/decimal.ts'
import { sha256Base64url } from '../../lib/sha256.ts'
import { answeredBy, type MoneyOperation } from '../../money/protocol.ts'
import { baseOrderId } from '../lib/attempt-id.ts'
import { describeError, logError } from '../lib/log.ts'
import type { RecordedResponse } from '../lib/money-answers.ts'
import { type Problem, ProblemError } from '../lib/problem.ts'
import { ifPossible, ignoreOutage } from '../lib/storage-error.ts'
import type { MoneyCall } from './move-money.ts'
import { type OrderReading, readShown } from './order.ts'
import { touch } from './published.ts'
import { scheduleErasure } from './schedule.ts'
import type { OrderScope } from './scope.ts'
import type { OrderStore } from './tables.ts'

/** Who did what with an order. */
export interface RecordEntry {
  /** ISO 8601, UTC. */
  at: string
  by: string
  action: string
  /** Hundredths of its currency's unit. */
  amount_minor?: number
  currency?: string
  /** Of a note; gone when the personal data was removed. Of `attention_done`: what is done. */
  text?: string
  /**
   * How it ended, as far as that is known now: `done`; `pending` or `rejected` of what the service took and did not do yet, or
   * not at all; else the code of the error. Absent: it ended before this was known.
   */
  result?: string
}

/** The same as it is stored. */
type StoredEntry = Omit<RecordEntry, 'at' | 'amount_minor'> & { amount?: number }
type Entry = Omit<StoredEntry, 'by'>

/** An entry as the API shows it. */
export const shownEntry = <E extends StoredEntry>(
  at: number,
  { amount, ...entry }: E,
): Omit<E, 'amount'> & Pick<RecordEntry, 'at' | 'amount_minor'> => ({
  ...{ at: new Date(at).toISOString(), ...entry },
  ...(amount !== undefined && { amount_minor: amount }),
})
const plain = (action: string) => (): Entry => ({ action })

/** The record of an action by a person of the shop. */
const RECORDED: Readonly<Record<string, (argument: never) => Entry>> = {
  attentionDone: ({ kind, flag }: { kind: string; flag?: string }) => ({
    action: 'attention_done',
    text: flag ?? kind,
  }),
  cancelOrder: plain('cancel'),
  erasePersonalData: plain('erase'),
  moveMoney: ({ kind }: MoneyCall) => ({ action: kind }),
  replayEvent: plain('replay'),
  replaySoon: plain('replay'),
  revokeLink: plain('revoke_link'),
  settleByHand: ({ executed }: { executed: boolean | 'unknown' }) =>
    executed === 'unknown' ? { action: 'resend' } : { action: 'settle', text: String(executed) },
  storeWebhook: plain('resend'),
}

/** Writes an entry of whoever acts, or adds to it. */
function write({ store, by }: OrderScope, key: string, entry: Entry, more: Partial<Entry>): void {
  store.all(
    // Two of one millisecond stay in their order.
    `INSERT INTO record SELECT ?, max(?, coalesce(max(at) + 1, 0)), ? FROM record WHERE true ON CONFLICT DO UPDATE SET entry = json_patch(entry, ?)`,
    ...[key, store.now(), JSON.stringify({ by, ...entry, ...more }), JSON.stringify(more)],
  )
}

/** Runs an action, and records who does it: before it, so that nothing is done by nobody, and how it ended. */
export async function withRecord(
  scope: OrderScope,
  order_id: string,
  { name, argument }: { name: string; argument: unknown },
  run: () => Promise<unknown>,
): Promise<unknown> {
  const entry = scope.by === undefined ? undefined : RECORDED[name]?.(argument as never)
  if (!entry) return run()
  const { store, now } = scope
  const isMoney = name === 'moveMoney'
  // One Idempotency-Key is one entry.
  const key = isMoney
    ? `${entry.action} ${sha256Base64url((argument as MoneyCall).idempotencyKey)}`
    : crypto.randomUUID()
  // A write that fails here fails below too, or is made then.
  const isKnown = ifPossible(() => recordOf(store).some((row) => row.key === key))
  ifPossible(() => write(scope, key, entry, {}))
  let end: Pick<Entry, 'result' | 'amount'> = {}
  try {
    const value = await run()
    // Of a replay: `onEvent` failed again, or the event is none of those that are meant.
    const result = value !== false ? 'done' : name === 'replaySoon' ? 'not_found' : 'failed'
    end = isMoney ? endOf(value as RecordedResponse, argument as MoneyCall) : { result }
    return value
  } catch (error) {
    end = { result: error instanceof ProblemError ? error.problem.code : String(describeError(error).code ?? 'failed') }
    throw error
  } finally {
    const written = store.writeDue(now(), () => {
      // An error of what was never an action: a wrong input, or an order that is not there.
      if (/^(invalid_input|not_found)$/.test(end.result ?? '')) store.all('DELETE FROM record WHERE key = ?', key)
      // Another request under a key that is used changes nothing of what is said of the first one.
      else write(scope, isKnown && end.result === 'idempotency_key_reused' ? crypto.randomUUID() : key, entry, end)
      touch(store, order_id, { create: false })
    })
    // Neither money nor anything else fails because it could not be recorded. An action that has failed is logged as such.
    await written.catch((error: unknown) => {
      ignoreOutage(error)
      if (end.result === 'done') logError('not_recorded', { order_id, ...describeError(error) })
    })
  }
}

function endOf({ status, body }: RecordedResponse, { fields }: MoneyCall): { result: string; amount?: number } {
  const { amount = fields.charge_amount ?? fields.refund_amount, code } = body as Partial<Problem>
  const result = status === 200 ? 'done' : String(code)
  return typeof amount === 'number' ? { result, amount: hundredths(amount) } : { result }
}

export interface RecordRow {
  key: string
  /** Milliseconds since 1970. */
  at: number
  entry: StoredEntry
}

/** The acts of people on an order, the oldest first. */
export const recordOf = (store: OrderStore): RecordRow[] =>
  store
    .all<{ key: string; at: number; entry: string }>('SELECT key, at, entry FROM record ORDER BY at, key')
    .map((row) => ({ ...row, entry: JSON.parse(row.entry) }))

/** The record as it is shown: what moved money says how that ended by now, in the order's currency. */
export function shownRecord(store: OrderStore, attempts: readonly OrderReading[]): RecordRow[] {
  const currency = attempts.find(({ order }) => order.currency !== null)?.order.currency
  return recordOf(store).map(({ key, at, entry }) => {
    const isIts = ({ kind, keyHash }: MoneyOperation) => key === `${kind} ${keyHash}`
    const its = attempts.find(({ made }) => made.some(isIts))
    const result = its ? endNow(its, isIts, entry.result) : entry.result
    const known = {
      ...(result !== undefined && { result }),
      ...(entry.amount !== undefined && currency && { currency }),
    }
    return { key, at, entry: { ...entry, ...known } }
  })
}

/** How the operation of a key stands now, whatever its call was answered. */
function endNow(
  { made, order: { operations } }: OrderReading,
  isIts: (one: MoneyOperation) => boolean,
  said?: string,
): string | undefined {
  const one = made.filter(isIts).at(-1) as MoneyOperation
  const { outcome, operation_id } = one
  const shown =
    operation_id === undefined ? answeredBy(made, one, operations) : operations.find(({ id }) => id === operation_id)
  if (shown) return shown.status === 'success' ? 'done' : shown.status === 'failure' ? 'rejected' : 'pending'
  if (outcome === 'done') return said === 'outcome_unknown' ? 'done' : said
  if (outcome === 'rejected') return said === undefined || said === 'outcome_unknown' ? 'not_executed' : said
  return outcome === 'not_sent' ? said : 'outcome_unknown'
}

/** Removes the notes' texts: what a person wrote about a customer. */
export function eraseNotes(store: OrderStore, before: number): void {
  store.all(
    `UPDATE record SET entry = json_remove(entry, '$.text')
     WHERE at <= ? AND json_extract(entry, '$.action') = 'note' AND json_extract(entry, '$.text') IS NOT NULL`,
    before,
  )
}

/** When the notes that have a text were written. */
export const noteTimes = (store: OrderStore): number[] =>
  recordOf(store).flatMap(({ at, entry }) => (entry.action === 'note' && entry.text !== undefined ? at : []))

/** Records what is done by being recorded. */
function note(scope: OrderScope, order_id: string, entry: Entry): Promise<void> {
  const { store, now } = scope
  return store.writeDue(now(), () => {
    write(scope, crypto.randomUUID(), { ...entry, result: 'done' }, {})
    touch(store, order_id, { create: false })
  })
}

export async function addNote(scope: OrderScope, order_id: string, text: string): Promise<void> {
  const { events, checkout } = readShown(scope, order_id)
  if (events.length === 0 && !checkout) throw new ProblemError(404, 'not_found', 'No such order.')
  await scheduleErasure(scope, baseOrderId(order_id))
  return note(scope, order_id, { action: 'note', text })
}

export const noteLink = (scope: OrderScope, order_id: string): Promise<void> =>
  note(scope, order_id, { action: 'link' })
