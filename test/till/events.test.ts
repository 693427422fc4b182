import { expect, it } from 'vitest'
import { readEvent, type WebhookEvent } from '../../src/webhooks/index.ts'
import { openTill, PAYMENT, REFUND, wordOf } from './support/open-till.ts'

/** The record of a payment of A-1, but for its amount. */
const PAID = {
  ...{ payment_id: 'p-1', order_id: 'A-1', method: 'purchase', status: 'success', currency: 'UAH' },
  created_at: '2026-01-31T10:00:00.000',
}

it('calls onEvent once for each status of an operation, for two settle() at once too, and again after it threw', async () => {
  const calls: string[] = []
  let isDown = true
  const onEvent = ({ id, event }: { id: string; event: { kind: string } }, order: { order_id: string }): void => {
    calls.push([event.kind, order.order_id, id.length].join(' '))
    if (isDown) throw new Error('the shop is down')
  }
  const { till, another, pay, deliver, wait } = await openTill({ onEvent })
  const opened = await till.createPayment(PAYMENT)
  await pay((opened as { url: string }).url)
  const [event] = (await deliver()).slice(-1)
  if (event) await Promise.all([till.receive(event), till.receive(readEvent(JSON.parse(JSON.stringify(event))))])
  await Promise.all([till.settle(), another().settle()])
  expect(calls).toEqual(['purchase A-1 43'])

  isDown = false
  await wait(1)
  await Promise.all([till.settle(), another().settle()])
  await till.settle()
  expect(calls).toEqual(['purchase A-1 43', 'purchase A-1 43'])
  await till.refund(REFUND, { key: 'press' })
  await deliver()
  await till.settle()
  expect(calls.slice(2)).toEqual(['refund A-1 43'])
})

it('shows an event that onEvent goes on failing on, and one that names no order', async () => {
  const { till, sell, wait } = await openTill({
    onEvent: () => {
      throw new Error('the shop is down')
    },
  })
  await sell()
  for (let i = 0; i < 6; i++) {
    await wait(2 ** i)
    await till.settle()
  }
  const stray = readEvent({ method: 'loyalty', points: 7, cc_token: 'secret' })
  await till.receive(stray)
  await till.receive(stray)
  expect(await till.attention()).toEqual([
    {
      ...{ kind: 'on_event_failing', order_id: 'A-1', event_id: expect.any(String) },
      ...{ attempts: expect.any(Number), error: 'Error: the shop is down' },
    },
    { kind: 'stray', event_id: expect.any(String), record: { method: 'loyalty', points: 7 } },
  ])
})

it('counts an event that is nested too deeply to be stored, and names what it had to leave out', async () => {
  const heard: WebhookEvent[] = []
  const { till, another } = await openTill({ onEvent: ({ event }) => void heard.push(event) })
  await till.createPayment(PAYMENT)
  const deep = JSON.parse(`${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`)
  const event = readEvent({ ...PAID, amount: '100.50', extra: deep, payload: deep })
  const tills = [till, another()]
  await Promise.all(tills.map((one) => one.receive(event)))
  // Whichever calls onEvent: each waits for its own call.
  for (const one of tills) await one.settle()
  expect((await till.order('A-1'))?.totals.captured).toBe(10_050)
  expect(heard).toHaveLength(1)
  expect(heard[0]).toMatchObject({ kind: 'purchase', amount: 100.5 })
  expect(heard[0]?.issues.filter(({ message }) => message === 'is nested too deeply to be stored')).toMatchObject([
    { path: 'extra' },
    { path: 'payload' },
  ])
})

it('has an event again as the SDK has read it, whichever process reads it', async () => {
  const heard: WebhookEvent[] = []
  const { till, another } = await openTill()
  const { created_at: _, ...undated } = PAID
  const events = [
    readEvent({ ...PAID, amount: '100.50', eci: 5, extra: { a: [1, null] } }),
    readEvent({ order_id: 'A-1', method: 'loyalty', points: '7' }),
    readEvent({ ...undated, method: 7, record: 'own', issues: 'own', kind: 'own' }),
  ]
  for (const event of events) await till.receive(event)
  await another({ onEvent: ({ event }) => void heard.push(event) }).settle()
  const seen = (event: WebhookEvent) => [{ ...event }, event.record, event.issues, JSON.parse(JSON.stringify(event))]
  expect(heard.map(seen)).toEqual(events.map(seen))
})

it('flags what was paid otherwise than it was asked for, and keeps no token', async () => {
  const { till, database } = await openTill()
  await till.createPayment(PAYMENT)
  await till.receive(readEvent({ ...PAID, amount: 90, cc_token: 'secret' }))
  expect(await till.attention()).toEqual([{ kind: 'flag', order_id: 'A-1', flags: ['amount_mismatch'] }])
  expect(JSON.stringify(await database.run('SELECT * FROM edgetill_log', []))).not.toContain('secret')
})

it('erases what leads to a person, and keeps the money', async () => {
  const calls: string[] = []
  const { till, sell, database, another } = await openTill()
  await sell()
  await till.refund(REFUND, { key: 'press' })
  await till.refund({ ...REFUND, refund_amount: 500 }, { key: 'too much' })
  const before = await till.order('A-1')
  const answers = async () => [
    wordOf(await till.refund(REFUND, { key: 'press' })),
    wordOf(await till.refund({ ...REFUND, refund_amount: 500 }, { key: 'too much' })),
  ]
  await till.erase('A-1')
  const text = JSON.stringify(await database.run('SELECT * FROM edgetill_log', []))
  expect(text).not.toMatch(/olena|380441|41111|cc_mask|checkout/i)
  expect(await till.order('A-1')).toEqual({ ...before, url: null })
  expect(await answers()).toEqual(['done', 'rejected api'])
  // An event that waits for onEvent outlives it.
  await another({ onEvent: ({ event }) => calls.push(event.kind) }).settle()
  expect(calls).toHaveLength(2)
})

it('keeps no error of onEvent that names what was erased while it ran', async () => {
  const { till, sell, database } = await openTill({
    onEvent: async ({ event }) => {
      await till.erase('A-1')
      throw new Error(`no row of ${'cc_mask' in event && event.cc_mask}`)
    },
  })
  await sell()
  await till.settle()
  expect(JSON.stringify(await database.run('SELECT attempts, error FROM edgetill_log', []))).not.toContain('41111')
})

it.each([0, 2])('sends nothing under a key that a backup may have lost, restored %d hours behind', async (hours) => {
  const { till: before, another, sell, client, wait, refunds, emulator, database } = await openTill()
  await sell()
  await before.refund({ ...REFUND, refund_amount: 5 }, { key: 'before' })
  const backup = new Date(emulator.clock.now())
  const slow = { clock: { get: () => String(emulator.clock.now() - hours * 3_600_000) } }
  const machine = { database: Object.create(database, slow) }
  const till = another(machine)
  await wait(60)
  // Made after the backup: its row is lost.
  await client.refundPayment(REFUND)
  await till.recover({ since: backup })
  expect(wordOf(await till.refund(REFUND, { key: 'press' }))).toBe('not_sent in_progress')
  await wait(2 + hours * 60)
  const blocked = await another(machine).refund(REFUND, { key: 'press' })
  expect(wordOf(blocked)).toBe('unknown')
  expect(await refunds()).toEqual([5, 30])
  const { id } = blocked as { id: string }
  expect(wordOf(await till.settleByHand('A-1', id, { executed: true }))).toBe('done')
  expect(wordOf(await till.refund({ ...REFUND, refund_amount: 10 }, { key: 'another' }))).toBe('done')
  expect(wordOf(await till.refund({ ...REFUND, refund_amount: 5 }, { key: 'before' }))).toBe('done')
  expect(await refunds()).toEqual([5, 30, 10])
})

it('has a newer order, a page and a cursor for each', async () => {
  const { till, wait } = await openTill()
  for (const order_id of ['A-1', 'Замовлення-2', 'C-3']) {
    await till.createPayment({ ...PAYMENT, order_id })
    await wait(1)
  }
  const first = await till.orders({ limit: 2 })
  const second = await till.orders({ limit: 2, cursor: first.cursor })
  expect([...first.orders, ...second.orders].map(({ order_id }) => order_id)).toEqual(['C-3', 'Замовлення-2', 'A-1'])
  expect([first.cursor === null, second.cursor]).toEqual([false, null])
  expect(await till.order('D-4')).toBeUndefined()
})
