import { expect, it, onTestFinished, vi } from 'vitest'
import { createClient } from '../../src/index.ts'
import { createTill, postgres, type SqliteHandle, sqlite, type TillDatabase } from '../../src/till/index.ts'
import type { WebhookEvent } from '../../src/webhooks/index.ts'
import { hasSqlite } from '../support/environment.ts'
import { openDatabase, openTill, PAYMENT, REFUND, wordOf } from './support/open-till.ts'

type Run = Parameters<TillDatabase['run']>

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
  const reserve = async () => ({ unsafe, release() {} })
  const sql = Object.assign(() => {}, { unsafe, begin() {}, reserve })
  const query = async () => ({ rows: [] })
  const pool = { connect: async () => ({ query, release() {} }), totalCount: 0 }
  expect([sql, pool].map((one) => typeof postgres(one).run)).toEqual(['function', 'function'])
  const untyped = Object.assign(() => {}, { unsafe, begin() {}, reserve, options: { fetch_types: false } })
  expect(() => postgres(untyped)).toThrow('Leave out fetch_types: false')
  const inside = Object.assign(() => {}, { unsafe, savepoint() {} })
  const reserved = Object.assign(() => {}, { unsafe, begin() {}, reserve, release() {} })
  for (const wrong of [undefined, null, 5, inside, reserved, { query }]) {
    expect(() => postgres(wrong as never)).toThrow('postgres() takes what postgres(url) returned, or a Pool of pg')
  }
})

it('rejects a handle that cannot say whether it is inside a transaction', async () => {
  const handle = { exec() {}, prepare: () => ({ all: () => [], run() {} }) }
  expect(() => sqlite(handle)).toThrow('Node 22.16')
  expect(sqlite({ ...handle, isTransaction: false }).clock).toContain('julianday')
  const released: unknown[] = []
  const connection = { query: async () => ({ rows: [] }), release: (destroy?: boolean) => void released.push(destroy) }
  const pool = postgres({ connect: async () => connection, totalCount: 0 })
  await expect(pool.run('SELECT 1', [])).rejects.toMatchObject({ code: 'config', field: 'database' })
  expect(released).toEqual([true])
})

it('listens to a connection of pg that breaks in a statement, which would end the process', async () => {
  const listeners = new Set<() => void>()
  const heard: number[] = []
  let breaks = true
  const connection = {
    on: (_: 'error', listener: () => void) => listeners.add(listener),
    off: (_: 'error', listener: () => void) => listeners.delete(listener),
    getTransactionStatus: () => 'I',
    async query() {
      // Node throws an error event that nobody listens to, where no caller can catch it.
      heard.push(listeners.size)
      for (const listener of listeners) listener()
      if (breaks) throw new Error('Connection terminated unexpectedly')
      return { rows: [] }
    },
    release() {},
  }
  const pool = postgres({ connect: async () => connection, totalCount: 0 })
  await expect(pool.run('INSERT', [])).rejects.toThrow('terminated')
  listeners.clear()
  breaks = false
  await pool.run('INSERT', [])
  expect([heard, listeners.size]).toEqual([[1, 1], 0])
})

it('serves one POS and one address', async () => {
  const { till, client, database, emulator, sell, events } = await openTill({ onEvent() {} })
  await sell()
  const merchants = [{ posId: '3f1c2c1e-6a5c-4b8e-9d53-0a4c1c7d2b11' }, { baseUrl: 'https://test.example.com' }]
  for (const other of merchants) {
    const foreign = createClient({ ...emulator.credentials, ...other, fetch: emulator.fetch })
    const second = createTill({ client: foreign, database, onEvent() {} })
    await till.refund(REFUND, { key: JSON.stringify(other) })
    await emulator.deliveries.idle()
    const [event] = events.splice(0)
    const before = await database.run('SELECT * FROM edgetill_log', [])
    const calls = [
      () => second.migrate(),
      () => second.settle(),
      () => second.order('A-1'),
      () => second.orders(),
      () => second.createPayment({ ...PAYMENT, order_id: 'A-2' }),
      () => second.refund(REFUND, { key: 'press' }),
      () => second.receive(event as WebhookEvent),
    ]
    for (const call of calls) await expect(call()).rejects.toThrow('Use a database for each')
    expect(await database.run('SELECT * FROM edgetill_log', [])).toEqual(before)
    await till.receive(event as WebhookEvent)
  }
  const same = createClient({ ...emulator.credentials, posId: emulator.credentials.posId.toUpperCase() })
  await createTill({ client: same, database }).migrate()
  expect(() => createTill({ client: { ...client }, database })).not.toThrow()
  const { createPayment, listOrderOperations } = client
  expect(() => createTill({ client: { createPayment, listOrderOperations } as never, database })).toThrow(
    'createClient',
  )
  await expect(till.refund({ ...REFUND, pos_id: merchants[0]?.posId }, { key: 'other' })).rejects.toMatchObject({
    field: 'pos_id',
  })
})

it('rejects a handle that renames columns, and gives up where the database shows an old state', async () => {
  const { client, database, till, another, sell, refunds } = await openTill()
  await sell()
  const camel = (row: Record<string, unknown>) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [name.replace(/_(.)/g, (_, x) => x.toUpperCase()), value]),
    )
  const renaming = { clock: database.clock, run: async (...of: Run) => (await database.run(...of)).map(camel) }
  await expect(createTill({ client, database: renaming }).migrate()).rejects.toThrow('does not rename columns')
  // A replica that stands still: rows of before another process's refund.
  const seen = new Map<string, Awaited<ReturnType<typeof database.run>>>()
  let statements = 0
  const replica = another({
    database: {
      clock: database.clock,
      async run(sql, values) {
        statements++
        const name = JSON.stringify([sql.replace(/\d{9,}/, ''), values])
        const rows = (sql.startsWith('SELECT') && seen.get(name)) || (await database.run(sql, values))
        seen.set(name, rows)
        return rows
      },
    },
  })
  await replica.order('A-1')
  await till.refund(REFUND, { key: 'first' })
  // The pauses between the 200 tries, which are random.
  onTestFinished(() => void vi.restoreAllMocks())
  vi.spyOn(Math, 'random').mockReturnValue(0)
  expect(wordOf(await replica.refund(REFUND, { key: 'second' }))).toBe('not_sent busy')
  expect([await refunds(), statements < 500]).toEqual([[30], true])
}, 60_000)

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
