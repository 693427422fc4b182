import type { DurableStorage } from '../till/database.ts'

// The part of Cloudflare's bindings that the shop uses. The types of wrangler fit these, and no package is needed for
// them.

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
export interface ObjectNamespace {
  idFromName(name: string): unknown
  get(id: never): { fetch(url: string, init: { method: string; body: string }): Promise<{ json(): Promise<unknown> }> }
}

/** The part of a Durable Object's state that the shop uses. */
export interface ObjectState {
  readonly storage: DurableStorage & { readonly sql: { readonly databaseSize: number } }
}

/** Keeps the runtime going for work that no response waits for. */
export type WaitUntil = (work: Promise<unknown>) => void
