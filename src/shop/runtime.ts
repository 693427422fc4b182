// The part of Cloudflare's bindings that the shop uses. The types of wrangler fit these, and no package is needed for them.

/** The part of a Workers KV namespace that the shop uses. */
export interface KvNamespace {
  get(key: string): Promise<string | null>
  put(key: string, value: string, options?: { metadata?: unknown; expirationTtl?: number }): Promise<void>
  delete(key: string): Promise<void>
  list(options?: {
    prefix?: string
    limit?: number
    cursor?: string
  }): Promise<{ keys: { name: string; metadata?: unknown }[]; list_complete: boolean; cursor?: string }>
}

/** The part of a Durable Object namespace that the shop uses. */
export interface GateNamespace {
  idFromName(name: string): unknown
  get(id: never): { fetch(url: string, init: { method: string; body: string }): Promise<{ json(): Promise<unknown> }> }
}

/** The part of a Durable Object's state that a gate uses. */
export interface GateState {
  storage: GateStorage
  waitUntil(work: Promise<unknown>): void
}

/** A value that SQLite stores. */
export type SqlValue = string | number | null

/** The rows of a query. */
export interface SqlCursor<T> extends Iterable<T> {
  toArray(): T[]
  readonly rowsRead: number
  readonly rowsWritten: number
}

/** The storage of one object: SQLite, and its one alarm. Statements without an `await` between them are one write. */
export interface GateStorage {
  sql: { exec(query: string, ...bindings: SqlValue[]): SqlCursor<Record<string, unknown>> }
  transactionSync<T>(work: () => T): T
  sync(): Promise<void>
  getAlarm(): Promise<number | null>
  setAlarm(time: number): Promise<void>
  deleteAlarm(): Promise<void>
}

/** Keeps the runtime going for work that no response waits for. */
export type WaitUntil = (work: Promise<unknown>) => void
