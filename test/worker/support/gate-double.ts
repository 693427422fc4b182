import type { Statement } from 'sql.js/dist/sql-asm-memory-growth.js'
import { createOrderGate } from '../../../src/shop/gate.ts'
import type { Deps } from '../../../src/shop/scope.ts'
import { createGateDouble as createDouble, type GateDouble as Double } from '../../../src/testing/gate-double.ts'
import type { Database } from '../../../src/testing/sqlite.ts'
import type { Kill } from './kill.ts'

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

/** The gates of one world: the double of the test kit, over the engine's own gates. */
export interface GateDouble extends Omit<Double, 'restart'> {
  /** Loses what is in memory: every object begins anew over its storage, over which `kill` rules when it is given. */
  restart(next?: { deps: Deps; kill: Pick<Kill, 'call'> & Partial<Kill> }): void
}

/** The double of the test kit, on this runtime. */
export const createObjectDouble: typeof createDouble = (options, waitUntil) =>
  createDouble({ ...options, ...(open && { open }) }, waitUntil)

export function createGateDouble(deps: Deps, waitUntil: (work: Promise<unknown>) => void): GateDouble {
  const double = createObjectDouble({ Gate: createOrderGate(deps), now: deps.now }, waitUntil)
  const { restart } = double
  return Object.assign(double, {
    restart: (next?: Parameters<GateDouble['restart']>[0]) =>
      restart(
        next && {
          Gate: createOrderGate(next.deps),
          call: next.kill.call,
          answer: next.kill.answer,
          isDead: () => next.kill.isDead === true,
        },
      ),
  })
}
