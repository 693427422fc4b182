// The tables of a shop beside those of its till, in the same database: links, acts, alerts, and queues for copying and
// erasing.

import type { SqlStatement, SqlValue } from '../till/database.ts'
import { makeTables, run, runAll } from '../till/store.ts'
import type { Scope } from './scope.ts'

/** A row of a table of the shop. Postgres may return a 64-bit integer as text. */
export type Row = Record<string, SqlValue>

/** SQL of both SQLite and Postgres. Times are milliseconds since 1970. A `TEXT` is compared by its bytes. */
const TABLES = `
  CREATE TABLE edgetill_link (short TEXT PRIMARY KEY, id text NOT NULL, order_id TEXT NOT NULL, amount bigint NOT NULL, currency text NOT NULL,
    description text, customer_name text, token text, created_at bigint NOT NULL, expires_at bigint NOT NULL, revoked_at bigint,
    made_by text NOT NULL, nonce TEXT, max_orders integer, max_per_hour integer);
  CREATE INDEX edgetill_link_created ON edgetill_link (created_at, short);
  CREATE INDEX edgetill_link_order ON edgetill_link (order_id);
  CREATE INDEX edgetill_link_kept ON edgetill_link (created_at) WHERE token IS NOT NULL;
  CREATE UNIQUE INDEX edgetill_link_nonce ON edgetill_link (nonce) WHERE nonce IS NOT NULL;
  CREATE INDEX edgetill_link_over ON edgetill_link (coalesce(revoked_at, expires_at)) WHERE nonce IS NOT NULL;
  CREATE TABLE edgetill_reuse (nonce TEXT NOT NULL, number integer NOT NULL, order_id TEXT NOT NULL, visitor text NOT NULL, at bigint NOT NULL,
    failed text NOT NULL, is_given integer NOT NULL, sold integer NOT NULL, next_at bigint, PRIMARY KEY (nonce, number));
  CREATE INDEX edgetill_reuse_order ON edgetill_reuse (order_id);
  CREATE INDEX edgetill_reuse_at ON edgetill_reuse (nonce, at);
  CREATE INDEX edgetill_reuse_visitor ON edgetill_reuse (nonce, visitor, number);
  CREATE INDEX edgetill_reuse_open ON edgetill_reuse (nonce, next_at) WHERE next_at IS NOT NULL;
  CREATE TABLE edgetill_revoked (nonce TEXT PRIMARY KEY, order_id TEXT NOT NULL, expires_at bigint NOT NULL, at bigint NOT NULL, next_at bigint);
  CREATE INDEX edgetill_revoked_due ON edgetill_revoked (next_at) WHERE next_at IS NOT NULL;
  CREATE TABLE edgetill_act (id TEXT PRIMARY KEY, at bigint NOT NULL, order_id TEXT NOT NULL, entry text NOT NULL);
  CREATE INDEX edgetill_act_at ON edgetill_act (at, id);
  CREATE INDEX edgetill_act_order ON edgetill_act (order_id, at);
  CREATE TABLE edgetill_alert (id TEXT PRIMARY KEY, at bigint NOT NULL);
  CREATE TABLE edgetill_done (order_id TEXT NOT NULL, item TEXT NOT NULL, bit integer NOT NULL, number bigint NOT NULL,
    PRIMARY KEY (order_id, item));
  CREATE TABLE edgetill_matter (id TEXT PRIMARY KEY, at bigint NOT NULL, is_done integer NOT NULL, matter text NOT NULL);
  CREATE INDEX edgetill_matter_open ON edgetill_matter (at) WHERE is_done = 0;
  CREATE TABLE edgetill_copy (order_id TEXT PRIMARY KEY, written_at bigint NOT NULL, due_at bigint, reported bigint NOT NULL);
  CREATE INDEX edgetill_copy_due ON edgetill_copy (due_at) WHERE due_at IS NOT NULL;
  CREATE TABLE edgetill_erasure (order_id TEXT PRIMARY KEY, before_at bigint NOT NULL, next_at bigint NOT NULL, place TEXT NOT NULL);
  CREATE INDEX edgetill_erasure_due ON edgetill_erasure (next_at);
  CREATE TABLE edgetill_session (id TEXT PRIMARY KEY, until bigint NOT NULL)`

/** The beginning of the ids in `edgetill_matter` that end with the order_id of a rejected payment's link. */
export const REJECTED = 'rejected '

/** Makes the tables of the shop, after those of its till. @param more The tables of its host. */
export const makeShopTables = (scope: Pick<Scope, 'till'>, more = ''): Promise<void> =>
  makeTables(scope.till, TABLES + more)

/** Runs a statement. */
export const query = (scope: Pick<Scope, 'till'>, sql: string, ...values: SqlValue[]): Promise<readonly Row[]> =>
  run<Row>(scope.till, sql, ...values)

/** Runs statements in turn, all or none. @returns The rows of each. */
export const queryAll = (
  scope: Pick<Scope, 'till'>,
  statements: readonly SqlStatement[],
): Promise<readonly (readonly Row[])[]> => runAll(scope.till, statements) as Promise<(readonly Row[])[]>

/** Whether this call is the first with its name within `ms`, in the whole shop. A first call is noted. */
export async function isFirst(scope: Scope, name: string, ms: number): Promise<boolean> {
  const now = scope.now()
  const sql = `INSERT INTO edgetill_alert (id, at) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET at = excluded.at
    WHERE edgetill_alert.at <= ? RETURNING id`
  return (await query(scope, sql, name, now, now - ms)).length > 0
}
