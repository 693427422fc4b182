// A restored backup has lost keys: none of them is sent again.
import { expect, it } from 'vitest'
import { readEvent, type WebhookEvent } from '../../src/webhooks/index.ts'
import { openTill, PAYMENT, REFUND, wordOf } from './support/open-till.ts'

const PRESS = { key: 'press' }
const PAID = {
  ...{ payment_id: 'p-2', method: 'purchase', status: 'success', amount: 1, currency: 'UAH' },
  created_at: '2026-01-31T10:00:00.000',
}

/** A shop whose backup was restored: `refund_amount` was refunded under the lost key `press`. */
async function restored({ isTold = false, since = 'the backup', refund_amount = 30 } = {}) {
  const opened = await openTill()
  const { till, sell, client, wait, deliver, emulator } = opened
  await sell()
  const backup = new Date(emulator.clock.now())
  await wait(60)
  // Its row is lost.
  await client.refundPayment({ ...REFUND, refund_amount })
  await till.migrate()
  await wait(1)
  const before = await deliver()
  expect(before).toHaveLength(1)
  if (!isTold) await opened.database.run("DELETE FROM edgetill_log WHERE kind = 'event' AND number > 3", [])
  await wait(1)
  const given = since === 'now' ? new Date(emulator.clock.now()) : backup
  const recovered = await till.recover({ since: given })
  await wait(2)
  return { ...opened, isLate: recovered.since < given }
}

it.each([
  [true, 'done'],
  [false, 'rejected not_executed'],
])('a key that may have been executed is never sent: a person says that it was, %s', async (executed, word) => {
  const { till, another, refunds } = await restored()
  const asked = await till.refund(REFUND, PRESS)
  expect(asked).toMatchObject({ outcome: 'unknown', message: expect.stringContaining('settleByHand') })
  const { id } = asked as { id: string }
  const [attention] = await till.attention()
  const [{ may_be = '' } = {}] = (await till.order('A-1'))?.attempts ?? []
  expect(attention).toMatchObject({ kind: 'operation_unsettled', order_id: 'A-1', attempt: { id, amount: 30, may_be } })
  expect(await another().refund(REFUND, PRESS)).toEqual(asked)

  const settled = await till.settleByHand('A-1', id, { executed })
  expect(wordOf(settled)).toBe(word)
  if (executed) expect(settled).toMatchObject({ record: { operation_id: may_be, amount: 30 } })
  expect(await till.refund(REFUND, PRESS)).toEqual(settled)
  expect([await refunds(), await till.attention(), (await till.order('A-1'))?.attempts]).toEqual([[30], [], []])
})

it('no two keys get one record, and the operation that belongs to none is settled by its own id', async () => {
  const { till, refunds } = await restored()
  const [first, other] = [await till.refund(REFUND, PRESS), await till.refund(REFUND, { key: 'other' })]
  expect([wordOf(first), wordOf(other)]).toEqual(['unknown', 'unknown'])
  const idOf = (moved: object) => (moved as { id: string }).id
  // A capture or void is of another kind: it goes on.
  expect(wordOf(await till.void({ order_id: 'A-1', order_currency: 'UAH' }, { key: 'void' }))).toContain('rejected')
  expect(wordOf(await till.settleByHand('A-1', idOf(other), { executed: false }))).toBe('rejected not_executed')
  expect(wordOf(await till.settleByHand('A-1', idOf(first), { executed: true }))).toBe('done')
  expect(wordOf(await till.refund(REFUND, { key: 'other' }))).toBe('rejected not_executed')
  expect(wordOf(await till.refund(REFUND, { key: 'a new one' }))).toBe('done')
  expect(await refunds()).toEqual([30, 30])
})

it('a key that waits beside the one that it was gets an end too', async () => {
  const { till, refunds } = await restored()
  const [first] = [await till.refund(REFUND, PRESS), await till.refund(REFUND, { key: 'other' })]
  expect(wordOf(await till.settleByHand('A-1', (first as { id: string }).id, { executed: true }))).toBe('done')
  expect(wordOf(await till.refund(REFUND, { key: 'other' }))).toBe('rejected not_executed')
  expect([await refunds(), await till.attention()]).toEqual([[30], []])
})

it('an operation of another program, which no key will ask for, is settled by its id', async () => {
  const { till, refunds } = await restored({ refund_amount: 7 })
  const asked = (await till.refund(REFUND, PRESS)) as { id: string }
  const [{ may_be = '' } = {}] = (await till.order('A-1'))?.attempts ?? []
  expect(wordOf(await till.settleByHand('A-1', asked.id, { executed: false }))).toBe('rejected not_executed')
  expect(wordOf(await till.settleByHand('A-1', may_be, { executed: true }))).toBe('done')
  expect(wordOf(await till.refund(REFUND, { key: 'a new one' }))).toBe('done')
  expect([await refunds(), await till.attention()]).toEqual([[7, 30], []])
})

it.each([true, false])(
  'what a press of the backup became, or a later one that was lost, a person says: %s',
  async (executed) => {
    const { till, sell, database, emulator, wait, refunds } = await openTill()
    await sell()
    await till.refund(REFUND, PRESS)
    // The backup has the press, and not its end; it may have failed, and the refund be that of the next key.
    await database.run(`DELETE FROM edgetill_log WHERE kind = 'end'`, [])
    await database.run(`UPDATE edgetill_log SET is_open = 1 WHERE kind = 'operation'`, [])
    const since = new Date(emulator.clock.now())
    await wait(60)
    await till.migrate()
    await till.recover({ since })
    await wait(15)
    await till.settle()
    const pressed = (await till.refund(REFUND, PRESS)) as { id: string }
    expect([wordOf(pressed as never), wordOf(await till.refund(REFUND, { key: 'next' }))]).toEqual([
      'unknown',
      'not_sent in_progress',
    ])
    expect(await till.attention()).toMatchObject([{ kind: 'operation_unsettled', attempt: { id: pressed.id } }])

    const settled = await till.settleByHand('A-1', pressed.id, { executed })
    expect(await till.refund(REFUND, PRESS)).toEqual(settled)
    const next = (await till.refund({ ...REFUND, refund_amount: executed ? 2 : 30 }, { key: 'next' })) as { id: string }
    if (executed) {
      expect([wordOf(settled), wordOf(next as never)]).toEqual(['done', 'done'])
      expect(settled).toMatchObject({ record: { operation_id: expect.any(String), amount: 30 } })
    } else {
      expect([wordOf(settled), wordOf(next as never)]).toEqual(['rejected not_executed', 'unknown'])
      expect(wordOf(await till.settleByHand('A-1', next.id, { executed: true }))).toBe('done')
    }
    expect([await refunds(), await till.attention()]).toEqual([executed ? [30, 2] : [30], []])
  },
)

it.each([
  ['the backup', true],
  ['the backup', false],
  ['now', true],
  ['now', false],
])('recover({ since: %s }), an event before it: %s', async (since, isTold) => {
  const { till, refunds, isLate } = await restored({ since, isTold })
  // A time that the rows contradict is reported: the earlier one counts.
  expect(isLate).toBe(since === 'now')
  expect(wordOf(await till.refund(REFUND, PRESS))).toBe('unknown')
  expect(await refunds()).toEqual([30])
})

it('takes no time for that of a backup that is still to come', async () => {
  const { till, emulator } = await openTill()
  const since = new Date(emulator.clock.now() + 3_600_000)
  await expect(till.recover({ since })).rejects.toMatchObject({ field: 'since' })
})

it('an operation that another program makes after the service was asked stops none', async () => {
  const { till, client, deliver, wait, refunds } = await restored()
  const asked = (await till.refund(REFUND, PRESS)) as { id: string }
  expect(wordOf(await till.settleByHand('A-1', asked.id, { executed: true }))).toBe('done')
  await wait(60)
  await client.refundPayment({ ...REFUND, refund_amount: 3, server_url: 'https://shop.example.com/webhooks' })
  await deliver()
  expect(wordOf(await till.refund({ ...REFUND, refund_amount: 2 }, { key: 'two' }))).toBe('done')
  expect(await refunds()).toEqual([30, 3, 2])
})

it('takes the webhooks back that were received since the backup, without onEvent, and erases again', async () => {
  const heard: string[] = []
  const { till, sell, database, emulator, client, wait, deliver } = await openTill({
    onEvent: ({ event }) => void heard.push(event.kind),
  })
  await sell()
  const since = new Date(emulator.clock.now())
  await wait(60)
  await client.refundPayment({ ...REFUND, server_url: 'https://shop.example.com/webhooks' })
  await client.createPayment({ ...PAYMENT, order_id: 'B-2' })
  const events = [...(await deliver()), readEvent({ ...PAID, order_id: 'B-2', customer_phone: '+380441234567' })]
  expect(events).toHaveLength(2)
  await till.settle()
  await till.receive(events[1] as WebhookEvent)
  await till.settle()
  await database.run(`DELETE FROM edgetill_log WHERE written_at > ${since.getTime()}`, [])
  heard.length = 0
  await till.migrate()
  await wait(1)
  // An operation that no key explains stays unexplained, though its webhook is back.
  for (let time = 0; time < 2; time++) await till.recover({ since, events, erased: ['B-2', 'none'] })
  await wait(2)
  await till.settle()
  expect(heard).toEqual([])
  expect((await till.order('A-1'))?.totals.refunded_minor).toBe(3000)
  expect((await till.order('B-2'))?.totals.captured_minor).toBe(100)
  const rows = await database.run(`SELECT body FROM edgetill_log WHERE order_id = 'B-2'`, [])
  expect([rows.length, JSON.stringify(rows).includes('380441')]).toEqual([1, false])
  expect(wordOf(await till.refund(REFUND, PRESS))).toBe('unknown')
})
