import { ConfigError } from '../errors.ts'
import type { SqlValue } from '../till/database.ts'

/** A SQLite database in memory, for the doubles. */
export interface Database {
  exec(query: string, bindings: SqlValue[]): { rows: Record<string, unknown>[]; changes: number }
}

interface Statement {
  all(...bindings: SqlValue[]): Record<string, unknown>[]
}

interface Module {
  DatabaseSync: new (path: string) => { prepare(query: string): Statement }
}

/**
 * Opens a database of the runtime's own SQLite.
 *
 * @throws {ConfigError} where there is none, as on Node 20 and inside workerd.
 */
export function openDatabase(): Database {
  const { process } = globalThis as { process?: { getBuiltinModule?(name: string): unknown } }
  const sqlite = process?.getBuiltinModule?.('node:sqlite') as Module | undefined
  let database: InstanceType<Module['DatabaseSync']>
  try {
    // workerd has a class of that name, which opens nothing.
    database = new (sqlite as Module).DatabaseSync(':memory:')
  } catch (cause) {
    throw new ConfigError(
      'node:sqlite',
      'This runtime has no node:sqlite, which the doubles of Durable Objects need. Use Node 22.5, Deno 2.9 or Bun ' +
        '1.4, or later.',
      cause,
    )
  }
  const statements = new Map<string, Statement>()
  const prepared = (query: string): Statement => {
    const statement = statements.get(query) ?? database.prepare(query)
    statements.set(query, statement)
    return statement
  }
  return {
    exec(query, bindings) {
      const rows = prepared(query).all(...bindings)
      const [{ changes } = { changes: 0 }] = prepared('SELECT changes() AS changes').all() as { changes: number }[]
      return { rows, changes }
    },
  }
}
