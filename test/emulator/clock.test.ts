import { describe, expect, it } from 'vitest'
import type { EmulatorOptions } from '../../src/emulator/index.ts'
import { type Bench, createBench, type Json, START } from './call.ts'
import { paid, payDirect } from './conformance/samples.ts'
import { command, readJson } from './control.ts'

describe('the clock', () => {
  it('waits for what is under way before it moves: a delivery that is about to fail has its retry in the same advance', async () => {
    const bench = createBench({ retryDelaysMs: [1000, 1000] })
    bench.answers.push(500, 500)
    await payDirect(bench)
    await bench.emulator.clock.advance({ seconds: 2 })
    expect(bench.received).toHaveLength(3)
  })

  it('what fell due in real time happens at the next request', async () => {
    let now = START
    const bench = createBench({ clock: { now: () => now }, retryDelaysMs: [1000] })
    const { emulator, received } = bench
    bench.answers.push(500)
    await payDirect(bench)
    await emulator.deliveries.idle()
    now += 1000
    expect(received).toHaveLength(1)
    await emulator.fetch(emulator.credentials.baseUrl)
    await emulator.deliveries.idle()
    expect(received).toHaveLength(2)
    await emulator.clock.advance({ seconds: 5 })
    now += 500
    expect(emulator.clock.now()).toBe(START + 6500)
  })
})

describe('control requests of the clock', () => {
  it('parallel advances add up while a webhook is under way', async () => {
    let release: () => void = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const fetch: NonNullable<EmulatorOptions['fetch']> = async () => held.then(() => new Response())
    const bench = createBench({ fetch })
    await payDirect(bench)
    const calls = Array.from({ length: 5 }, () => command(bench.emulator, 'clock', { days: 1 }))
    release()
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    expect(bench.emulator.clock.now()).toBe(START + 5 * 86_400_000)
  })

  it('can be set forward, doing what falls due, and back', async () => {
    const bench = createBench()
    bench.emulator.faults.next({ kind: 'delay', ms: 60_000 })
    await payDirect(bench)
    const moved = async (set: string) => (await command(bench.emulator, 'clock', { set })).json
    expect(await moved('2026-01-31T10:05:00Z')).toEqual({ now: START + 300_000 })
    expect(bench.received).toHaveLength(1)
    expect(await moved('2026-01-01T00:00:00Z')).toEqual({ now: Date.UTC(2026, 0, 1) })
    await expect(bench.emulator.clock.set('never')).rejects.toThrow(/is not a time/)
  })

  it('a receiver can move the clock without waiting for itself', async () => {
    const bench: Bench = createBench({
      webhookTimeoutMs: 2000,
      fetch: async () => {
        const { status } = await command(bench.emulator, 'clock', { days: 1, wait: false })
        return new Response(null, { status })
      },
    })
    await payDirect(bench)
    await bench.emulator.deliveries.idle()
    expect(bench.emulator.deliveries[0]?.attempts).toMatchObject([{ status: 200 }])
    await bench.emulator.clock.advance({})
    expect(bench.emulator.clock.now()).toBe(START + 86_400_000)
  })
})

describe('reset gives back the start', () => {
  it('ids, accounts, clock and random faults included', async () => {
    const day = async (bench: Bench): Promise<string> => {
      bench.emulator.faults.rate({ kind: 'duplicate' }, 0.5)
      for (const order_id of ['A', 'B', 'C']) await payDirect(bench, { order_id })
      await bench.emulator.clock.advance({ months: 2 })
      bench.emulator.control.refundPayment('A', 1)
      await bench.emulator.deliveries.idle()
      const { orders, deliveries, clock, faults, requests } = bench.emulator
      return JSON.stringify([orders.list(), deliveries, clock.now(), faults.fired(), requests()])
    }
    const bench = createBench()
    const first = await day(bench)
    expect((await command(bench.emulator, 'reset', {})).json).toEqual({ reset: true })
    expect(bench.emulator.clock.now()).toBe(START)
    expect(await day(bench)).toBe(first)
    expect(await day(createBench())).toBe(first)
    expect(await day(createBench({ seed: 8 }))).not.toBe(first)
  })

  it('a delivery that was under way, or waited for its turn, is not sent again', async () => {
    let fail = () => {}
    let count = 0
    const failed = new Promise<Response>((done) => {
      fail = () => done(new Response('', { status: 503 }))
    })
    const fetch = () => (++count === 1 ? failed : Promise.resolve(new Response()))
    const bench = createBench({ retryDelaysMs: [1_000], fetch })
    await payDirect(bench)
    // The next webhook of the same order waits for the first.
    bench.emulator.control.refundPayment(bench.emulator.orders.list()[0]?.order_id ?? '', 1)
    expect(count).toBe(1)
    bench.emulator.reset()
    fail()
    await bench.emulator.clock.advance({ hours: 1 })
    expect([count, bench.emulator.deliveries.length]).toEqual([1, 0])
  })

  it('also while the clock is being moved', async () => {
    const bench = await paid({ order_id: 'A' })
    const moving = bench.emulator.clock.advance({ days: 1 })
    bench.emulator.reset()
    await moving
    expect(bench.emulator.clock.now()).toBe(START)
  })
})

const deliveries = ({ emulator }: Bench, query: string) => readJson<Json[]>(emulator, `deliveries?${query}`)

it('waiting for webhooks ends as soon as the order has as many as are asked for, or when the time is over', async () => {
  const bench = createBench()
  const waiting = deliveries(bench, 'wait=60s&order_id=B&count=2')
  await payDirect(bench, { order_id: 'A' })
  await payDirect(bench, { order_id: 'B' })
  bench.emulator.control.refundPayment('B')
  expect((await waiting).map(({ event }) => (event as Json).method)).toEqual(['purchase', 'refund'])
  expect(await deliveries(bench, 'wait=60s&order_id=A')).toHaveLength(1)
  expect(await deliveries(bench, 'wait=5ms&order_id=C')).toEqual([])
})
