import type { GateStorage } from '../runtime.ts'
import { orStorageError, type Row } from './kv.ts'

/** How a row is kept in a gate's storage. */
interface Kept {
  value?: unknown
  metadata?: unknown
  /** Milliseconds since 1970 from which the row counts as absent. */
  expires_at?: number
}

/** The rows of one order, in its gate: consistent, and seen by nobody else. */
export interface OrderStore {
  get(key: string): Promise<unknown>
  /** @param ttlSeconds After this long the row counts as absent. */
  put(key: string, value: unknown, metadata?: object, ttlSeconds?: number): Promise<void>
  /** The rows under a prefix, in byte order of their keys. */
  list(prefix: string): Promise<(Row & { value: unknown })[]>
}

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
      return [...rows].map(([key, { value, metadata = null }]) => ({ key, value, metadata }))
    },
  }
}
