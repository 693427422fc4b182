// A table of the shop's own database that replaces KV.

import type { KvStore, Row } from '../kv/kv.ts'
import type { Scope } from '../scope.ts'
import { query } from '../tables.ts'

/** Keeps strays, and alerts about no order, in `edgetill_kept`. */
export function tableStore(scope: Scope): KvStore {
  const isKept = '(expires_at IS NULL OR expires_at > ?)'
  const read = async (prefix: string, limit: number, after: string) => {
    const sql = `SELECT key, metadata FROM edgetill_kept WHERE key > ? AND key < ? AND ${isKept} ORDER BY key LIMIT ${limit}`
    const rows = await query(scope, sql, after, `${prefix}\uffff`, scope.now())
    return rows.map(({ key, metadata }): Row => ({ key: String(key), metadata: JSON.parse(String(metadata)) }))
  }
  const store: KvStore = {
    async get(key) {
      const [row] = await query(scope, `SELECT value FROM edgetill_kept WHERE key = ? AND ${isKept}`, key, scope.now())
      return row && JSON.parse(String(row.value))
    },
    async put(key, value, metadata = {}, ttlSeconds) {
      await query(scope, 'DELETE FROM edgetill_kept WHERE expires_at <= ?', scope.now())
      const sql = `INSERT INTO edgetill_kept (key, value, metadata, expires_at) VALUES (?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET
        value = excluded.value, metadata = excluded.metadata, expires_at = excluded.expires_at`
      const expires_at = ttlSeconds === undefined ? null : scope.now() + ttlSeconds * 1000
      await query(scope, sql, key, JSON.stringify(value), JSON.stringify(metadata), expires_at)
    },
    delete: async (key) => void (await query(scope, 'DELETE FROM edgetill_kept WHERE key = ?', key)),
    list: (prefix) => read(prefix, 1_000_000, prefix),
    async page(prefix, limit, cursor = prefix) {
      const rows = await read(prefix, limit, cursor)
      return { rows, cursor: rows.length < limit ? undefined : rows.at(-1)?.key }
    },
  }
  return store
}
