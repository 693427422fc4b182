// The database of a shop on Cloudflare: the SQLite of a single Durable Object. It only runs statements.

import type { SqlStatement, TillDatabase } from '../till/database.ts'
import { durable, SQLITE_CLOCK } from '../till/database.ts'
import type { ShopEnv } from './env.ts'
import type { ObjectState } from './runtime.ts'
import type { Scope } from './scope.ts'

/** The methods of the object that the runtime calls. */
export interface ShopObjectInstance {
  fetch(request: Request): Promise<Response>
}

/** The class of the object. */
export type ShopObjectClass = new (state: ObjectState, env: ShopEnv) => ShopObjectInstance

/**
 * Makes the Durable Object class.
 * @param makeTables Makes the tables before the first statement; it is repeated after a failure.
 */
export function createShopObject(makeTables: (database: TillDatabase, env: ShopEnv) => Promise<void>): ShopObjectClass {
  return class ShopObject implements ShopObjectInstance {
    readonly #storage: ObjectState['storage']
    readonly #database: TillDatabase
    readonly #env: ShopEnv
    #made: Promise<void> | undefined

    constructor({ storage }: ObjectState, env: ShopEnv) {
      this.#storage = storage
      this.#database = durable(storage)
      this.#env = env
    }

    async fetch(request: Request): Promise<Response> {
      const statements = (await request.json()) as SqlStatement[]
      try {
        this.#made ??= makeTables(this.#database, this.#env)
        await this.#made
        const rows = await this.#database.batch?.(statements)
        return Response.json({ rows, bytes: this.#storage.sql.databaseSize })
      } catch (error) {
        this.#made = undefined
        return Response.json({ error: String((error as Error).message) })
      }
    }
  }
}

/** A response of the object: the rows, and the size of its database; or the error. */
type Responded = { rows?: Record<string, unknown>[][]; bytes?: number; error?: string }

/**
 * The shop's database, seen from its Worker: each run, and each batch, is one call of the object.
 * @param clock SQL for the time. @returns `bytes`: the size of the database, once a statement was run.
 */
export function objectDatabase(
  { TILL }: ShopEnv,
  clock: () => string = () => SQLITE_CLOCK,
): TillDatabase & { bytes?: number | undefined } {
  const call = async (statements: readonly SqlStatement[]) => {
    const object = TILL.get(TILL.idFromName('shop') as never)
    const response = await object.fetch('https://till/', { method: 'POST', body: JSON.stringify(statements) })
    const { rows, bytes, error } = (await response.json()) as Responded
    if (!rows) throw new Error(error)
    database.bytes = bytes
    return rows
  }
  const database: ReturnType<typeof objectDatabase> = {
    get clock() {
      return clock()
    },
    // The object writes at once, and a call is sent within 30 seconds after its row was written, or never.
    absentAfterMs: 120_000,
    run: async (sql, values) => (await call([[sql, values]]))[0] ?? [],
    batch: call,
  }
  return database
}

/** From this share on, the size of the object's database is reported. */
const REPORTED_PERCENT = 70

/** How full the object's database is, if that is to be reported. A statement of the scope was run before. */
export function percentFull({ till, env }: Pick<Scope, 'till' | 'env'>): number | undefined {
  const { bytes = 0 } = till.database as ReturnType<typeof objectDatabase>
  const percent = Math.floor(bytes / ((Number(env.STORAGE_GB) || 10) * 1e7))
  return percent < REPORTED_PERCENT ? undefined : percent
}
