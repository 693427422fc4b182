import { type KvStore, unlessJustWritten } from './kv.ts'

/**
 * Lets an event that `onEvent` failed on be found. What became of it stands in its gate's queue.
 *
 * Key `failing/<event id>`; value: the order_id; deleted when the event is handled.
 */
export function putFailing(kv: KvStore, event_id: string, order_id: string): Promise<void> {
  return unlessJustWritten(kv.put(`failing/${event_id}`, { order_id }))
}

/** The order of a failing event. */
export async function getFailing(kv: KvStore, event_id: string): Promise<string | undefined> {
  return ((await kv.get(`failing/${event_id}`)) as { order_id?: string } | undefined)?.order_id
}

export function deleteFailing(kv: KvStore, event_id: string): Promise<void> {
  return kv.delete(`failing/${event_id}`)
}

/** A page of the failing events, those that were given up included. */
export async function listFailing(
  kv: KvStore,
  limit: number,
  cursor?: string,
): Promise<{ ids: string[]; cursor: string | undefined }> {
  const page = await kv.page('failing/', limit, cursor)
  return { ids: page.rows.map(({ key }) => key.slice('failing/'.length)), cursor: page.cursor }
}
