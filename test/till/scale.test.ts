// What the till reads and writes does not grow with the shop.
import { expect, it } from 'vitest'
import { createTill, type TillDatabase } from '../../src/till/index.ts'
import { readEvent } from '../../src/webhooks/index.ts'
import { hasSqlite } from '../support/environment.ts'
import { openTill, PAYMENT, REFUND } from './support/open-till.ts'

const PAID = {
  ...{ payment_id: 'p-1', method: 'purchase', status: 'success', amount: 100.5, currency: 'UAH' },
  created_at: '2026-01-31T10:00:00.000',
}

/** A till that counts the statements of each kind. */
async function counted() {
  const shop = await openTill()
  const statements: string[] = []
  const run: TillDatabase['run'] = (sql, values) => {
    statements.push(sql)
    return shop.database.run(sql, values)
  }
  const database: TillDatabase = Object.create(shop.database, { run: { value: run } })
  const heard: string[] = []
  const onEvent = (_: unknown, { order_id }: { order_id: string }) => void heard.push(order_id)
  return { ...shop, statements, heard, onEvent, counting: createTill({ client: shop.client, database, onEvent }) }
}

it('delivers the row that a webhook has written, and no other', async () => {
  const { till, counting, statements, heard } = await counted()
  // Due for somebody else: settle() calls onEvent for it.
  await till.receive(readEvent({ ...PAID, order_id: 'WAITS' }))
  const ids = Array.from({ length: 64 }, (_, i) => `A-${i}`)
  statements.length = 0
  await Promise.all(ids.map((order_id) => counting.receive(readEvent({ ...PAID, order_id }))))
  await expect.poll(() => heard.length).toBe(64)
  expect(heard.toSorted()).toEqual(ids.toSorted())
  // A reading, the row, which is claimed as it is written, and its end.
  expect(statements).toHaveLength(3 * 64)
  await counting.settle()
  expect(heard.at(-1)).toBe('WAITS')
  const claims = statements.filter((sql) => sql.includes('attempts = attempts + 1'))
  expect(claims).toHaveLength(1)
})

const onSqlite = hasSqlite ? it : () => {}
onSqlite('scans the log in no statement of a webhook, a refund, a list or due work, over 100,000 orders', async () => {
  const { database, counting, statements, sell, wait } = await counted()
  await sell()
  await database.run(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
     INSERT INTO edgetill_log (order_id, number, attempt, kind, id, written_at, is_open, body, attempts)
     SELECT 'old' || i, 1, 1, 'event', 'id' || i, i, 0, '{}', 0 FROM n`,
    [],
  )
  await database.run('ANALYZE', [])
  await counting.receive(readEvent({ ...PAID, order_id: 'B-2' }))
  await counting.createPayment({ ...PAYMENT, order_id: 'C-3' })
  await counting.refund(REFUND, { key: 'press' })
  await counting.order('A-1')
  await counting.orders({ limit: 1 })
  await wait(20)
  await counting.settle()
  const scans: string[] = []
  for (const sql of new Set(statements)) {
    const values = Array.from(sql.matchAll(/\?/g), () => null)
    // The indexes of rows that are open, or not listed, have few of them.
    for (const { detail } of await database.run(`EXPLAIN QUERY PLAN ${sql}`, values))
      if (/^SCAN (edgetill_log|l)\b(?!.* edgetill_log_(open|unlisted))/.test(String(detail)))
        scans.push(`${detail}: ${sql}`)
  }
  expect(statements.length).toBeGreaterThan(20)
  expect(scans).toEqual([])
})

onSqlite('finds the rows of every list by an index, over 100,000 orders, but for a search by words', async () => {
  const { database, till, counting, statements, sell } = await counted()
  await sell()
  await database.run(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
     INSERT INTO edgetill_order (order_id, token, since, state, is_open, flags, status, amount, sum, refunded, tail, reference, email, phone,
       last_four, words, shown)
     SELECT 'old-' || i, '', i, i % 9, i % 3, i % 8, 'success', i, i - 1, i % 5, i, 'R' || i, i || '@example.com', i || '083', i % 10000, 'mugs', '{}'
     FROM n`,
    [],
  )
  await database.run(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
     INSERT INTO edgetill_money (order_id, attempt, id, at, kind, amount, fee, currency)
     SELECT 'old-' || i, 1, '', 1700000000000 + i * 864000, 'paid', i, 0, 'UAH' FROM n`,
    [],
  )
  const isAnalyzed = [false, true]
  for (const one of isAnalyzed) {
    if (one) await database.run('ANALYZE', [])
    statements.length = 0
    const { cursor } = await counting.orders()
    await counting.orders({ cursor })
    await counting.orders({ states: ['refunded', 'paid'], from: new Date(5), to: new Date(90_000) })
    await counting.orders({ status: 'pending' })
    await counting.orders({ flag: 'any' })
    await counting.orders({ flag: 'over_capture', states: ['paid'] })
    await counting.orders({ open: true })
    await counting.orders({ reference: 'R7' })
    for (const search of ['old-77', '77@example.com', '380 77', '1077', '77.00', '+38 077 1234'])
      await counting.orders({ search, states: ['paid', 'refunded'], from: new Date(1) })
    await counting.days({ from: '2026-01-01', to: '2026-01-31' })
    await counting.operations({ from: '2026-01-01', to: '2026-01-31' })
    const scans: string[] = []
    for (const sql of new Set(statements.filter((sql) => !sql.includes('words LIKE')))) {
      const values = Array.from(sql.matchAll(/\?/g), () => null)
      for (const { detail } of await database.run(`EXPLAIN QUERY PLAN ${sql}`, values))
        if (
          /^SCAN (?!v\b|b\b|.* edgetill_order_(since|open|is_)|.* edgetill_log_unlisted|CONSTANT|edgetill_version|\()/.test(
            String(detail),
          )
        )
          scans.push(`${detail}: ${sql}`)
    }
    expect(statements.length).toBeGreaterThan(20)
    expect(scans).toEqual([])
  }
  expect((await till.orders({ search: 'A-1' })).orders.map(({ order_id }) => order_id)).toEqual(['A-1'])
})
