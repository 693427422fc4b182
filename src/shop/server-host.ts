// A shop on a server: everything is in its database.

import type { TillDatabase } from '../till/database.ts'
import { sharedTries } from './engine/shared-tries.ts'
import { tableStore } from './engine/table-store.ts'
import type { Host, Scope } from './scope.ts'

/** The headers with which proxies name the client. */
const FORWARDED = ['x-forwarded-for', 'forwarded', 'x-real-ip']
const WARNING = 'Requests come through a proxy: set trust to the header with the client’s address.'

/** These tables replace KV, and the memory of an isolate. */
const TABLES = `;
  CREATE TABLE edgetill_kept (key TEXT PRIMARY KEY, value text NOT NULL, metadata text NOT NULL, expires_at bigint);
  CREATE TABLE edgetill_guess (address text NOT NULL, at bigint NOT NULL);
  CREATE INDEX edgetill_guess_of ON edgetill_guess (address, at);
  CREATE INDEX edgetill_guess_at ON edgetill_guess (at)`

export interface ServerHost extends Host {
  /** Notes where a request comes from. @param address Of the connection. */
  note(request: Request, address: string | undefined): void
}

/** @param open Opens the surroundings of work that belongs to no request. */
export function serverHost(database: TillDatabase, trust: string | undefined, open: () => Scope): ServerHost {
  const addresses = new WeakMap<Request, string | undefined>()
  return {
    without: () => ['STATE', 'TILL'],
    openDatabase: () => database,
    openKv: tableStore,
    hasCopies: false,
    tables: TABLES,
    addressOf: (request) => addresses.get(request),
    createTries: () => sharedTries(open),
    warningOf: ({ headers }) =>
      trust === undefined && FORWARDED.some((name) => headers.has(name)) ? WARNING : undefined,
    note(request, address) {
      const named = trust === undefined ? address : request.headers.get(trust)?.split(',').at(-1)?.trim()
      addresses.set(request, named || undefined)
    },
  }
}
