import type { TillDatabase } from '../../../src/till/index.ts'

const put = (id: string, n: number | null) =>
  ['INSERT INTO edgetill_try (id, n) VALUES (?, ?) ON CONFLICT DO NOTHING RETURNING *', [id, n]] as const

/** Plays batches over a database, and says what its statements returned. @throws Where one of them was written in part. */
export async function playBatch(database: Required<TillDatabase>) {
  await database.run('DROP TABLE IF EXISTS edgetill_try', [])
  await database.run('CREATE TABLE edgetill_try (id text PRIMARY KEY, n integer NOT NULL)', [])
  const rows = await database.batch([put('a', 1), put('a', 2), put('c', 3)])
  const failed = await database.batch([put('d', 4), put('e', null), put('f', 6)]).then(
    () => 'written',
    () => 'failed',
  )
  const stored = await database.run('SELECT id FROM edgetill_try ORDER BY id', [])
  await database.run('DROP TABLE edgetill_try', [])
  const ids = stored.map(({ id }) => id).join()
  if (failed !== 'failed' || ids !== 'a,c') throw new Error(`${failed}: ${ids}`)
  return { batch: rows.map((one) => one.map(({ id, n }) => ({ id, n: Number(n) }))) }
}
