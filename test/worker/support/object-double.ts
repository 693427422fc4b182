import type { Statement } from 'sql.js/dist/sql-asm-memory-growth.js'
import { createShopObject } from '../../../src/shop/object.ts'
import { makeShop } from '../../../src/shop/open-scope.ts'
import type { Deps } from '../../../src/shop/scope.ts'
import {
  createObjectDouble as createDouble,
  type ObjectDouble as Double,
  type Restart,
} from '../../../src/testing/object-double.ts'
import type { Database } from '../../../src/testing/sqlite.ts'

const open = await openElsewhere()

/** workerd has no node:sqlite: SQLite compiled to JavaScript takes its place. */
async function openElsewhere(): Promise<(() => Database) | undefined> {
  if (globalThis.navigator?.userAgent !== 'Cloudflare-Workers') return undefined
  // Each world has its databases, and none is ever closed: memory has to grow.
  const { default: initialise } = await import('sql.js/dist/sql-asm-memory-growth.js')
  const sqlite = await initialise()
  return () => {
    const database = new sqlite.Database()
    const statements = new Map<string, Statement>()
    return {
      exec(query, bindings) {
        const statement = statements.get(query) ?? database.prepare(query)
        statements.set(query, statement)
        const rows: Record<string, unknown>[] = []
        try {
          statement.bind(bindings)
          while (statement.step()) rows.push(statement.getAsObject())
        } finally {
          // One that failed would keep its transaction open.
          statement.reset()
        }
        return { rows, changes: database.getRowsModified() }
      },
    }
  }
}

/** The object of one world: the double of the test kit. */
export interface ObjectDouble extends Omit<Double, 'restart'> {
  /** Loses what is in memory: the object begins anew over its storage, over which `kill` rules when it is given. */
  restart(next?: { deps: Deps; kill: Omit<Restart, 'ShopObject'> }): void
}

/** The double of the test kit, on this runtime. */
export const createObjectDouble: typeof createDouble = (options) => createDouble({ ...options, ...(open && { open }) })

export function createShopObjectDouble(deps: Deps): ObjectDouble {
  const classOf = (deps: Deps) => createShopObject((database, env) => makeShop(deps, env, database))
  const double = createObjectDouble({ ShopObject: classOf(deps) })
  const { restart } = double
  return Object.assign(double, {
    restart: (next?: Parameters<ObjectDouble['restart']>[0]) =>
      restart(next && { ShopObject: classOf(next.deps), ...next.kill }),
  })
}
