import { beforeEach, describe, expect, it, vi } from 'vitest'
import { signWebhook } from '../../src/index.ts'
import type { Alert, OnAlert } from '../../src/shop/options.ts'
import { payment } from './support/events.ts'
import { failingOnAlert } from './support/watched.ts'
import { log, World, type WorldOptions } from './support/world.ts'

const HOUR_MS = 3_600_000

beforeEach(() => {
  log.length = 0
})

/** A world whose alerts are kept. */
function watched(options: WorldOptions = {}): { world: World; alerts: Alert[] } {
  const alerts: Alert[] = []
  return { world: new World({ onAlert: (alert) => void alerts.push(alert), ...options }), alerts }
}

/** The alerts in the log, as they were passed to `onAlert`. */
const logged = (kind: string): Alert[] =>
  log.flatMap(([line]) => (String(line).startsWith(`{"kind":"${kind}",`) ? [JSON.parse(String(line)) as Alert] : []))

const post = (world: World, payload: object | string) =>
  world.post(signWebhook(payload, world.emulator.credentials.apiSecret).body)

const PAID = payment('A-1')

describe('alerts', () => {
  it.each<[string, (world: World) => Promise<unknown>, Partial<Alert>]>([
    ['stray', (world) => post(world, '[]'), { order_id: null, reason: 'not_json' }],
    ['unexpected_shape', (world) => post(world, { ...PAID, eci: 5 }), { order_id: 'A-1', fields: ['eci'] }],
    ['flag', (world) => post(world, PAID), { order_id: 'A-1', flag: 'unknown_order' }],
  ])('%s: one line and one call, without personal data', async (name, happens, expected) => {
    const { world, alerts } = watched()
    await happens(world)
    await world.idle()
    await world.advance(2_000)
    await happens(world)
    await world.idle()
    const [alert, ...more] = alerts.filter((one) => one.kind === name)
    expect([alert, more]).toEqual([expect.objectContaining({ kind: name, ...expected }), []])
    expect(logged(name)).toEqual([alert])
    expect(JSON.stringify(log)).not.toMatch(/4111|olena|380441234567/)
  })

  it('each flag is one', async () => {
    const { world, alerts } = watched()
    await post(world, payment('A-1', { pos_id: 'ffffffff-ffff-4fff-8fff-ffffffffffff' }))
    await world.idle()
    // In no stated order.
    expect(alerts.map(({ flag }) => flag).sort()).toEqual(['foreign_pos', 'unknown_order'])
  })

  it('onEvent given up: after 20 attempts', async () => {
    let calls = 0
    const fails = () => {
      calls++
      throw new Error('the shop is down')
    }
    const { world, alerts } = watched({ onEvent: fails })
    await world.open(await world.link({ order_id: 'A-1' }))
    await world.deliver(payment('A-1'))
    for (let run = 0; run < 400 && alerts.length === 0; run++) {
      await world.advance(15 * 60_000)
      await world.cron()
      await world.idle()
    }
    expect(alerts).toEqual([{ kind: 'on_event_given_up', order_id: 'A-1', event_id: expect.any(String), attempts: 20 }])
    expect(calls).toBe(20)
    await world.advance(7 * 24 * HOUR_MS)
    await world.cron()
    expect(calls).toBe(20)
  })

  it('a configuration error is logged each time, and passed on once an hour', async () => {
    const { world, alerts } = watched({ env: { SENDER_CHECK: 'Enforce' } })
    for (let i = 0; i < 3; i++) expect((await post(world, payment('A-1'))).status).toBe(500)
    await world.idle()
    await world.advance(HOUR_MS - 1)
    expect((await post(world, payment('A-1'))).status).toBe(500)
    await world.idle()
    expect(alerts).toEqual([
      { kind: 'configuration', order_id: null, misconfigured: ['SENDER_CHECK: must be off, log or enforce'] },
    ])
    await world.advance(1)
    expect((await post(world, payment('A-1'))).status).toBe(500)
    expect((await world.get('/health')).status).toBe(503)
    await world.idle()
    expect(alerts).toHaveLength(2)
    expect(logged('configuration')).toHaveLength(6)
  })

  it('a missing namespace is an alert too, once', async () => {
    const { world, alerts } = watched({ env: { STATE: undefined as never } })
    for (let i = 0; i < 3; i++) expect((await post(world, payment('A-1'))).status).toBe(500)
    await world.idle()
    expect(alerts).toEqual([{ kind: 'configuration', order_id: null, misconfigured: ['STATE: missing'] }])
  })

  it('that throw, or never end, change nothing', async () => {
    for (const onAlert of failingOnAlert()) {
      const world = new World({ onAlert })
      expect((await post(world, payment('A-1'))).status).toBe(200)
      expect((await post(world, '[]')).status).toBe(200)
      expect((await world.order('A-1'))?.status).toBe('success')
    }
    // Alerts run after the response, in no stated order. The third function ends in none, here and in other tests: that is
    // logged ten seconds later, as a TimeoutError.
    await vi.waitFor(() =>
      expect(
        logged('on_alert_failed')
          .filter(({ error }) => error === 'Error')
          .map((line) => line.alert)
          .sort(),
      ).toEqual(['flag', 'flag', 'stray', 'stray']),
    )
  })

  it('another isolate does not repeat it: the storage remembers', async () => {
    const alerts: Alert[] = []
    // Each isolate has a function of its own.
    const { world } = watched({ onAlert: (alert) => void alerts.push(alert) })
    await post(world, payment('A-1'))
    await world.idle()
    await world.advance(2_000)
    world.restart((alert) => void alerts.push(alert))
    // The same flag again, because KV hides the events.
    for (const key of await world.keys('event/')) await world.env('FRA').STATE.delete(key)
    world.gate.rows('A-1').forEach((_, key, rows) => void (key.startsWith('event/') && rows.delete(key)))
    await post(world, payment('A-1'))
    await world.idle()
    expect(logged('flag')).toHaveLength(2)
    expect(alerts).toHaveLength(1)
  })

  it('another order’s gate does not repeat what is about the shop', async () => {
    const alerts: Alert[] = []
    const { world } = watched({ onAlert: (alert) => void alerts.push(alert) })
    for (const order_id of ['A-1', 'A-2', 'A-3']) {
      await world.open(await world.link({ order_id }))
      await world.advance(60_000)
    }
    world.options.env = { POS_ID: '' }
    for (let order = 0; order < 5; order++) {
      // Each order in another isolate, which has its function.
      world.restart((alert) => void alerts.push(alert))
      await world.advance(order === 0 ? 12 * 60_000 : 60_000)
      await world.cron()
      await world.idle()
    }
    expect(logged('configuration').length).toBeGreaterThanOrEqual(3)
    expect(alerts).toEqual([{ kind: 'configuration', order_id: null, misconfigured: ['POS_ID: missing'] }])
  })

  it('cost nothing where nothing is wrong', async () => {
    const reads = async (onAlert?: OnAlert) => {
      const world = new World({ ...(onAlert && { onAlert }) })
      await world.pay(await world.open(await world.link({ order_id: 'A-1' })))
      await world.idle()
      return [world.kv.calls, world.gate.calls]
    }
    expect(await reads(() => {})).toEqual(await reads())
  })
})
