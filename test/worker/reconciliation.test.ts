import { beforeEach, describe, expect, it } from 'vitest'
import { secondary } from './support/events.ts'
import { createKill, killAtEach } from './support/kill.ts'
import { armed } from './support/killable.ts'
import { linesOf } from './support/log.ts'
import { run, type Watched, watched } from './support/watched.ts'
import { failing, log, newOrderId, ORDER, type World, type WorldOptions } from './support/world.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

beforeEach(() => {
  log.length = 0
})

async function runUntil(world: World, ms: number): Promise<void> {
  const hourly = world.time + DAY_MS
  for (const end = world.time + ms; world.time < end; ) {
    if (world.time >= hourly) await world.advance(45 * MINUTE_MS)
    await run(world)
  }
}

/** The payments and operations that are due to be looked at. */
const watchedRows = (world: World, kind = 'payment'): unknown[] =>
  world.object.rows('SELECT id FROM edgetill_log WHERE kind = ? AND next_at IS NOT NULL', kind)
const unsettled = (world: World): unknown[] => watchedRows(world, 'operation')

/** When the service was asked, in pauses of minutes: 15, then twice as long each time, at most a day, for a week. */
function expectSchedule(asked: Watched['asked'], opened: number): void {
  const times = [...new Set(asked.map(({ at }) => at - opened))]
  const pauses = times.map((time, i) => Math.floor((time - (times[i - 1] ?? 0)) / MINUTE_MS))
  expect(pauses).toEqual([15, 15, 30, 60, 120, 240, 480, 960, 1440, 1440, 1440, 1440, 1440])
}

describe('reconciliation', () => {
  it('settles paid orders whose every webhook was lost, each once, while the service responds 429, 500 and late', async () => {
    const handled: string[] = []
    const onEvent: WorldOptions['onEvent'] = (_, { order_id, status }) =>
      void (status === 'success' && handled.push(order_id))
    const { world, alerts, asked, service, atOnce } = watched({ kind: 'hostile', onEvent })
    const ids = Array.from({ length: 20 }, (_, i) => `lost-${i}`)
    for (const order_id of ids) await world.pay(await world.open(await world.link({ order_id })))
    // The first looks at an order fail for two of three, the second for one of three.
    service.reply = async (order_id) => {
      for (let i = 0; i < 20; i++) await Promise.resolve()
      const looks = asked.filter((one) => one.order_id === order_id).length
      return looks > Number(order_id.slice(5)) % 3 ? undefined : new Response('{}', { status: looks === 1 ? 429 : 500 })
    }
    for (let runs = 0; runs < 96 && handled.length < ids.length; runs++) {
      await world.advance(15 * MINUTE_MS)
      // As when one run takes longer than the pause between them.
      await Promise.all([world.cron().catch(() => {}), world.cron().catch(() => {}), world.cron()])
    }
    expect([handled.sort(), atOnce(), watchedRows(world)]).toEqual([ids.sort(), 1, []])
    expect(alerts.filter(({ kind }) => kind !== 'flag')).toEqual([])
    expect(await world.order('lost-7')).toMatchObject({
      status: 'success',
      totals: { captured_minor: 10_050 },
      flags: [],
    })
  }, 60_000)

  it('asks less and less often, and leaves it to a person after a week', async () => {
    const { world, alerts, asked, service } = watched()
    service.reply = () => new Response('{}', { status: 500 })
    await world.open(await world.link({ order_id: 'A-1' }))
    const opened = world.time
    await runUntil(world, 10 * DAY_MS)
    expectSchedule(asked, opened)
    expect(alerts).toMatchObject([
      { kind: 'checkout_open', order_id: 'A-1', state: 'unknown', since: new Date(opened).toISOString() },
    ])
    expect(watchedRows(world)).toEqual([])
  })

  it.each([
    ['calls init', true],
    ['does not know', false],
  ])('asks for a week, without an alert, about what the service %s', async (_, isKnown) => {
    const { world, alerts, asked, service } = watched({ onEvent: () => expect.unreachable() })
    if (!isKnown) service.reply = () => new Response('{}', { status: 404 })
    const id = newOrderId('abandoned')
    await world.open(await world.link({ order_id: id }))
    const opened = world.time
    await runUntil(world, 9 * DAY_MS)
    expectSchedule(asked, opened)
    expect([alerts, watchedRows(world)]).toEqual([[], []])
    expect(linesOf(id)).toEqual([])
  })

  it('alerts once of a payment that is still pending after a day', async () => {
    const { world, alerts } = watched()
    const url = await world.open(await world.link({ order_id: 'A-1' }))
    world.emulator.faults.next({ kind: 'status_code', status_code: '2001', on: 'checkout' })
    await world.pay(url)
    await runUntil(world, DAY_MS - 15 * MINUTE_MS)
    expect([(await world.order('A-1'))?.status, alerts]).toEqual(['pending', []])
    await runUntil(world, 3 * DAY_MS)
    expect(alerts).toMatchObject([{ kind: 'checkout_open', order_id: 'A-1', state: 'pending' }])
  })
})

describe('an attempt that is not settled', () => {
  const ID = 'A-1'

  async function reserved(options: WorldOptions = {}): Promise<Watched> {
    const one = watched({ emulator: {}, ...options })
    const { world } = one
    const url = await world.open(await world.link({ ...ORDER, order_id: ID, method: 'auth' }))
    await world.advance(2_000)
    await world.pay(url)
    await world.advance(2_000)
    // From now on every webhook is late, by more than a week.
    world.emulator.faults.next({ kind: 'delay', ms: 30 * DAY_MS, on: 'webhook' }, 99)
    return one
  }

  async function operate(world: World, what: 'capture' | 'refund' | 'void', fields: object): Promise<number> {
    const headers = { 'idempotency-key': `${what}-1` }
    const init = { method: 'POST', headers, body: JSON.stringify(fields) }
    return (await world.api(`/api/orders/${ID}/${what}`, init)).status
  }

  it.each([
    ['after_commit', 200, 1000],
    ['before_commit', 409, 0],
  ] as const)(
    'is found out within three minutes, without an alert: a capture lost %s',
    async (when, status, captured) => {
      const { world, alerts, asked } = await reserved()
      world.emulator.faults.next({ kind: 'reset', when, on: 'capture-payment' })
      expect(await operate(world, 'capture', { charge_amount: 10 })).toBe(502)
      expect(unsettled(world)).toHaveLength(1)
      for (let minute = 0; minute < 3; minute++) await world.advance(MINUTE_MS)
      expect(new Set(asked.map(({ order_id }) => order_id))).toEqual(new Set([ID]))
      expect(await world.order(ID)).toMatchObject({ attempts: [], totals: { captured_minor: captured } })
      expect(await operate(world, 'capture', { charge_amount: 10 })).toBe(status)
      await run(world)
      expect([alerts, unsettled(world)]).toEqual([[], []])
    },
  )

  it('is an alert after ten minutes while the service cannot be asked', async () => {
    const { world, alerts, service } = await reserved()
    service.reply = () => new Response('{}', { status: 500 })
    world.emulator.faults.next({ kind: 'reset', when: 'after_commit', on: 'capture-payment' })
    expect(await operate(world, 'capture', { charge_amount: 10 })).toBe(502)
    const since = new Date(world.time).toISOString()
    for (let minute = 0; minute < 9; minute++) await world.advance(MINUTE_MS)
    expect(alerts).toEqual([])
    for (let minute = 0; minute < 3; minute++) await world.advance(MINUTE_MS)
    expect(alerts).toMatchObject([{ kind: 'operation_unsettled', order_id: ID, operation: 'capture', since }])
  })

  it('whose operation is pending is asked about until that is final, and onEvent waits for its webhook', async () => {
    const seen: unknown[] = []
    const onEvent: WorldOptions['onEvent'] = ({ event }) => void (event.kind === 'capture' && seen.push(event))
    const { world, alerts, asked } = await reserved({ onEvent })
    world.emulator.faults.next({ kind: 'status_code', status_code: '2001', on: 'capture-payment' })
    expect(await operate(world, 'capture', { charge_amount: 10 })).toBe(200)
    await run(world)
    expect((await world.order(ID))?.attempts).toEqual([])
    expect(asked.length).toBe(5)
    await world.advance(1)
    expect([alerts, seen]).toEqual([[], []])
  })

  it.each(['1000', '2001'])(
    'that was found out, with status code %s, is asked about until it is final',
    async (status_code) => {
      const { world, asked } = await reserved()
      world.emulator.faults.next({ kind: 'status_code', status_code, on: 'capture-payment' })
      world.emulator.faults.next({ kind: 'reset', when: 'after_commit', on: 'capture-payment' })
      expect(await operate(world, 'capture', { charge_amount: 10 })).toBe(502)
      await world.advance(2_000)
      expect(await operate(world, 'capture', { charge_amount: 10 })).toBe(200)
      const { length } = asked
      await run(world)
      const isFinal = status_code === '1000'
      expect([unsettled(world).length, asked.some(({ at }, i) => i >= length && at > 0)]).toEqual([
        isFinal ? 0 : 1,
        !isFinal,
      ])
    },
  )

  it.each(['pending', 'a_new_status'])('whose webhook says %s is asked about until it is final', async (status) => {
    const { world, alerts, asked } = await reserved()
    world.emulator.faults.next({ kind: 'reset', when: 'after_commit', on: 'capture-payment' })
    expect(await operate(world, 'capture', { charge_amount: 10 })).toBe(502)
    const [{ operation_id, payment_id } = {}] = world.emulator.orders.get(ID)?.operations ?? []
    await world.deliver(secondary(ID, 'capture', { operation_id, payment_id, amount: 10, status }))
    await run(world)
    await run(world)
    expect([asked.length, alerts]).toEqual([1, []])
    const { attempts, operations, totals } = (await world.order(ID)) ?? {}
    expect([attempts, operations?.[1]?.status, totals?.captured_minor]).toEqual([[], 'success', 1000])
    expect([await operate(world, 'capture', { charge_amount: 10 }), unsettled(world)]).toEqual([200, []])
  })

  it('that was pending is watched no more once a webhook says how it has ended', async () => {
    const { world, asked } = await reserved()
    world.emulator.faults.next({ kind: 'reset', when: 'after_commit', on: 'capture-payment' })
    expect(await operate(world, 'capture', { charge_amount: 10 })).toBe(502)
    const [{ operation_id, payment_id } = {}] = world.emulator.orders.get(ID)?.operations ?? []
    const rows = []
    for (const status of ['pending', 'success']) {
      await world.deliver(secondary(ID, 'capture', { operation_id, payment_id, amount: 10, status }))
      await world.advance(MINUTE_MS)
      rows.push(unsettled(world).length)
    }
    expect([rows, asked.length]).toEqual([[1, 0], 0])
  })

  it('counts by its response where its webhook names no known method, and KV stored neither', async () => {
    const { world } = await reserved()
    world.emulator.faults.clear()
    world.emulator.faults.next({ kind: 'delay', ms: MINUTE_MS, on: 'webhook' })
    world.emulator.faults.rate({ kind: 'unknown_method', on: 'webhook' }, 1)
    world.kv.before = failing('event/')
    expect(await operate(world, 'capture', { charge_amount: 10 })).toBe(200)
    world.kv.before = undefined
    await run(world)
    await run(world)
    expect((await world.order(ID))?.totals.captured_minor).toBe(1000)
  })
})

describe('what the service was asked for', () => {
  it.each(['throws before', 'throws after'] as const)(
    'reaches onEvent, at whichever call KV or the database fails (%s)',
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
