import { beforeEach, describe, expect, it } from 'vitest'
import type { ShopEnv } from '../../src/shop/env.ts'
import type { GateState, GateStorage } from '../../src/shop/runtime.ts'
import { createObjectDouble } from '../worker/support/gate-double.ts'

const clock = { time: 1_000_000 }
const CALL = { method: 'POST', body: '' }

/** One object, whose alarm and whose response are what the test says. */
async function openGate(
  alarm: (state: GateState) => Promise<void> = async () => {},
  respond: (state: GateState) => Promise<void> = async () => {},
) {
  let opened: GateState | undefined
  class Gate {
    private readonly state: GateState
    constructor(state: GateState) {
      this.state = state
      opened = state
    }
    fetch = async () => {
      await respond(this.state)
      return new Response()
    }
    alarm = () => alarm(this.state)
  }
  const gates = createObjectDouble({ Gate, now: () => clock.time }, () => {})
  const call = () =>
    gates
      .namespace(() => ({}) as ShopEnv)
      .get('order/A-1' as never)
      .fetch('https://gate/', CALL)
  await call()
  if (!opened) throw new Error('The object did not begin.')
  return { gates, call, storage: opened.storage }
}

describe('the SQLite of an object', () => {
  let gates: Awaited<ReturnType<typeof openGate>>['gates']
  let storage: GateStorage
  const put = (id: string, value: string | number | null = 1) =>
    storage.sql.exec('INSERT INTO note (id, value) VALUES (?, ?)', id, value)
  const ids = () =>
    storage.sql
      .exec('SELECT id FROM note ORDER BY id')
      .toArray()
      .map(({ id }) => id)

  beforeEach(async () => {
    ;({ gates, storage } = await openGate())
    storage.sql.exec('CREATE TABLE note (id TEXT PRIMARY KEY, value) WITHOUT ROWID')
  })

  it.each<[what: string, query: string, bindings: unknown[]]>([
    ['a row of more than 2 MB', 'INSERT INTO note VALUES (?, ?)', ['a', 'x'.repeat(2 * 2 ** 20)]],
    [
      '101 bindings',
      `INSERT INTO note VALUES ${'(?, ?),'.repeat(50)}(?, 1)`,
      Array.from({ length: 101 }, (_, i) => `${i}`),
    ],
    ['a query of more than 100 kB', `INSERT INTO note VALUES ('a', '${'x'.repeat(100_000)}')`, []],
    ['a function', 'INSERT INTO note VALUES (?, ?)', ['a', () => {}]],
    ['undefined', 'INSERT INTO note VALUES (?, ?)', ['a', undefined]],
    ['a number that is not finite', 'INSERT INTO note VALUES (?, ?)', ['a', Number.NaN]],
    ['BEGIN', 'BEGIN', []],
    ['COMMIT', ' commit', []],
    ['ROLLBACK', 'ROLLBACK', []],
    ['SAVEPOINT', 'SAVEPOINT a', []],
    ['PRAGMA', 'PRAGMA user_version = 1', []],
    ['ATTACH', "ATTACH 'a' AS b", []],
    ['VACUUM', 'VACUUM', []],
    ['what is no SQL', 'PUT a', []],
  ])('rejects %s, and stores nothing', (_, query, bindings) => {
    expect(() => storage.sql.exec(query, ...(bindings as string[]))).toThrow()
    expect(ids()).toEqual([])
    // It goes on working.
    put('b')
    expect(ids()).toEqual(['b'])
  })

  it('takes what is just within the limits', () => {
    const hundred = Array.from({ length: 100 }, (_, i) => `${i}`)
    storage.sql.exec(`INSERT INTO note VALUES ${'(?, 1),'.repeat(99)}(?, null)`, ...hundred)
    put('big', 'x'.repeat(2 * 2 ** 20 - 100))
    expect(ids()).toHaveLength(101)
  })

  it('writes all of a transaction or nothing, and gives back what it returns', () => {
    expect(storage.transactionSync(() => put('a') && 7)).toBe(7)
    const fails = () =>
      storage.transactionSync(() => {
        put('b')
        throw new Error('halfway')
      })
    expect(fails).toThrow('halfway')
    expect(() => storage.transactionSync(() => put('c') && put('c'))).toThrow()
    expect(ids()).toEqual(['a'])
  })

  it('loses with an object that dies what was not on disk, and nothing else', async () => {
    put('a')
    await storage.sync()
    put('b')
    put('c')
    gates.restart()
    expect([...gates.rows('A-1').keys()].filter((key) => key.startsWith('note/'))).toEqual(['note/a'])
    expect(() => put('d')).toThrow('died')
  })

  it('counts the rows that are read and written', () => {
    const { rowsRead, rowsWritten } = gates.calls
    put('a')
    put('b')
    ids()
    expect([gates.calls.rowsRead - rowsRead, gates.calls.rowsWritten - rowsWritten]).toEqual([2, 2])
  })
})

it('gives a response when what was written before it is on disk', async () => {
  const { gates, call } = await openGate(undefined, async ({ storage }) => {
    storage.sql.exec('CREATE TABLE IF NOT EXISTS note (id TEXT PRIMARY KEY) WITHOUT ROWID')
    storage.sql.exec('INSERT OR IGNORE INTO note VALUES (?)', 'a')
  })
  await call()
  gates.restart()
  expect([...gates.rows('A-1').keys()]).toContain('note/a')
})

it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])('rejects an alarm at %d', async (time) => {
  const { gates, storage } = await openGate()
  await expect(storage.setAlarm(time)).rejects.toThrow('setAlarm()')
  expect(gates.nextAlarm()).toBeUndefined()
})

it('repeats an alarm that fails six times, later each time, and then no more', async () => {
  let ran = 0
  const { gates, storage } = await openGate(async () => {
    ran++
    throw new Error('failed')
  })
  await storage.setAlarm(clock.time)
  const pauses: number[] = []
  while (gates.nextAlarm() !== undefined) {
    await expect(gates.runAlarms()).rejects.toThrow('failed')
    const next = gates.nextAlarm() ?? clock.time
    pauses.push(next - clock.time)
    clock.time = next
  }
  expect([ran, pauses]).toEqual([7, [2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 0]])
})

it('does not repeat an alarm that has set another one, and sees none while it runs', async () => {
  const seen: unknown[] = []
  const { gates, storage } = await openGate(async (state) => {
    seen.push(await state.storage.getAlarm())
    await state.storage.setAlarm(clock.time + 3_600_000)
    throw new Error('failed')
  })
  await storage.setAlarm(clock.time)
  await expect(gates.runAlarms()).rejects.toThrow('failed')
  expect([seen, gates.nextAlarm()]).toEqual([[null], clock.time + 3_600_000])
})
