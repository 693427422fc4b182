// The database of a shop on Cloudflare: the SQLite of a single Durable Object. It only runs statements.

import type { SqlStatement, TillDatabase } from '../till/database.ts'
import { durable, SQLITE_CLOCK } from '../till/database.ts'
import type { ShopEnv } from './env.ts'
import type { ObjectState } from './runtime.ts'

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
    readonly #database: TillDatabase
    readonly #env: ShopEnv
    #made: Promise<void> | undefined

    constructor({ storage }: ObjectState, env: ShopEnv) {
      this.#database = durable(storage)
      this.#env = env
    }

    async fetch(request: Request): Promise<Response> {
      const statements = (await request.json()) as SqlStatement[]
      try {
        this.#made ??= makeTables(this.#database, this.#env)
        await this.#made
        return Response.json({ rows: await this.#database.batch?.(statements) })
      } catch (error) {
        this.#made = undefined
        return Response.json({ error: String((error as Error).message) })
      }
    }
  }
}

/**
 * The shop's database, seen from its Worker: each run, and each batch, is one call of the object.
 * @param clock SQL for the time.
 */
export function objectDatabase({ TILL }: ShopEnv, clock: () => string = () => SQLITE_CLOCK): TillDatabase {
  const call = async (statements: readonly SqlStatement[]) => {
    const object = TILL.get(TILL.idFromName('shop') as never)
    const response = await object.fetch('https://till/', { method: 'POST', body: JSON.stringify(statements) })
    const { rows, error } = (await response.json()) as { rows?: Record<string, unknown>[][]; error?: string }
    if (!rows) throw new Error(error)
    return rows
  }
  return {
    get clock() {
      return clock()
    },
    // The object writes at once, and a call is sent within 30 seconds after its row was written, or never.
    absentAfterMs: 120_000,
    run: async (sql, values) => (await call([[sql, values]]))[0] ?? [],
    batch: call,
  }
}
