import { describe, expect, it } from 'vitest'
import type { OnEvent } from '../../worker/on-event.ts'
import { payment } from './support/events.ts'
import { type Kind, World } from './support/world.ts'

const ID = 'A-1'
const TEN = Array.from({ length: 10 }, (_, i) => i)

describe('the gate, bound to a shop that ran over KV alone', () => {
  const failing = async (world: World) => {
    const { events } = (await (await world.api('/api/events?failing=true')).json()) as { events: { id: string }[] }
    return events
  }
  const quarter = async (world: World) => {
    await world.advance(900_000)
    await world.cron()
    await world.advance(1)
    await world.idle()
  }
  /** A world over KV alone; `bind` binds the gate. */
  function alone(onEvent: OnEvent, kind: Kind = 'gated'): { world: World; bind: () => void } {
    const world = new World({ kind, onEvent, env: { ORDER_GATE: undefined } as unknown as object })
    const bind = () => {
      world.options.env = {}
    }
    return { world, bind }
  }

  it('calls onEvent for what it failed on', async () => {
    let fails = true
    const calls: string[] = []
    const { world, bind } = alone(({ id }) => {
      if (fails) throw new Error('the shop is down')
      calls.push(id)
    })
    await world.deliver(payment(ID))
    await world.deliver(payment('A-2'))
    const before = await failing(world)
    expect(before).toHaveLength(2)
    bind()
    await quarter(world)
    // It fails on: each is still shown, and none is called by two.
    expect((await failing(world)).map(({ id }) => id).sort()).toEqual(before.map(({ id }) => id).sort())
    fails = false
    await quarter(world)
    await quarter(world)
    expect(calls.sort()).toEqual(before.map(({ id }) => id).sort())
    expect(await world.keys('retry/')).toEqual([])
  })

  it('loses none where KV fails and shows things late', async () => {
    let fails = true
    const calls = new Set<string>()
    const { world, bind } = alone((_, { order_id }) => {
      if (fails) throw new Error('the shop is down')
      calls.add(order_id)
    }, 'gated hostile')
    for (const i of TEN) await world.deliver(payment(`A-${i}`))
    bind()
    fails = false
    for (let run = 0; run < 12; run++) await quarter(world)
    expect([...calls].sort()).toEqual(TEN.map((i) => `A-${i}`))
  })

  it('shows what was given up, and replays it', async () => {
    let fails = true
    const { world, bind } = alone(() => {
      if (fails) throw new Error('the shop is down')
    })
    await world.deliver(payment(ID))
    for (let i = 0; i < 300; i++) await quarter(world)
    const before = await failing(world)
    expect(before).toMatchObject([{ given_up: true, attempts: 20 }])
    bind()
    await quarter(world)
    expect(await failing(world)).toEqual(before)
    fails = false
    await quarter(world)
    expect((await world.api(`/api/events/${before[0]?.id}/replay`, { method: 'POST' })).status).toBe(200)
    expect([await failing(world), await world.keys('retry/')]).toEqual([[], []])
  })

  it('does not call onEvent again for what it has handled', async () => {
    const calls: string[] = []
    const { world, bind } = alone(({ id }) => void calls.push(id))
    world.kv.before = (action, key) => {
      // The row stays although the event was handled.
      if (action === 'delete' && key.startsWith('retry/')) throw new Error('KV DELETE failed: 500')
      if (action === 'put' && key.startsWith('done/') && calls.length < 2) throw new Error('KV PUT failed: 500')
    }
    await world.deliver(payment(ID))
    await quarter(world)
    world.kv.before = undefined
    expect([(await world.keys('retry/')).length, (await world.keys('done/')).length]).toEqual([1, 1])
    const before = calls.length
    bind()
    for (let i = 0; i < 3; i++) await quarter(world)
    expect([calls.length, await world.keys('retry/')]).toEqual([before, []])
  })

  it('asks about a paid order whose webhooks were lost', async () => {
    const calls: string[] = []
    const { world, bind } = alone((_, { order_id }) => void calls.push(order_id))
    const checkout = await world.open(await world.link({ order_id: ID }))
    world.emulator.faults.rate({ kind: 'delay', ms: 30 * 86_400_000, on: 'webhook' }, 1)
    await world.pay(checkout)
    bind()
    for (let i = 0; i < 4; i++) await quarter(world)
    expect((await world.order(ID))?.status).toBe('success')
    await world.advance(1_000)
    expect([calls, await world.keys('open/')]).toEqual([[ID], []])
  })

  it('leaves alone what the gate lists itself, and costs one read a run after the first hour', async () => {
    let fails = true
    const world = new World({
      kind: 'gated',
      onEvent: () => {
        if (fails) throw new Error('the shop is down')
      },
    })
    await world.deliver(payment(ID))
    await world.open(await world.link({ order_id: 'A-2' }))
    await world.advance(1)
    const rows = async () => [...(await world.keys('retry/')), ...(await world.keys('open/'))]
    const before = await rows()
    expect(before).toHaveLength(2)
    const cron = async () => {
      const { gate = 0 } = world.gate?.calls ?? {}
      const { get, put, list } = world.kv.calls
      await world.cron()
      expect(world.gate?.calls.gate).toBe(gate)
      return [world.kv.calls.get - get, world.kv.calls.put - put, world.kv.calls.list - list]
    }
    // With the one that looks for RETENTION_DAYS.
    expect(await cron()).toEqual([2, 1, 2])
    for (let run = 0; run < 3; run++) {
      world.time += 900_000
      expect(await cron()).toEqual([2, 0, 2])
    }
    world.time += 900_000
    expect(await cron()).toEqual([2, 1, 2])
    world.time += 900_000
    expect(await cron()).toEqual([2, 0, 0])
    expect(await rows()).toEqual(before)
    fails = false
  })

  it('does so again after the gate was removed for a while', async () => {
    let fails = true
    const calls: string[] = []
    const { world, bind } = alone(({ id }) => {
      if (fails) throw new Error('the shop is down')
      calls.push(id)
    })
    bind()
    for (let run = 0; run < 6; run++) await quarter(world)
    world.options.env = { ORDER_GATE: undefined } as unknown as object
    await quarter(world)
    await world.deliver(payment(ID))
    expect(await world.keys('retry/')).toHaveLength(1)
    bind()
    fails = false
    for (let run = 0; run < 2; run++) await quarter(world)
    expect([calls.length, await world.keys('retry/')]).toEqual([1, []])
  })
})
