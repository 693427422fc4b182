import { type KvStore, StorageError } from './kv.ts'

/** An event that `onEvent` has not handled yet: the value of `retry/<event id>`. */
export interface Retry {
  order_id: string
  /** How many times `onEvent` failed. */
  attempts: number
  /** The last error's name and message. */
  error: string
  /** Milliseconds since 1970 before which the cron leaves it alone. */
  next_at: number
}

const ERROR_LENGTH = 500
const MINUTE_MS = 60_000
const DAY_MINUTES = 1440

/** Key `done/<event id>`: `onEvent` has returned for this event. Value: when; kept permanently. */
export async function isDone(store: KvStore, eventId: string): Promise<boolean> {
  return (await store.get(`done/${eventId}`)) !== undefined
}

export function putDone(store: KvStore, eventId: string, at: number): Promise<void> {
  return unlessJustWritten(store.put(`done/${eventId}`, { at }))
}

/**
 * Key `retry/<event id>`: `onEvent` threw. Metadata: `next_at`; deleted when it succeeds. The pause grows with the
 * square of the attempts, to a day.
 */
export async function putRetry(
  store: KvStore,
  eventId: string,
  order_id: string,
  error: unknown,
  at: number,
): Promise<void> {
  const attempts = ((await getRetry(store, eventId))?.attempts ?? 0) + 1
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  const next_at = at + Math.min(attempts * attempts, DAY_MINUTES) * MINUTE_MS
  const retry: Retry = { order_id, attempts, error: text.slice(0, ERROR_LENGTH), next_at }
  await unlessJustWritten(store.put(`retry/${eventId}`, retry, { next_at }))
}

export async function getRetry(store: KvStore, eventId: string): Promise<Retry | undefined> {
  return (await store.get(`retry/${eventId}`)) as Retry | undefined
}

export function deleteRetry(store: KvStore, eventId: string): Promise<void> {
  return store.delete(`retry/${eventId}`)
}

/** The ids of the events whose time for another attempt has come, the longest due first. */
export async function listRetries(store: KvStore, now: number): Promise<string[]> {
  const rows = await store.list('retry/')
  return rows
    .map(({ key, metadata }) => ({
      id: key.slice('retry/'.length),
      at: (metadata as { next_at?: number } | null)?.next_at ?? 0,
    }))
    .filter(({ at }) => at <= now)
    .sort((a, b) => a.at - b.at)
    .map(({ id }) => id)
}

// The same key within the same second: another delivery of this event has just written it.
async function unlessJustWritten(write: Promise<void>): Promise<void> {
  try {
    await write
  } catch (error) {
    if (!(error instanceof StorageError && error.tooSoon)) throw error
  }
}
