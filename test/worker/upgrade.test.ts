import { expect, it } from 'vitest'
import { openTables, type Schema } from '../../src/shop/store/order-store.ts'
import { at, payment } from './support/events.ts'
import { authorized, made, send } from './support/money.ts'
import stored from './support/stored-by-635b86b.json' with { type: 'json' }
import { World, type WorldOptions } from './support/world.ts'

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
      sql.exec(`UPDATE version SET version = version + 1 WHERE name = '${table}'`)
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

/** What the engine of commit 635b86b stored; it told payments apart by their `transaction_id`, and rows of money by their time's text. */
function upgraded(options: WorldOptions) {
  const world = new World(options)
  for (const [name, statements] of Object.entries(stored))
    for (const statement of statements) world.gate.storage(name, '').sql.exec(statement)
  world.time = Date.parse('2026-03-01T11:00:00Z')
  return world
}
/** The payment of the n-th stored order. */
const paymentOf = (n: number, more: object = {}) => ({
  ...payment(`A-${n}`, {
    payment_id: `aaaaaaaa-0000-4000-8000-00000000000${n}`,
    transaction_id: `bbbbbbbb-0000-4000-8000-00000000000${n}`,
  }),
  ...more,
})

it('an event that an older engine handled under its id is not handled again, and one that waits twice is handled once', async () => {
  const told: unknown[] = []
  const world = upgraded({ onEvent: ({ event }) => void told.push([event.order_id, event.kind]) })
  // It was handled without its transaction.
  await world.deliver(paymentOf(1))
  await world.deliver(paymentOf(2, { transaction_id: undefined }))
  await world.advance(20_000)
  expect(told).toEqual([])
  await world.deliver(paymentOf(1, { created_at: at(3_000) }))
  await world.deliver(paymentOf(3, { fee: null, payway: 'card' }))
  await world.untilHandled()
  expect(told).toEqual([
    ['A-1', 'purchase'],
    ['A-3', 'purchase'],
  ])
  expect(await world.waiting()).toEqual([])
})

it('rows of money that an older engine wrote twice are one as soon as the order is published', async () => {
  const world = upgraded({})
  const read = async (path: string) => {
    const response = await world.settled(`/api/${path}?from=2026-03-01&to=2026-03-01`)
    return (await response.json()) as Record<string, { order_id: string; kind: string; amount: number }[]>
  }
  expect((await read('days')).days).toMatchObject([{ paid: 40200, refunded: 2000, count: 6 }])
  await world.deliver(paymentOf(2, { payway: 'card' }))
  const { operations } = await read('operations')
  expect(operations?.filter(({ order_id }) => order_id === 'A-2').map(({ kind, amount }) => [kind, amount])).toEqual([
    ['paid', 10050],
    ['refunded', 1000],
  ])
  const total = (name: string) => expect.objectContaining({ paid: name === 'card' ? 10050 : 20100 })
  expect((await read('days')).days).toEqual([total('card'), total('unknown')])
  expect(await world.order('A-2')).toMatchObject({ totals: { captured: 10050, refunded: 1000 }, operations: [{}, {}] })
})
