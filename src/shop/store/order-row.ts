import type { GateStorage } from '../runtime.ts'
import { alarmBy } from './alarm.ts'
import { orderKeyOf } from './event-log.ts'
import { ignoreOutage, type KvStore, orStorageError, StorageError } from './kv.ts'
import type { Order } from './order.ts'
import { dayOf, markOld, putRecent, summaryOf } from './order-index.ts'

/** A row of the index is written at most once in so many milliseconds, after the first time. */
const PAUSE_MS = 10_000

/** What a gate knows of an order's row in the index: the value of `row/<order key>`, in its storage alone. */
interface RowState {
  order_id: string
  /** The time in the row's key. */
  time: number
  /** When it was last written. */
  written_at: number
  /** The summary that it holds, as JSON. */
  summary: string
  /** When it is to be written again; absent: it is right. */
  next_at?: number
  /** The time of a row of an earlier day that is still to be marked. */
  old?: number
}

/** The rows of one gate's orders in the index: one for each order, with its summary. */
export interface OrderRow {
  /**
   * Takes a changed order into its row: at once for the first event of a day, else at most once in 10 seconds.
   *
   * @throws {StorageError} when the first row of a day could not be written: the event would never be listed.
   */
  update(order: Order, now: number): Promise<void>
  /** Has an order's row written again soon, when it has one: something other than an event has changed it. */
  touch(order_id: string, now: number): Promise<void>
  /** Writes what is due. */
  flush(now: number, read: (order_id: string) => Promise<Order>): Promise<void>
}

const PREFIX = 'row/'

export function openOrderRow(storage: GateStorage, kv: KvStore): OrderRow {
  const keyOf = async (order_id: string): Promise<string> => PREFIX + (await orderKeyOf(order_id))
  const get = async (order_id: string): Promise<RowState | undefined> => {
    const key = await keyOf(order_id)
    return orStorageError('read', () => storage.get<RowState>(key))
  }

  /** Changes a row's state in one step. What a `touch` asked for in the meantime stays. */
  async function change(order_id: string, next: (state: RowState | undefined) => RowState | undefined): Promise<void> {
    const key = await keyOf(order_id)
    await orStorageError('write', () =>
      storage.transaction(async (transaction) => {
        const state = next(await transaction.get<RowState>(key))
        if (!state) return
        await transaction.put(key, state)
        if (state.next_at !== undefined) await alarmBy(transaction, state.next_at)
      }),
    )
  }

  /** Writes a row that was there before; what fails is tried again later. */
  async function rewrite(state: RowState, order: Order, now: number): Promise<void> {
    const { order_id, time, old } = state
    const summary = JSON.stringify(summaryOf(order))
    try {
      if (summary !== state.summary) await putRecent(kv, summaryOf(order), time)
      if (old !== undefined) await markOld(kv, order_id, old)
    } catch (error) {
      if (!(error instanceof StorageError)) throw error
      return change(order_id, () => ({ ...state, next_at: now + PAUSE_MS }))
    }
    await change(order_id, (current) => {
      const wasTouched = current?.next_at !== undefined && current.next_at !== state.next_at
      return { order_id, time, written_at: now, summary, ...(wasTouched && { next_at: current.next_at }) }
    })
  }

  return {
    async update(order, now) {
      const { order_id } = order
      const state = await get(order_id)
      if (!state || dayOf(state.time) < dayOf(now)) {
        try {
          await putRecent(kv, summaryOf(order), now)
        } catch (error) {
          // It may have been written all the same: whoever tries again writes the same key, not a second row.
          const again = {
            order_id,
            time: now,
            written_at: 0,
            summary: '',
            ...(state && { old: state.time }),
            next_at: now,
          }
          await change(order_id, () => again)
          throw error
        }
        // The earlier row is marked after the new one is there: an order is shown twice for a moment rather than not at all.
        const old = state && { old: state.time, next_at: now }
        const summary = JSON.stringify(summaryOf(order))
        return change(order_id, () => ({ order_id, time: now, written_at: now, summary, ...old }))
      }
      if (state.summary === JSON.stringify(summaryOf(order))) return
      const due = state.written_at + PAUSE_MS
      if (due <= now) return rewrite(state, order, now)
      await change(order_id, (current) => current && { ...current, next_at: due })
    },
    async touch(order_id, now) {
      await change(order_id, (state) => state && { ...state, next_at: Math.max(now, state.written_at + PAUSE_MS) })
    },
    async flush(now, read) {
      const rows = await orStorageError('list', () => storage.list<RowState>({ prefix: PREFIX }))
      for (const state of rows.values()) {
        if (state.next_at === undefined || state.next_at > now) continue
        const order = await read(state.order_id).catch(ignoreOutage)
        if (order) await rewrite(state, order, now)
        else await change(state.order_id, () => ({ ...state, next_at: now + PAUSE_MS }))
      }
    },
  }
}
