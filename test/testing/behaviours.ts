// What the engine relies on of a Durable Object, and what is seen of it: of the test kit's double, and of workerd's own.

import type { GateState } from '../../src/shop/runtime.ts'

/** An object of the test. */
interface Self {
  state: GateState
  /** What it keeps in memory. */
  memory: unknown[]
  counts: Counts
  /** Ends this life at once. */
  die(): never
  /** Sends a request to somewhere else, and waits for nothing. */
  send(): void
  put(id: string): void
  ids(): string[]
}

/** What outlives an object: how often its alarm has begun, and how many of its requests have arrived. */
export interface Counts {
  rung: number
  sent: number
}

export interface AlarmInfo {
  isRetry: boolean
  retryCount: number
}

export interface Behaviour {
  name: string
  /** What the object does when it is called with a word, besides {@link WORDS}. */
  on?: Record<string, (self: Self) => unknown>
  alarm?: (self: Self, info?: AlarmInfo) => unknown
  /** The calls, one after the other; those of a list at once. A number waits until an alarm has begun so often. */
  calls: readonly (string | number | readonly string[])[]
  /** What each call returned; `rejected` where it failed. */
  seen: readonly unknown[]
  /** Where the double does not imitate the runtime, and why it need not. */
  double?: { seen: readonly unknown[]; why: string }
}

const LATER = Date.UTC(2100, 0)
const fails = (): never => {
  throw new Error('failed')
}
async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise<void>((resolve) => setTimeout(resolve))
}
/** An alarm that fails once. */
const failsOnce: Behaviour['alarm'] = ({ put, counts }, info) => {
  put(`${counts.rung} ${info?.isRetry} ${info?.retryCount}`)
  if (counts.rung === 1) fails()
}

const WORDS: NonNullable<Behaviour['on']> = {
  put: ({ put }) => put('a'),
  ids: ({ ids }) => ids(),
  die: ({ die }) => die(),
  remember: ({ memory }) => memory.push(1),
  memory: ({ memory }) => memory,
  set: ({ state }) => state.storage.setAlarm(1),
  later: ({ state }) => state.storage.setAlarm(LATER),
  delete: ({ state }) => state.storage.deleteAlarm(),
  alarm: ({ state }) => state.storage.getAlarm(),
  sent: async ({ counts }) => {
    await turns(20)
    return counts.sent
  },
}

/** What an object may not do, although SQLite could. */
const REJECTED: readonly [query: string, ...bindings: string[]][] = [
  [`INSERT INTO note VALUES ${'(?, ?),'.repeat(50)}(?, 1)`, ...Array.from({ length: 101 }, (_, i) => `${i}`)],
  [`INSERT INTO note VALUES ('a', '${'x'.repeat(100_000)}')`],
  ...['BEGIN', ' commit', 'ROLLBACK', 'SAVEPOINT a', 'PRAGMA user_version = 1', "ATTACH 'a' AS b", 'VACUUM'].map(
    (query): [string] => [query],
  ),
]
const NO_VALUES = [undefined, Number.NaN, () => {}]
const NO_TIMES = [0, -1, Number.NaN, Number.POSITIVE_INFINITY]

const executes =
  (query: string, bindings: readonly unknown[]) =>
  ({ state }: Self): void =>
    void state.storage.sql.exec(query, ...(bindings as string[]))

export const BEHAVIOURS: readonly Behaviour[] = [
  {
    name: 'a response is given when what was written before it is on disk',
    calls: ['put', 'die', 'ids'],
    seen: [null, 'rejected', ['a']],
  },
  {
    name: 'statements of one turn are on disk together, or not at all when the object dies in it',
    on: {
      both: ({ put, die }) => {
        put('a')
        put('b')
        die()
      },
    },
    calls: ['both', 'ids'],
    seen: ['rejected', []],
  },
  {
    name: 'what was synchronized stays, and what was written after it is lost with the object',
    on: {
      both: async ({ put, die, state }) => {
        put('a')
        await state.storage.sync()
        put('b')
        die()
      },
    },
    calls: ['both', 'ids'],
    seen: ['rejected', ['a']],
  },
  {
    name: 'what was written before an error stays, and a failed statement changes nothing',
    on: {
      fail: ({ put }) => {
        put('b')
        fails()
      },
    },
    calls: ['put', 'put', 'fail', 'ids'],
    seen: [null, 'rejected', 'rejected', ['a', 'b']],
  },
  {
    name: 'a transaction is written whole or not at all, and so is one within it',
    on: {
      run({ put, state: { storage } }) {
        const failing = (id: string) =>
          storage.transactionSync(() => {
            put(id)
            fails()
          })
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
    },
    calls: ['run', 'ids'],
    seen: ['rejected', ['a', 'c']],
  },
  {
    name: 'one object serves all calls, and forgets what is in memory when it dies',
    calls: ['remember', 'remember', 'die', 'remember'],
    seen: [1, 2, 'rejected', 1],
  },
  {
    name: 'calls go on beside each other while one waits, for the storage too',
    on: {
      add: async ({ ids, put, memory, state }) => {
        const count = ids().length
        await state.storage.sync()
        await state.storage.getAlarm()
        await turns(1)
        put(`${count}-${memory.push(1)}`)
      },
    },
    calls: [['add', 'add'], 'ids'],
    seen: [
      [null, null],
      ['0-1', '0-2'],
    ],
  },
  {
    name: 'nothing leaves an object before what it has written is on disk',
    on: {
      at_once({ put, send, die }) {
        put('a')
        send()
        die()
      },
      after: async ({ put, send, die, state }) => {
        put('b')
        await state.storage.sync()
        send()
        await turns(20)
        die()
      },
    },
    calls: ['at_once', 'sent', 'after', 'sent', 'ids'],
    seen: ['rejected', 0, 'rejected', 1, ['b']],
    double: { seen: ['rejected', 1, 'rejected', 2, ['b']], why: 'a call that may have been made is the worse case' },
  },
  { name: 'an alarm stays when the object dies', calls: ['later', 'die', 'alarm'], seen: [null, 'rejected', LATER] },
  { name: 'an alarm that is deleted is gone', calls: ['later', 'delete', 'alarm'], seen: [null, null, null] },
  {
    name: 'a row and the alarm for it are lost together when the object dies in the turn that wrote them',
    on: {
      both: ({ put, die, state }) => {
        put('a')
        void state.storage.setAlarm(LATER)
        die()
      },
    },
    calls: ['both', 'ids', 'alarm'],
    seen: ['rejected', [], null],
    double: { seen: ['rejected', [], LATER], why: 'an alarm that finds nothing due does nothing' },
  },
  {
    name: 'an alarm that is set again rings once, and is not there while it runs',
    alarm: async ({ state, memory }) => memory.push(await state.storage.getAlarm()),
    calls: ['later', 'set', 1, 'memory', 'alarm'],
    seen: [null, null, [null], null],
  },
  {
    name: 'an alarm that fails is repeated, what it wrote before stays, and it learns that it is repeated',
    alarm: failsOnce,
    calls: ['set', 2, 'ids', 'alarm'],
    seen: [null, ['1 false 0', '2 true 1'], null],
    double: { seen: [null, ['1 undefined undefined', '2 undefined undefined'], null], why: 'the engine does not ask' },
  },
  {
    name: 'an alarm whose object dies is repeated',
    alarm: ({ put, die, counts }) => {
      put(`${counts.rung}`)
      if (counts.rung === 1) die()
    },
    calls: ['set', 2, 'ids'],
    seen: [null, ['2']],
  },
  {
    name: 'an alarm that has set another one, and then fails, is due when that one is',
    alarm: async ({ state }) => {
      await state.storage.setAlarm(LATER)
      fails()
    },
    calls: ['set', 1, 'sent', 'alarm'],
    seen: [null, 0, LATER],
  },
  {
    name: 'an alarm that sets itself rings again when it has ended, not beside itself',
    alarm: async ({ state, put, counts }) => {
      const { rung } = counts
      put(`${rung} begins`)
      if (rung === 1) await state.storage.setAlarm(1)
      await turns(10)
      put(`${rung} ends`)
    },
    calls: ['set', 2, 'sent', 'ids'],
    seen: [null, 0, ['1 begins', '1 ends', '2 begins', '2 ends']],
  },
  {
    name: 'an alarm needs a time',
    on: Object.fromEntries(NO_TIMES.map((time) => [`${time}`, ({ state }: Self) => state.storage.setAlarm(time)])),
    calls: [NO_TIMES.map(String), 'alarm'],
    seen: [NO_TIMES.map(() => 'rejected'), null],
  },
  {
    name: 'a statement that an object may not make is rejected, and changes nothing',
    on: Object.fromEntries(REJECTED.map(([query, ...bindings], i) => [`${i}`, executes(query, bindings)])),
    calls: [REJECTED.map((_, i) => `${i}`), 'ids'],
    seen: [REJECTED.map(() => 'rejected'), []],
  },
  {
    name: 'a value that SQLite does not have is stored as another one',
    on: Object.fromEntries(
      NO_VALUES.map((value, i) => [`${i}`, executes('INSERT INTO note VALUES (?, ?)', [`${i}`, value])]),
    ),
    calls: [NO_VALUES.map((_, i) => `${i}`)],
    seen: [NO_VALUES.map(() => null)],
    double: { seen: [NO_VALUES.map(() => 'rejected')], why: 'the engine must not bind one' },
  },
]

/** Calls an object as a behaviour says. @returns What was seen. */
export async function play(
  { calls }: Behaviour,
  call: (word: string) => Promise<unknown>,
  rung: (times: number) => Promise<void>,
): Promise<unknown[]> {
  const seen: unknown[] = []
  for (const one of calls) {
    if (typeof one === 'number') await rung(one)
    else seen.push(await (typeof one === 'string' ? call(one) : Promise.all(one.map(call))))
  }
  return seen
}

/** The class of an object that behaves so. */
export function objectClass(
  { on, alarm }: Behaviour,
  counts: Counts,
  { die, send }: { die(state: GateState): void; send(): void },
) {
  return class {
    private readonly self: Self

    constructor(state: GateState) {
      const { sql } = state.storage
      sql.exec('CREATE TABLE IF NOT EXISTS note (id TEXT PRIMARY KEY, value) WITHOUT ROWID')
      const ids = () => sql.exec('SELECT id FROM note ORDER BY id').toArray()
      this.self = {
        ...{ state, counts, send, memory: [] },
        die: () => {
          die(state)
          throw new Error('died')
        },
        put: (id) => void sql.exec('INSERT INTO note VALUES (?, 1)', id),
        ids: () => ids().map(({ id }) => String(id)),
      }
    }

    async fetch(request: Request): Promise<Response> {
      const act = { ...WORDS, ...on }[await request.text()]
      return Response.json((await act?.(this.self)) ?? null)
    }

    async alarm(info?: AlarmInfo): Promise<void> {
      counts.rung++
      await alarm?.(this.self, info)
    }
  }
}
