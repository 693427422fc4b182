import type { GateStorage, SqlValue } from '../runtime.ts'
import { StorageError } from './storage-error.ts'

export interface Tables {
  /** The rows of a query. @throws {StorageError} when it fails. */
  all<T>(query: string, ...bindings: SqlValue[]): T[]
  /** All of it is written, or nothing. */
  atomically<T>(work: () => T): T
}

/**
 * A table is what its steps make of it; its version is how many of them it has. A step that was published stays. After a
 * `breaking` one, an engine that does not know it must not use the object; after any other one its statements still work.
 */
export type Schema = Readonly<Record<string, readonly (string | { breaking: string })[]>>

/** Opens the tables of a schema; they are made, or brought up to date, by the first call. */
export function openTables(storage: GateStorage, schema: Schema): Tables {
  const { sql } = storage
  let isMade = false
  const checked = <T>(work: () => T): T => {
    try {
      return work()
    } catch (cause) {
      throw cause instanceof StorageError ? cause : new StorageError('The object’s storage failed.', false, cause)
    }
  }
  const made = (): void => {
    if (!isMade) storage.transactionSync(() => bringUpToDate(sql, schema))
    isMade = true
  }
  return {
    all: <T>(query: string, ...bindings: SqlValue[]) =>
      checked(() => {
        made()
        return sql.exec(query, ...bindings).toArray() as T[]
      }),
    atomically: (work) =>
      checked(() => {
        made()
        return storage.transactionSync(work)
      }),
  }
}

function bringUpToDate(sql: GateStorage['sql'], schema: Schema): void {
  sql.exec('CREATE TABLE IF NOT EXISTS version (name TEXT PRIMARY KEY, version INTEGER NOT NULL) WITHOUT ROWID')
  // One row has the versions of all tables. Until 2026-11 each table had its own.
  const rows = sql.exec('SELECT name, version FROM version ORDER BY name DESC').toArray()
  const known: Record<string, number> = {}
  for (const { name, version } of rows)
    Object.assign(known, name === '' ? JSON.parse(String(version)) : { [String(name)]: version })
  const reached = { ...known }
  for (const [name, steps] of Object.entries(schema)) {
    const version = known[name] ?? 0
    if ((known[`${name} needed`] ?? 0) > steps.length) {
      throw new StorageError(`A newer engine has written the table ${name}.`, false)
    }
    if (version >= steps.length) continue
    reached[name] = steps.length
    const needed = steps.map((step) => typeof step).lastIndexOf('object') + 1
    if (needed > 0) reached[`${name} needed`] = needed
    // One that was given up is not made anew.
    if (version === 0 && steps.at(-1) === `DROP TABLE ${name}`) continue
    for (const step of steps.slice(version)) sql.exec(typeof step === 'string' ? step : step.breaking)
  }
  if (JSON.stringify(reached) === JSON.stringify(known)) return
  sql.exec('DELETE FROM version')
  sql.exec("INSERT INTO version (name, version) VALUES ('', ?)", JSON.stringify(reached))
}
