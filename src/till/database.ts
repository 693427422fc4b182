import { ConfigError } from '../errors.ts'

/** A value of a statement. */
export type SqlValue = string | number | null

/** The part of a database that the till needs: `sqlite`, `postgres` and `d1` make one of a driver, guides/till.md shows another one. */
export interface TillDatabase {
  /** SQL for the database's time in milliseconds since 1970, which all processes share. */
  readonly clock: string
  /**
   * Runs one statement, never inside a transaction: a rollback would lose the row after the money has moved. It is durable when the
   * promise resolves. Each `?` of `sql` is the next one of `values`. A write returns a row for each row that it changed.
   */
  run(sql: string, values: readonly SqlValue[]): Promise<readonly Record<string, unknown>[]>
}

/** A database of node:sqlite, bun:sqlite or better-sqlite3, which returns rows from a `reader` alone. */
export interface SqliteHandle extends Partial<Readonly<Record<'isTransaction' | 'inTransaction', boolean>>> {
  exec(sql: string): unknown
  prepare(sql: string): { all(...values: SqlValue[]): unknown[]; run(...values: SqlValue[]): unknown; reader?: boolean }
}

/** The result of `postgres(url)` of the package `postgres` (or Bun's `SQL`) returns, or a `Pool` of `pg`. */
export type PostgresHandle =
  | { unsafe(sql: string, values?: never): PromiseLike<unknown>; begin: unknown }
  | { query(sql: string, values: SqlValue[]): Promise<{ rows: unknown[] }>; totalCount: number }

/** A D1 binding of a Worker. */
export interface D1Handle {
  prepare(sql: string): { bind(...values: SqlValue[]): { all(): Promise<{ results: unknown[] }> } }
}

const SQLITE_CLOCK = "CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER)"
const IN_TRANSACTION = 'Inside a transaction a rollback would lose what the till has written: use another handle.'
const wrong = (message: string): ConfigError => new ConfigError('database', message)

/**
 * A SQLite file, opened by node:sqlite (Node 22.13, Deno), bun:sqlite or better-sqlite3. Several processes may open it: one waits up to
 * five seconds for another. Each write is on disk before the call goes out (`synchronous = FULL`).
 * @throws {ConfigError} for another object; here and at each statement, while a transaction is open.
 * @example
 * import { sqlite } from 'edgetill/till'
 * const database = (file: Parameters<typeof sqlite>[0]) => sqlite(file) // new DatabaseSync('shop.db')
 */
export function sqlite(handle: SqliteHandle): TillDatabase {
  if (typeof handle?.prepare !== 'function')
    throw wrong('sqlite() takes a database of node:sqlite, bun:sqlite or better-sqlite3.')
  const outside = () => {
    if (handle.isTransaction ?? handle.inTransaction) throw wrong(IN_TRANSACTION)
    return handle
  }
  outside().exec('PRAGMA busy_timeout = 5000; PRAGMA synchronous = FULL')
  return {
    clock: SQLITE_CLOCK,
    async run(sql, values) {
      const statement = outside().prepare(sql)
      return (statement.reader === false ? [statement.run(...values)] : statement.all(...values)) as never
    },
  }
}

/**
 * A Postgres database.
 * @throws {ConfigError} for what may be inside a transaction: what `sql.begin` and `sql.reserve` pass on, a `Client` of `pg`.
 * @example
 * import { postgres } from 'edgetill/till'
 * const database = (sql: Parameters<typeof postgres>[0]) => postgres(sql)
 */
export function postgres(handle: PostgresHandle): TillDatabase {
  const isSql = 'begin' in handle && !('savepoint' in handle || 'release' in handle)
  if (!isSql && !('totalCount' in handle))
    throw wrong(`postgres() takes what postgres(url) returned, or a Pool of pg. ${IN_TRANSACTION}`)
  return {
    clock: 'CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint)',
    async run(sql, values) {
      let n = 0
      const text = sql.replaceAll('?', () => `$${++n}`)
      if ('unsafe' in handle) return (await handle.unsafe(text, values as never)) as never
      return (await handle.query(text, [...values])).rows as never
    },
  }
}

/**
 * A D1 database of a Worker.
 * @example
 * import { d1 } from 'edgetill/till'
 * const database = (env: { DB: Parameters<typeof d1>[0] }) => d1(env.DB)
 */
export const d1 = (handle: D1Handle): TillDatabase => ({
  clock: SQLITE_CLOCK,
  async run(sql, values) {
    const statement = handle.prepare(sql).bind(...values)
    return (await statement.all()).results as never
  },
})
