// The rows of a till: closed in one database, read out, and loaded into another.

import { ConfigError } from '../errors.ts'
import type { SqlStatement, SqlValue, TillDatabase } from './database.ts'
import { CLOSED, run, runAll } from './store.ts'

/** A row of the log: its table, and its columns. The first is a header; the last, `end`, opens the till. */
export type LogRow = readonly [table: string, row: Readonly<Record<string, SqlValue>>]

/** The rows of a till. */
export interface TillLog {
  /**
   * Closes the till in all processes: it takes no more events, payments or money calls, and no longer calls `onEvent`.
   * @param to The address of the shop that takes its place.
   */
  close(to?: string): Promise<void>
  /** Since when the till has been closed; undefined while it is open. `wait_ms`: until its rows are complete. */
  closed(): Promise<{ at: number; to: string; wait_ms: number } | undefined>
  /**
   * Every row, for `JSON.stringify`. @param after Continues after this row.
   * @throws {ConfigError} until the till has been closed for a minute, in which calls under way end.
   */
  rows(after?: LogRow): AsyncGenerator<LogRow>
  /**
   * Loads rows into a till that is empty or closed, and opens it after the last row. Repeat it after a failure.
   * @returns Whether the till is open.
   * @throws {ConfigError} for a till with orders that is not closed, and for rows of another POS or address.
   */
  load(rows: Iterable<LogRow> | AsyncIterable<LogRow>): Promise<boolean>
}

/** The primary key of each table. */
export type TableKeys = Readonly<Record<string, readonly string[]>>

const TABLES: TableKeys = {
  edgetill_log: ['order_id', 'number'],
  edgetill_order: ['order_id'],
  edgetill_money: ['order_id', 'attempt', 'id'],
}

/** A call has ended, or is never sent, once its row is this old. */
export const CLOSING_MS = 60_000
const [PAGE, BATCH] = [200, 50]

/**
 * Carries a till to another database. Both have been migrated for the same POS and address.
 * @param more Other tables in the same database.
 * @example
 * import { type TillDatabase, tillLog } from 'edgetill/till'
 * async function carry(from: TillDatabase, to: TillDatabase) {
 *   await tillLog(from).close()
 *   await new Promise((resolve) => setTimeout(resolve, 60_000)) // calls under way end
 *   await tillLog(to).load(tillLog(from).rows())
 * }
 */
export function tillLog(database: TillDatabase, more: TableKeys = {}): TillLog {
  const tables: TableKeys = { ...TABLES, ...more }
  const till = { database, client: {} }
  const header = async () =>
    (await run<LogRow[1]>(till, 'SELECT owner, recovered_at, backup_at FROM edgetill_version'))[0]
  const log: TillLog = {
    async close(to = '') {
      const insert = `INSERT INTO edgetill_closed (at, moved_to) VALUES (${database.clock}, ?)`
      await runAll(till, [OPEN, [insert, [to]]])
    },
    async closed() {
      const sql = `SELECT at, moved_to, ${database.clock} - at AS age FROM edgetill_closed`
      const [row] = await run<Record<'at' | 'moved_to' | 'age', SqlValue>>(till, sql)
      if (!row) return undefined
      return { at: Number(row.at), to: String(row.moved_to), wait_ms: Math.max(CLOSING_MS - Number(row.age), 0) }
    },
    async *rows(after) {
      if ((await log.closed())?.wait_ms !== 0) throw wrong('Close this till first, and wait for a minute.')
      if (!after) yield ['edgetill_version', (await header()) ?? {}]
      const names = Object.keys(tables)
      for (const name of names.slice(after ? names.indexOf(after[0]) : 0)) {
        const keys = tables[name] ?? []
        let last = after?.[0] === name ? after[1] : undefined
        do {
          const where = last ? `WHERE (${keys}) > (${keys.map(() => '?')})` : ''
          const place = keys.flatMap((key) => last?.[key] ?? [])
          const sql = `SELECT * FROM ${name} ${where} ORDER BY ${keys} LIMIT ${PAGE}`
          const page = await run<LogRow[1]>(till, sql, ...place)
          for (const row of page) yield [name, row]
          last = page[PAGE - 1]
        } while (last)
      }
      yield ['end', {}]
    },
    async load(rows) {
      const claim = `INSERT INTO edgetill_closed (at, moved_to) SELECT ${database.clock}, ''
        WHERE NOT EXISTS (SELECT 1 FROM edgetill_log) AND NOT ${CLOSED}`
      await run(till, claim)
      if (!(await log.closed())) throw wrong('It has orders: load into an empty database, or close it first.')
      const owner = (await header())?.owner ?? null
      let batch: SqlStatement[] = []
      let isOpen = false
      for await (const [table, row] of rows) {
        if (table === 'edgetill_version' && owner !== null && row.owner !== null && row.owner !== owner)
          throw wrong(`The rows belong to ${row.owner}, and the database to ${owner}.`)
        batch.push(statementOf(tables, table, row))
        isOpen = table === 'end'
        if (batch.length < BATCH && !isOpen) continue
        await runAll(till, batch)
        batch = []
      }
      if (batch.length > 0) await runAll(till, batch)
      return isOpen
    },
  }
  return log
}

const OPEN: SqlStatement = ['DELETE FROM edgetill_closed', []]
const wrong = (message: string): ConfigError => new ConfigError('database', message)

/** Writes a row, in place of an earlier copy. */
function statementOf(tables: TableKeys, table: string, row: LogRow[1]): SqlStatement {
  if (table === 'end') return OPEN
  const { owner: _, ...version } = row
  const keys = tables[table]
  const columns = Object.entries(keys ? row : version)
  const names = columns.map(([name]) => name)
  if ((!keys && table !== 'edgetill_version') || !names.every((name) => /^[a-z_]+$/.test(name)))
    throw wrong(`${table} is not a table of this version.`)
  const values = columns.map(([, value]) => value)
  if (!keys) return [`UPDATE edgetill_version SET ${names.map((name) => `${name} = ?`)}`, values]
  const set = names.map((name) => `${name} = excluded.${name}`)
  return [
    `INSERT INTO ${table} (${names}) VALUES (${names.map(() => '?')}) ON CONFLICT (${keys}) DO UPDATE SET ${set}`,
    values,
  ]
}
