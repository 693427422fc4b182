import { beforeAll, expect, it } from 'vitest'
import { createD1Double, type D1Double } from '../../src/testing/index.ts'
import { openWorkerd } from './support/workerd.ts'

const SCHEMA = 'CREATE TABLE payment (id TEXT PRIMARY KEY, amount REAL, sent INTEGER DEFAULT 0);'

// The double is compared with D1 as wrangler runs it.
let real: D1Double
beforeAll(async () => {
  const workerd = openWorkerd({ contents: 'export default {}', databases: ['DB'] })
  real = (await workerd.getD1Database('DB')) as unknown as D1Double
  await real.exec(SCHEMA)
  return () => workerd.dispose()
}, 60_000)

type Attempt = (db: D1Double) => Promise<unknown>
const insert = (db: D1Double, ...row: unknown[]) => db.prepare('INSERT INTO payment VALUES (?, ?, ?)').bind(...row)
const count = (db: D1Double) => db.prepare('SELECT count(*) AS n FROM payment').first('n')
const changes = async (db: D1Double, sql: string) => (await db.prepare(sql).run()).meta.changes

const MANY = Array(101).fill('?')

const ATTEMPTS: [name: string, attempt: Attempt][] = [
  ['inserts a row', async (db) => (await insert(db, 'a', 100.5, true).run()).meta.changes],
  ['reads rows', async (db) => (await db.prepare('SELECT * FROM payment').all()).results],
  ['reads one', (db) => db.prepare('SELECT * FROM payment WHERE id = ?').bind('a').first()],
  ['reads a column', (db) => db.prepare('SELECT amount FROM payment').first('amount')],
  ['reads none', (db) => db.prepare('SELECT * FROM payment WHERE id = ?').bind('b').first()],
  ['reads a column that is missing', (db) => db.prepare('SELECT amount FROM payment').first('sum')],
  ['rejects a second row of a key', (db) => insert(db, 'a', 1, 0).run()],
  ['ignores one', (db) => changes(db, "INSERT OR IGNORE INTO payment VALUES ('a', 1, 0)")],
  ['counts changes', (db) => changes(db, 'UPDATE payment SET sent = 0')],
  [
    'returns what a write returns',
    async (db) => (await db.prepare('UPDATE payment SET sent = 1 RETURNING id').all()).results,
  ],
  ['counts no change of a read', (db) => changes(db, 'SELECT * FROM payment')],
  ['rejects undefined', (db) => insert(db, 'b', undefined, 0).run()],
  ['rejects an object', (db) => insert(db, 'b', { amount: 1 }, 0).run()],
  ['rejects a missing value', (db) => db.prepare('SELECT ? + ?').bind(1).all()],
  ['rejects what is no SQL', (db) => db.prepare('SELEC 1').all()],
  ['rejects a transaction', (db) => db.exec('BEGIN')],
  [
    'rejects too many values',
    (db) =>
      db
        .prepare(`SELECT ${MANY}`)
        .bind(...MANY)
        .all(),
  ],
  ['writes all of a batch', async (db) => (await db.batch([insert(db, 'c', 1, 0), insert(db, 'd', 2, 0)])).length],
  ['or none', (db) => db.batch([insert(db, 'e', 1, 0), insert(db, 'c', 2, 0)])],
  ['has three rows', count],
]

it('does what D1 does, and rejects what it rejects', { timeout: 60_000 }, async () => {
  const double = createD1Double(SCHEMA)
  const of = (attempt: Attempt, db: D1Double) => (async () => attempt(db))().catch(() => 'rejected')
  for (const [name, attempt] of ATTEMPTS) {
    const seen = await of(attempt, double)
    expect([name, seen]).toEqual([name, await of(attempt, real)])
    expect([name, seen === 'rejected']).toEqual([name, /^(rejects|or none|reads a column that)/.test(name)])
  }
})

it('says where its schema is wrong', () => {
  expect(() => createD1Double('CREATE TABEL x (a);')).toThrow(/The schema cannot be run: .*TABEL/)
})
