import { beforeEach, describe, expect, it } from 'vitest'
import { signWebhook } from '../../src/index.ts'
import type { Alert } from '../../src/shop/options.ts'
import { payment } from './support/events.ts'
import { createKill, killAtEach } from './support/kill.ts'
import { armed } from './support/killable.ts'
import { run, watched } from './support/watched.ts'
import { log, World, type WorldOptions } from './support/world.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

beforeEach(() => {
  log.length = 0
})

/** A signed webhook, sent until it is acknowledged. */
async function deliver(world: World, payload: object | string): Promise<void> {
  const { body } = signWebhook(payload, world.emulator.credentials.apiSecret)
  while ((await world.post(body)).status !== 200) world.time += 2_000
  await world.idle()
}

const nameOf = ({ kind, order_id, flag, event_id, id }: Alert): string =>
  [kind, order_id, flag ?? event_id ?? id].join(' ')

describe('alerts over hostile KV', () => {
  const happens = async (world: World) => {
    for (const id of ['A-1', 'A-2']) await deliver(world, payment(id, { payment_id: id, transaction_id: id, eci: 5 }))
    await deliver(world, '[]')
  }

  it('are passed on, and none twice within an hour', async () => {
    const alerts: { name: string; at: number }[] = []
    const world: World = new World({
      kind: 'hostile',
      onAlert: (alert) => void alerts.push({ name: nameOf(alert), at: world.time }),
    })
    const begun = world.time
    for (let i = 0; i < 20; i++) {
      await happens(world)
      world.time += 90_000
    }
    expect(world.time - begun).toBeLessThan(HOUR_MS)
    const names = alerts.map(({ name }) => name)
    expect(names.sort()).toEqual([...new Set(names)])
    // An unknown order and an odd shape for each, and the dead letter.
    expect(names).toHaveLength(5)
  })

  it('are passed on while the storage fails altogether', async () => {
    const alerts: Alert[] = []
    const world = new World({
      kind: 'hostile',
      onAlert: (alert) => void alerts.push(alert),
      env: { SENDER_CHECK: 'Enforce' },
    })
    world.kv.before = () => {
      throw new Error('KV GET failed: 500')
    }
    for (let i = 0; i < 10; i++) {
      const { body } = signWebhook(payment('A-1'), world.emulator.credentials.apiSecret)
      expect((await world.post(body)).status).toBe(500)
    }
    await world.idle()
    expect(alerts.map(({ kind: name }) => name)).toEqual(['configuration'])
  })
})

describe('reconciliation over hostile KV', () => {
  it('settles 60 paid orders whose every webhook was lost, asks about none twice at once, and forgets none', async () => {
    const handled = new Map<string, number>()
    const onEvent: WorldOptions['onEvent'] = (_, { order_id, status }) => {
      if (status === 'success') handled.set(order_id, (handled.get(order_id) ?? 0) + 1)
    }
    const { world, alerts, asked, atOnce, service } = watched({ kind: 'hostile', onEvent })
    const ids = Array.from({ length: 60 }, (_, i) => `lost-${i}`)
    for (const order_id of ids) {
      const link = await world.link({ order_id })
      await world.pay(await world.open(link))
    }
    // The checkouts that KV let the worker write down: of the others nothing is known but their links.
    const lost = log.map(([line]) => String(line)).filter((line) => line.includes('checkout_not_recorded'))
    const known = ids.filter((id) => !lost.some((line) => line.includes(`"order_id":"${id}"`)))
    log.length = 0
    service.reply = async (order_id) => {
      for (let i = 0; i < 20; i++) await Promise.resolve()
      return Number(order_id.slice(5)) % 3 === 0 && asked.filter((one) => one.order_id === order_id).length < 2
        ? new Response('{}', { status: 500 })
        : undefined
    }
    let runs = 0
    for (; runs < 96 && known.some((id) => !handled.has(id)); runs++) {
      await world.advance(15 * MINUTE_MS)
      await Promise.all([world.cron().catch(() => {}), world.cron().catch(() => {}), world.gate.runAlarms()])
      await world.idle()
    }
    expect(known.length).toBeGreaterThan(30)
    expect(known.filter((id) => !handled.has(id))).toEqual([])
    expect(atOnce()).toBe(1)
    for (const id of known) {
      const times = asked.filter(({ order_id }) => order_id === id).map(({ at }) => at)
      expect([id, times]).toEqual([id, [...new Set(times)]])
    }
    expect(alerts.filter(({ kind: name }) => name !== 'flag')).toEqual([])
    expect(await world.order(known[0] as string)).toMatchObject({ status: 'success', totals: { captured: 10_050 } })
  }, 60_000)
})

describe('what the service was asked for', () => {
  it.each(['throws before', 'throws after'] as const)(
    'reaches onEvent, at whichever call KV, the gate or its storage fails (%s)',
    async (how) => {
      await killAtEach('strict', 20, async (killAt) => {
        const handled = new Set<string>()
        const onEvent: WorldOptions['onEvent'] = ({ id }, { status }) => void (status === 'success' && handled.add(id))
        const { world } = watched({ onEvent })
        await world.pay(await world.open(await world.link({ order_id: 'A-1' })))
        const kill = createKill(killAt, how)
        await armed(world, kill, () => run(world))
        for (let i = 0; i < 30 && handled.size === 0; i++) await run(world)
        expect([killAt, handled.size]).toEqual([killAt, 1])
        return kill.calls
      })
    },
  )
})
