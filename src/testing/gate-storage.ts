import type { GateStorage, GateTransaction } from '../shop/runtime.ts'

/** Each call of a gate or of its storage can be led through such a function. */
export type Through = <T>(work: () => Promise<T>) => Promise<T>

/** What one object keeps while its storage is open, closed and opened again. */
export interface Kept {
  rows: Map<string, unknown>
  /** When its alarm is due, milliseconds since 1970. */
  alarm: number | null
  /** How often the runtime has repeated the alarm that is due. */
  repeated: number
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
  /** Each call goes through it. */
  through: Through
  /** A whole transaction goes through it where it is set, and its calls do not: the real one blocks all others. */
  whole(): Through | undefined
  /** Called before each call, for each key; one that throws fails it. */
  before(action: StorageAction, key: string): void
}

export type StorageAction = 'get' | 'put' | 'delete' | 'list'

const MAX_BYTES = 2 * 2 ** 20
const MAX_KEY_BYTES = 2048
const MAX_PAIRS = 128

const bytes = (text: string): number => new TextEncoder().encode(text).length

/** The storage of one object: consistent, and as strict as the real one. */
export function openGateStorage(kept: Kept, ways: Ways): GateStorage {
  const { through } = ways
  return {
    ...callsOf(kept, ways, through),
    // Nothing of it is there until its end: a death in the middle leaves what was before.
    async transaction(work) {
      const whole = ways.whole()
      return whole ? whole(() => transact(kept, work, ways, (call) => call())) : transact(kept, work, ways, through)
    },
    sync: () => through(async () => {}),
  }
}

async function transact<T>(
  kept: Kept,
  work: (transaction: GateTransaction) => Promise<T>,
  ways: Ways,
  through: Through,
): Promise<T> {
  const before = new Map(kept.rows)
  const copy: Kept = { ...kept, rows: new Map(before) }
  const { alarm } = copy
  const result = await work(callsOf(copy, ways, through))
  // What it changed, and nothing of what others have written in the meantime.
  for (const key of before.keys()) if (!copy.rows.has(key)) kept.rows.delete(key)
  for (const [key, row] of copy.rows) if (before.get(key) !== row) kept.rows.set(key, row)
  if (copy.alarm !== alarm) Object.assign(kept, { alarm: copy.alarm, repeated: 0 })
  return result
}

function callsOf(kept: Kept, { calls, before }: Ways, through: Through): GateTransaction {
  const step = <T>(work: () => T): Promise<T> =>
    through(async () => {
      calls.storage++
      return work()
    })
  return {
    get: <T>(key: string) =>
      step(() => {
        before('get', key)
        calls.rowsRead++
        return structuredClone(kept.rows.get(checkedKey(key))) as T | undefined
      }),
    put: (first: string | Record<string, unknown>, value?: unknown) =>
      step(() => {
        const entries: [string, unknown][] = typeof first === 'string' ? [[first, value]] : Object.entries(first)
        if (entries.length > MAX_PAIRS) throw new RangeError(`Maximum number of pairs is ${MAX_PAIRS}.`)
        const rows = entries.map(checkedRow)
        for (const [key] of rows) before('put', key)
        // All of them are good, or none is written.
        for (const [key, row] of rows) kept.rows.set(key, row)
        calls.rowsWritten += entries.length
      }),
    delete: (key) =>
      step(() => {
        before('delete', key)
        calls.rowsWritten++
        return kept.rows.delete(checkedKey(key))
      }),
    list: <T>({ prefix }: { prefix: string }) =>
      step(() => {
        before('list', prefix)
        const keys = [...kept.rows.keys()].filter((key) => key.startsWith(prefix)).sort()
        calls.rowsRead += Math.max(keys.length, 1)
        return new Map(keys.map((key) => [key, structuredClone(kept.rows.get(key)) as T]))
      }),
    getAlarm: () => step(() => kept.alarm),
    deleteAlarm: () =>
      step(() => {
        calls.rowsWritten++
        kept.alarm = null
      }),
    setAlarm: (time) =>
      step(() => {
        if (!Number.isFinite(time) || time <= 0)
          throw new TypeError('setAlarm() takes a time: milliseconds since 1970.')
        calls.rowsWritten++
        Object.assign(kept, { alarm: time, repeated: 0 })
      }),
  }
}

function checkedKey(key: string): string {
  if (bytes(key) > MAX_KEY_BYTES) throw new RangeError(`Keys cannot be larger than ${MAX_KEY_BYTES} bytes.`)
  return key
}

/** @throws {DOMException} for what structured clone cannot copy, such as a function. */
function checkedRow([key, value]: [string, unknown]): [string, unknown] {
  checkedKey(key)
  if (value === undefined) throw new TypeError('put() called with undefined value.')
  const row = structuredClone(value)
  if (bytes(key + JSON.stringify(row)) > MAX_BYTES)
    throw new RangeError(`Values cannot be larger than ${MAX_BYTES} bytes.`)
  return [key, row]
}
