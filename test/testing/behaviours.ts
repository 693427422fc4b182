// The behaviour of a Durable Object that the engine relies on, as it is seen: of the test kit's double, and of workerd's own.

import type { ObjectState } from '../../src/shop/runtime.ts'

/** State that outlives an object: how many of its requests have arrived. */
export interface Counts {
  sent: number
}

export interface Behaviour {
  name: string
  /**
   * The calls, one after the other; those of a list at once. Each does its words one after the other, in one turn but for
   * those that wait.
   */
  calls: readonly (string | readonly string[])[]
  /** The result of each call, which is that of its last word; `rejected` where it failed. */
  seen: readonly unknown[]
  /** Where the double does not imitate the runtime, and why it need not. */
  double?: { seen: readonly unknown[]; why: string }
}

/** Statements that an object may not run, although SQLite could. */
const REJECTED: readonly unknown[][] = [
  [`INSERT INTO note VALUES ${'(?, ?),'.repeat(50)}(?, 1)`, ...Array.from({ length: 101 }, (_, i) => `${i}`)],
  [`INSERT INTO note VALUES ('a', '${'x'.repeat(100_000)}')`],
  ...['BEGIN', ' commit', 'ROLLBACK', 'SAVEPOINT a', 'PRAGMA user_version = 1', "ATTACH 'a' AS b", 'VACUUM'].map(
    (query) => [query],
  ),
]
const NO_VALUES = [undefined, Number.NaN, () => {}]
const STATEMENTS = [...REJECTED, ...NO_VALUES.map((value, i) => ['INSERT INTO note VALUES (?, ?)', `${i}`, value])]
const executed = STATEMENTS.map((_, i) => `execute:${i}`)

const BILLED: readonly [query: string, rows: number, ...bindings: (string | number | null)[]][] = [
  ['INSERT INTO priced (id, a, b, c) VALUES (?, ?, ?, ?)', 5, 'x', 1, 2, 3],
  ['INSERT INTO priced (id, a, b, c) VALUES (?, ?, ?, ?)', 4, 'y', 1, 2, null],
  ['INSERT INTO priced (id, a, b) VALUES (?, ?, ?)', 4, 'z', 1, 2],
  ['INSERT INTO priced (id, a, b, c) VALUES (?, ?, ?, (SELECT 3)) RETURNING *', 5, 'v', 1, 2],
  ['INSERT INTO priced (id, a, b, c) VALUES (?, ?, ?, (SELECT NULL)) RETURNING *', 4, 'w', 1, 2],
  ["UPDATE priced SET d = 'q' WHERE id = ?", 1, 'x'],
  ["UPDATE priced SET d = 'q', a = 5 WHERE id = ?", 2, 'x'],
  ['UPDATE priced SET c = 4 WHERE id = ?', 2, 'x'],
  ['UPDATE priced SET c = NULL WHERE id = ?', 1, 'x'],
  ['INSERT INTO priced (id, a) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET d = excluded.d', 1, 'x', 7],
  ['INSERT INTO priced (id, a) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET a = excluded.a, d = 1', 2, 'x', 7],
  ['INSERT INTO priced (id, a) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET d = excluded.d', 4, 'u', 7],
  ["INSERT OR IGNORE INTO priced (id) VALUES ('x')", 0],
  ['DELETE FROM priced WHERE id = ?', 1, 'x'],
  ['DELETE FROM priced WHERE id = ?', 0, 'x'],
]

const TABLE: Readonly<Record<string, Omit<Behaviour, 'name'>>> = {
  'a response is given when what was written before it is on disk': {
    calls: ['put:a', 'die', 'ids'],
    seen: [null, 'rejected', ['a']],
  },
  'statements of one turn are on disk together, or not at all when the object dies in it': {
    calls: ['put:a put:b die', 'ids'],
    seen: ['rejected', []],
  },
  'what was synchronized stays, and what was written after it is lost with the object': {
    calls: ['put:a sync put:b die', 'ids'],
    seen: ['rejected', ['a']],
  },
  'what was written before an error stays, and a failed statement changes nothing': {
    calls: ['put:a', 'put:a', 'put:b fail', 'ids'],
    seen: [null, 'rejected', 'rejected', ['a', 'b']],
  },
  'a transaction is written whole or not at all, and so is one within it': {
    calls: ['transact', 'ids'],
    seen: ['rejected', ['a', 'c']],
  },
  'one object serves all calls, and forgets what is in memory when it dies': {
    calls: ['remember', 'remember', 'die', 'remember'],
    seen: [1, 2, 'rejected', 1],
  },
  'calls go on beside each other while one waits, for the storage too': {
    calls: [['remember sync turns put:a memory', 'remember sync turns put:b memory'], 'ids'],
    seen: [
      [
        [1, 2],
        [1, 2],
      ],
      ['a', 'b'],
    ],
  },
  'nothing leaves an object before what it has written is on disk': {
    calls: ['put:a send die', 'sent', 'put:b sync send turns die', 'sent', 'ids'],
    seen: ['rejected', 0, 'rejected', 1, ['b']],
    double: { seen: ['rejected', 1, 'rejected', 2, ['b']], why: 'a call that may have been made is the worse case' },
  },
  'a statement that an object may not make is rejected, and changes nothing': {
    calls: [executed.slice(0, REJECTED.length), 'ids'],
    seen: [REJECTED.map(() => 'rejected'), []],
  },
  'a value that SQLite does not have is stored as another one': {
    calls: [executed.slice(REJECTED.length)],
    seen: [NO_VALUES.map(() => null)],
    double: { seen: [NO_VALUES.map(() => 'rejected')], why: 'the engine must not bind one' },
  },
  'a row that is written is billed with the entries of indexes that are written': {
    calls: ['billed'],
    seen: [BILLED.map(([, rows]) => rows)],
  },
}

export const BEHAVIOURS: readonly Behaviour[] = Object.entries(TABLE).map(([name, one]) => ({ name, ...one }))

/** Calls an object as a behaviour says. @returns What was seen. */
export async function play({ calls }: Behaviour, call: (words: string) => Promise<unknown>): Promise<unknown[]> {
  const seen: unknown[] = []
  for (const one of calls) seen.push(await (typeof one === 'string' ? call(one) : Promise.all(one.map(call))))
  return seen
}

/** The class of an object that behaves so. @param send Sends a request to somewhere else, and waits for nothing. */
export function objectClass(
  counts: Counts,
  { die, send, written }: { die(state: ObjectState): void; send(): void; written(cursor: unknown): number },
) {
  return class {
    private readonly memory: number[] = []
    private readonly words: Record<string, (argument: string) => unknown>

    constructor(state: ObjectState) {
      const { memory } = this
      const { storage } = state
      const { sql } = storage
      sql.exec('CREATE TABLE IF NOT EXISTS note (id TEXT PRIMARY KEY, value) WITHOUT ROWID')
      const put = (id: string) => void sql.exec('INSERT INTO note VALUES (?, 1)', id)
      const fail = (): never => {
        throw new Error('failed')
      }
      this.words = {
        put,
        fail,
        send,
        die() {
          die(state)
          fail()
        },
        ids: () =>
          sql
            .exec('SELECT id FROM note ORDER BY id')
            .toArray()
            .map((row) => (row as { id: string }).id),
        execute: (index) => void sql.exec(...(STATEMENTS[Number(index)] as [string, ...string[]])),
        billed() {
          sql.exec('CREATE TABLE priced (id TEXT PRIMARY KEY, a INTEGER, b INTEGER, c INTEGER, d TEXT)')
          sql.exec('CREATE INDEX priced_a ON priced (a, id)')
          sql.exec('CREATE INDEX priced_b ON priced (b)')
          sql.exec('CREATE INDEX priced_c ON priced (c) WHERE c IS NOT NULL')
          return BILLED.map(([query, , ...bindings]) => {
            const cursor = sql.exec(query, ...bindings)
            cursor.toArray()
            return written(cursor)
          })
        },
        transact() {
          const failing = (id: string) => storage.transactionSync(() => [put(id), fail()])
          const given = storage.transactionSync(() => {
            put('a')
            try {
              failing('b')
            } catch {}
            return 'c'
          })
          put(given)
          failing('d')
        },
        sync: () => storage.sync(),
        remember: () => memory.push(memory.length + 1),
        memory: () => memory,
        turns: async () => {
          for (let i = 0; i < 20; i++) await new Promise<void>((resolve) => setTimeout(resolve))
        },
        sent: async () => {
          await this.words.turns?.('')
          return counts.sent
        },
      }
    }

    /** Only a word that waits ends the turn. */
    private async act(words: string): Promise<unknown> {
      let last: unknown
      for (const word of words.split(' ')) {
        const [name = '', argument = ''] = word.split(':')
        last = this.words[name]?.(argument)
        if (last instanceof Promise) last = await last
      }
      return last ?? null
    }

    async fetch(request: Request): Promise<Response> {
      return Response.json(await this.act(await request.text()))
    }
  }
}
