import { describe, expect, it } from 'vitest'
import { createEmulator } from '../../src/emulator/index.ts'
import { createBench, direct, post, START } from './call.ts'

describe('the clock', () => {
  it('follows its source and adds what was advanced', async () => {
    let source = 1000
    const { clock } = createEmulator({ clock: { now: () => source } })
    await clock.advance({ seconds: 5 })
    expect(clock.now()).toBe(6000)
    source = 1500
    expect(clock.now()).toBe(6500)
  })

  it('waits for what is under way before it moves: a delivery that is about to fail has its retry in the same advance', async () => {
    const { emulator, received, answers } = createBench({ retryDelaysMs: [1000, 1000] })
    answers.push(500, 500)
    await post(emulator, '/api/v1/payment', direct(emulator))
    await emulator.clock.advance({ seconds: 2 })
    expect(received).toHaveLength(3)
  })

  it('what fell due in real time happens at the next request', async () => {
    let now = START
    const { emulator, received, answers } = createBench({ clock: { now: () => now }, retryDelaysMs: [1000] })
    answers.push(500)
    await post(emulator, '/api/v1/payment', direct(emulator))
    await emulator.deliveries.idle()
    now += 1000
    expect(received).toHaveLength(1)
    await emulator.fetch(emulator.credentials.baseUrl)
    await emulator.deliveries.idle()
    expect(received).toHaveLength(2)
  })
})
