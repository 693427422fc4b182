import { expect, it } from 'vitest'
import type { ShopEnv } from '../../src/shop/env.ts'
import type { GateState } from '../../src/shop/runtime.ts'
import { createGateDouble } from '../../src/testing/gate-double.ts'

const clock = { time: 1_000_000 }

/** One object, whose alarm is what the test says. */
async function openGate(alarm: (state: GateState) => Promise<void> = async () => {}) {
  let opened: GateState | undefined
  class Gate {
    private readonly state: GateState
    constructor(state: GateState) {
      this.state = state
      opened = state
    }
    fetch = async () => new Response()
    alarm = () => alarm(this.state)
  }
  const gates = createGateDouble({ Gate, now: () => clock.time }, () => {})
  await gates
    .namespace(() => ({}) as ShopEnv)
    .get('order/A-1' as never)
    .fetch('https://gate/', { method: 'POST', body: '' })
  if (!opened) throw new Error('The object did not begin.')
  return { gates, storage: opened.storage }
}

const rows = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`row/${n}`, n]))

it.each<[what: string, key: string | Record<string, unknown>, value?: unknown]>([
  ['129 pairs', rows(129)],
  ['a value of more than 2 MB', 'a', 'x'.repeat(2 * 2 ** 20)],
  ['a key of more than 2,048 bytes', 'x'.repeat(2049), 1],
  ['a function', 'a', { call() {} }],
  ['a function among good rows', { a: 1, b: () => {} }],
  ['undefined', 'a', undefined],
])('rejects %s, and stores nothing', async (_, key, value) => {
  const { gates, storage } = await openGate()
  await expect(storage.put(key as string, value)).rejects.toThrow()
  await expect(storage.transaction((transaction) => transaction.put(key as string, value))).rejects.toThrow()
  expect(gates.rows('A-1').size).toBe(0)
  await storage.put(rows(128))
  expect(gates.rows('A-1').size).toBe(128)
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

it('does not repeat an alarm that has set another one', async () => {
  const { gates, storage } = await openGate(async (state) => {
    await state.storage.setAlarm(clock.time + 3_600_000)
    throw new Error('failed')
  })
  await storage.setAlarm(clock.time)
  await expect(gates.runAlarms()).rejects.toThrow('failed')
  expect(gates.nextAlarm()).toBe(clock.time + 3_600_000)
})
