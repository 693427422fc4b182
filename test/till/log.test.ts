// A till is carried to another database: nothing is lost on the way, and nothing is done twice.
import { describe, expect, it } from 'vitest'
import { createTill, type ReceivedEvent, tillLog } from '../../src/till/index.ts'
import { hasSqlite } from '../support/environment.ts'
import { clockedDatabase, openTill, PAYMENT, REFUND, wordOf } from './support/open-till.ts'

async function all<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const row of rows) found.push(row)
  return found
}

const KEY = { key: 'press' }

/** A till with a paid order whose refund has no answer, an open payment, and an event that `onEvent` failed on. */
async function day() {
  const heard: string[] = []
  let isDown = false
  const onEvent = ({ id, event }: ReceivedEvent) => {
    if (isDown) throw new Error('no stock')
    heard.push(`${event.kind} ${id}`)
  }
  const opened = await openTill({ onEvent })
  const { till, sell, emulator } = opened
  await sell()
  await till.createPayment({ ...PAYMENT, order_id: 'open' })
  emulator.faults.next({ kind: 'reset', when: 'after_commit', on: 'refund-payment' })
  expect(wordOf(await till.refund(REFUND, KEY))).toMatch('unknown')
  await till.refund({ ...REFUND, refund_amount: 0 }, { key: 'wrong' })
  isDown = true
  await sell('failing')
  isDown = false
  return { ...opened, heard, onEvent }
}

describe.skipIf(!hasSqlite && !('Bun' in globalThis))('two databases', () => {
  it('has the same orders, lists and outcomes, and gives nothing to onEvent twice', async () => {
    const { till, database, emulator, client, heard, onEvent, wait, refunds } = await day()
    const shown = async (from = till) => [
      (await from.orders()).orders,
      await from.days({ from: '2026-01-31', to: '2026-01-31' }),
      await from.attention(),
      await Promise.all(['A-1', 'open', 'failing'].map((id) => from.order(id))),
    ]
    const before = await shown()
    const log = tillLog(database)
    await expect(log.rows().next()).rejects.toMatchObject({ field: 'database' })
    await log.close('https://new.example.com')
    await expect(log.rows().next()).rejects.toThrow('wait for a minute')
    await wait(1)
    expect(await log.closed()).toMatchObject({ to: 'https://new.example.com', wait_ms: 0 })
    const rows = JSON.parse(JSON.stringify(await all(log.rows())))

    const next = await clockedDatabase(emulator)
    const carried = createTill({ client, database: next, onEvent })
    await carried.migrate()
    // A load that fails on its way is repeated; until it ends, the till is closed.
    expect(await tillLog(next).load(rows.slice(0, 5))).toBe(false)
    expect(wordOf(await carried.createPayment({ ...PAYMENT, order_id: 'early' }))).toBe('not_sent busy')
    expect(await tillLog(next).load(rows)).toBe(true)
    await expect(tillLog(next).load(rows)).rejects.toThrow('It has orders')
    expect(await shown(carried)).toEqual(before)
    expect(await shown()).toEqual(before)
    // Each row, from the one on which the reading was interrupted.
    expect(await all(log.rows(rows[3]))).toEqual(rows.slice(4))

    const given = heard.splice(0)
    await wait(60)
    await till.settle()
    expect([given.length, heard]).toEqual([1, []])
    for (let time = 0; time < 2; time++) await carried.settle()
    // The event that failed, and the refund that was found.
    expect(heard.map((one) => one.split(' ')[0]).sort()).toEqual(['purchase', 'refund'])
    expect(heard).not.toContain(given[0])
    expect(wordOf(await carried.refund(REFUND, KEY))).toBe('done')
    expect(await refunds()).toEqual([30])
    const again = await carried.createPayment({ ...PAYMENT, order_id: 'open' })
    expect(again).toMatchObject({ outcome: 'done', url: (await till.order('open'))?.url })
  })

  it('a closed till takes no event, payment and money call, and opens again by its own log', async () => {
    const { till, database, wait, sell, refunds, emulator, client, events } = await openTill()
    await sell()
    const log = tillLog(database)
    await log.close()
    expect(wordOf(await till.refund(REFUND, KEY))).toBe('not_sent busy')
    expect(wordOf(await till.createPayment({ ...PAYMENT, order_id: 'late' }))).toBe('not_sent busy')
    await client.refundPayment({ ...REFUND, server_url: 'https://shop.example.com/webhooks' })
    await emulator.deliveries.idle()
    await expect(till.receive(events[0] as never)).rejects.toMatchObject({ name: 'StorageError' })
    await wait(1)
    expect(await log.load(await all(log.rows()))).toBe(true)
    await till.receive(events[0] as never)
    expect(wordOf(await till.refund(REFUND, KEY))).toBe('done')
    expect(await refunds()).toEqual([30, 30])
  })

  it('takes no rows of another POS, table or column', async () => {
    const { database } = await openTill()
    for (const row of [
      ['edgetill_version', { owner: 'another at https://api.example.com' }],
      ['sqlite_master', { name: 'x' }],
      ['edgetill_log', { 'order_id) VALUES (1); --': 'x' }],
    ] as const)
      await expect(tillLog(database).load([row])).rejects.toMatchObject({ field: 'database' })
  })
})
