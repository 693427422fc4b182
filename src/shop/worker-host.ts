// A shop on Cloudflare: KV, and one Durable Object with the database unless the shop has its own.

import { openKvStore } from './kv/kv.ts'
import { createTries } from './lib/tries.ts'
import { objectDatabase } from './object.ts'
import type { Host } from './scope.ts'

export const WORKER: Host = {
  without: ({ database }) => (database ? ['TILL'] : []),
  openDatabase: ({ database }, env, clock) => database?.(env) ?? objectDatabase(env, clock),
  openKv: ({ env }) => openKvStore(env.STATE),
  hasCopies: true,
  addressOf: (request) => request.headers.get('cf-connecting-ip') ?? undefined,
  createTries,
}
