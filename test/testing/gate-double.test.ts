import { beforeEach, describe, expect, it } from 'vitest'
import type { ShopEnv } from '../../src/shop/env.ts'
import type { GateState, GateStorage } from '../../src/shop/runtime.ts'
import { createObjectDouble } from '../worker/support/gate-double.ts'
import { BEHAVIOURS, type Counts, objectClass, play } from './behaviours.ts'

const clock = { time: 1_000_000 }

/** One object, whose alarm is what the test says. */
async function openGate(alarm: () => Promise<void> = async () => {}) {
  let opened: GateState | undefined
  class Gate {
    constructor(state: GateState) {
      opened = state
    }
    fetch = async () => new Response()
    alarm = alarm
  }
  const gates = createObjectDouble({ Gate, now: () => clock.time }, () => {})
  const gate = gates.namespace(() => ({}) as ShopEnv).get('order/A-1' as never)
  await gate.fetch('https://gate/', { method: 'POST', body: '' })
  return { gates, storage: (opened as unknown as GateState).storage }
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

  it('takes what is just within the limits', () => {
    const hundred = Array.from({ length: 100 }, (_, i) => `${i}`)
    storage.sql.exec(`INSERT INTO note VALUES ${'(?, 1),'.repeat(99)}(?, null)`, ...hundred)
    put('big', 'x'.repeat(2 * 2 ** 20 - 100))
    expect(ids()).toHaveLength(101)
    // As Cloudflare’s documents say: workerd on one machine has no such limit.
    expect(() => put('bigger', 'x'.repeat(2 * 2 ** 20))).toThrow()
  })

  it('counts the rows that are read and written', () => {
    const { rowsRead, rowsWritten } = gates.calls
    put('a')
    put('b')
    ids()
    expect([gates.calls.rowsRead - rowsRead, gates.calls.rowsWritten - rowsWritten]).toEqual([2, 2])
  })
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

it('gives a response when a write that takes a while is on disk', async () => {
  let write = () => {}
  const disk = new Promise<void>((resolve) => {
    write = resolve
  })
  const seen: string[] = []
  class Gate {
    private readonly state: GateState
    constructor(state: GateState) {
      this.state = state
    }
    fetch = async () => {
      this.state.storage.sql.exec('CREATE TABLE note (id TEXT)')
      return new Response()
    }
    alarm = async () => {}
  }
  const gates = createObjectDouble({ Gate, now: () => clock.time }, () => {})
  const call = async <T>(work: () => Promise<T>): Promise<T> => {
    await disk
    seen.push('on disk')
    return work()
  }
  gates.restart({ Gate, call })
  const gate = gates.namespace(() => ({}) as ShopEnv).get('order/A-1' as never)
  const responded = gate.fetch('https://gate/', { method: 'POST', body: '' }).then(() => seen.push('responded'))
  // A turn of the event loop, in which nothing may come.
  await new Promise((resolve) => setTimeout(resolve))
  write()
  await responded
  expect(seen).toEqual(['on disk', 'responded'])
})

// test/node/gates-in-workerd.test.ts plays the same over workerd’s objects.
it.each(BEHAVIOURS)('behaves as in workerd: $name', async (behaviour) => {
  const counts: Counts = { rung: 0, sent: 0 }
  const Gate = objectClass(behaviour, counts, { die: () => gates.restart(), send: () => void counts.sent++ })
  const gates = createObjectDouble({ Gate, now: () => clock.time }, () => {})
  const namespace = gates.namespace(() => ({}) as ShopEnv)
  const call = async (body: string): Promise<unknown> => {
    const responded = namespace.get('order/A-1' as never).fetch('https://object/', { method: 'POST', body })
    return responded.then((response) => response.json()).catch(() => 'rejected')
  }
  const rung = async (times: number): Promise<void> => {
    while (counts.rung < times) {
      clock.time = Math.max(clock.time, gates.nextAlarm() as number)
      await gates.runAlarms().catch(() => {})
    }
  }
  expect(await play(behaviour, call, rung)).toEqual(behaviour.double?.seen ?? behaviour.seen)
})
