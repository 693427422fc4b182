import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { createEmulator } from '../../src/emulator/index.ts'
import { createClient } from '../../src/index.ts'
import { createTill, sqlite, type TillDatabase } from '../../src/till/index.ts'

/** Twenty minutes after the last row was written. */
const NOW = Date.parse('2026-11-29T11:43:45Z')

it('opens the database that an earlier till has left, with its orders, its keys and what is due', async () => {
  const handle = new DatabaseSync(':memory:')
  handle.exec(readFileSync(join(import.meta.dirname, 'stored-till.sql'), 'utf8'))
  const { run, batch } = sqlite(handle)
  const sent: string[] = []
  const client = createClient({
    ...createEmulator({ seed: 7 }).credentials,
    maxRetries: 0,
    async fetch(input) {
      sent.push(String(input))
      throw new TypeError('The service is down.')
    },
  })
  const heard: string[] = []
  const till = createTill({
    client,
    database: { clock: String(NOW), run, batch } as TillDatabase,
    onEvent: ({ event }, order) => void heard.push(`${order.order_id} ${event.kind}`),
  })
  await till.migrate()
  const { orders } = await till.orders()
  expect(orders.map(({ order_id, state, sum }) => `${order_id} ${state} ${sum}`)).toEqual([
    'bowl-5 paid 70',
    'cup-4~2 paid 100.5',
    'vase-3 waiting 100.5',
    'lamp-2 partly_charged 120',
    'mugs-1 partly_refunded 70.5',
  ])
  expect((await till.order('mugs-1'))?.totals).toMatchObject({ captured_minor: 10_050, refunded_minor: 3_000 })
  const refund = { order_id: 'mugs-1', order_currency: 'UAH', refund_amount: 30 } as const
  expect(await till.refund(refund, { key: 'r' })).toMatchObject({ outcome: 'done', record: { amount: 30 } })
  const capture = { order_id: 'lamp-2', order_currency: 'UAH', charge_amount: 120 } as const
  expect(await till.capture(capture, { key: 'c' })).toMatchObject({ outcome: 'done', record: { method: 'capture' } })
  expect(sent).toEqual([])
  // The refund without an answer is looked up, and never sent again.
  const open = { order_id: 'bowl-5', order_currency: 'UAH', refund_amount: 70 } as const
  expect(await till.refund(open, { key: 'u' })).toMatchObject({ outcome: 'unknown' })
  expect(new Set(sent.map((url) => url.slice(-14)))).toEqual(new Set(['/orders/bowl-5']))
  expect(await till.attention()).toMatchObject([{ kind: 'operation_unsettled', order_id: 'bowl-5' }])
  await till.settle()
  // The responses to the refund and the capture have no webhook of their own: each stored webhook is reported once.
  expect(heard.sort()).toEqual([...new Set(heard)].sort())
  expect(heard).toContain('mugs-1 purchase')
})
