import { orStorageError } from '../lib/storage-error.ts'
import type { KvNamespace } from '../runtime.ts'

export interface Row {
  key: string
  metadata: unknown
}

/** KV as the store uses it: JSON values, whole listings, and one kind of error. */
export interface KvStore {
  get(key: string): Promise<unknown>
  put(key: string, value: unknown, metadata?: object, ttlSeconds?: number): Promise<void>
  delete(key: string): Promise<void>
  /** Every key under a prefix, in byte order: a call returns up to 1,000 keys. */
  list(prefix: string): Promise<Row[]>
  /** One page of keys, empty only at the end. `cursor` is undefined at the end. */
  page(prefix: string, limit: number, cursor?: string): Promise<{ rows: Row[]; cursor: string | undefined }>
}

/** KV's limit for metadata, in bytes of its JSON. */
const METADATA_BYTES = 1024

export function fitsMetadata(metadata: object): boolean {
  return new TextEncoder().encode(JSON.stringify(metadata)).length <= METADATA_BYTES
}

export function openKvStore(kv: KvNamespace): KvStore {
  const store: KvStore = {
    get: (key) => orStorageError('read', async () => parse(await kv.get(key))),
    put: (key, value, metadata, ttlSeconds) =>
      orStorageError('write', () =>
        kv.put(key, JSON.stringify(value), {
          ...(metadata && { metadata }),
          ...(ttlSeconds !== undefined && { expirationTtl: ttlSeconds }),
        }),
      ),
    delete: (key) => orStorageError('delete', () => kv.delete(key)),
    async list(prefix) {
      const rows: Row[] = []
      let cursor: string | undefined
      do {
        const page = await store.page(prefix, 1000, cursor)
        rows.push(...page.rows)
        cursor = page.cursor
      } while (cursor !== undefined)
      return rows
    },
    page: (prefix, limit, from) =>
      orStorageError('list', async () => {
        let cursor = from
        for (;;) {
          const page = await kv.list({ prefix, limit, ...(cursor !== undefined && { cursor }) })
          const rows = page.keys.map(({ name, metadata }) => ({ key: name, metadata }))
          cursor = page.list_complete ? undefined : page.cursor
          // An empty page is not the end: only list_complete marks it.
          if (rows.length > 0 || cursor === undefined) return { rows, cursor }
        }
      }),
  }
  return store
}

// A value that was written by hand and is not JSON counts as absent; it is not ours.
function parse(text: string | null): unknown {
  if (text === null) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
