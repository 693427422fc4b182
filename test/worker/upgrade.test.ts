import { expect, it } from 'vitest'
import { openTables, type Schema } from '../../src/shop/lib/tables.ts'
import { authorized, made, send } from './support/money.ts'
import { World } from './support/world.ts'

// What an object wrote with one version of the engine, read with another.

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
  for (const [id, kind] of [['A-1'], ['', 'shop'], ['', 'shop/2026-03']] as [string, string?][]) {
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
