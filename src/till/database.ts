import { ConfigError } from '../errors.ts'

/** A value of a statement. */
export type SqlValue = string | number | null

/** A statement, and a value for each `?` in it. */
export type SqlStatement = readonly [sql: string, values: readonly SqlValue[]]

/**
 * A database for the till, which `sqlite`, `postgres` and `d1` make from a driver; guides/till.md shows how to write
 * your own.
 */
export interface TillDatabase {
  /** SQL for the database's time in milliseconds since 1970, which all processes share. */
  readonly clock: string
  /**
   * Runs one statement, never inside a transaction: a rollback would lose the row after the money has moved. It is
   * durable when the promise resolves. Each `?` of `sql` is the next of `values`. A write returns a row for each
   * changed row.
   */
  run(sql: string, values: readonly SqlValue[]): Promise<readonly Record<string, unknown>[]>
  /**
   * Runs statements in turn, all or none, in their own transaction. Without it they run separately, and a list repeats
   * an order's last statements if the process died between them.
   */
  batch?(statements: readonly SqlStatement[]): Promise<readonly (readonly Record<string, unknown>[])[]>
  /**
   * After how many milliseconds an operation that the service does not list counts as not made, at least 120,000.
   * Default 600,000, as one of several processes may have been paused just before its call.
   */
  readonly absentAfterMs?: number | undefined
}

/** A database of node:sqlite, bun:sqlite or better-sqlite3, which returns rows only from a `reader`. */
export interface SqliteHandle extends Partial<Readonly<Record<'isTransaction' | 'inTransaction', boolean>>> {
  exec(sql: string): unknown
  prepare(sql: string): { all(...values: SqlValue[]): unknown[]; run(...values: SqlValue[]): unknown; reader?: boolean }
}

/** The part of postgres.js or Bun's `SQL` that runs a statement. */
export type Sql = { unsafe(sql: string, values?: never): PromiseLike<unknown>; release?: unknown }
/** The part of a connection of `pg` that runs a statement. */
export type PgClient = {
  query(sql: string, values?: SqlValue[]): Promise<{ rows: unknown[] }>
  release(destroy?: boolean): void
  on?(event: 'error', listener: () => void): unknown
  off?(event: 'error', listener: () => void): unknown
}

/** The result of `postgres(url)` of the package `postgres` (or Bun's `SQL`), or a `Pool` of `pg` 8.23 or newer. */
export type PostgresHandle =
  | (Sql & { begin: unknown; reserve(): PromiseLike<Sql & { release(): unknown }> })
  | { connect(): Promise<PgClient>; totalCount: number }

/** A statement of D1 with its values. */
export type D1Statement = { all(): Promise<{ results: unknown[] }> }
/** A D1 binding of a Worker. */
export interface D1Handle {
  prepare(sql: string): { bind(...values: SqlValue[]): D1Statement }
  batch(statements: D1Statement[]): Promise<{ results: unknown[] }[]>
}

/** The storage of a Durable Object with SQLite: `ctx.storage`. */
export interface DurableStorage {
  readonly sql: { exec(sql: string, ...values: SqlValue[]): { toArray(): unknown[] } }
  sync(): Promise<unknown>
  transactionSync<T>(work: () => T): T
}

/** The time of a SQLite database, as SQL. */
export const SQLITE_CLOCK = "CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER)"
const IN_TRANSACTION = 'Inside a transaction a rollback would lose the rows of the till: use another handle.'
const CANNOT_SAY = 'does not say whether a transaction is open: a rollback would lose the rows of the till.'
const wrong = (message: string): ConfigError => new ConfigError('database', message)

/**
 * A SQLite file, opened by node:sqlite (Node 22.16, Deno), bun:sqlite or better-sqlite3. Several processes may open it:
 * each waits up to five seconds for another. Each write is on disk before the call goes out (`synchronous = FULL`).
 * @throws {ConfigError} for another object, and for a handle without `isTransaction` or `inTransaction`, such as that
 *   of Node 22.15; here and at each statement, while a transaction is open.
 * @example
 * import { sqlite } from 'edgetill/till'
 * const database = (file: Parameters<typeof sqlite>[0]) => sqlite(file) // new DatabaseSync('shop.db')
 */
export function sqlite(handle: SqliteHandle): TillDatabase {
  if (typeof handle?.prepare !== 'function')
    throw wrong('sqlite() takes a database of node:sqlite, bun:sqlite or better-sqlite3.')
  const outside = () => {
    const isInside = handle.isTransaction ?? handle.inTransaction
    if (isInside === undefined) throw wrong(`This handle ${CANNOT_SAY} node:sqlite does from Node 22.16 on.`)
    if (isInside) throw wrong(IN_TRANSACTION)
    return handle
  }
  outside().exec('PRAGMA busy_timeout = 5000; PRAGMA synchronous = FULL')
  const rowsOf = ([sql, values]: SqlStatement) => {
    const statement = handle.prepare(sql)
    return (statement.reader === false ? [statement.run(...values)] : statement.all(...values)) as never
  }
  return {
    clock: SQLITE_CLOCK,
    async run(sql, values) {
      outside()
      return rowsOf([sql, values])
    },
    // Without an await, no other statement of this process comes between.
    async batch(statements) {
      outside().exec('BEGIN IMMEDIATE')
      try {
        const rows = statements.map(rowsOf)
        handle.exec('COMMIT')
        return rows
      } catch (error) {
        // After some errors SQLite has rolled back already.
        if (handle.isTransaction ?? handle.inTransaction) handle.exec('ROLLBACK')
        throw error
      }
    },
  }
}

/**
 * A Postgres database. Your code may leave a connection of the pool inside a transaction, and no driver resets it: each
 * write ends such a transaction first.
 * @throws {ConfigError} for a handle that may be inside a transaction: a `Client` of `pg`, or the argument of
 *   `sql.begin`; for `fetch_types: false` of postgres.js, which then never reserves a connection; at each statement for
 *   a `Pool` of `pg` before 8.23, which does not show its transaction.
 * @example
 * import { postgres } from 'edgetill/till'
 * const database = (sql: Parameters<typeof postgres>[0]) => postgres(sql)
 */
export function postgres(handle: PostgresHandle): TillDatabase {
  const { begin, reserve, savepoint, release, totalCount, options } = Object(handle)
  const isSql = begin && reserve && !savepoint && !release
  if (!isSql && totalCount === undefined)
    throw wrong(`postgres() takes what postgres(url) returned, or a Pool of pg. ${IN_TRANSACTION}`)
  if (options?.fetch_types === false)
    throw wrong('Leave out fetch_types: false: with it, reserve() of postgres.js never returns on a new connection.')
  /** Reserves a connection, and discards it after a failure. */
  const connected = async <T>(work: (connection: Connection) => Promise<T>): Promise<T> => {
    const connection: Connection = 'connect' in handle ? await handle.connect() : await handle.reserve()
    let isBroken = true
    // A connection that Postgres closes emits an error, which ends a process without a listener. The query rejects as
    // well.
    const client = connection as PgClient
    client.on?.('error', ignore)
    try {
      const result = await work(connection)
      isBroken = false
      client.off?.('error', ignore)
      return result
    } finally {
      connection.release(isBroken)
    }
  }
  return {
    clock: 'CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint)',
    async run(sql, values) {
      const text = numbered(sql)
      // A read may run inside an open transaction: rolling that back loses nothing.
      if ('unsafe' in handle && sql.startsWith('SELECT')) return (await handle.unsafe(text, values as never)) as never
      return connected(async (connection) => (await runOutside(connection, [[text, values]]))[0] as never)
    },
    batch: (statements) =>
      connected((connection) => {
        const inner = statements.map(([sql, values]) => [numbered(sql), values] as const)
        return runOutside(connection, [['BEGIN', []], ...inner, ['COMMIT', []]], inner.length)
      }),
  }
}

const ignore = (): void => {}

type Connection = PgClient | (Sql & Pick<PgClient, 'release'>)

function numbered(sql: string): string {
  let n = 0
  return sql.replaceAll('?', () => `$${++n}`)
}

/**
 * Runs statements, over postgres.js in one round trip, and first ends a transaction that was left open on the
 * connection.
 * @param count How many statements follow a BEGIN. @returns Their rows.
 */
async function runOutside(
  connection: PgClient | Sql,
  statements: readonly SqlStatement[],
  count?: number,
): Promise<(readonly Record<string, unknown>[])[]> {
  const [from, to] = count === undefined ? [0, 1] : [1, count + 1]
  if ('query' in connection) {
    const { getTransactionStatus } = connection as { getTransactionStatus?: () => string }
    if (!getTransactionStatus) throw wrong(`This Pool ${CANNOT_SAY} pg says it from 8.23 on.`)
    if (getTransactionStatus.call(connection) !== 'I') await connection.query('ROLLBACK')
    const all: unknown[][] = []
    // In turn: pg warns of a query that is sent while another runs.
    for (const [sql, values] of statements) all.push((await connection.query(sql, [...values])).rows)
    return all.slice(from, to) as never
  }
  const send = ([sql, values]: SqlStatement) => connection.unsafe(sql, values as never)
  // A local setting ends with its transaction: if a later statement sees it, a transaction is open. A batch must then
  // fail, since its COMMIT would commit that transaction.
  const seen = `current_setting('edgetill.call', true)`
  const check = count === undefined ? seen : `1 / (CASE ${seen} WHEN 'inside' THEN 0 ELSE 1 END)`
  const probe: SqlStatement[] = [
    [`SELECT set_config('edgetill.call', 'inside', true)`, []],
    [`SELECT ${check} AS call, clock_timestamp()`, []],
  ]
  const inside = [0, [{ call: 'inside' }]]
  // 25P02: the transaction has failed. 22012: the check has made it fail.
  const sent = await settled([...probe, ...statements].map(send)).catch((error) =>
    /25P02|22012/.test(error.code) ? inside : Promise.reject(error),
  )
  const [, [{ call }], ...rows] = sent as [unknown, [{ call: unknown }], ...unknown[]]
  if (call !== 'inside') return rows.slice(from, to) as never
  await send(['ROLLBACK', []])
  return (await settled(statements.map(send))).slice(from, to) as never
}

/** Waits for every promise. @throws The first error. */
async function settled(all: readonly PromiseLike<unknown>[]): Promise<unknown[]> {
  await Promise.allSettled(all)
  return Promise.all(all)
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
    const { results } = await handle
      .prepare(sql)
      .bind(...values)
      .all()
    return results as never
  },
  async batch(statements) {
    const all = await handle.batch(statements.map(([sql, values]) => handle.prepare(sql).bind(...values)))
    return all.map(({ results }) => results) as never
  },
})

/**
 * The SQLite of a Durable Object, for a till inside the object. Each write is flushed before the next step. An absence
 * counts after two minutes: no other process can be about to send a call.
 * @param options `now`: a clock for tests, in milliseconds since 1970. Default: the database's.
 * @example
 * import { durable } from 'edgetill/till'
 * const database = (ctx: { storage: Parameters<typeof durable>[0] }) => durable(ctx.storage)
 */
export const durable = (storage: DurableStorage, { now }: { now?: (() => number) | undefined } = {}): TillDatabase => ({
  get clock() {
    return now ? String(Math.floor(now())) : SQLITE_CLOCK
  },
  absentAfterMs: 120_000,
  async run(sql, values) {
    const rows = storage.sql.exec(sql, ...values).toArray()
    if (!sql.startsWith('SELECT')) await storage.sync()
    return rows as never
  },
  async batch(statements) {
    const all = storage.transactionSync(() =>
      statements.map(([sql, values]) => storage.sql.exec(sql, ...values).toArray()),
    )
    await storage.sync()
    return all as never
  },
})
