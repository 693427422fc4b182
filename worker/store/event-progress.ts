import { type KvStore, unlessJustWritten } from './kv.ts'

/** An event that `onEvent` has not handled yet: the value of `retry/<event id>`. */
export interface Retry {
  order_id: string
  /** How many times `onEvent` failed. */
  attempts: number
  /** The last error's name and message. */
  error: string
  /** Milliseconds since 1970 before which the cron leaves it alone. */
  next_at: number
  /** Set after the last attempt: only a replay runs it again. */
  given_up?: true
  /** Set when the event is in its gate's queue: the row leads there. */
  queued?: true
}

/** How often `onEvent` is called for one event before it is given up: about two days. */
export const MAX_ATTEMPTS = 20

const MINUTE_MS = 60_000

/** Key `done/<event id>`: `onEvent` has returned for this event. Value: when; kept permanently. */
export async function isDone(store: KvStore, eventId: string): Promise<boolean> {
  return (await store.get(`done/${eventId}`)) !== undefined
}

export function putDone(store: KvStore, eventId: string, at: number): Promise<void> {
  // The same key within the same second: another delivery of this event has just written it.
  return unlessJustWritten(store.put(`done/${eventId}`, { at }))
}

/**
 * Key `retry/<event id>`: `onEvent` threw. Metadata: `next_at`, `given_up` after the last attempt, `queued` where a gate has
 * it; deleted when it succeeds. The pause grows with the square of the attempts.
 */
export async function putRetry(
  store: KvStore,
  eventId: string,
  order_id: string,
  error: string,
  at: number,
): Promise<Retry> {
  const attempts = ((await getRetry(store, eventId))?.attempts ?? 0) + 1
  const next_at = at + attempts * attempts * MINUTE_MS
  const givenUp = attempts >= MAX_ATTEMPTS && { given_up: true as const }
  const retry: Retry = { order_id, attempts, error, next_at, ...givenUp }
  await putFailing(store, eventId, retry)
  return retry
}

/** Writes `retry/<event id>` as it is. A gate, which counts in its queue, does so at the first failure and at the last. */
export function putFailing(store: KvStore, eventId: string, retry: Retry): Promise<void> {
  return unlessJustWritten(writeRetry(store, eventId, retry))
}

function writeRetry(store: KvStore, eventId: string, retry: Retry): Promise<void> {
  const { next_at, given_up, queued } = retry
  const metadata = { next_at, ...(given_up && { given_up }), ...(queued && { queued }) }
  return store.put(`retry/${eventId}`, retry, metadata)
}

export async function getRetry(store: KvStore, eventId: string): Promise<Retry | undefined> {
  return (await store.get(`retry/${eventId}`)) as Retry | undefined
}

export function deleteRetry(store: KvStore, eventId: string): Promise<void> {
  return store.delete(`retry/${eventId}`)
}

/**
 * Removes the text of what `onEvent` threw: it can name a person. The row stays where the event still has to reach
 * `onEvent`.
 */
export async function eraseError(store: KvStore, eventId: string, isWaiting: boolean): Promise<void> {
  const kept = await getRetry(store, eventId)
  if (!kept) return
  if (!isWaiting) return deleteRetry(store, eventId)
  if (kept.error !== '') await writeRetry(store, eventId, { ...kept, error: '' })
}

/** A page of the events that wait for another attempt or were given up. */
export async function listRetryPage(
  store: KvStore,
  limit: number,
  cursor?: string,
): Promise<{ ids: string[]; cursor: string | undefined }> {
  const page = await store.page('retry/', limit, cursor)
  return { ids: page.rows.map(({ key }) => key.slice('retry/'.length)), cursor: page.cursor }
}

/** The ids of the events that wait without a gate, or were given up without one. */
export async function listUnqueued(store: KvStore): Promise<string[]> {
  const rows = await store.list('retry/')
  return rows
    .filter(({ metadata }) => !(metadata as Partial<Retry> | null)?.queued)
    .map(({ key }) => key.slice('retry/'.length))
}

/** The ids of the events whose time for another attempt has come, the longest due first. */
export async function listRetries(store: KvStore, now: number): Promise<string[]> {
  const rows = await store.list('retry/')
  return rows
    .filter(({ metadata }) => !(metadata as Partial<Retry> | null)?.given_up)
    .map(({ key, metadata }) => ({
      id: key.slice('retry/'.length),
      at: (metadata as { next_at?: number } | null)?.next_at ?? 0,
    }))
    .filter(({ at }) => at <= now)
    .sort((a, b) => a.at - b.at)
    .map(({ id }) => id)
}
