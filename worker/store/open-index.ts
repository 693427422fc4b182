import type { OperationKind } from './attempts.ts'
import { orderKeyOf } from './event-log.ts'
import { fitsMetadata, type KvStore, type Row, StorageError } from './kv.ts'

/** What has no end yet: a checkout whose payment has no final state, or an attempt whose outcome is not settled. */
export interface OpenRow {
  kind: 'checkout' | OperationKind
  order_id: string
  /** Of a capture, refund or void. */
  attempt_id?: string
  /** When it was opened or begun, milliseconds since 1970. */
  since: number
  /** How often the service was asked about it on the schedule. */
  asks: number
  /** Milliseconds since 1970 before which it is left alone. */
  next_at: number
  /** Set when a person was alerted of it. */
  alerted?: true
  /** Whether it is to be seen in KV, where `GET /api/orders?open=true` finds it. Over KV alone each one is. */
  listed?: true
  /** Of a row in KV: set when its order's gate has it, and KV shows it to people. */
  gated?: true
}

/** The open rows that are watched at one place: those of an order in its gate, over KV alone those of every order. */
export interface OpenIndex {
  /** Adds or replaces a row. */
  put(row: OpenRow): Promise<void>
  /** @throws {StorageError} when it could not be removed: it is removed when its time has come. */
  remove(order_id: string, attempt_id?: string): Promise<void>
  list(): Promise<OpenRow[]>
  /** Whether a run may begin: not while another one may be asking about the same rows. */
  beginRun(now: number): Promise<boolean>
}

const RUN = 'reconciling'
/** Longer than a run can take, shorter than the pause between two. */
const RUN_SECONDS = 14 * 60
const PREFIX = 'open/'
/** A day longer than the last time of the schedule. */
const LIFE_SECONDS = 8 * 86_400

export async function openKeyOf(order_id: string, attempt_id?: string): Promise<string> {
  return PREFIX + (await orderKeyOf(order_id)) + (attempt_id === undefined ? '' : `/${attempt_id}`)
}

/**
 * The index over KV.
 *
 * @param gated Whether its rows are those that gates show there.
 *
 * Key `open/<order key>`, of an attempt `open/<order key>/<attempt id>`; metadata: the row, where it fits; the value holds
 * it too; gone after 8 days. Key `reconciling`; value: when the last run began; gone after 14 minutes.
 */
export function openIndexOver(store: KvStore, gated?: true): OpenIndex {
  return {
    async put({ gated: _, ...own }) {
      const row: OpenRow = { ...own, ...(gated && { gated }) }
      const key = await openKeyOf(row.order_id, row.attempt_id)
      await isDone(store.put(key, row, fitsMetadata(row) ? row : undefined, LIFE_SECONDS))
    },
    remove: async (order_id, attempt_id) => store.delete(await openKeyOf(order_id, attempt_id)),
    list: async () => rowsOf(store, await store.list(PREFIX)),
    async beginRun(now) {
      const last = (await store.get(RUN)) as { at: number } | undefined
      if (last && now - last.at < RUN_SECONDS * 1000) return false
      return isDone(store.put(RUN, { at: now }, undefined, RUN_SECONDS))
    },
  }
}

/**
 * A page of what is open, in no particular order. A row can be a moment behind: whoever lists it looks at its order.
 */
export async function listOpen(
  store: KvStore,
  limit: number,
  cursor?: string,
): Promise<{ rows: OpenRow[]; cursor: string | undefined }> {
  const page = await store.page(PREFIX, limit, cursor)
  return { rows: await rowsOf(store, page.rows), cursor: page.cursor }
}

async function rowsOf(store: KvStore, found: readonly Row[]): Promise<OpenRow[]> {
  const rows = await Promise.all(found.map(async ({ key, metadata }) => metadata ?? (await store.get(key))))
  // The value of a row without metadata may be hidden at this moment.
  return rows.filter((row): row is OpenRow => typeof (row as OpenRow | undefined)?.order_id === 'string')
}

/** False when the same key was written within the same second: by another run, or with this very row. */
async function isDone(write: Promise<void>): Promise<boolean> {
  try {
    await write
    return true
  } catch (error) {
    if (!(error instanceof StorageError && error.tooSoon)) throw error
    return false
  }
}
