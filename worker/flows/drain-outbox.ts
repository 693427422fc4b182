import type { Context } from '../context.ts'
import { nameOf, report } from '../lib/log.ts'
import { getEvent, orderIdOf, orderKeyOf, webhookOf } from '../store/event-log.ts'
import { deleteRetry, isDone, MAX_ATTEMPTS, putFailing, type Retry } from '../store/event-progress.ts'
import { ignoreOutage } from '../store/kv.ts'
import { readOrder } from '../store/order.ts'
import type { Outbox, OutboxEntry } from '../store/outbox.ts'
import { raiseAlert } from './raise-alert.ts'
import { callOnEvent, textOf } from './run-on-event.ts'

const MAX_PAUSE_MS = 6 * 3_600_000
/** Entries of one alarm: 20 calls of 25 seconds stay below an alarm's 15 minutes. */
const BATCH = 20

/** Milliseconds after the n-th failure: 1, 2, 4 … seconds, at most 6 hours. */
const pauseAfter = (attempts: number): number => Math.min(1000 * 2 ** (attempts - 1), MAX_PAUSE_MS)

/** Calls `onEvent` for what is due in an order's gate, the oldest event first. Money calls do not wait for it. */
export async function drainOutbox(context: Context, outbox: Outbox): Promise<void> {
  const due = (await outbox.list()).filter(({ given_up, next_at }) => !given_up && next_at <= context.now())
  due.sort((a, b) => a.received_at - b.received_at)
  for (const entry of due.slice(0, BATCH)) await runEntry(context, outbox, entry)
}

/** Calls `onEvent` for one entry and records how it went. @returns Whether it succeeded. */
export async function runEntry(context: Context, outbox: Outbox, entry: OutboxEntry): Promise<boolean> {
  const event = webhookOf(entry)
  const order_id = orderIdOf(event) ?? ''
  try {
    const { order } = await readOrder(context.store, order_id, context.env.POS_ID)
    await callOnEvent(context, { id: entry.event_id, event }, order)
  } catch (error) {
    const attempts = entry.attempts + 1
    const given_up = attempts >= MAX_ATTEMPTS
    const { event_id } = entry
    const text = textOf(error)
    if (given_up) raiseAlert(context, { kind: 'on_event_given_up', order_id, event_id, attempts })
    else report('on_event_failed', { event_id, order_id, attempts, error: nameOf(error) })
    // Erased while `onEvent` ran: it must not come back.
    if ((await outbox.get(event_id)) === undefined) return false
    const failed = { attempts, error: text, ...(given_up && { given_up: true as const }) }
    const listed = (entry.listed && !given_up) || (await showFailing(context, event_id, { order_id, ...failed }))
    const next_at = context.now() + pauseAfter(attempts)
    await outbox.put({ ...entry, ...failed, next_at, ...(listed && { listed: true }) })
    return false
  }
  await outbox.remove(entry.event_id)
  // A row that stays leads to nothing: whoever lists it asks this queue.
  if (entry.listed) await deleteRetry(context.store, entry.event_id).catch(ignoreOutage)
  return true
}

/** Lets a failing event be found, at its first failure and when it is given up. @returns Whether it can be. */
async function showFailing(
  context: Context,
  event_id: string,
  failed: Omit<Retry, 'next_at'>,
): Promise<true | undefined> {
  const next_at = context.now() + pauseAfter(failed.attempts)
  const kept: Retry = { ...failed, next_at, queued: true }
  return putFailing(context.store, event_id, kept).then(() => true, ignoreOutage)
}

/** Longer than it takes to say in KV that the event is in the queue: until then it is not handled. */
const ADOPTION_MS = 60_000
/** An event that is not there for so long after it was due was removed by hand. */
const REMOVED_MS = 48 * 3_600_000

/** Takes into the gate's queue what `onEvent` failed on before there was a gate: the value of `retry/<event id>`. */
export async function adoptEvent(context: Context, event_id: string, kept: Retry): Promise<void> {
  const { store, outbox, now } = context
  const stored = await getEvent(store, await orderKeyOf(kept.order_id), event_id)
  // KV may show it later.
  if (!stored && now() - kept.next_at < REMOVED_MS) return
  let waits = false
  if (stored && !(await isDone(store, event_id))) {
    const { order_id: _, ...rest } = kept
    const waited = { ...rest, next_at: Math.max(kept.next_at, now() + ADOPTION_MS), listed: true as const }
    const isNew = await outbox?.add(event_id, stored, stored.received_at, waited)
    waits = isNew || (await outbox?.get(event_id)) !== undefined
  }
  if (waits) await putFailing(store, event_id, { ...kept, queued: true })
  else await deleteRetry(store, event_id)
}
