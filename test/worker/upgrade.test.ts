import { expect, it } from 'vitest'
import { openTables, type Schema } from '../../src/shop/store/order-store.ts'
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

it('an older engine leaves alone what a newer one has written', () => {
  const storage = sold()
  openTables(storage, NEW).all("UPDATE sale SET note = 'gift'")
  expect(() => openTables(storage, OLD).all('DELETE FROM sale')).toThrow('A newer engine has written the table sale')
  expect(openTables(storage, NEW).all('SELECT note FROM sale')).toEqual([{ note: 'gift' }])
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
