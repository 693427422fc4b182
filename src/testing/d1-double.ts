import { ConfigError } from '../errors.ts'
import type { SqlValue } from '../till/database.ts'
import { openDatabase } from './sqlite.ts'

/** The result of a statement of D1. */
export interface D1DoubleResult {
  success: true
  results: Record<string, unknown>[]
  meta: { changes: number }
}

/** A statement of {@link D1Double}. */
export interface D1DoubleStatement {
  /** The same statement with values for its `?`. */
  bind(...values: unknown[]): D1DoubleStatement
  /** All rows. */
  all(): Promise<D1DoubleResult>
  /** The same, for a statement that writes. */
  run(): Promise<D1DoubleResult>
  /** The first row, or its column; null when there is none. */
  first(column?: string): Promise<unknown>
}

/** The part of a D1 binding that the double has. */
export interface D1Double {
  /** A statement, to be bound and run. */
  prepare(sql: string): D1DoubleStatement
  /** All statements or none, in turn. */
  batch(statements: D1DoubleStatement[]): Promise<D1DoubleResult[]>
  /** Statements that end with `;` at the end of a line. */
  exec(sql: string): Promise<{ count: number }>
}

/**
 * D1 in memory, over the SQLite of Node 22.5, Deno or Bun, for tests of a Worker's own code. It rejects the same as D1:
 * a transaction by hand, `undefined` or an object as a value, more than 100 values.
 *
 * @param schema Statements that make the tables: the text of `migrations/0001.sql`.
 * @returns The binding, in the type that its place expects, such as the `D1Database` of a Worker's types.
 * @throws {ConfigError} where there is no `node:sqlite`, and for a mistake in the schema.
 * @example
 * import { createD1Double } from 'edgetill/testing'
 * const DB = createD1Double('CREATE TABLE payment (id TEXT PRIMARY KEY, amount REAL);')
 * await DB.prepare('INSERT INTO payment VALUES (?, ?)').bind('a', 100.5).run()
 * console.log(await DB.prepare('SELECT sum(amount) AS paid FROM payment').first('paid')) // 100.5
 */
export function createD1Double<Binding = D1Double>(schema = ''): Binding {
  const database = openDatabase()
  const run = (sql: string, values: SqlValue[] = []): D1DoubleResult => {
    if (values.length !== parametersOf(sql))
      throw new Error('D1_ERROR: Wrong number of parameter bindings for SQL query.')
    const { rows, changes } = database.exec(sql, values)
    const isWrite = !/^\s*(select|with|pragma|explain)\b/i.test(sql)
    return { success: true, results: rows.map((row) => ({ ...row })), meta: { changes: isWrite ? changes : 0 } }
  }
  const runAll = (text: string): number => {
    const statements = text.split(/;[ \t]*(?:\r?\n|$)/).filter((statement) => statement.trim() !== '')
    for (const statement of statements) run(checkStatement(statement))
    return statements.length
  }
  const planned = new WeakMap<object, () => D1DoubleResult>()
  const statementOf = (sql: string, values: SqlValue[]): D1DoubleStatement => {
    const execute = () => run(checkStatement(sql), values)
    const statement: D1DoubleStatement = {
      bind: (...given) => statementOf(sql, given.map(toValue)),
      all: async () => execute(),
      run: async () => execute(),
      first: async (column) => {
        const [row] = execute().results
        if (!row || column === undefined) return row ?? null
        if (!Object.hasOwn(row, column)) throw new Error(`D1_COLUMN_NOTFOUND: no column ${column}`)
        return row[column]
      },
    }
    planned.set(statement, execute)
    return statement
  }
  const binding: D1Double = {
    prepare: (sql) => statementOf(sql, []),
    async batch(statements) {
      let end = 'ROLLBACK'
      run('BEGIN')
      try {
        const results = statements.map((statement) => (planned.get(statement) as () => D1DoubleResult)())
        end = 'COMMIT'
        return results
      } finally {
        run(end)
      }
    },
    exec: async (sql) => ({ count: runAll(sql) }),
  }
  try {
    runAll(schema)
  } catch (cause) {
    throw new ConfigError('schema', `The schema cannot be run: ${(cause as Error).message}`, cause)
  }
  return binding as Binding
}

/** How many values a statement takes: SQLite itself would take null for a missing one. */
function parametersOf(sql: string): number {
  const names = sql.replaceAll(/'(?:[^']|'')*'|"[^"]*"|--.*$/gm, '').match(/\?\d*/g) ?? []
  return Math.max(names.filter((name) => name === '?').length, ...names.map((name) => Number(name.slice(1))))
}

function checkStatement(sql: string): string {
  if (!/^\s*(begin|commit|rollback|savepoint|release)\b/i.test(sql)) return sql
  throw new Error('D1_ERROR: D1 has no transactions by hand: use batch().')
}

function toValue(value: unknown, _index: number, { length }: unknown[]): SqlValue {
  if (length > 100) throw new Error('D1_ERROR: too many SQL variables: at most 100.')
  if (typeof value === 'boolean') return Number(value)
  if (value === null || typeof value === 'string' || typeof value === 'number') return value
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return value as unknown as SqlValue
  throw new Error(`D1_TYPE_ERROR: Type '${typeof value}' not supported for value '${String(value)}'.`)
}
