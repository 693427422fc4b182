import type { GateStorage } from './alarm.ts'
import { putTask } from './gate-tasks.ts'
import { attempt, type KvStore, type Row } from './kv.ts'

/** How a row is kept in the gate's storage. */
interface OwnRow {
  value?: unknown
  metadata?: unknown
}

/** What must be looked at and changed in one step. Everything else goes to KV directly. */
const OWN = /^(event|checkout|intent|status|asked|alert|revoked|closed)\//
/** What an earlier worker without a gate may have written to KV. */
const SHARED = /^(event|checkout|intent|status|revoked|closed)\//
/** What is also written to KV, so that people, and a worker without a gate, see it. */
const COPIED = /^(checkout|revoked|closed)\//
/**
 * The {@link KvStore} of one order's gate, over its consistent storage. Events are written to KV first, which stays
 * their store of record; of them the gate keeps what the fold needs. What KV knows from before the gate is read once.
 */
export function openGateStore(storage: GateStorage, kv: KvStore, now: () => number): KvStore {
  const own = (key: string): Promise<OwnRow | undefined> => attempt('read', () => storage.get<OwnRow>(key))
  const putOwn = (rows: Record<string, OwnRow>): Promise<void> => attempt('write', () => storage.put(rows))

  async function rowsOf(prefix: string): Promise<Row[]> {
    const rows = await attempt('list', () => storage.list<OwnRow>({ prefix }))
    return [...rows].map(([key, { metadata = null }]) => ({ key, metadata }))
  }

  return {
    async get(key) {
      if (!OWN.test(key)) return kv.get(key)
      // Of an event KV has the whole value.
      if (key.startsWith('event/')) return (await kv.get(key)) ?? (await own(key))?.value
      return (await own(key))?.value ?? (SHARED.test(key) ? kv.get(key) : undefined)
    },
    async put(key, value, metadata, ttlSeconds, inKvFirst) {
      if (!OWN.test(key)) return kv.put(key, value, metadata, ttlSeconds)
      if (key.startsWith('event/')) {
        await kv.put(key, value, metadata, ttlSeconds)
        const { summary } = value as { summary?: unknown }
        return putOwn({ [key]: { metadata, ...(summary !== undefined && { value: { summary } }) } })
      }
      // What an earlier worker wrote must not outlive what is erased here.
      const isCopied = COPIED.test(key) || (inKvFirst && (await kv.get(key)) !== undefined)
      const copied = isCopied && (() => kv.put(key, value, metadata, ttlSeconds))
      if (copied && inKvFirst) await copied()
      const row: OwnRow = { value, ...(metadata && { metadata }) }
      if (ttlSeconds === undefined) await putOwn({ [key]: row })
      else await putTask(storage, { kind: 'delete', name: key, next_at: now() + ttlSeconds * 1000 }, { [key]: row })
      // The copy is for people to look at: the gate goes by its own.
      if (copied && !inKvFirst) await copied().catch(() => {})
    },
    async delete(key) {
      if (OWN.test(key)) await attempt('delete', () => storage.delete(key))
      if (!OWN.test(key) || SHARED.test(key)) await kv.delete(key)
    },
    async list(prefix) {
      if (!OWN.test(prefix)) return kv.list(prefix)
      const marker = `read/${prefix}`
      if (SHARED.test(prefix) && (await own(marker)) === undefined) {
        const rows = await kv.list(prefix)
        const present = new Set((await rowsOf(prefix)).map(({ key }) => key))
        const missing = rows.filter(({ key }) => !present.has(key))
        const entries = missing.map(({ key, metadata }): [string, OwnRow] => [key, { metadata }])
        // A Durable Object takes 128 keys at a time.
        for (let i = 0; i < entries.length; i += 100) await putOwn(Object.fromEntries(entries.slice(i, i + 100)))
        await putOwn({ [marker]: {} })
      }
      return rowsOf(prefix)
    },
    page: (prefix, limit, cursor) => kv.page(prefix, limit, cursor),
  }
}
