import type { GateStorage } from '../runtime.ts'
import { type KvStore, orStorageError } from './kv.ts'

/** How a row is kept in a gate's storage. */
interface Kept {
  value?: unknown
  metadata?: unknown
  /** Milliseconds since 1970 from which the row counts as absent. */
  expires_at?: number
}

/** The rows of one order, in its gate: consistent, and seen by nobody else. */
export type OrderStore = Pick<KvStore, 'get' | 'put' | 'list'>

export function openOrderStore(storage: GateStorage, now: () => number): OrderStore {
  return {
    async get(key) {
      const { value, expires_at = Number.POSITIVE_INFINITY } =
        (await orStorageError('read', () => storage.get<Kept>(key))) ?? {}
      return now() < expires_at ? value : undefined
    },
    async put(key, value, metadata, ttlSeconds) {
      const expires = ttlSeconds !== undefined && { expires_at: now() + ttlSeconds * 1000 }
      await orStorageError('write', () => storage.put(key, { value, ...(metadata && { metadata }), ...expires }))
    },
    async list(prefix) {
      const rows = await orStorageError('list', () => storage.list<Kept>({ prefix }))
      return [...rows].map(([key, { metadata = null }]) => ({ key, metadata }))
    },
  }
}
