import type { ObjectState } from '../shop/runtime.ts'
import type { SqlValue } from '../till/database.ts'
import type { Database } from './sqlite.ts'

/** A function that a call of an object, or of its storage, can be led through. */
export type Through = <T>(work: () => Promise<T>) => Promise<T>

/** The state of an object while its storage is open, closed and opened again. */
export interface Disk {
  database: Database
  /** The end of the write that is being committed: until then, the object's responses are held back. */
  pending: Promise<void> | undefined
}

/** Calls of storages, and the rows of SQLite that these are billed as. */
export interface StorageCalls {
  storage: number
  rowsRead: number
  rowsWritten: number
}

/** How a storage is called. */
interface Ways {
  calls: StorageCalls
  /** Each call that is waited for goes through it. */
  through: Through
  /** Each write goes through it, as a whole, when the code that made it waits for something. */
  commit: Through
  /** Whether the object has died: its code no longer writes. */
  isDead(): boolean
  /** Called before each statement, with its table and its short values; an error fails the statement. */
  before(action: StorageAction, key: string): void
}

export type StorageAction = 'get' | 'put' | 'delete'

const ACTIONS: Record<string, StorageAction> = { SELECT: 'get', INSERT: 'put', UPDATE: 'put', DELETE: 'delete' }
const MAX_BYTES = 2 * 2 ** 20
const MAX_BINDINGS = 100
const MAX_QUERY_BYTES = 100_000

const bytes = (text: string): number => new TextEncoder().encode(text).length

/** The storage of an object: consistent, and as strict as the real one. */
export function openObjectStorage(
  disk: Disk,
  { calls, through, commit, isDead, before }: Ways,
): ObjectState['storage'] {
  const { database } = disk
  /** Statements without an `await` between them are one write: a death before its end leaves nothing. */
  function begin(): void {
    if (disk.pending) return
    database.exec('BEGIN', [])
    const end = async (): Promise<void> => {
      if (!disk.pending) return
      disk.pending = undefined
      database.exec('COMMIT', [])
    }
    const committed = Promise.resolve().then(() => commit(end))
    disk.pending = committed.catch(end)
  }
  const indexes = new Map<string, string[]>()
  const INDEXES = "SELECT coalesce(sql, ' ON KEY') AS sql FROM sqlite_master WHERE type = 'index' AND tbl_name = ?"
  function indexesOf(table: string): string[] {
    const found = indexes.get(table) ?? database.exec(INDEXES, [table]).rows.map(({ sql }) => String(sql))
    indexes.set(table, found)
    return found
  }
  /** How many rows a changed row is billed as: each written index entry counts as another row. */
  function billedAs(table: string, query: string, bindings: readonly SqlValue[], returned?: object): number {
    if (/^\s*DELETE/.test(query)) return 1
    const [, set] = /\bUPDATE (?:\w+ )?SET (.*?)( WHERE | RETURNING |$)/s.exec(query) ?? []
    const [, names] = /^\s*INSERT INTO \w+ \(([^)]*)\) VALUES \([?, ]+\)$/.exec(query) ?? []
    const given = names?.split(/,\s*/).map((name, i): [string, SqlValue] => [name, bindings[i] ?? null])
    const row: [string, SqlValue][] | undefined = /RETURNING \*$/.test(query) ? Object.entries(returned ?? {}) : given
    const columns = row?.map(([name]) => name)
    const written = indexesOf(table).filter((index) => {
      // An update writes those of the columns that it sets, except to NULL.
      const [, indexed = ''] = index.split(' ON ')
      if (set !== undefined)
        return [...set.matchAll(/(\w+) = (?!NULL)/g)].some(([, name]) => RegExp(`\\b${name}\\b`).test(indexed))
      const [, condition] = /\sWHERE\s(.*)$/s.exec(index) ?? []
      if (condition === undefined || !row || !columns) return true
      const named = condition.replaceAll(/'[^']*'/g, '').match(/\b[a-z_]+\b/g) ?? []
      const from = `SELECT 1 FROM (SELECT ${columns.map((name) => `? AS ${name}`)}) WHERE ${condition}`
      const values = row.map(([, value]) => value)
      return named.every((name) => columns.includes(name)) && database.exec(from, values).rows.length > 0
    })
    return 1 + written.length
  }
  const SIZE = 'SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size'
  return {
    sql: {
      get databaseSize() {
        return Number(database.exec(SIZE, []).rows[0]?.bytes)
      },
      exec(query, ...bindings) {
        if (isDead()) throw new Error('The object has died.')
        check(query, bindings)
        const [, verb = ''] = /^\s*(\w+)/.exec(query) ?? []
        const [, table = ''] = /\b(?:FROM|INTO|UPDATE)\s+(\w+)/.exec(query) ?? []
        const action = ACTIONS[verb]
        const short = bindings.filter((value) => String(value).length < 100)
        if (action) before(action, [table, ...short].join('/'))
        const isRead = action === 'get'
        if (!isRead) begin()
        calls.storage++
        const [insert = '', update] = query.split(/ ON CONFLICT [^;]* DO (?=UPDATE)/)
        const count = () => update && database.exec(`SELECT count(*) AS count FROM ${table}`, []).rows[0]?.count
        const known = count()
        const { rows, changes } = database.exec(query, bindings)
        const statement = update && known === count() ? update : insert
        const rowsRead = isRead ? Math.max(rows.length, 1) : 0
        const rowsWritten =
          isRead || !action || changes === 0 ? 0 : changes * billedAs(table, statement, bindings, rows[0])
        calls.rowsRead += rowsRead
        calls.rowsWritten += rowsWritten
        return { toArray: () => rows }
      },
    },
    transactionSync(work) {
      if (isDead()) throw new Error('The object has died.')
      begin()
      database.exec('SAVEPOINT step', [])
      try {
        const result = work()
        database.exec('RELEASE step', [])
        return result
      } catch (error) {
        database.exec('ROLLBACK TO step', [])
        database.exec('RELEASE step', [])
        throw error
      }
    },
    sync: () => through(async () => void (await disk.pending)),
  }
}

function check(query: string, bindings: SqlValue[]): void {
  if (/^\s*(BEGIN|COMMIT|END|ROLLBACK|SAVEPOINT|RELEASE)\b/i.test(query))
    throw new Error('To execute a transaction, please use the state.storage.transactionSync() API.')
  if (/^\s*(PRAGMA|ATTACH|DETACH|VACUUM)\b/i.test(query)) throw new Error('not authorized: SQLITE_AUTH')
  if (bytes(query) > MAX_QUERY_BYTES) throw new RangeError('statement too long: SQLITE_TOOBIG')
  if (bindings.length > MAX_BINDINGS) throw new RangeError('too many SQL variables: SQLITE_ERROR')
  for (const value of bindings) {
    const isValue = value === null || typeof value === 'string' || Number.isFinite(value)
    if (!isValue) throw new TypeError(`A ${typeof value} cannot be bound.`)
  }
  const size = bindings.reduce<number>((sum, value) => sum + (typeof value === 'string' ? bytes(value) : 8), 0)
  if (size > MAX_BYTES) throw new RangeError('string or blob too big: SQLITE_TOOBIG')
}
