import { expect, it } from 'vitest'
import { createTill, postgres, type SqliteHandle, sqlite } from '../../src/till/index.ts'
import { hasSqlite } from '../support/environment.ts'
import { openDatabase, openTill, REFUND } from './support/open-till.ts'

const onSqlite = hasSqlite ? it : () => {}
onSqlite('waits for another process, writes through, and rejects a handle that is inside a transaction', async () => {
  const { DatabaseSync } = await import('node:sqlite')
  const handle = new DatabaseSync(':memory:')
  const database = sqlite(handle)
  const [row] = await database.run('SELECT * FROM pragma_busy_timeout, pragma_synchronous', [])
  expect(row).toMatchObject({ timeout: 5000, synchronous: 2 })
  const { till, client, sell, refunds } = await openTill()
  await sell()
  const second = createTill({ client, database })
  await second.migrate()
  handle.exec('BEGIN')
  await expect(second.refund(REFUND, { key: 'press' })).rejects.toMatchObject({ code: 'config', field: 'database' })
  expect(() => sqlite(handle)).toThrow('Inside a transaction')
  expect(() => sqlite({ ...handle, exec() {}, prepare: () => [] as never, inTransaction: true })).toThrow(
    'Inside a transaction',
  )
  handle.exec('ROLLBACK')
  expect(await refunds()).toEqual([])
  expect(await till.attention()).toEqual([])
  expect(() => sqlite({} as SqliteHandle)).toThrow('node:sqlite, bun:sqlite or better-sqlite3')
})

it('takes of Postgres what is outside a transaction alone', () => {
  const unsafe = async () => []
  const sql = Object.assign(() => {}, { unsafe, begin() {} })
  const pool = { query: async () => ({ rows: [] }), totalCount: 0 }
  expect([sql, pool].map((one) => typeof postgres(one).run)).toEqual(['function', 'function'])
  const inside = Object.assign(() => {}, { unsafe, savepoint() {} })
  const reserved = Object.assign(() => {}, { unsafe, begin() {}, release() {} })
  for (const wrong of [inside, reserved, { query: pool.query }]) {
    expect(() => postgres(wrong as never)).toThrow('postgres() takes what postgres(url) returned, or a Pool of pg')
  }
})

it('makes its tables in several processes at once, and says where they are missing or newer', async () => {
  const { client } = await openTill()
  const database = await openDatabase()
  const till = createTill({ client, database })
  await expect(till.order('A-1')).rejects.toThrow('call `await till.migrate()` at start-up')
  await Promise.all(Array.from({ length: 4 }, () => createTill({ client, database }).migrate()))
  expect(await till.orders()).toEqual({ orders: [], cursor: null })
  await database.run('INSERT INTO edgetill_version (version) VALUES (2)', [])
  await expect(till.migrate()).rejects.toThrow('A newer edgetill has made the tables')
})

it('names the option that cannot work', async () => {
  const { client, database, till } = await openTill()
  const right = { client, database }
  for (const [field, options] of Object.entries({
    client: { ...right, client: {} },
    database: { ...right, database: {} },
    onEvent: { ...right, onEvent: 'code' },
    onEvents: { ...right, onEvents() {} },
  })) {
    expect(() => createTill(options as never)).toThrow(expect.objectContaining({ code: 'config', field }))
  }
  await expect(till.refund(REFUND, { key: '' })).rejects.toMatchObject({ field: 'key' })
  await expect(till.recover({ since: 'Tuesday' as never })).rejects.toMatchObject({ field: 'since' })
})
