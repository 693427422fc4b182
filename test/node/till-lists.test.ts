// Lists and batches of a till over Postgres, with both of its drivers.
import connect from 'postgres'
import { expect, it } from 'vitest'
import { postgres as onPostgres, type TillDatabase } from '../../src/till/index.ts'
import { playBatch } from '../till/support/batch.ts'
import { LISTS, playLists } from '../till/support/lists.ts'
import { usePostgres } from './support/postgres.ts'

const postgres = usePostgres()

const DRIVERS = {
  pg: async () => {
    // It has no types.
    const { Pool } = await import('pg' as string)
    const pool = new Pool({ connectionString: postgres.url })
    return {
      handle: pool,
      leave: async () => {
        const client = await pool.connect()
        await client.query('BEGIN')
        await client.query('CREATE TABLE left_open (id text)')
        client.release()
      },
      end: () => pool.end(),
    }
  },
  'postgres.js': async () => {
    const sql = connect(postgres.url, { max: 1, onnotice() {} })
    return {
      handle: sql,
      leave: async () => {
        const client = await sql.reserve()
        await client.unsafe('BEGIN')
        await client.unsafe('CREATE TABLE left_open (id text)')
        client.release()
      },
      end: () => sql.end(),
    }
  },
}

it.each(Object.keys(DRIVERS) as (keyof typeof DRIVERS)[])(
  '%s: a batch is all or none, and commits nothing of another transaction',
  async (name) => {
    const { handle, leave, end } = await DRIVERS[name]()
    const database = onPostgres(handle) as Required<TillDatabase>
    await leave()
    expect((await playBatch(database)).batch).toEqual([[{ id: 'a', n: 1 }], [], [{ id: 'c', n: 3 }]])
    // The transaction that was left open is rolled back, also where a batch is the first to find it.
    await leave()
    const [rows] = await database.batch([
      ['SELECT 7 AS seven', []],
      ['SELECT 8 AS eight', []],
    ])
    expect(rows).toMatchObject([{ seven: 7 }])
    expect(await database.run("SELECT to_regclass('left_open') AS found", [])).toMatchObject([{ found: null }])
    await end()
  },
)

it.each(Object.keys(DRIVERS) as (keyof typeof DRIVERS)[])('%s: lists, searches and adds up orders', async (name) => {
  const { handle, end } = await DRIVERS[name]()
  const database = onPostgres(handle)
  for (const table of ['log', 'version', 'order', 'money'])
    await database.run(`DROP TABLE IF EXISTS edgetill_${table}`, [])
  const { wrong, found } = await playLists(database)
  expect(wrong).toEqual([])
  expect(found).toEqual(LISTS)
  await end()
})
