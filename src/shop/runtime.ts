// What the shop uses of Cloudflare's bindings. The types of wrangler fit these, and no package is needed for them.

/** The part of a Workers KV namespace that the shop uses. */
export interface KvNamespace {
  get(key: string): Promise<string | null>
  put(key: string, value: string, options?: { metadata?: unknown; expirationTtl?: number }): Promise<void>
  delete(key: string): Promise<void>
  list(options?: { prefix?: string; limit?: number; cursor?: string }): Promise<KvPage>
}

interface KvPage {
  keys: { name: string; metadata?: unknown }[]
  list_complete: boolean
  cursor?: string
}

/** The part of a Durable Object namespace that the shop uses. */
export interface GateNamespace {
  idFromName(name: string): unknown
  get(id: never): GateStub
}

/** One object of a {@link GateNamespace}. */
interface GateStub {
  fetch(url: string, init: { method: string; body: string }): Promise<{ json(): Promise<unknown> }>
}

/** The part of a Durable Object's state that a gate uses. */
export interface GateState {
  storage: GateStorage
  waitUntil(work: Promise<unknown>): void
}

/** What a gate does in one step, or outside of one. */
export interface GateTransaction {
  get<T = unknown>(key: string): Promise<T | undefined>
  put(key: string, value: unknown): Promise<void>
  put(rows: Record<string, unknown>): Promise<void>
  delete(key: string): Promise<boolean>
  list<T = unknown>(options: { prefix: string }): Promise<Map<string, T>>
  getAlarm(): Promise<number | null>
  setAlarm(time: number): Promise<void>
  deleteAlarm(): Promise<void>
}

/** The storage of one order's gate. */
export interface GateStorage extends GateTransaction {
  transaction<T>(work: (transaction: GateTransaction) => Promise<T>): Promise<T>
  sync(): Promise<void>
}

/** Keeps the runtime going for work that no response waits for. */
export type WaitUntil = (work: Promise<unknown>) => void
