import type { ShopEnv as Env } from '../../../src/shop/env.ts'
import { createOrderGate, type OrderGateObject } from '../../../src/shop/gate.ts'
import type { GateNamespace, GateState, GateStorage } from '../../../src/shop/runtime.ts'
import type { Deps } from '../../../src/shop/scope.ts'
import type { Kill } from './kill.ts'

interface Kept {
  object: OrderGateObject
  rows: Map<string, unknown>
  alarm: number | null
}

/** The Durable Objects of one world: consistent storage that refuses what the real one refuses, and alarms on its clock. */
export interface GateDouble {
  /** @param call Each call of a gate goes through it. */
  namespace(env: () => Env, call?: Kill['call']): GateNamespace
  /** Calls of gates, and of their storage, so far; and the rows of SQLite that these are billed as. */
  calls: { gate: number; storage: number; rowsRead: number; rowsWritten: number }
  /** Each call of a gate's storage goes through here. */
  through: Kill['call']
  /** A whole transaction goes through here where it is set, and its calls do not: the real one blocks all others. */
  whole: Kill['call'] | undefined
  /** Called before each call of a gate's storage, for each key; one that throws fails it. */
  before: ((action: 'get' | 'put' | 'delete' | 'list', key: string) => void) | undefined
  /** Runs every alarm that is due; one that fails stays due, as the runtime repeats it. @returns How many ran. */
  runAlarms(): Promise<number>
  /** The time of the next alarm. */
  nextAlarm(): number | undefined
  /** What one order's gate keeps. */
  rows(order_id: string): Map<string, unknown>
  /** What all gates keep under a prefix. */
  keys(prefix: string): string[]
  /** The storage of one order's gate, for a test to write to. */
  storage(order_id: string): GateStorage
  /** The runtime has given an order's alarm up. */
  dropAlarm(order_id: string): void
  /** Loses what is in memory: every object begins anew over its storage, over which `kill` rules when it is given. */
  restart(next?: { deps: Deps; kill: Pick<Kill, 'call'> & Partial<Kill> }): void
}

const MAX_BYTES = 2 * 2 ** 20

export function createGateDouble(deps: Deps, waitUntil: (work: Promise<unknown>) => void): GateDouble {
  let Gate = createOrderGate(deps)
  let answer: Kill['answer'] | undefined
  const all = new Map<string, Kept>()
  let environment: () => Env = () => {
    throw new Error('No gate was called yet.')
  }
  const double: GateDouble = {
    namespace(env, call = (work) => work()) {
      environment = env
      const idFromName = (name: string) => name
      const get = (name: string) => ({
        fetch: (url: string, init: RequestInit) =>
          call(async () => {
            double.calls.gate++
            // Whoever waits for an object that dies learns it.
            const responded = objectOf(keptOf(name)).fetch(new Request(url, init))
            return answer ? answer(responded) : responded
          }),
      })
      return { idFromName, get } as unknown as GateNamespace
    },
    calls: { gate: 0, storage: 0, rowsRead: 0, rowsWritten: 0 },
    through: (work) => work(),
    whole: undefined,
    before: undefined,
    async runAlarms() {
      const due = [...all.values()].filter(({ alarm }) => alarm !== null && alarm <= deps.now())
      await Promise.all(due.map(runAlarm))
      return due.length
    },
    nextAlarm() {
      const times = [...all.values()].flatMap(({ alarm }) => (alarm === null ? [] : [alarm]))
      return times.length === 0 ? undefined : Math.min(...times)
    },
    rows: (order_id) => all.get(`order/${order_id}`)?.rows ?? new Map(),
    keys: (prefix) => [...all.values()].flatMap(({ rows }) => [...rows.keys()].filter((key) => key.startsWith(prefix))),
    storage: (order_id) => storageOf(keptOf(`order/${order_id}`), (work) => work()) as unknown as GateStorage,
    dropAlarm(order_id) {
      keptOf(`order/${order_id}`).alarm = null
    },
    restart(next) {
      for (const kept of all.values()) objects.delete(kept)
      if (!next) return
      Gate = createOrderGate(next.deps)
      double.through = next.kill.call
      answer = next.kill.answer
    },
  }
  const objects = new WeakMap<Kept, OrderGateObject>()

  function keptOf(name: string): Kept {
    const kept = all.get(name) ?? ({ rows: new Map(), alarm: null } as unknown as Kept)
    all.set(name, kept)
    return kept
  }

  async function runAlarm(kept: Kept): Promise<void> {
    const at = kept.alarm
    kept.alarm = null
    const run = objectOf(kept).alarm()
    await (answer ? answer(run) : run).catch((error: unknown) => {
      kept.alarm ??= at
      throw error
    })
  }

  function objectOf(kept: Kept): OrderGateObject {
    const object =
      objects.get(kept) ??
      new Gate({ storage: storageOf(kept, double.through), waitUntil } as unknown as GateState, environment())
    objects.set(kept, object)
    return object
  }

  function storageOf(kept: Kept, through: Kill['call']) {
    const step = <T>(work: () => T): Promise<T> =>
      through(async () => {
        double.calls.storage++
        return work()
      })
    const { calls } = double
    const check = (key: string, value: unknown) => {
      const bytes = new TextEncoder().encode(key + JSON.stringify(value)).length
      if (bytes > MAX_BYTES) throw new RangeError('Values cannot be larger than 2097152 bytes.')
    }
    const storage = {
      get: (key: string) =>
        step(() => {
          double.before?.('get', key)
          calls.rowsRead++
          return structuredClone(kept.rows.get(key))
        }),
      put: (first: string | Record<string, unknown>, value?: unknown) =>
        step(() => {
          const entries: [string, unknown][] = typeof first === 'string' ? [[first, value]] : Object.entries(first)
          if (entries.length > 128) throw new RangeError('Maximum number of pairs is 128.')
          for (const [key, row] of entries) check(key, row)
          for (const [key] of entries) double.before?.('put', key)
          for (const [key, row] of entries) kept.rows.set(key, structuredClone(row))
          calls.rowsWritten += entries.length
        }),
      delete: (key: string) =>
        step(() => {
          double.before?.('delete', key)
          calls.rowsWritten++
          return kept.rows.delete(key)
        }),
      list: ({ prefix = '' }: { prefix?: string } = {}) =>
        step(() => {
          double.before?.('list', prefix)
          const keys = [...kept.rows.keys()].filter((key) => key.startsWith(prefix)).sort()
          calls.rowsRead += Math.max(keys.length, 1)
          return new Map(keys.map((key) => [key, structuredClone(kept.rows.get(key))]))
        }),
      setAlarm: (time: number) =>
        step(() => {
          calls.rowsWritten++
          kept.alarm = time
        }),
      getAlarm: () => step(() => kept.alarm),
      sync: () => step(() => {}),
      // Nothing of it is there until its end: a death in the middle leaves what was before.
      async transaction<T>(work: (transaction: unknown) => Promise<T>): Promise<T> {
        return double.whole ? double.whole(() => transact(work, (call) => call())) : transact(work, through)
      },
    }
    async function transact<T>(work: (transaction: unknown) => Promise<T>, calls: Kill['call']): Promise<T> {
      const before = new Map(kept.rows)
      const copy: Kept = { ...kept, rows: new Map(before) }
      const { alarm } = copy
      const result = await work(storageOf(copy, calls))
      // What it changed, and nothing of what others have written in the meantime.
      for (const key of before.keys()) if (!copy.rows.has(key)) kept.rows.delete(key)
      for (const [key, row] of copy.rows) if (before.get(key) !== row) kept.rows.set(key, row)
      if (copy.alarm !== alarm) kept.alarm = copy.alarm
      return result
    }
    return storage
  }
  return double
}
