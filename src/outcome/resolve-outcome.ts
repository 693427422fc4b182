import * as v from 'valibot'
import { isConfigError, isEdgetillError } from '../errors.ts'
import type { BodilessCallOptions } from '../http/types.ts'
import { isBuiltIn } from '../lib/kind.ts'
import { methodOf } from '../operations/secondary-operation.ts'
import {
  anObject,
  fieldsOf,
  must,
  objectMessage,
  option,
  optionsOf,
  ownMembers,
  pure,
  type Schema,
} from '../schemas/fields.ts'
import { amount, checkInput, rejectInput, uuid, wholeNumber } from '../schemas/input.ts'
import { originalOf } from '../schemas/read-event.ts'
import { text } from '../schemas/values.ts'
import { decide, type ResolvedOutcome, unknown } from './decide.ts'
import { lookUpOrder, type OrderLookup } from './look-up.ts'

/** A call whose outcome is unknown: an `OutcomeUnknownError`, or the fields that a restarted process has kept. */
export interface UnresolvedCall {
  /** The function that was called, such as `refundPayment`. */
  operation: string
  /** The order. Without it nothing can be looked up. */
  order_id?: string | undefined
  /** The amount that was sent; undefined if no amount was sent (a full capture or refund, a void). */
  amount?: number | undefined
  /** Its currency, ISO 4217. */
  currency?: string | undefined
  /** The POS that the call named; the client's unless given. */
  pos_id?: string | undefined
  /** When it was sent: ISO 8601 with a zone, milliseconds since the epoch, or a `Date`. */
  sent_at: string | number | Date
}

/** Options of `resolveOutcome`. */
export interface ResolveOutcomeOptions extends BodilessCallOptions {
  /**
   * The result of `snapshotOrder` before the call: the `operation_id` of each operation that the order had. Without
   * them a capture, void or refund is `unknown` as soon as anything matches. An operation of another process on the
   * same order in between is taken for this call.
   */
  known?: readonly string[] | undefined
  /**
   * Milliseconds after `sent_at` from which an absence counts as `not_executed`. An ASSUMPTION: how long the service
   * takes to show an operation is not known. Default 600,000 (ten minutes).
   */
  settleAfterMs?: number | undefined
  /** The clock that `sent_at` was taken from, in milliseconds since the epoch. Default `Date.now`. */
  now?: (() => number) | undefined
}

const SETTLE_AFTER_MS = 600_000

const callSchema: Schema<UnresolvedCall> = /* @__PURE__ */ pure(() => {
  const entries = fieldsOf<UnresolvedCall>()({
    operation: text,
    order_id: v.optional(text),
    amount: v.optional(amount),
    currency: v.optional(text),
    pos_id: v.optional(uuid),
    sent_at: v.custom<string | number | Date>(
      isTime,
      must('be an ISO 8601 time with a zone, milliseconds since the epoch or a Date'),
    ),
  })
  return v.pipe(anObject, ownMembers(entries), v.looseObject(entries, objectMessage))
})

type OwnOptions = Pick<ResolveOutcomeOptions, 'known' | 'settleAfterMs' | 'now'>

const CALL_OPTIONS = ['signal', 'timeoutMs', 'deadlineMs', 'maxRetries']

/**
 * The look-up itself checks its options. A text or a list of records as `known` would hold no id, and an operation
 * from before the call would be taken for it.
 */
const optionsSchema: Schema<OwnOptions> = /* @__PURE__ */ pure(() => {
  const own = fieldsOf<OwnOptions>()({
    known: option(v.custom<readonly string[]>(isIds, must('be an array of operation_ids'))),
    settleAfterMs: option(wholeNumber(0, Number.MAX_SAFE_INTEGER)),
    now: option(v.custom<() => number>((value) => typeof value === 'function', must('be a function'))),
  })
  return optionsOf(own, CALL_OPTIONS)
})

function isIds(value: unknown): boolean {
  return Array.isArray(value) && value.every((id) => typeof id === 'string')
}

// A time without a zone would silently be read in the machine's own zone.
function isTime(value: unknown): boolean {
  if (typeof value === 'string') return /(Z|[+-]\d\d:?\d\d)$/.test(value) && !Number.isNaN(Date.parse(value))
  return (typeof value === 'number' || isBuiltIn(value, 'Date')) && Number.isFinite(Number(value))
}

/**
 * Finds out the outcome of a call that ended in an `OutcomeUnknownError`, by its `howToFindOut`.
 *
 * Looks the order up with `listOrderOperations` and, if the service does not know that path (404 for a known order),
 * with `resendWebhook`. It never sends the call again. `executed` means that the service has the operation: whether
 * money moved is `record.status`. `not_executed` means that the same call can be made again. An absence counts only
 * after `settleAfterMs`, and only while `known` names every operation of this kind: the amount of an unknown
 * operation may differ from the requested amount. Two operations that match, an omitted amount that cannot be
 * computed from the list, and a look-up that fails are `unknown`.
 *
 * @param client A client, or its `listOrderOperations` and `resendWebhook`.
 * @param call The error itself, or `{ operation, order_id, amount, currency, sent_at }` of a process that was
 *   restarted.
 * @param options `known`, `settleAfterMs`, `now`, and `signal`, `timeoutMs`, `deadlineMs`, `maxRetries` of the
 *   look-up, which is up to four requests. `deadlineMs` limits all requests together; the configuration's limits each
 *   request.
 * @throws {InvalidInputError} when `call` is neither, naming each field that is missing or wrong, and for a wrong
 *   option.
 * @throws {ConfigError} when `client` is not one, and when the configuration cannot work.
 * @see Beyond the API document: the vendor states the look-up elsewhere [A]. The API document has its fallback,
 *   "Re-send a webhook for an operation".
 * @example
 * import { type Client, isOutcomeUnknownError, resolveOutcome, snapshotOrder } from 'edgetill'
 * async function refundOnce(client: Client, order_id: string): Promise<string> {
 *   const known = await snapshotOrder(client, order_id)
 *   try {
 *     return (await client.refundPayment({ order_id, order_currency: 'UAH', refund_amount: 20.5 })).status
 *   } catch (error) {
 *     if (!isOutcomeUnknownError(error)) throw error
 *     // At once this can say 'executed' or 'unknown'; keep { ...error, known }, and ask again after ten minutes.
 *     const resolved = await resolveOutcome(client, error, { known })
 *     return resolved.outcome === 'executed' ? resolved.record.status : resolved.outcome
 *   }
 * }
 */
export async function resolveOutcome(
  client: OrderLookup,
  call: UnresolvedCall,
  options: ResolveOutcomeOptions = {},
): Promise<ResolvedOutcome> {
  if (isBuiltIn(call, 'Error') && !('sent_at' in call)) {
    const what = isEdgetillError(call) ? '; this one has no unknown outcome' : ''
    rejectInput('resolveOutcome', 'call', `must be an OutcomeUnknownError, or { operation, order_id, … }${what}`, call)
  }
  const { operation, order_id, pos_id, amount, currency, sent_at } = checkInput('resolveOutcome', callSchema, call)
  const checked: ResolveOutcomeOptions = checkInput('resolveOutcome', optionsSchema, options)
  const { known, settleAfterMs = SETTLE_AFTER_MS, now = Date.now, ...callOptions } = checked
  if (order_id === undefined)
    return unknown(`${operation} names no order_id to look up. Ask for the state of its order.`)
  // A cancellation may be of an auth beside a purchase.
  const methods = [operation === 'cancelPayment' ? 'auth' : (methodOf(operation) ?? [])].flat()
  const facts = {
    operation,
    amount,
    currency,
    known: known && new Set(known),
    // Take the age before the look-up: an absence is proven only for that time.
    settled: now() - new Date(sent_at).getTime() >= settleAfterMs,
  }
  try {
    const view = await lookUpOrder(client, { order_id, pos_id }, methods, callOptions)
    return decide(facts, { ...view, operations: view.operations.map(originalOf) })
  } catch (error) {
    if (!isEdgetillError(error) || isConfigError(error)) throw error
    return unknown(`The look-up failed. ${error.message}`)
  }
}
