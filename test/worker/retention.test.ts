import { describe, expect, it } from 'vitest'
import { retentionMs, type ShopEnv } from '../../src/shop/env.ts'
import type { OnEvent } from '../../src/shop/options.ts'
import { signWebhook } from '../../src/webhooks/index.ts'
import { at, payment } from './support/events.ts'
import { goOn, holdCall } from './support/held-call.ts'
import { failing, type Kind, ORDER, World, type WorldOptions } from './support/world.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const PHONE = '+380441234567'

/** A paid order, whose webhook alone holds personal data; repeated while KV fails. */
async function pay(world: World, order_id: string, fields: object = {}): Promise<void> {
  const paid = payment(order_id, { customer_phone: PHONE, ...fields })
  const body = world.signed(paid)
  while ((await world.post(body)).status === 503) world.time += 2_000
}

/** How many values, in KV and in the rows of these orders, hold personal data: an event is in both. */
function holding(world: World, orders: string[], texts = [PHONE, 'olena@example.com']): number {
  const rows = orders.flatMap((id) => [...world.rows(id).values()])
  const values = [...world.kv.dump().values(), ...rows].map((value) => JSON.stringify(value))
  return values.filter((value) => texts.some((text) => value.includes(text))).length
}

/** A quarter of an hour: the alarms that are due, and a run of the cron. */
async function run(world: World): Promise<void> {
  await world.advance(15 * MINUTE_MS)
  await world.cron().catch(() => {})
  await world.idle()
}

/** Time passes with a run a day. */
async function live(world: World, days: number): Promise<void> {
  for (let day = 0; day < days; day++) {
    await world.advance(DAY_MS - 15 * MINUTE_MS)
    await run(world)
  }
}

async function runs(world: World, count: number): Promise<void> {
  for (let i = 0; i < count; i++) await run(world)
}

const idsOf = (count: number, name = 'A'): string[] => Array.from({ length: count }, (_, i) => `${name}-${i}`)
const worldOf = (kind: Kind, options: WorldOptions = {}) =>
  new World({ kind, env: { RETENTION_DAYS: '30' }, ...options })

describe('RETENTION_DAYS over hostile KV', () => {
  const kind = 'hostile'

  it('finds the orders that were there when it was set, and begins anew when it is changed', async () => {
    const env: { RETENTION_DAYS: string } = { RETENTION_DAYS: '' }
    const world = worldOf(kind, { env })
    await pay(world, 'A-0')
    await live(world, 100)
    await pay(world, 'A-1')
    const set = (days: string) => {
      env.RETENTION_DAYS = days
      world.object.restart()
    }
    // No days: it removes nothing.
    set('0')
    await live(world, 20)
    expect([holding(world, ['A-0', 'A-1']), (await world.get('/health')).status]).toEqual([4, 503])
    set('60')
    await runs(world, 2 * 96)
    expect(holding(world, ['A-0', 'A-1'])).toBe(2)
    await pay(world, 'A-3')
    await live(world, 12)
    set('10')
    await runs(world, 2 * 96)
    expect(holding(world, ['A-0', 'A-1', 'A-3'])).toBe(0)
    set('')
    await runs(world, 5)
    await pay(world, 'A-2')
    await live(world, 20)
    set('10')
    await runs(world, 2 * 96)
    expect(holding(world, ['A-0', 'A-1', 'A-2'])).toBe(0)
  })

  it('keeps what came later until its own time', async () => {
    const world = worldOf(kind)
    await pay(world, 'A-0')
    for (const operation_id of ['r-1', 'r-2']) {
      await live(world, 10)
      await pay(world, 'A-0', { method: 'refund', operation_id, amount: 1 })
    }
    await world.advance(121_000)
    // Each is in KV and in the log.
    for (const [days, left] of [
      [10, 4],
      [8, 2],
      [8, 0],
    ] as const) {
      await live(world, days)
      await runs(world, 2 * 96)
      expect([days, holding(world, ['A-0'])]).toEqual([days, left])
    }
  })

  it('removes what is kept of a checkout that was never paid', async () => {
    const world = worldOf(kind, { failures: 0 })
    await world.open(await world.link({ order_id: 'A-0' }, world.time + 10 * DAY_MS))
    await runs(world, 2 * 96)
    await live(world, 33)
    expect(holding(world, ['A-0'], [PHONE, 'olena@example.com', '/checkout/'])).toBe(0)
  })

  it('removes a genuine webhook that names no order, also one from before it was set', async () => {
    const env: { RETENTION_DAYS: string } = { RETENTION_DAYS: '' }
    const world = worldOf(kind, { env })
    const stray = async (name: string) => {
      const body = world.signed({ name, customer_phone: PHONE })
      while ((await world.post(body)).status === 503) await world.advance(2_000)
    }
    await stray('one')
    env.RETENTION_DAYS = '10'
    await stray('two')
    await live(world, 9)
    expect(await world.keys('stray/')).toHaveLength(2)
    expect(world.kv.writes.findLast(({ key }) => key.startsWith('stray/'))?.ttl).toBe(10 * 86_400)
    await live(world, 2)
    await runs(world, 2 * 96)
    expect(await world.keys('stray/')).toEqual([])
  })
})

describe('the limits of RETENTION_DAYS', () => {
  it('a whole number of days; anything else removes nothing', () => {
    const of = (RETENTION_DAYS: string) => retentionMs({ RETENTION_DAYS } as ShopEnv)
    expect(['30', '1.5', '30d', '0', '-1', ''].map(of)).toEqual([30 * DAY_MS, ...Array(5).fill(undefined)])
  })

  it('each order an hour after its time, however many there are', async () => {
    const world = worldOf('strict')
    const ids = idsOf(100)
    await world.cron()
    await world.advance(2 * DAY_MS)
    const begun = world.time
    for (const id of ids) await pay(world, id)
    // The updates of the list of orders.
    await world.advance(MINUTE_MS)
    const before = await (await world.api('/api/orders/A-0')).json()
    world.time = begun + 30 * DAY_MS + 60 * MINUTE_MS - 1
    await world.cron()
    // In KV and in the log.
    expect(holding(world, ids)).toBe(200)
    world.time++
    await world.cron()
    expect(holding(world, ids)).toBe(0)
    expect(await (await world.api('/api/orders/A-0')).json()).toEqual(before)
    const { get = 0, put = 0 } = world.kv.calls
    for (let i = 0; i < 96; i++) {
      await world.cron()
      world.time += 15 * MINUTE_MS
    }
    // No order is looked at again.
    expect(world.kv.calls).toMatchObject({ get, put })
  })

  /** Orders that were there when RETENTION_DAYS was set, 32 days later: the cron finds them. */
  async function settled(ids: string[]): Promise<World> {
    const env = { RETENTION_DAYS: '' }
    const world = worldOf('strict', { env })
    // All in one millisecond.
    for (const id of ids) await pay(world, id)
    await world.advance(32 * DAY_MS)
    env.RETENTION_DAYS = '30'
    world.object.restart()
    return world
  }

  it('those that were there before: as many as a run has calls for, until none is left', async () => {
    const ids = idsOf(420)
    const world = await settled(ids)
    const left: number[] = []
    for (let i = 0; i < 5 && left.at(-1) !== 0; i++) {
      const { object } = world.object.calls
      await world.cron()
      expect(world.object.calls.object - object).toBeLessThan(1_000)
      await world.advance(15 * MINUTE_MS)
      left.push(holding(world, ids))
    }
    expect(left.at(-1)).toBe(0)
    expect(left.length).toBeGreaterThan(1)
  }, 120_000)

  it('an order that cannot be erased is tried again, and holds up no other one', async () => {
    const world = await settled(['A-0', 'A-1'])
    const [bad] = await world.keys('event/')
    let tries = 0
    world.kv.before = (action, key) => {
      if (action !== 'put' || key !== bad) return
      tries++
      throw new Error('KV PUT failed: 500')
    }
    await runs(world, 2 * 96)
    expect([holding(world, ['A-0', 'A-1']), tries]).toEqual([1, 2 * 96])
    const other = await settled(['A-0'])
    other.kv.before = failing('event/')
    await runs(other, 2 * 96)
    other.kv.before = undefined
    await runs(other, 1)
    expect(holding(other, ['A-0'])).toBe(0)
  })
})

const erase = (world: World, order_id = 'A-0') =>
  world.api(`/api/orders/${order_id}/personal-data`, { method: 'DELETE' })

describe('an erasure', () => {
  it.each<[string, (world: World) => void]>([
    ['cannot be written', (world) => void Object.assign(world.kv, { before: failing('event/') })],
    [
      'is hidden',
      (world) => {
        const { STATE } = world.env('FRA')
        const get = async (key: string) => (key.startsWith('event/') ? null : STATE.get(key))
        world.options.env = { STATE: { ...STATE, get } as unknown as typeof STATE }
      },
    ],
  ])('is not reported as done while an event %s in KV; a copy of it brings nothing back', async (_, happens) => {
    const world = new World()
    const paid = payment('A-0', { customer_phone: PHONE })
    await world.deliver(paid)
    await world.advance(2_000)
    happens(world)
    world.object.restart()
    expect((await erase(world)).status).toBe(503)
    expect(holding(world, ['A-0'])).toBeGreaterThan(0)
    world.kv.before = undefined
    world.options.env = {}
    world.object.restart()
    await world.advance(2_000)
    expect((await erase(world)).status).toBe(200)
    await world.deliver(paid)
    expect(holding(world, ['A-0'])).toBe(0)
  })

  it('goes on with what came after an earlier one that has not ended', async () => {
    const world = new World()
    await pay(world, 'A-0')
    // KV takes one write of a key in a second.
    expect((await erase(world)).status).toBe(202)
    world.time += 500
    await pay(world, 'A-0', { transaction_id: 'another', created_at: at(1) })
    expect((await erase(world)).status).toBe(202)
    await world.advance(2 * MINUTE_MS)
    expect(holding(world, ['A-0'])).toBe(0)
  })

  it('that KV stops half way has left nothing to onEvent, and the cron goes on with it', async () => {
    let isDown = true
    const seen: string[] = []
    const onEvent: OnEvent = ({ event }) => {
      if (isDown) throw new Error('the shop is down')
      seen.push(JSON.stringify(event.record))
    }
    const world = new World({ kind: 'strict', onEvent })
    await pay(world, 'A-0')
    await pay(world, 'A-0', { transaction_id: 'another', created_at: at(1) })
    world.time += 2_000
    world.kv.before = failing('event/', 1)
    expect((await erase(world)).status).toBe(503)
    isDown = false
    world.kv.before = undefined
    await world.advance(10 * MINUTE_MS)
    expect([seen.map((text) => text.includes(PHONE)), holding(world, ['A-0'])]).toEqual([[false, false], 0])
  })

  it('includes an event of which KV alone knows: its process died before it had written it too', async () => {
    const world = new World({ kind: 'strict' })
    await pay(world, 'A-0')
    world.object.rows("DELETE FROM edgetill_log WHERE kind = 'event'")
    await world.advance(2_000)
    expect((await erase(world)).status).toBe(200)
    expect(holding(world, ['A-0'])).toBe(0)
  })

  it('includes a webhook of the order that was kept apart, nested too deeply to be read', async () => {
    const world = new World({ kind: 'strict' })
    await pay(world, 'A-0')
    const text = JSON.stringify(payment('A-0', { customer_phone: PHONE }))
    // A thread's stack holds three times as much as the process's.
    const deep = text.replace('{', `{"payload":${'['.repeat(22_500)}${']'.repeat(22_500)},`)
    expect((await world.post(world.signed(deep))).status).toBe(200)
    expect(await world.keys('stray/')).toHaveLength(1)
    await world.advance(2_000)
    expect((await erase(world)).status).toBe(200)
    expect(await world.keys('stray/')).toEqual([])
  })

  it.each(['before it is in KV, whose first copy KV alone has', 'when it is in KV'])(
    'that is asked for while a webhook is being stored, %s, removes it',
    async (when) => {
      const world = new World()
      const body = world.signed(payment('A-0', { customer_phone: PHONE }))
      if (when !== 'when it is in KV') {
        expect((await world.post(body)).status).toBe(200)
        world.object.rows("DELETE FROM edgetill_log WHERE kind = 'event'")
        await world.advance(2_000)
      }
      const { STATE } = world.env('FRA')
      let goOnStoring = (): void => {}
      const held = new Promise<void>((resolve) => {
        goOnStoring = resolve
      })
      const isHeld = new Promise<void>((resolve) => {
        let isFirst = true
        const put: typeof STATE.put = async (...write) => {
          const isWebhook = isFirst
          isFirst = false
          if (!isWebhook || when === 'when it is in KV') await STATE.put(...write)
          if (!isWebhook) return
          resolve()
          await held
          if (when !== 'when it is in KV') await STATE.put(...write)
          // KV takes one write of a key in a second.
          world.time += 2_000
        }
        world.options.env = { STATE: { ...STATE, put } as typeof STATE }
      })
      world.object.restart()
      const storing = world.post(body)
      await isHeld
      world.time += 2_000
      const erasing = erase(world)
      await goOn()
      world.time += 2_000
      goOnStoring()
      expect([(await storing).status, (await erasing).status]).toEqual([200, 200])
      // What was stored meanwhile is erased by the cron.
      await world.advance(3 * MINUTE_MS)
      expect(holding(world, ['A-0'])).toBe(0)
    },
  )

  it('of 210 events says that it goes on, and takes as many runs of the cron as it needs, each within 1,000 calls', async () => {
    const world = new World()
    const charge = payment('A-0', { customer_phone: PHONE })
    const secret = world.emulator.credentials.apiSecret
    for (let i = 0; i < 210; i++) {
      const { body } = signWebhook({ ...charge, transaction_id: `charge-${i}`, processed_at: at(i) }, secret)
      expect((await world.post(body)).status).toBe(200)
    }
    // KV takes one write of a key in a second.
    await world.advance(2_000)
    const calls = () => Object.values(world.kv.calls).reduce((sum, count) => sum + count, 0)
    const response = await erase(world)
    expect([response.status, await response.json()]).toEqual([202, { erased_events: 200, events_left: 10 }])
    for (let alarm = 0; holding(world, ['A-0']) > 0; alarm++) {
      const before = calls()
      await world.advance(MINUTE_MS)
      expect(calls() - before).toBeLessThan(1_000)
      expect(alarm).toBeLessThan(5)
    }
    expect((await world.order('A-0'))?.events).toHaveLength(210)
  })

  it('that is asked for while a link is being opened removes what the opening stores', async () => {
    const world = new World()
    const link = await world.link({ order_id: 'A-0' })
    const { isMade, respond } = holdCall(world)
    const opening = world.get(link)
    await isMade
    const erasing = erase(world)
    await goOn()
    respond()
    expect([(await opening).status, (await erasing).status]).toEqual([303, 200])
    await world.advance(3 * MINUTE_MS)
    expect(holding(world, ['A-0'])).toBe(0)
  })

  it('by the id of any attempt is of the whole order, with an attempt that was announced and never made', async () => {
    const world = new World()
    const link = await world.link({ order_id: 'A-0' })
    await world.pay(await world.open(link), 'declined')
    await world.advance(2_000)
    world.intercept = (url) => (url.endsWith('/payment') ? new Response('{}', { status: 422 }) : undefined)
    await world.get(link)
    world.intercept = undefined
    await world.advance(MINUTE_MS)
    expect([...world.rows('A-0').values()].filter(({ kind }) => kind === 'payment')).toHaveLength(3)
    expect((await erase(world, 'A-0~2')).status).toBe(200)
    expect(holding(world, ['A-0'])).toBe(0)
  })
})

describe('an event that waits for onEvent', () => {
  /** An `onEvent` that fails with a text about the customer, until it is repaired. */
  function failing(options: WorldOptions = {}) {
    const seen: string[] = []
    const shop = { isDown: true, during: async () => {} }
    const world: World = new World({
      ...options,
      onEvent: async ({ event }, order) => {
        seen.push(JSON.stringify([event.record, order]))
        await shop.during()
        if (shop.isDown) throw new Error('could not mail olena@example.com')
      },
    })
    /** From now on nothing of the customer is stored or reported, and all that waited is reported. */
    const repaired = async (events: number) => {
      expect(holding(world, ['A-0'])).toBe(0)
      shop.isDown = false
      seen.splice(0)
      for (let i = 0; i < 8; i++) await world.advance(6 * 3_600_000)
      expect([seen.length, seen.filter((text) => /380441|olena/.test(text)), await world.waiting()]).toEqual([
        events,
        [],
        [],
      ])
      expect(seen[0]).toContain('"status":"success"')
    }
    return { world, shop, seen, repaired }
  }

  it('outlives an erasure, without the personal data', async () => {
    const { world, repaired } = failing()
    await pay(world, 'A-0')
    await world.advance(2_000)
    expect((await erase(world)).status).toBe(200)
    const { events } = (await (await world.api('/api/events?failing=true')).json()) as { events: object[] }
    expect(events).toMatchObject([{ order_id: 'A-0', error: 'Removed with the personal data.' }])
    await repaired(1)
  })

  it('outlives RETENTION_DAYS, and an event that was given up is replayed after it', async () => {
    const { world, repaired } = failing({ env: { RETENTION_DAYS: '1' } })
    await pay(world, 'A-0')
    for (let i = 0; i < 60; i++) await run(world)
    await world.advance(4 * DAY_MS)
    await run(world)
    for (let i = 0; i < 40; i++) await world.advance(6 * 3_600_000)
    const replay = await world.api('/api/events/replay', { method: 'POST', body: '{"since":"2026-03-01T00:00:00Z"}' })
    expect(await replay.json()).toMatchObject({ queued: 1 })
    await repaired(1)
  })

  it('goes on waiting when it is erased while onEvent runs, and so does what came behind it', async () => {
    const { world, shop, seen, repaired } = failing()
    const statuses: number[] = []
    shop.during = async () => {
      // KV takes one write of a key in a second.
      world.time += 2_000
      statuses.push((await erase(world)).status)
    }
    await pay(world, 'A-0')
    await pay(world, 'A-0')
    await world.advance(2_000)
    expect(statuses).toEqual([200, 200])
    // Each call has what its webhook has brought; the next ones, what was left.
    expect(seen.map((text) => text.includes(PHONE))).toEqual([true, true])
    await repaired(2)
  })
})

it('a note is removed as many days after it was written, also once the rest is, and an attempt’s with it', async () => {
  for (const [i, named] of ['A-0', 'A-0~1', 'A-0'].entries()) {
    const world = worldOf('strict')
    await world.pay(await world.open(await world.link({ order_id: 'A-0' })))
    await live(world, i < 2 ? 35 : 10)
    expect(await world.send(`/api/orders/${named}/notes`, { text: PHONE })).toMatchObject({ status: 201 })
    await live(world, 29)
    expect(holding(world, ['A-0'])).toBe(1)
    await live(world, 3)
    expect(holding(world, ['A-0'])).toBe(0)
  }
})

it('a checkout that is opened again loses its personal data as many days after that', async () => {
  const world = worldOf('strict')
  const link = await world.link({ order_id: 'A-0' }, world.time + 40 * DAY_MS)
  for (const days of [20, 29]) {
    await world.open(link)
    await live(world, days)
  }
  expect(holding(world, ['A-0'])).toBeGreaterThan(0)
  await live(world, 3)
  expect(holding(world, ['A-0'])).toBe(0)
})

it('a link that nobody opens loses its personal data RETENTION_DAYS after it was made, whenever that was', async () => {
  const world = worldOf('strict')
  for (const order_id of ['A-0', 'A-1', 'A-2']) {
    const order = { ...ORDER, order_id, customer_fname: 'Olena' }
    expect((await world.send('/api/links', { order })).status).toBe(201)
    await live(world, 20)
  }
  const { links } = (await (await world.api('/api/links')).json()) as { links: object[] }
  expect(links).toMatchObject([{ customer_name: 'Olena' }, { customer_name: null }, { customer_name: null }])
})

it('an event of an erased order is removed in its time, also where the program died as it had stored it', async () => {
  const world = worldOf('strict')
  await pay(world, 'A-0')
  await live(world, 32)
  const count = () => holding(world, ['A-0'])
  const { TILL: object } = world.env()
  let isDead = false
  const get = (name: never) => ({
    async fetch(url: string, call: { method: string; body: string }) {
      if (isDead) throw new Error('reset')
      isDead = call.body.includes('INSERT INTO edgetill_log')
      return object.get(name).fetch(url, call)
    },
  })
  expect(count()).toBe(0)
  world.options.env = { ...world.options.env, TILL: { ...object, get } }
  await world.post(world.signed(payment('A-0', { status: 'pending', customer_phone: PHONE })))
  await world.idle()
  world.options.env = { RETENTION_DAYS: '30' }
  await live(world, 29)
  expect(count()).toBe(2)
  await live(world, 3)
  expect(count()).toBe(0)
})

it('an erasure that KV puts off says so, and goes on with the next run of the cron', async () => {
  const world = new World()
  await pay(world, 'A-0')
  // KV takes one write of a key in a second.
  const response = await erase(world)
  expect([response.status, await response.json()]).toEqual([202, { erased_events: 0, events_left: 1 }])
  await world.advance(500)
  expect(holding(world, ['A-0'])).toBeGreaterThan(0)
  await world.advance(MINUTE_MS)
  expect(holding(world, ['A-0'])).toBe(0)
})
