import { describe, expect, it } from 'vitest'
import { openTables, type Schema } from '../../src/shop/lib/tables.ts'
import type { OnEvent } from '../../src/shop/options.ts'
import type { SqlValue } from '../../src/shop/runtime.ts'
import { secondary } from './support/events.ts'
import { authorized, instead, made, send } from './support/money.ts'
import STORED from './support/stored-state.json' with { type: 'json' }
import { World } from './support/world.ts'

// The data of an object, written by one version of the engine and read by another.

const OLD: Schema = { sale: ['CREATE TABLE sale (id TEXT PRIMARY KEY, amount INTEGER NOT NULL)'] }
const NEW: Schema = {
  sale: [...(OLD.sale ?? []), 'ALTER TABLE sale ADD COLUMN note TEXT'],
  refund: ['CREATE TABLE refund (id TEXT PRIMARY KEY)'],
}

/** The storage of an object in which the old engine has a row. */
function sold() {
  const storage = new World().gate.storage('A-1')
  openTables(storage, OLD).all("INSERT INTO sale (id, amount) VALUES ('A-1', 5)")
  return storage
}

it('a newer engine takes the further steps, once, over rows that stay', () => {
  const storage = sold()
  for (const row of ['R-1', 'R-2']) {
    const tables = openTables(storage, NEW)
    expect(tables.all('SELECT * FROM sale')).toEqual([{ id: 'A-1', amount: 5, note: null }])
    tables.all('INSERT INTO refund VALUES (?)', row)
  }
  expect(openTables(storage, NEW).all('SELECT id FROM refund')).toEqual([{ id: 'R-1' }, { id: 'R-2' }])
})

it('an older engine goes on after steps that change nothing for it, and the newer one after it', () => {
  const storage = sold()
  openTables(storage, NEW).all("UPDATE sale SET note = 'gift'")
  openTables(storage, OLD).all("INSERT INTO sale (id, amount) VALUES ('A-2', 7)")
  expect(openTables(storage, OLD).all('SELECT id, amount FROM sale')).toHaveLength(2)
  // The steps that it does not know stay taken.
  expect(openTables(storage, NEW).all('SELECT note FROM sale')).toEqual([{ note: 'gift' }, { note: null }])
})

it('an older engine leaves alone what a breaking step has changed, wherever it stands among the steps', () => {
  const breaking = 'ALTER TABLE sale RENAME COLUMN amount TO cents'
  const later = 'ALTER TABLE sale ADD COLUMN currency TEXT'
  const [first = ''] = OLD.sale as string[]
  const newer: Schema[] = [
    { sale: [first, { breaking }] },
    { sale: [first, { breaking }, later] },
    { sale: [first, later, { breaking }] },
  ]
  for (const schema of newer) {
    const storage = sold()
    openTables(storage, schema).all('UPDATE sale SET cents = 500')
    expect(() => openTables(storage, OLD).all('DELETE FROM sale')).toThrow('A newer engine has written the table sale')
    expect(openTables(storage, schema).all('SELECT cents FROM sale')).toEqual([{ cents: 500 }])
  }
  // One that knows the breaking step goes on after those that follow it.
  const storage = sold()
  openTables(storage, newer[1] as Schema).all('SELECT 1')
  expect(openTables(storage, newer[0] as Schema).all('SELECT id FROM sale')).toEqual([{ id: 'A-1' }])
})

it('a whole engine goes on over what a newer one has added: webhooks, lists and money', async () => {
  const world = new World()
  await world.pay(await world.open(await world.link({ order_id: 'A-1' })))
  await world.advance(20_000)
  for (const [id, kind] of [['A-1'], ['', 'shop']] as [string, string?][]) {
    const { sql } = world.gate.storage(id, kind)
    for (const table of ['event', 'published', 'listed', 'link']) {
      const path = `$.${table}`
      sql.exec('UPDATE version SET version = json_replace(version, ?, json_extract(version, ?) + 1)', path, path)
    }
  }
  world.begin()
  expect((await world.send('/api/orders/A-1/refund', { refund_amount: 1 }, 'r')).status).toBe(200)
  await world.advance(20_000)
  expect(await (await world.api('/api/orders')).json()).toMatchObject({ orders: [{ totals: { refunded: 100 } }] })
})

it('a step that fails changes nothing, and is taken again', () => {
  const storage = sold()
  const broken: Schema = { ...NEW, sale: [...(NEW.sale ?? []), 'ALTER TABLE'] }
  expect(() => openTables(storage, broken).all('SELECT * FROM sale')).toThrow('The object’s storage failed.')
  expect(openTables(storage, NEW).all('SELECT note FROM sale')).toEqual([{ note: null }])
})

it('an operation with the response that an older engine has stored gets it again under its key', async () => {
  const world = await authorized()
  const { body } = await send(world, 'capture', 'one', { charge_amount: 10 })
  const storage = world.gate.storage('A-1')
  const [row] = [...storage.sql.exec('SELECT operation FROM operation')] as { operation: string }[]
  const { answer, response, ...operation } = JSON.parse(row?.operation ?? '')
  expect([answer, response]).toEqual([undefined, { status: 200, body }])
  const stored = { status: 200, body: { operation_id: 'op-9', note: 'as it was stored' } }
  storage.sql.exec('UPDATE operation SET operation = ?', JSON.stringify({ ...operation, response: stored }))
  expect(await send(world, 'capture', 'one', { charge_amount: 10 })).toMatchObject(stored)
  expect(made(world, 'capture')).toHaveLength(1)
})

describe('what the engine of 635b86b has stored', () => {
  /** A world that begins over it. The service answers nothing but what a test says. */
  async function begun(onEvent?: OnEvent) {
    const world = new World({ ...(onEvent && { onEvent }) })
    world.time = STORED.time
    for (const [name, { alarm, create, rows }] of Object.entries(STORED.objects)) {
      const storage = world.gate.storage(name, '')
      for (const statement of create) storage.sql.exec(statement)
      for (const [table, all] of Object.entries(rows)) {
        for (const row of all) {
          const marks = row.map(() => '?').join(', ')
          storage.sql.exec(`INSERT INTO ${table} VALUES (${marks})`, ...(row as SqlValue[]))
        }
      }
      if (alarm !== null) await storage.setAlarm(alarm)
    }
    const kv = world.env().STATE
    for (const { key, value, metadata } of STORED.kv) await kv.put(key, value, { metadata })
    world.begin()
    const sent = instead(world, (method) => new Response('', { status: method === 'POST' ? 500 : 403 }))
    return { world, sent }
  }

  it('goes on with its keys: what was made stays made, and what is open is not made again', async () => {
    const { world, sent } = await begun()
    expect(await send(world, 'capture', 'done-key', { charge_amount: 10 })).toEqual({ status: 200, body: STORED.done })
    expect(await send(world, 'capture', 'done-key', { charge_amount: 11 })).toMatchObject({ status: 422 })
    const open = { charge_amount: 20 }
    expect(await send(world, 'capture', 'open-key', open)).toMatchObject({ body: { code: 'capture_unsettled' } })
    expect(await send(world, 'capture', 'new-key', open)).toMatchObject({ body: { code: 'capture_unsettled' } })
    await world.deliver(secondary('A-1', 'capture', { amount: 20, operation_id: 'op-20' }))
    const settled = await send(world, 'capture', 'open-key', open)
    expect(settled).toMatchObject({ status: 200, body: { operation_id: 'op-20' } })
    expect((await world.order('A-1'))?.totals).toMatchObject({ authorized: 10_050, captured: 3_000 })
    expect(sent).toEqual([])
  })

  it('goes on with its queue: the event that waits is handled once, and none that was handled', async () => {
    const told: unknown[] = []
    const { world } = await begun(({ event }) => void told.push([event.method, event.record.payment_id]))
    for (const { value } of STORED.kv) {
      const { event } = JSON.parse(value)
      if (event) await world.deliver(event)
    }
    for (let minute = 0; minute < 5; minute++) await world.advance(61_000)
    expect(told).toEqual([['purchase', 'bbbbbbbb-0000-4000-8000-000000000001']])
  })

  it('goes on with its links: one payment of each, none of one that was revoked or whose order was cancelled', async () => {
    const { world, sent } = await begun()
    expect(await world.open(STORED.links['A-2'].url)).toBe(STORED.form)
    for (const id of ['A-3', 'A-4'] as const) {
      const { headers } = await world.get(STORED.links[id].url)
      expect([id, headers.get('location') ?? '/return/']).toEqual([id, expect.stringContaining('/return/')])
    }
    expect(sent.filter((body) => 'customer_email' in body)).toEqual([])
    expect([...world.gate.rows('A-3').values()]).toContainEqual(
      expect.objectContaining({ closed_at: expect.any(Number) }),
    )
  })

  it('comes back into the books from KV by the cron, with what was done and what is open', async () => {
    const { world } = await begun()
    for (let run = 0; run < 3; run++) {
      await world.cron()
      await world.advance(900_000)
    }
    const list = async (path: string) => (await (await world.api(path)).json()) as Record<string, never[]>
    const { orders = [] } = await list('/api/orders')
    const shown = new Map(orders.map(({ order_id, totals }) => [order_id, totals]))
    expect(shown.get('A-1' as never)).toMatchObject({ captured: 1_000 })
    expect(shown.get('A-5' as never)).toMatchObject({ captured: 10_050 })
    const { items = [] } = await list('/api/attention')
    // The flag of A-5 was looked at by a person; a further event has come since.
    expect(items.map(({ kind, order_id }) => `${kind} ${order_id}`).sort()).toContain('operation_unsettled A-1')
    expect([...world.gate.rows('A-5').keys()]).toContainEqual(expect.stringContaining('alert/done/'))
    const { days = [] } = await list('/api/days?from=2026-03-01&to=2026-03-01')
    expect(days.reduce((sum, { taken_minor }) => sum + taken_minor, 0)).toBe(11_050)
  })
})
