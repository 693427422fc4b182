import type { GateStorage } from '../runtime.ts'
import { putTask } from './gate-tasks.ts'
import { type KvStore, orStorageError } from './kv.ts'

/** How a row is kept in a gate's storage. */
interface Kept {
  value?: unknown
  metadata?: unknown
}

/** The rows of one order, in its gate: consistent, and seen by nobody else. */
export type OrderStore = Pick<KvStore, 'get' | 'put' | 'delete' | 'list'>

/** @param now The clock, for rows that are removed after a time. */
export function openOrderStore(storage: GateStorage, now: () => number): OrderStore {
  return {
    get: (key) => orStorageError('read', async () => (await storage.get<Kept>(key))?.value),
    async put(key, value, metadata, ttlSeconds) {
      const rows = { [key]: { value, ...(metadata && { metadata }) } }
      if (ttlSeconds === undefined) await orStorageError('write', () => storage.put(rows))
      else await putTask(storage, { kind: 'delete', name: key, next_at: now() + ttlSeconds * 1000 }, rows)
    },
    delete: (key) => orStorageError('delete', async () => void (await storage.delete(key))),
    async list(prefix) {
      const rows = await orStorageError('list', () => storage.list<Kept>({ prefix }))
      return [...rows].map(([key, { metadata = null }]) => ({ key, metadata }))
    },
  }
}
