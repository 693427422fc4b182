// The storage of an order's gate is lost: what KV and the service still know makes no capture twice.
import { describe, expect, it } from 'vitest'
import type { Alert } from '../../src/shop/options.ts'
import { isQuick } from '../support/environment.ts'
import { at, payment, secondary } from './support/events.ts'
import { createKill, howsOf, killAtEach } from './support/kill.ts'
import { armed } from './support/killable.ts'
import { authorized, made, send } from './support/money.ts'
import { type Answer, ORDER, World } from './support/world.ts'

const ID = 'A-1'
const capture = (world: World, key: string, charge_amount = 10): Promise<Answer> =>
  send(world, 'capture', key, { charge_amount })

async function lose(world: World): Promise<void> {
  await world.emulator.deliveries.idle()
  const { sql } = world.gate.storage(ID)
  for (const table of ['event', 'operation', 'queue', 'task', 'published', 'birth', 'checkout', 'revoked', 'alert'])
    sql.exec(`DELETE FROM ${table}`)
  world.gate.dropAlarm(ID)
  world.begin()
}

/** Sends it again, as a caller does, until there is an answer that a later one will not change. */
async function untilKnown(world: World, key: string): Promise<Answer> {
  for (let call = 0; call < 9; call++) {
    const answer = await capture(world, key).catch(() => undefined)
    const { code } = answer?.body ?? {}
    if (answer && code !== 'order_rebuilt' && answer.status < 500 && code !== 'capture_in_progress') return answer
    await world.advance(61_000)
  }
  throw new Error('There is no answer.')
}

describe.each(howsOf('strict'))('a gate that is lost at each step of a capture (%s)', (how) => {
  it.each(isQuick ? [600_000] : [0, 600_000])('whose webhook comes %d ms late makes it once', async (ms) => {
    await killAtEach('strict', 8, async (killAt) => {
      const world = await authorized()
      if (ms > 0) world.emulator.faults.next({ kind: 'delay', ms, on: 'webhook' }, 9)
      const kill = createKill(killAt, how)
      await armed(world, kill, () => capture(world, 'one'))
      await world.emulator.deliveries.idle()
      await lose(world)
      const before = made(world, 'capture').length
      expect((await capture(world, 'two')).body.code).toBe('order_rebuilt')
      const known = await untilKnown(world, 'one')
      expect([killAt, made(world, 'capture').length]).toEqual([killAt, 1])
      const [{ operation_id }] = made(world, 'capture') as unknown as [{ operation_id: string }]
      const own = { status: 200, body: { operation_id } }
      const named = { status: 409, body: { code: 'outcome_unknown', operation_id } }
      expect(known).toMatchObject(before === 0 ? own : named)
      if (before > 0) {
        const settle = (executed: boolean) =>
          world.send(`/api/orders/${ID}/attempts/${operation_id}/settle`, { executed })
        expect((await settle(false)).body.code).toBe('already_settled')
        expect(await settle(true)).toMatchObject({ status: 200, body: { attempt_id: operation_id } })
      }
      await world.advance(2_000)
      expect(await capture(world, 'two', 20)).toMatchObject({ status: 200, body: { amount: 20 } })
      await world.advance(1_200_000)
      // Its webhook's address says what was asked for, which no checkout does any more.
      expect(world.emulator.deliveries.at(-1)?.url).toMatch(/\/webhooks\?expected=[\w-]{60}/)
      expect(await world.order(ID)).toMatchObject({ totals: { captured: 3_000 }, flags: ['rebuilt'], attempts: [] })
      return kill.calls
    })
  })
})

it('is rebuilt from every event that KV has, with its further attempts, and a person is alerted once', async () => {
  const alerts: Alert[] = []
  const world = await authorized({ onAlert: (alert) => void alerts.push(alert) })
  await world.deliver(secondary(ID, 'capture', { amount: 30 }))
  await world.deliver(payment(`${ID}~2`, { status: 'failure', processed_at: at(9) }))
  const before = await world.order(ID)
  const list = async () =>
    ((await (await world.settled(`/api/orders?search=${ID}`)).json()) as { orders: { listed_at: string }[] }).orders
  const [{ listed_at } = {}] = await list()
  await lose(world)
  await world.deliver(secondary(ID, 'refund', { amount: 5 }))
  expect(await world.order(ID)).toMatchObject({ totals: { ...before?.totals, refunded: 500 }, flags: ['rebuilt'] })
  expect((await world.order(`${ID}~2`))?.events).toHaveLength(1)
  expect(await list()).toContainEqual(expect.objectContaining({ order_id: ID, flags: ['rebuilt'], listed_at }))
  await world.idle()
  expect(alerts.filter(({ kind }) => kind === 'rebuilt')).toMatchObject([{ kind: 'rebuilt', order_id: ID }])
})

const webhookOf = (world: World, wanted: string): object =>
  world.emulator.deliveries.find(({ event }) => event.method === wanted)?.event ?? {}

const FIRST: Record<string, (world: World) => Promise<unknown>> = {
  'a money call': async () => {},
  'the webhook of the capture': (world) => world.deliver(webhookOf(world, 'capture')),
  'a copy of the payment’s webhook': (world) => world.deliver(webhookOf(world, 'auth')),
  'an opening of its link': async (world) => {
    expect(await world.open(await world.link({ order_id: ID, method: 'auth' }))).toContain('/return/')
    expect(world.payable(ID)).toEqual([])
  },
}

/** Loses what KV has of it as well. */
async function loseAll(world: World): Promise<void> {
  await world.advance(20_000)
  await lose(world)
  world.time += 2_000
  for (const key of [...(await world.keys('event/')), ...(await world.keys('order/'))])
    await world.env().STATE.delete(key)
  await world.advance(2_000)
}

it('of which KV shows nothing does not say of a void that it was not made', async () => {
  const world = await authorized()
  expect((await send(world, 'void', 'one')).status).toBe(200)
  await loseAll(world)
  expect(await send(world, 'void', 'one')).toMatchObject({ status: 409, body: { code: 'outcome_unknown' } })
})

it.each(Object.keys(FIRST))('of which KV shows nothing makes no capture twice, beginning with %s', async (first) => {
  const world = await authorized()
  expect((await capture(world, 'one')).status).toBe(200)
  await loseAll(world)
  await FIRST[first]?.(world)
  const [{ operation_id }] = made(world, 'capture') as unknown as [{ operation_id: string }]
  expect(await capture(world, 'one')).toMatchObject({ status: 409, body: { code: 'outcome_unknown', operation_id } })
  // One of another kind was never made.
  expect((await world.send(`/api/orders/${ID}/refund`, { refund_amount: 4 }, 'three')).status).toBe(200)
  expect(made(world, 'capture')).toHaveLength(1)
  // The list takes the new state, although the gate has forgotten how often it changed.
  const { orders } = (await (await world.settled('/api/orders')).json()) as { orders: object[] }
  expect(orders).toMatchObject([{ order_id: ID, totals: { captured: 1_000, refunded: 400 } }])
})

it.each([ID, `${ID}~2`, ''])(
  'is erased with every attempt that KV has by the id %j, else by RETENTION_DAYS',
  async (id) => {
    const world = new World({ env: { RETENTION_DAYS: id ? '' : '30' } })
    for (let day = 0; day < 36; day++) {
      if (day === 3)
        for (const one of [ID, `${ID}~2`]) await world.deliver(payment(one, { customer_phone: '+380441234567' }))
      if (day === 4) await lose(world)
      if (day === 4 && id) await world.api(`/api/orders/${id}/personal-data`, { method: 'DELETE' })
      await world.advance(86_400_000)
      await world.cron()
    }
    expect(JSON.stringify([...(await world.stored('event/'))])).not.toContain('+380')
  },
)

it('is not said to be lost where another program has captured', async () => {
  const world = new World()
  const [paid, captured] = [payment(ID, { method: 'auth' }), secondary(ID, 'capture', { amount: 100.5 })]
  for (const event of [paid, captured]) await world.deliver(event)
  await world.advance(200_000)
  world.intercept = (url) => (url.endsWith(`/orders/${ID}`) ? Response.json([paid, captured]) : undefined)
  expect((await send(world, 'refund', 'k', { refund_amount: 10 })).body.code).not.toBe('outcome_unknown')
  // It is sent: the emulator does not know the order.
  expect(await capture(world, 'c')).toMatchObject({ status: 404, body: { code: 'api' } })
  expect((await world.order(ID))?.flags).toEqual(['unknown_order'])
})

it.each([400, 403, 405, 501, 500])('asks with re-sent webhooks where the service has no list (%d)', async (status) => {
  const world = await authorized()
  world.gate.storage(ID).sql.exec('UPDATE birth SET asked = 0')
  world.intercept = (url) => (url.endsWith(`/orders/${ID}`) ? new Response('{}', { status }) : undefined)
  // A failure says nothing about the path: the list may be there later, and have more than the latest of each kind.
  const unasked = { status: 503, body: { code: 'connection', title: expect.stringMatching(/^Nothing was sent: /) } }
  expect(await capture(world, 'k')).toMatchObject(status === 500 ? unasked : { status: 200 })
  expect(made(world, 'capture')).toHaveLength(status === 500 ? 0 : 1)
})

it('is not said to be lost while its first event is being stored', async () => {
  for (const how of howsOf('strict')) {
    await killAtEach('strict', 3, async (killAt) => {
      const world = new World()
      const kill = createKill(killAt, how)
      await armed(world, kill, () => world.deliver(payment(ID, { status: 'pending', processed_at: at(1) })))
      await world.advance(2_000)
      await world.deliver(payment(ID, { processed_at: at(2) }))
      expect([how, killAt, (await world.order(ID))?.flags]).toEqual([how, killAt, ['unknown_order']])
      return kill.calls
    })
  }
})

describe('the shop’s objects', () => {
  const DAY_MS = 86_400_000
  const json = async (world: World, path: string) => (await world.api(path)).json() as Promise<Record<string, unknown>>

  /** The contents of the shop's lists. */
  async function lists(world: World) {
    const { orders } = await json(world, '/api/orders?limit=100')
    const { days } = await json(world, '/api/days?from=2026-03-01&to=2026-04-30')
    const { operations } = await json(world, '/api/operations?from=2026-03-01&to=2026-04-30')
    const { items } = await json(world, '/api/attention')
    const { links } = await json(world, '/api/links')
    const opened = (links as Record<string, unknown>[]).map(({ short_url, ...link }) => link)
    return { orders, days, operations, items, links: opened, entries: (await json(world, '/api/audit')).entries }
  }

  /** An hour passes. */
  async function hour(world: World): Promise<void> {
    for (let quarter = 0; quarter < 4; quarter++) {
      await world.advance(900_000)
      await world.cron()
      await world.idle()
    }
  }

  async function sold(alerts: (string | null)[], books: object): Promise<World> {
    const world = new World({
      ...books,
      onEvent: () => {},
      onAlert: ({ kind, order_id }) => void (kind === 'rebuilt' && alerts.push(order_id)),
    })
    const made = await world.send('/api/links', { order: { ...ORDER, order_id: 'A-1' } })
    await world.pay(await world.open(String(made.body.url)))
    await world.pay(await world.open(await world.link({ order_id: 'A-2' })), 'declined')
    await world.advance(20_000)
    await world.pay(await world.open(await world.link({ order_id: 'A-2' })))
    await world.deliver(payment('A-3'))
    await world.advance(20_000)
    await world.send('/api/orders/A-1/notes', { text: 'she rang' })
    await world.advance(40 * DAY_MS)
    await world.send('/api/orders/A-1/refund', { refund_amount: 10 }, 'r')
    await world.deliver(payment('A-4', { created_at: '2026-04-10T10:00:00.000' }))
    await hour(world)
    return world
  }

  it.each([
    [['shop'], {}],
    ...[['shop'], ['shop/2'], ['shop/4'], ['shop', 'shop/2', 'shop/3', 'shop/4']].map((names): [string[], object] => [
      names,
      { bookSize: 1 },
    ]),
  ])(
    'that are lost (%j, %j) are filled again from KV by the cron, and a person learns once what may be gone',
    async (names, books) => {
      const alerts: (string | null)[] = []
      const world = await sold(alerts, books)
      const before = await lists(world)
      expect([(before.orders as []).length, (before.items as []).length, before.links.length]).toEqual([4, 2, 1])
      for (const name of names) {
        const { sql } = world.gate.storage('', name)
        const tables = sql.exec("SELECT name FROM sqlite_master WHERE type = 'table'").toArray()
        for (const table of tables) sql.exec(`DROP TABLE ${table.name}`)
      }
      world.begin()
      await hour(world)
      expect(await lists(world)).toEqual(before)
      expect(alerts).toEqual([null])
      // It is done: nothing is called but the shop's own objects.
      const { gate } = world.gate.calls
      await hour(world)
      expect(world.gate.calls.gate - gate).toBeLessThanOrEqual(4 * 5)
    },
  )

  it('have nothing of a person whose data is removed while they are filled', async () => {
    const left: string[] = []
    for (let turns = 0; turns < 6; turns++) {
      const world = new World()
      const { body } = await world.send('/api/links', {
        order: { ...ORDER, order_id: 'A-1', description: 'For Olena' },
      })
      await world.pay(await world.open(String(body.url)))
      await world.advance(20_000)
      const { sql } = world.gate.storage('', 'shop')
      for (const table of ['listed', 'link', 'progress']) sql.exec(`DELETE FROM ${table}`)
      const filled = world.cron()
      for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve))
      await world.api('/api/orders/A-1/personal-data', { method: 'DELETE' })
      await filled
      left.push(...sql.exec("SELECT order_id FROM link WHERE description = 'For Olena'").toArray().map(String))
    }
    expect(left).toEqual([])
  })

  it('are filled by a bounded part of the orders in each run', async () => {
    const world = new World()
    for (let i = 0; i < 320; i++) await world.post(world.signed(payment(`A-${i}`)))
    await world.advance(20_000)
    world.gate.storage('', 'shop').sql.exec('DELETE FROM listed')
    world.gate.storage('', 'shop').sql.exec('DELETE FROM progress')
    world.begin()
    const count = () => world.gate.storage('', 'shop').sql.exec('SELECT order_id FROM listed').toArray().length
    const counts: number[] = []
    for (let run = 0; run < 5; run++) {
      const { gate } = world.gate.calls
      await world.cron()
      expect(world.gate.calls.gate - gate).toBeLessThan(1_000)
      counts.push(count())
    }
    expect(counts).toEqual([150, 300, 320, 320, 320])
  })

  it('are filled in a later run with an order that could not be read', async () => {
    const world = new World()
    for (const id of ['A-1', 'A-2']) await world.deliver(payment(id))
    await world.advance(20_000)
    for (const table of ['listed', 'progress']) world.gate.storage('', 'shop').sql.exec(`DELETE FROM ${table}`)
    world.begin()
    let isFirst = true
    world.kv.before = (action, key) => {
      if (action !== 'get' || !key.startsWith('order/') || !isFirst) return
      isFirst = false
      throw new Error('The storage failed.')
    }
    const counts: number[] = []
    for (let run = 0; run < 2; run++) {
      await world.cron()
      counts.push(((await json(world, '/api/orders')).orders as unknown[]).length)
    }
    expect(counts).toEqual([1, 2])
  })
})

describe('an order whose alarms fail is found within the hour', () => {
  const told: string[] = []
  async function lost(world: World, prepare: () => Promise<unknown>): Promise<string[]> {
    // A first run looks at every order.
    await world.cron()
    await prepare()
    await world.idle()
    told.splice(0)
    // The runtime gives an alarm up that fails six times.
    world.gate.dropAlarm(ID)
    for (let quarter = 0; quarter < 3; quarter++) {
      world.time += 900_000
      await world.cron()
    }
    await world.advance(1_000)
    return told
  }
  const create = (RETENTION_DAYS = '') =>
    new World({ env: { RETENTION_DAYS }, onEvent: ({ event }) => void told.push(event.kind) })
  const orders = async (world: World) => (await world.api('/api/orders')).json()

  it.each(['a webhook', 'an opening'])('from its first moment: %s', async (first) => {
    const world = create()
    const link = await world.link({ order_id: ID })
    const isWebhook = first === 'a webhook'
    const begin = () => (isWebhook ? world.post(world.signed(payment(ID))) : world.get(link))
    expect(await lost(world, begin)).toEqual(isWebhook ? ['purchase'] : [])
    expect(await orders(world)).toMatchObject({ orders: [{ order_id: ID }] })
  })

  it.each(['', '365'])('long after it was paid, with RETENTION_DAYS %j', async (days) => {
    const world = create(days)
    await world.pay(await world.open(await world.link({ order_id: ID })))
    for (let hour = 0; hour < 4; hour++) await world.advance(3_600_000)
    const refunded = { method: 'refund', operation_id: 'r-1', amount: 1 }
    expect(await lost(world, () => world.post(world.signed(payment(ID, refunded))))).toEqual(['refund'])
    expect(await orders(world)).toMatchObject({ orders: [{ order_id: ID, totals: { refunded: 100 } }] })
  })
})
