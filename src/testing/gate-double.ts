import type { ShopEnv } from '../shop/env.ts'
import type { OrderGateClass, OrderGateObject } from '../shop/gate.ts'
import type { GateNamespace, GateStorage } from '../shop/runtime.ts'
import { type Kept, openGateStorage, type StorageAction, type StorageCalls, type Through } from './gate-storage.ts'
import { type Database, openDatabase } from './sqlite.ts'

/** The Durable Objects of one shop in memory: strict storage, and alarms on a clock. */
export interface GateDouble {
  /** @param call Each call of a gate goes through it. */
  namespace(env: () => ShopEnv, call?: Through): GateNamespace
  /** Calls of gates, and of their storage, so far; and the rows of SQLite that these are billed as. */
  calls: StorageCalls & { gate: number }
  /** Each call of the storage of an object that begins from now on goes through here. */
  through: Through
  /** Called before each call of a storage, for each key; one that throws fails it. */
  before: ((action: StorageAction, key: string) => void) | undefined
  /**
   * Runs every alarm that is due. One that fails is due again later: the runtime repeats it at most six times, and not when
   * it has set another alarm.
   *
   * @returns How many ran.
   * @throws The first error of an alarm, when all have run.
   */
  runAlarms(): Promise<number>
  /** The time of the next alarm. */
  nextAlarm(): number | undefined
  /** The storage of one order's gate: each row under its table and its primary key. */
  rows(order_id: string): Map<string, Record<string, unknown>>
  /** The keys of all objects under a prefix, such as `queue/`. */
  keys(prefix: string): string[]
  /** The storage of one order's gate, or of another object, for a test to write to. */
  storage(order_id: string, kind?: string): GateStorage
  /** The runtime has given an order's alarm up. */
  dropAlarm(order_id: string): void
  /** Loses what is in memory: every object begins anew over its storage. */
  restart(next?: Restart): void
}

/** How the objects begin anew. */
export interface Restart {
  Gate: OrderGateClass
  /** See {@link GateDouble.through}; here each write goes through it too, as a whole. */
  call: Through
  /** Whether these objects have died. */
  isDead?: (() => boolean) | undefined
  /** The answer of an object, to whoever waits for it: rejected when the object dies. */
  answer?: (<T>(answered: Promise<T>) => Promise<T>) | undefined
}

const MAX_REPETITIONS = 6
/** The first repetition of an alarm comes after two seconds, each further one after twice as long. */
const FIRST_PAUSE_MS = 2_000

/** Creates the objects of one shop. */
export function createGateDouble(
  { Gate: first, now, open = openDatabase }: { Gate: OrderGateClass; now: () => number; open?: () => Database },
  waitUntil: (work: Promise<unknown>) => void,
): GateDouble {
  let Gate = first
  let answer: Restart['answer']
  let commit: Through = (work) => work()
  let life: { isOver: boolean; isDead: () => boolean } = { isOver: false, isDead: () => false }
  const all = new Map<string, Kept>()
  const objects = new WeakMap<Kept, OrderGateObject>()
  let environment: () => ShopEnv = () => {
    throw new Error('No gate was called yet.')
  }
  const double: GateDouble = {
    namespace(env, call = (work) => work()) {
      environment = env
      return {
        idFromName: (name) => name,
        get: (name: string) => ({
          fetch: (url, init) =>
            call(async () => {
              double.calls.gate++
              // Whoever waits for an object that dies learns it.
              const kept = keptOf(name)
              const responded = objectOf(kept).fetch(new Request(url, init))
              // A response waits until what was written before it is on disk.
              const confirmed = responded.then(async (response) => {
                await kept.pending
                return response
              })
              return answer ? answer(confirmed) : confirmed
            }),
        }),
      }
    },
    calls: { gate: 0, storage: 0, rowsRead: 0, rowsWritten: 0 },
    through: (work) => work(),
    before: undefined,
    async runAlarms() {
      const due = [...all.values()].filter(({ alarm }) => alarm !== null && alarm <= now())
      const ran = await Promise.allSettled(due.map(runAlarm))
      for (const one of ran) if (one.status === 'rejected') throw one.reason
      return due.length
    },
    nextAlarm() {
      const times = [...all.values()].flatMap(({ alarm }) => (alarm === null ? [] : [alarm]))
      return times.length === 0 ? undefined : Math.min(...times)
    },
    rows: (order_id) => rowsOf(all.get(`order/${order_id}`)),
    keys: (prefix) =>
      [...all.values()].flatMap((kept) => [...rowsOf(kept).keys()].filter((key) => key.startsWith(prefix))),
    storage: (name, kind = 'order/') => storageOf(keptOf(kind + name), (work) => work()),
    dropAlarm(order_id) {
      keptOf(`order/${order_id}`).alarm = null
    },
    restart(next) {
      const wasDead = life.isDead() || !next
      life.isOver = wasDead
      life = { isOver: false, isDead: next?.isDead ?? (() => false) }
      for (const kept of all.values()) {
        objects.delete(kept)
        // A write that was not yet on disk is lost with whoever made it.
        if (!kept.pending || !wasDead) continue
        kept.database.exec('ROLLBACK', [])
        Object.assign(kept, { alarm: kept.alarmBefore ?? null, pending: undefined })
      }
      if (!next) return
      Gate = next.Gate
      double.through = next.call
      commit = next.call
      answer = next.answer
    },
  }

  function keptOf(name: string): Kept {
    const kept: Kept = all.get(name) ?? { database: open(), pending: undefined, alarm: null, repeated: 0 }
    all.set(name, kept)
    return kept
  }

  async function runAlarm(kept: Kept): Promise<void> {
    const { repeated } = kept
    kept.alarm = null
    try {
      const run = objectOf(kept).alarm()
      await (answer ? answer(run) : run)
    } catch (error) {
      // One that it has set takes the place of a repetition, if it is on disk.
      const own = kept.pending && life.isDead() ? kept.alarmBefore : kept.alarm
      if (own == null && repeated < MAX_REPETITIONS) {
        const alarm = now() + FIRST_PAUSE_MS * 2 ** repeated
        Object.assign(kept, { alarm, alarmBefore: alarm, repeated: repeated + 1 })
      }
      throw error
    }
  }

  function objectOf(kept: Kept): OrderGateObject {
    const open = objects.get(kept)
    if (open) return open
    const object = new Gate({ storage: storageOf(kept, double.through), waitUntil }, environment())
    objects.set(kept, object)
    return object
  }

  function storageOf(kept: Kept, through: Through): GateStorage {
    const before = (action: StorageAction, key: string) => double.before?.(action, key)
    const own = life
    const isDead = () => own.isOver || own.isDead()
    return openGateStorage(kept, { calls: double.calls, through, commit, isDead, before })
  }
  return double
}

/** Every row of an object under its table and its primary key. */
function rowsOf(kept: Kept | undefined): Map<string, Record<string, unknown>> {
  const rows = new Map<string, Record<string, unknown>>()
  if (!kept) return rows
  const { rows: tables } = kept.database.exec("SELECT name FROM sqlite_master WHERE type = 'table'", [])
  for (const { name } of tables) {
    const { rows: columns } = kept.database.exec('SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk', [
      String(name),
    ])
    for (const row of kept.database.exec(`SELECT * FROM ${name}`, []).rows) {
      rows.set([name, ...columns.map((column) => row[String(column.name)])].join('/'), row)
    }
  }
  return rows
}
