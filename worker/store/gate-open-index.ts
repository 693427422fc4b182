import { alarmBy, type GateStorage } from './alarm.ts'
import { attempt } from './kv.ts'
import { type OpenIndex, type OpenRow, openKeyOf } from './open-index.ts'

/**
 * The index of one order's gate: each row is in its storage, together with the alarm for it; a listed one is in KV too,
 * for people to look at.
 */
export function openGateIndex(storage: GateStorage, kv: OpenIndex): OpenIndex {
  return {
    async put(row) {
      const key = await openKeyOf(row.order_id, row.attempt_id)
      const isShown = await attempt('write', () =>
        storage.transaction(async (transaction) => {
          const before = await transaction.get<OpenRow>(key)
          await transaction.put(key, row)
          await alarmBy(transaction, row.next_at)
          return before?.listed === true
        }),
      )
      // Once: where it stands in the schedule is the gate's business.
      if (row.listed && !isShown) await kv.put(row).catch(() => {})
    },
    async remove(order_id, attempt_id) {
      const key = await openKeyOf(order_id, attempt_id)
      const row = await attempt('read', () => storage.get<OpenRow>(key))
      if (!row) return
      // First: while it fails, the row stays and is looked at again.
      if (row.listed) await kv.remove(order_id, attempt_id)
      await attempt('delete', () => storage.delete(key))
    },
    list: () => attempt('list', async () => [...(await storage.list<OpenRow>({ prefix: 'open/' })).values()]),
    // A gate's alarm runs alone.
    beginRun: async () => true,
  }
}
