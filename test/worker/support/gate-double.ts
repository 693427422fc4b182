import type { DurableObjectNamespace, DurableObjectState } from '@cloudflare/workers-types'
import type { Deps } from '../../../worker/context.ts'
import type { Env } from '../../../worker/env.ts'
import { createOrderGate, type OrderGateObject } from '../../../worker/order-gate.ts'

interface Kept {
  object: OrderGateObject
  rows: Map<string, unknown>
  alarm: number | null
}

/** The Durable Objects of one world: consistent storage that refuses what the real one refuses, and alarms on its clock. */
export interface GateDouble {
  namespace(env: () => Env): DurableObjectNamespace
  /** Calls of gates, and of their storage, so far. */
  readonly calls: { gate: number; storage: number }
  /** Each call of a gate's storage goes through here. */
  through: <T>(work: () => Promise<T>) => Promise<T>
  /** Runs every alarm that is due. @returns How many ran. */
  runAlarms(): Promise<number>
  /** The time of the next alarm. */
  nextAlarm(): number | undefined
  /** What one order's gate keeps. */
  rows(order_id: string): Map<string, unknown>
  /** Loses what is in memory: every object begins anew over its storage. */
  restart(): void
}

const MAX_BYTES = 2 * 2 ** 20

export function createGateDouble(deps: Deps): GateDouble {
  const Gate = createOrderGate(deps)
  const all = new Map<string, Kept>()
  let environment: () => Env = () => {
    throw new Error('No gate was called yet.')
  }
  const double: GateDouble = {
    namespace(env) {
      environment = env
      const idFromName = (name: string) => name
      const get = (name: string) => ({
        async fetch(url: string, init: RequestInit) {
          double.calls.gate++
          const kept = all.get(name) ?? begin(name)
          return objectOf(kept).fetch(new Request(url, init))
        },
      })
      return { idFromName, get } as unknown as DurableObjectNamespace
    },
    calls: { gate: 0, storage: 0 },
    through: (work) => work(),
    async runAlarms() {
      const due = [...all.values()].filter(({ alarm }) => alarm !== null && alarm <= deps.now())
      for (const kept of due) kept.alarm = null
      await Promise.all(due.map((kept) => objectOf(kept).alarm()))
      return due.length
    },
    nextAlarm() {
      const times = [...all.values()].flatMap(({ alarm }) => (alarm === null ? [] : [alarm]))
      return times.length === 0 ? undefined : Math.min(...times)
    },
    rows: (order_id) => all.get(order_id)?.rows ?? new Map(),
    restart() {
      for (const kept of all.values()) objects.delete(kept)
    },
  }
  const objects = new WeakMap<Kept, OrderGateObject>()

  function begin(name: string): Kept {
    const kept = { rows: new Map(), alarm: null } as unknown as Kept
    all.set(name, kept)
    return kept
  }

  function objectOf(kept: Kept): OrderGateObject {
    const object =
      objects.get(kept) ?? new Gate({ storage: storageOf(kept) } as unknown as DurableObjectState, environment())
    objects.set(kept, object)
    return object
  }

  function storageOf(kept: Kept) {
    const step = <T>(work: () => T): Promise<T> => {
      double.calls.storage++
      return double.through(async () => work())
    }
    const check = (key: string, value: unknown) => {
      const bytes = new TextEncoder().encode(key + JSON.stringify(value)).length
      if (bytes > MAX_BYTES) throw new RangeError('Values cannot be larger than 2097152 bytes.')
    }
    const storage = {
      get: (key: string) => step(() => structuredClone(kept.rows.get(key))),
      put: (first: string | Record<string, unknown>, value?: unknown) =>
        step(() => {
          const entries: [string, unknown][] = typeof first === 'string' ? [[first, value]] : Object.entries(first)
          if (entries.length > 128) throw new RangeError('Maximum number of pairs is 128.')
          for (const [key, row] of entries) check(key, row)
          for (const [key, row] of entries) kept.rows.set(key, structuredClone(row))
        }),
      delete: (key: string) => step(() => kept.rows.delete(key)),
      deleteAll: () => step(() => kept.rows.clear()),
      list: ({ prefix = '' }: { prefix?: string } = {}) =>
        step(() => {
          const keys = [...kept.rows.keys()].filter((key) => key.startsWith(prefix)).sort()
          return new Map(keys.map((key) => [key, structuredClone(kept.rows.get(key))]))
        }),
      setAlarm: (time: number) =>
        step(() => {
          kept.alarm = time
        }),
      getAlarm: () => step(() => kept.alarm),
      // Nothing of it is there until its end: a death in the middle leaves what was before.
      async transaction<T>(work: (transaction: unknown) => Promise<T>): Promise<T> {
        const copy: Kept = { ...kept, rows: new Map(kept.rows) }
        const result = await work(storageOf(copy))
        kept.rows = copy.rows
        kept.alarm = copy.alarm
        return result
      },
    }
    return storage
  }
  return double
}
