import { expect, it } from 'vitest'
import { recordFrom } from '../../src/till/records.ts'
import { eraseOrder } from '../../src/till/settle.ts'
import { createWebhookHandler, readEvent, signData, type WebhookEvent } from '../../src/webhooks/index.ts'
import webhooks from '../corpus/webhooks.json' with { type: 'json' }
import { post, SECRET } from '../webhooks/signed.ts'
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

it.each([...webhooks.odd, ...webhooks.unexpected] as [string, { order_id?: string }][])(
  'stores a webhook with %s as it came, and a person sees one that cannot be read',
  async (_name, record) => {
    const { till, database } = await openTill()
    await till.receive(readEvent({ ...record }))
    await till.receive(readEvent({ ...record }))
    const rows = await database.run('SELECT order_id, summary, body FROM edgetill_log', [])
    const read = (text: unknown) => JSON.parse(String(text ?? '{}'))
    expect(rows.map(({ order_id, summary, body }) => [order_id, recordFrom(read(body), read(summary))])).toEqual([
      [record.order_id ?? expect.stringMatching(/^stray\//), record],
    ])
    expect(await till.attention()).toHaveLength(1)
  },
)

it('gives an event up after twenty failures, and calls onEvent again for a replay', async () => {
  let isDown = true
  const calls: string[] = []
  const { till, another, sell, wait } = await openTill()
  const onEvent = ({ id }: { id: string }): void => {
    calls.push(id)
    if (isDown) throw new Error('the shop is down')
  }
  const shop = another({ onEvent })
  await sell()
  for (let hour = 0; hour < 24 * 7; hour++) {
    await wait(60)
    await shop.settle()
  }
  expect(calls).toHaveLength(20)
  const [event_id = ''] = calls
  const given = { kind: 'on_event_given_up', order_id: 'A-1', event_id, attempts: 20, error: 'Error: the shop is down' }
  expect(await till.attention()).toEqual([given])

  // It begins anew.
  expect(await shop.replay('A-1', event_id)).toBe(true)
  await shop.settle()
  expect([calls.length, await till.attention()]).toEqual([21, []])
  isDown = false
  await wait(1)
  await shop.settle()
  expect(calls).toHaveLength(22)
  await wait(60 * 24)
  await shop.settle()
  expect(calls).toHaveLength(22)
  // Also one that was handled, by a process that has the code.
  expect([
    await till.replay('A-1', event_id),
    await shop.replay('A-1', 'none'),
    await shop.replay('B-2', event_id),
  ]).toEqual([...[true, false, false]])
  await shop.settle()
  expect(calls).toHaveLength(23)
  expect(await shop.settle()).toEqual([])
})

it('calls onEvent for other orders while it hangs for some', async () => {
  const heard = new Set<string>()
  const hang = Promise.withResolvers<void>()
  const onEvent = async (_: unknown, { order_id }: { order_id: string }) => {
    if (order_id.startsWith('HANGS')) await hang.promise
    heard.add(order_id)
  }
  const { till, another, emulator } = await openTill()
  const ids = ['HANGS-1', 'HANGS-2', 'HANGS-3', ...Array.from({ length: 20 }, (_, i) => `A-${i}`)]
  const { posId: pos_id } = emulator.credentials
  for (const order_id of ids) await till.receive(readEvent({ ...PAID, order_id, amount: 1, pos_id }))
  const settled = another({ onEvent }).settle()
  await expect.poll(() => heard.size).toBe(20)
  hang.resolve()
  await settled
  expect(heard.size).toBe(23)
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
  expect((await till.order('A-1'))?.totals.captured_minor).toBe(10_050)
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

it('flags an event of another POS, and an order that it neither made nor moved money of', async () => {
  const heard: string[] = []
  const onEvent = (_: unknown, { order_id, flags }: { order_id: string; flags: string[] }) =>
    void heard.push([order_id, ...flags].join(' '))
  const { till, emulator, sell, client, pay, deliver } = await openTill({ onEvent })
  const { posId: pos_id } = emulator.credentials
  await till.createPayment(PAYMENT)
  await till.receive(readEvent({ ...PAID, amount: 100.5, pos_id: '3f1c2c1e-6a5c-4b8e-9d53-0a4c1c7d2b11' }))
  await till.receive(readEvent({ ...PAID, amount: 1, order_id: 'STRANGER-1', pos_id }))
  await sell('B-2')
  expect((await till.settle()).filter(({ kind }) => kind === 'flag')).toEqual([
    { kind: 'flag', order_id: 'A-1', flags: ['foreign_pos'] },
    { kind: 'flag', order_id: 'STRANGER-1', flags: ['unknown_order'] },
  ])
  expect(heard.sort()).toEqual(['A-1 foreign_pos', 'B-2', 'STRANGER-1 unknown_order'])

  // Of another program, but refunded here: it is known.
  const { url } = await client.createPayment({ ...PAYMENT, order_id: 'C-3' })
  await pay(url)
  await till.refund({ ...REFUND, order_id: 'C-3' }, { key: 'press' })
  await deliver()
  await till.settle()
  expect((await till.order('C-3'))?.flags).toEqual([])
  expect((await till.attention()).map((one) => 'order_id' in one && one.order_id)).toEqual(['A-1', 'STRANGER-1'])
})

it('goes on with what else is due where an entry fails, and takes an error and an order_id with a NUL, and a long one', async () => {
  const heard: string[] = []
  let broken = ''
  const onEvent = (_: unknown, { order_id }: { order_id: string }) => {
    heard.push(order_id)
    throw new Error('bad \0 byte')
  }
  const { database, client, sell, another, wait } = await openTill()
  for (const order_id of ['A-1', 'B-2', 'C-3']) await sell(order_id)
  // The statements of one order fail, as they may under `serializable`.
  const run: typeof database.run = async (sql, values) => {
    if (broken !== '' && values.includes(broken)) throw new Error('could not serialize access')
    return database.run(sql, values)
  }
  const till = another({ client, database: Object.create(database, { run: { value: run } }), onEvent })
  const [row] = await database.run(`SELECT order_id FROM edgetill_log WHERE order_id = 'A-1'`, [])
  broken = String(row?.order_id)
  await till.settle()
  expect(heard.sort()).toEqual(['B-2', 'C-3'])
  broken = ''
  await wait(1)
  await till.settle()
  expect(heard.sort()).toEqual(['A-1', 'B-2', 'B-2', 'C-3', 'C-3'])
  const errors = await database.run('SELECT DISTINCT error FROM edgetill_log WHERE error IS NOT NULL', [])
  expect(errors).toEqual([{ error: 'Error: bad  byte' }])
  await till.receive(readEvent({ ...PAID, order_id: 'A\0B', amount: 1 }))
  // With 2,700 bytes it would be too long for an index of Postgres.
  const long = Array.from({ length: 128 }, () => crypto.randomUUID().slice(0, 4)).join('')
  for (const order_id of [long, `${long}x`]) await till.receive(readEvent({ ...PAID, order_id, amount: 1 }))
  const strays = (await till.attention()).flatMap((one) => (one.kind === 'stray' && 'record' in one ? one.record : []))
  expect(strays.map(({ order_id }: { order_id?: string }) => order_id)).toEqual(['A\0B', `${long}x`])
  // An encoding turns either into U+FFFD, the name of another order.
  await till.receive(readEvent({ ...PAID, order_id: 'A\ufffdB', amount: 1 }))
  for (const order_id of ['A\0B', 'A\ud800B']) {
    expect([await till.order(order_id), await till.replay(order_id, 'x')]).toEqual([undefined, false])
    await till.erase(order_id)
  }
  expect(await till.order('A\ufffdB')).toMatchObject({ order_id: 'A\ufffdB' })
})

it('erases what leads to a person, and keeps the money', async () => {
  const calls: string[] = []
  const { till, sell, database, another, wait } = await openTill()
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
  // An event that waits for onEvent outlives it, as does a response whose webhook does not come.
  await wait(16)
  await another({ onEvent: ({ event }) => calls.push(event.kind) }).settle()
  expect(calls.sort()).toEqual(['purchase', 'refund'])
})

it('stores a record once, calls onEvent for the webhook of a refund and not for its response', async () => {
  const heard: string[] = []
  const onEvent = ({ event }: { event: WebhookEvent }) => void heard.push(`${event.kind} ${'receipt_url' in event}`)
  const { till, client, emulator, events, another, sell, database, wait } = await openTill({ onEvent })
  await sell()
  const { record } = (await till.refund(REFUND, { key: 'press' })) as { record: object }
  expect((await till.order('A-1'))?.totals.refunded_minor).toBe(3000)
  await till.settle()
  expect(heard).toEqual(['purchase true'])
  const card = `'"mode":"direct","cc_mask":"41111"'`
  await database.run(`UPDATE edgetill_log SET body = replace(body, '"mode":"direct"', ${card}) WHERE kind = 'end'`, [])
  const until = emulator.clock.now()
  await wait(1)
  await emulator.deliveries.idle()
  const webhook = readEvent({ ...events[0]?.record, cc_mask: '41111' })
  await till.receive(webhook)
  await till.settle()
  await wait(60)
  await till.settle()
  expect(heard).toEqual(['purchase true', 'refund true'])
  expect((await till.order('A-1'))?.totals.refunded_minor).toBe(3000)
  const bodies = await database.run(`SELECT body FROM edgetill_log WHERE kind IN ('event', 'end') ORDER BY number`, [])
  expect(bodies.filter(({ body }) => String(body).includes('Refund is successful'))).toHaveLength(1)
  expect(await till.refund(REFUND, { key: 'press' })).toMatchObject({ outcome: 'done', record })
  // A replay passes on the whole record, also if the response that it is restored from is old enough to be erased.
  await eraseOrder({ client, database }, 'A-1', until)
  const [{ id = '' } = {}] = await database.run(`SELECT id FROM edgetill_log WHERE kind = 'event' AND number > 2`, [])
  const seen: WebhookEvent[] = []
  const shop = another({ onEvent: ({ event }) => void seen.push(event) })
  await shop.replay('A-1', String(id))
  await shop.settle()
  expect(seen).toEqual([webhook])
  expect(seen[0]?.record).toEqual(webhook.record)
})

it('keeps a genuine webhook that cannot be read for a person', async () => {
  const { till } = await openTill()
  const handle = createWebhookHandler({ secrets: SECRET, onEvent: till.receive, onUnreadable: till.receiveStray })
  const body = new URLSearchParams({ data: 'not JSON', signature: signData('not JSON', SECRET) }).toString()
  for (let time = 0; time < 2; time++) {
    expect((await handle(post(body))).status).toBe(200)
  }
  await till.receiveStray('Rw')
  expect(await till.settle()).toEqual([
    { kind: 'stray', event_id: expect.any(String), data: 'not JSON', reason: expect.any(String) },
    { kind: 'stray', event_id: expect.any(String), data: 'Rw', reason: 'unreadable' },
  ])
})

it('calls onEvent with what an erasure has left that came after the look at what is due', async () => {
  const heard: string[] = []
  const { till, another, database, pay, deliver } = await openTill()
  const opened = await till.createPayment(PAYMENT)
  await pay((opened as { url: string }).url)
  await deliver()
  const run: typeof database.run = async (sql, values) => {
    if (sql.startsWith('UPDATE')) await till.erase('A-1')
    return database.run(sql, values)
  }
  const late = Object.create(database, { run: { value: run } })
  await another({ database: late, onEvent: ({ event }) => void heard.push(JSON.stringify(event)) }).settle()
  expect(heard.length).toBeGreaterThan(0)
  expect(heard.join()).not.toMatch(/olena|41111/i)
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

it('sends nothing under a lost key either where its webhook comes before recover()', async () => {
  const { till, another, sell, client, wait, refunds, emulator, deliver } = await openTill()
  await sell()
  const backup = new Date(emulator.clock.now())
  await wait(60)
  // Made after the backup: its row is lost.
  await client.refundPayment(REFUND)
  await deliver()
  await wait(1)
  await till.recover({ since: backup })
  await wait(2)
  expect(wordOf(await another().refund(REFUND, { key: 'press' }))).toBe('unknown')
  expect(await refunds()).toEqual([30])
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
  for (const limit of [0, -1, 1.5, Number.NaN, '5' as never])
    await expect(till.orders({ limit })).rejects.toMatchObject({ field: 'limit' })
  expect(await till.order('D-4')).toBeUndefined()
})

it('asks the service nothing about a payment whose end has come', async () => {
  const { till, sell, wait, emulator } = await openTill()
  await sell()
  await wait(20)
  const asked = emulator.requests().length
  await till.settle()
  expect(emulator.requests()).toHaveLength(asked)
})
