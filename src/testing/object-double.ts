import type { ShopEnv } from '../shop/env.ts'
import type { ShopObjectClass, ShopObjectInstance } from '../shop/object.ts'
import type { ObjectNamespace, ObjectState } from '../shop/runtime.ts'
import type { SqlValue } from '../till/database.ts'
import { type Disk, openObjectStorage, type StorageAction, type StorageCalls, type Through } from './object-storage.ts'
import { type Database, openDatabase } from './sqlite.ts'

/** The Durable Object of a shop in memory, with strict storage. */
export interface ObjectDouble {
  /** @param call Each call of the object goes through it. */
  namespace(env: () => ShopEnv, call?: Through): ObjectNamespace
  /** Calls of the object, and of its storage, so far; and the rows of SQLite that these are billed as. */
  calls: StorageCalls & { object: number }
  /** Each call of the storage of an object that begins from now on goes through here. */
  through: Through
  /** Called before each call of a storage, for each key; an error fails the call. */
  before: ((action: StorageAction, key: string) => void) | undefined
  /** The rows of a query, as the object's storage has them. */
  rows(query: string, ...bindings: SqlValue[]): Record<string, unknown>[]
  /** The storage of the object, for a test to write to. */
  storage(): ObjectState['storage']
  /** Loses the memory: the object starts again over its storage. */
  restart(next?: Restart): void
}

/** How the object starts again. */
export interface Restart {
  ShopObject: ShopObjectClass
  /** See {@link ObjectDouble.through}; here each write goes through it too, as a whole. */
  call: Through
  /** Whether this object has died. */
  isDead?: (() => boolean) | undefined
  /** The answer of an object: rejected when the object dies. */
  answer?: (<T>(answered: Promise<T>) => Promise<T>) | undefined
}

/** Creates the object of a shop. */
export function createObjectDouble({
  ShopObject: first,
  open = openDatabase,
}: {
  ShopObject: ShopObjectClass
  open?: () => Database
}): ObjectDouble {
  let ShopObject = first
  let answer: Restart['answer']
  let commit: Through = (work) => work()
  let life: { isOver: boolean; isDead: () => boolean } = { isOver: false, isDead: () => false }
  const disk: Disk = { database: open(), pending: undefined }
  let object: ShopObjectInstance | undefined
  let environment: () => ShopEnv = () => {
    throw new Error('The object was not called yet.')
  }
  const double: ObjectDouble = {
    namespace(env, call = (work) => work()) {
      environment = env
      return {
        idFromName: (name) => name,
        get: () => ({
          fetch: (url, init) =>
            call(async () => {
              double.calls.object++
              // A call that waits for a dying object fails.
              const responded = theObject().fetch(new Request(url, init))
              // A response waits until all earlier writes are on disk.
              const confirmed = responded.then(async (response) => {
                await disk.pending
                return response
              })
              return answer ? answer(confirmed) : confirmed
            }),
        }),
      }
    },
    calls: { object: 0, storage: 0, rowsRead: 0, rowsWritten: 0 },
    through: (work) => work(),
    before: undefined,
    rows: (query, ...bindings) => disk.database.exec(query, bindings).rows,
    storage: () => storageOf((work) => work()),
    restart(next) {
      const wasDead = life.isDead() || !next
      life.isOver = wasDead
      life = { isOver: false, isDead: next?.isDead ?? (() => false) }
      object = undefined
      // A write that was not yet on disk is lost with its object.
      if (disk.pending && wasDead) {
        disk.database.exec('ROLLBACK', [])
        disk.pending = undefined
      }
      if (!next) return
      ShopObject = next.ShopObject
      double.through = next.call
      commit = next.call
      answer = next.answer
    },
  }

  function theObject(): ShopObjectInstance {
    object ??= new ShopObject({ storage: storageOf(double.through) }, environment())
    return object
  }

  function storageOf(through: Through): ObjectState['storage'] {
    const before = (action: StorageAction, key: string) => double.before?.(action, key)
    const current = life
    const isDead = () => current.isOver || current.isDead()
    return openObjectStorage(disk, { calls: double.calls, through, commit, isDead, before })
  }
  return double
}
