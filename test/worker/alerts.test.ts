import { beforeEach, describe, expect, it } from 'vitest'
import { textOf } from '../../src/shop/engine/alerts.ts'
import type { Alert, RaisedAlert } from '../../src/shop/options.ts'
import { eventually } from '../support/eventually.ts'
import { at, payment, secondary } from './support/events.ts'
import { createKill } from './support/kill.ts'
import { armed } from './support/killable.ts'
import { failingOnAlert } from './support/watched.ts'
import { failing, log, World, type WorldOptions } from './support/world.ts'

const HOUR_MS = 3_600_000

beforeEach(() => {
  log.length = 0
})

/** A world whose alerts are kept, without their texts: those are a table of their own. */
function watched(options: WorldOptions = {}): { world: World; alerts: RaisedAlert[] } {
  const alerts: RaisedAlert[] = []
  return { world: new World({ onAlert: keep(alerts), ...options }), alerts }
}

const keep =
  (alerts: RaisedAlert[]) =>
  ({ text, ...alert }: Alert) => {
    expect(text).toMatch(/\. See |, then send POST /)
    alerts.push(alert as RaisedAlert)
  }

/** The alerts in the log, as they were passed to `onAlert`. */
const logged = (kind: string): RaisedAlert[] =>
  log.flatMap(([line]) =>
    String(line).startsWith(`{"kind":"${kind}",`) ? [JSON.parse(String(line)) as RaisedAlert] : [],
  )

const post = (world: World, payload: object | string) => world.post(world.signed(payload))

const PAID = payment('A-1')

describe('alerts', () => {
  it.each<[string, (world: World) => Promise<unknown>, Partial<RaisedAlert>]>([
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

  it('a flag that the response to a call of ours has brought is told with the next webhook', async () => {
    const { world, alerts } = watched()
    await world.pay(await world.open(await world.link({ order_id: 'A-1' })))
    await world.deliver(secondary('A-1', 'refund', { amount: 60 }))
    world.emulator.faults.next({ kind: 'delay', ms: HOUR_MS }, 1)
    expect((await world.send('/api/orders/A-1/refund', { refund_amount: 60 })).status).toBe(200)
    // And once: an equal alert could be raised after an hour.
    for (let hours = 0; hours < 4; hours += 2) {
      await world.deliver(secondary('A-1', 'refund', { amount: 1 }))
      await world.advance(2 * HOUR_MS)
    }
    expect(alerts.map(({ flag }) => flag)).toEqual(['over_refund'])
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
    // The cron has said it too.
    expect(logged('configuration')).toHaveLength(7)
  })

  it('how full the object is, once a day from 70 % of STORAGE_GB on, as /health shows it', async () => {
    const { world, alerts } = watched({ host: 'worker' })
    await world.cron()
    const gigabytes = world.object.storage().sql.databaseSize / 1e9
    const full = async (share: number) => {
      world.options.env = { STORAGE_GB: `${gigabytes / share}` }
      await world.advance(HOUR_MS)
      const health = (await (await world.api('/health')).json()) as { storage_percent?: number }
      return health.storage_percent
    }
    expect([await full(0.69), alerts]).toEqual([undefined, []])
    for (const STORAGE_GB of ['ten', '0']) {
      world.options.env = { STORAGE_GB }
      await world.cron()
    }
    expect(alerts.splice(0).map(({ kind }) => kind)).toEqual(['configuration'])
    const percent = (await full(0.7)) as number
    expect(percent).toBeGreaterThanOrEqual(70)
    await full(0.9)
    expect(alerts).toEqual([{ kind: 'storage', order_id: null, percent: expect.closeTo(percent, -1) }])
    await world.advance(23 * HOUR_MS)
    await full(0.9)
    expect(alerts).toHaveLength(2)
    expect(textOf(alerts[1] as RaisedAlert, { PUBLIC_ORIGIN: 'https://a.example' })).toMatch(/\d\d% full.*\/health$/)
  })

  it('that throw, or never end, change nothing', async () => {
    for (const onAlert of failingOnAlert()) {
      const world = new World({ onAlert })
      expect((await post(world, payment('A-1'))).status).toBe(200)
      expect((await post(world, '[]')).status).toBe(200)
      expect((await world.order('A-1'))?.status).toBe('success')
    }
    // Alerts run after the response, in no stated order.
    await eventually(() =>
      expect(
        logged('on_alert_failed')
          .map((line) => line.alert)
          .sort(),
      ).toEqual(['flag', 'flag', 'stray', 'stray']),
    )
  })

  it('another isolate does not repeat it: the storage remembers', async () => {
    const alerts: RaisedAlert[] = []
    // Each isolate has a function of its own.
    const { world } = watched({ onAlert: keep(alerts) })
    await post(world, payment('A-1'))
    await world.idle()
    await world.advance(2_000)
    world.options.onAlert = keep(alerts)
    world.begin()
    // The same flag again, because the event is gone.
    for (const key of await world.keys('event/')) await world.env('FRA').STATE.delete(key)
    world.object.rows("DELETE FROM edgetill_log WHERE kind = 'event'")
    world.object.rows('DELETE FROM edgetill_copy')
    await post(world, payment('A-1'))
    await world.idle()
    expect(logged('flag')).toHaveLength(2)
    expect(alerts).toHaveLength(1)
  })

  it('are told by the cron where the program died as it had stored the event', async () => {
    for (let killAt = 1, isStored = false; !isStored; killAt++) {
      const { world, alerts } = watched()
      await armed(world, createKill(killAt, 'dies after'), () => post(world, { ...PAID, eci: 5 }))
      isStored = world.rows('A-1').size > 0
      await world.advance(120_000)
      const raised = alerts.map(({ kind, flag, fields }) => flag ?? [kind, fields])
      // The cron does its work side by side.
      expect(raised.map(String).sort()).toEqual(isStored ? ['unexpected_shape,eci', 'unknown_order'] : [])
    }
  })

  it('another order’s gate does not repeat what is about the shop', async () => {
    const alerts: RaisedAlert[] = []
    const { world } = watched({ onAlert: keep(alerts) })
    for (const order_id of ['A-1', 'A-2', 'A-3']) {
      await world.open(await world.link({ order_id }))
      await world.advance(60_000)
    }
    world.options.env = { POS_ID: '' }
    for (let order = 0; order < 5; order++) {
      // Each order in another isolate, which has its function.
      world.options.onAlert = keep(alerts)
      world.begin()
      await world.advance(order === 0 ? 12 * 60_000 : 60_000)
      await world.cron()
      await world.idle()
    }
    expect(logged('configuration').length).toBeGreaterThanOrEqual(3)
    expect(alerts).toEqual([{ kind: 'configuration', order_id: null, misconfigured: ['POS_ID: missing'] }])
  })

  it('of many orders are passed on one by one, then as a count', async () => {
    const { world, alerts } = watched()
    for (let order = 0; order < 45; order++) await post(world, payment(`A-${order}`))
    await world.idle()
    expect(alerts.slice(0, 10).map(({ flag }) => flag)).toEqual(Array(10).fill('unknown_order'))
    const counts = [20, 40].map((count) => ({ kind: 'flag', order_id: null, count }))
    expect(alerts.slice(10)).toEqual(counts)
    await world.advance(HOUR_MS)
    await post(world, payment('B-1'))
    await world.idle()
    expect(alerts.at(-1)).toMatchObject({ order_id: 'B-1' })
  })

  it('say what was paid, what to do, and where to look; a second try at paying is none', async () => {
    const texts: string[] = []
    const world = new World({ onAlert: ({ text }) => void texts.push(text) })
    await world.open(await world.link({ order_id: 'A-1' }))
    const failed = payment('A-1', { status: 'failure', payment_id: '0d4f6b7e-5f5e-4c0f-9a51-6f4f3f1c2b10' })
    await world.deliver({ ...failed, created_at: at(-9), processed_at: at(-8) })
    await world.deliver(payment('A-1'))
    await world.idle()
    expect([texts, (await world.order('A-1'))?.flags]).toEqual([[], ['paid_after_failure']])
    await world.open(await world.link({ order_id: 'A/2' }))
    await world.deliver(payment('A/2', { amount: 90 }))
    await world.idle()
    const where = 'https://pay.shop.example.com/api/orders/A%2F2'
    expect(texts).toEqual([
      `Order A/2 (100.50 UAH): another amount was paid than was asked for. Check it before you ship. See ${where}`,
    ])
  })

  it.each<[RaisedAlert, RegExp]>([
    [{ kind: 'stray', order_id: null, reason: 'not_json', id: 'x' }, /\(not_json\)\..*\/api\/strays\/x$/],
    [{ kind: 'configuration', order_id: null, misconfigured: ['A: missing'] }, /\(A: missing\)\. Correct .*\/health$/],
    [
      { kind: 'on_event_given_up', order_id: 'A', event_id: 'e', attempts: 20 },
      /Order A: .*20 times.*events\/e\/replay$/,
    ],
    [{ kind: 'flag', order_id: 'A', flag: 'a_new_one' }, /Order A: a_new_one\. Check/],
    [{ kind: 'flag', order_id: null, count: 20 }, /^20 alerts "flag" within an hour/],
  ])('say what to do about %j', (alert, text) => {
    const origin = 'https://a.example'
    const sentence = textOf(alert, { PUBLIC_ORIGIN: origin })
    expect(sentence).toMatch(text)
    // Without one it is the order's link that says where.
    expect(textOf(alert, { PUBLIC_ORIGIN: '' }, { origin } as never)).toBe(sentence)
  })

  it('are passed on while the storage fails altogether', async () => {
    const alerts: Alert[] = []
    const world = new World({
      kind: 'hostile',
      onAlert: (alert) => void alerts.push(alert),
      env: { SENDER_CHECK: 'Enforce' },
    })
    world.kv.before = failing()
    for (let i = 0; i < 10; i++) {
      const body = world.signed(payment('A-1'))
      expect((await world.post(body)).status).toBe(500)
    }
    await world.idle()
    expect(alerts.map(({ kind: name }) => name)).toEqual(['configuration'])
  })
})
