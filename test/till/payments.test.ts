import { expect, it } from 'vitest'
import ids from '../corpus/order-ids.json' with { type: 'json' }
import { CARD } from '../support/inputs.ts'
import { openTill, PAYMENT, REFUND, wordOf } from './support/open-till.ts'

it('creates the payment of an order once, and returns its address while it can be paid', async () => {
  const { till, another, pay, deliver, emulator } = await openTill()
  const tills = [till, another()]
  const opened = await Promise.all(Array.from({ length: 10 }, (_, i) => tills[i % 2]?.createPayment(PAYMENT)))
  // Whoever comes late gets the address that is stored by then.
  const words = opened.map((one) => one && wordOf(one))
  expect(words.filter((word) => word !== 'done' && word !== 'not_sent in_progress')).toEqual([])
  const again = await till.createPayment(PAYMENT)
  expect(opened.filter((one) => one?.outcome === 'done')).toContainEqual(again)
  expect(new Set(opened.flatMap((one) => (one?.outcome === 'done' ? one.url : []))).size).toBe(1)
  expect(again).toMatchObject({ outcome: 'done', url: expect.stringContaining(emulator.credentials.baseUrl) })
  expect(await till.createPayment({ ...PAYMENT, amount: 90 })).toMatchObject({ reason: 'key_reused', sameKey: false })

  await pay((again as { url: string }).url)
  await deliver()
  expect(await till.createPayment(PAYMENT)).toEqual({ outcome: 'ended', status: 'success' })
  const { orders, cursor } = await till.orders({ limit: 10 })
  expect([orders.map(({ order_id, status, flags }) => [order_id, status, flags]), cursor]).toEqual([
    [['A-1', 'success', []]],
    null,
  ])
})

it.each([
  ['before_commit', 'done'],
  ['after_commit', 'ended init'],
] as const)('asks the service first where a response was lost %s', async (when, word) => {
  const { till, wait, emulator } = await openTill()
  emulator.faults.next({ kind: 'reset', when, on: 'create-payment' })
  expect(wordOf(await till.createPayment(PAYMENT))).toBe('unknown')
  expect(wordOf(await till.createPayment(PAYMENT))).toBe('not_sent in_progress')
  await wait(2)
  expect(wordOf(await till.createPayment(PAYMENT))).toBe(word)
})

it('lets a rejected payment be corrected, and tries again what was not sent', async () => {
  const { till, emulator } = await openTill()
  expect(wordOf(await till.createPayment({ ...PAYMENT, amount: -1 }))).toBe('rejected invalid_input')
  emulator.faults.next({ kind: 'too_many_requests', on: 'create-payment' })
  expect(wordOf(await till.createPayment(PAYMENT))).toBe('not_sent unreachable')
  expect(wordOf(await till.createPayment(PAYMENT))).toBe('done')
})

it('takes the address that a slower process has stored, and an order_id that another program has used as ended', async () => {
  const { till, another, client, emulator } = await openTill()
  const { clock } = emulator
  let go: ((_: unknown) => void) | undefined
  const paused = another({
    client: {
      ...client,
      createPayment: (async (input: typeof PAYMENT) => {
        await new Promise((resolve) => (go = resolve))
        return client.createPayment(input)
      }) as typeof client.createPayment,
    },
  })
  const late = paused.createPayment(PAYMENT)
  await expect.poll(() => go).toBeDefined()
  expect((await till.orders()).orders.length).toBe(1)
  // For a minute the slower one may still be at it.
  await clock.advance({ seconds: 59 })
  expect(wordOf(await till.createPayment(PAYMENT))).toBe('not_sent in_progress')
  await clock.advance({ seconds: 61 })
  const opened = await till.createPayment(PAYMENT)
  go?.(undefined)
  expect(wordOf(opened)).toBe('done')
  expect(await late).toEqual(opened)

  await client.createPayment({ ...PAYMENT, order_id: 'B-1' })
  expect(await till.createPayment({ ...PAYMENT, order_id: 'B-1' })).toEqual({ outcome: 'ended', status: 'init' })
})

it('finds the address of a slower process that ends while another one takes its payment over', async () => {
  const { another, client, database, emulator } = await openTill()
  let go: ((_: unknown) => void) | undefined
  const createPayment = async (input: typeof PAYMENT) => {
    await new Promise((resolve) => (go = resolve))
    return client.createPayment(input)
  }
  const late = another({ client: { ...client, createPayment: createPayment as never } }).createPayment(PAYMENT)
  await expect.poll(() => go).toBeDefined()
  await emulator.clock.advance({ minutes: 2 })
  const run: typeof database.run = async (sql, values) => {
    // The payment's first row is abandoned, and its second row not written yet.
    if (sql.startsWith('INSERT') && values.includes('payment')) {
      go?.(undefined)
      await late
    }
    return database.run(sql, values)
  }
  const other = another({ database: Object.create(database, { run: { value: run } }) })
  expect(await other.createPayment(PAYMENT)).toEqual(await late)
  expect(wordOf(await late)).toBe('done')
  const payments = "SELECT number FROM edgetill_log WHERE kind = 'payment' AND id = ''"
  expect(await database.run(payments, [])).toHaveLength(1)
})

it('cancels a payment, captures a hold once, and pays directly', async () => {
  const { till, sell, database } = await openTill()
  await till.createPayment(PAYMENT)
  const cancelled = { status: 'failure', status_code: '6007' }
  expect(await till.cancel('A-1')).toMatchObject({ outcome: 'done', record: cancelled })
  await till.settle()
  expect(await till.createPayment(PAYMENT)).toEqual({ outcome: 'ended', status: 'failure' })
  expect(await till.cancel('C-9')).toEqual({ outcome: 'done', record: { order_id: 'C-9', link: 'closed' } })
  expect(await till.createPayment({ ...PAYMENT, order_id: 'C-9' })).toEqual({ outcome: 'ended', status: 'closed' })

  await sell('H-1', 'auth')
  const capture = { order_id: 'H-1', order_currency: 'UAH' }
  const [one, two] = [await till.capture(capture, { key: 'row 1' }), await till.capture(capture, { key: 'row 1' })]
  expect([one, two]).toEqual([one, one])
  expect(one).toMatchObject({ outcome: 'done', record: { status: 'success', amount: 100.5 } })
  expect(wordOf(await till.void(capture, { key: 'v' }))).toBe('rejected api')

  const direct = { ...CARD, order_id: 'D-1', order_3ds_bypass: 'always' }
  // The bank asks the customer something.
  const url = expect.stringContaining('/3ds')
  const record = { order_id: 'D-1', status: 'pending', amount: 100.5 }
  expect(await till.createPayment(direct)).toMatchObject({ outcome: 'done', url, record })
  expect(await till.createPayment(direct)).toEqual({ outcome: 'done', url })
  expect(JSON.stringify(await database.run('SELECT * FROM edgetill_log', []))).not.toContain(CARD.cc_number)
})

it('asks about a payment whose webhook never came', async () => {
  const { till, pay, emulator, wait } = await openTill()
  const opened = await till.createPayment(PAYMENT)
  emulator.faults.rate({ kind: 'drop' }, 1)
  await pay((opened as { url: string }).url)
  await wait(14)
  await till.settle()
  expect((await till.order('A-1'))?.status).toBeNull()
  await wait(2)
  await till.settle()
  expect((await till.order('A-1'))?.status).toBe('success')
})

it('asks the service what was made of an order before the first refund under the till', async () => {
  const { till, client, pay, events, refunds } = await openTill()
  // Sold and refunded by another program.
  const { url } = await client.createPayment(PAYMENT)
  await pay(url)
  await client.refundPayment({ ...REFUND, refund_amount: 90 })
  events.splice(0)
  const tooMuch = await till.refund(REFUND, { key: 'press' })
  expect(wordOf(tooMuch)).toBe('rejected api')
  expect((await till.order('A-1'))?.totals).toMatchObject({ captured_minor: 10_050, refunded_minor: 9000 })
  expect(wordOf(await till.refund({ ...REFUND, refund_amount: 10 }, { key: 'rest' }))).toBe('done')
  expect(await refunds()).toEqual([90, 10])
})

it('keeps the address that another process has opened, whatever becomes of the call of a paused one', async () => {
  const paused = Promise.withResolvers<void>()
  let calls = 0
  const fetch: typeof globalThis.fetch = async (input, init) => {
    if (!String(input).endsWith('/payment') || calls++ > 0) return shop.emulator.fetch(input as string, init)
    await paused.promise
    throw new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } })
  }
  const shop: Awaited<ReturnType<typeof openTill>> = await openTill({}, { fetch })
  const { till, another, wait, pay, deliver } = shop
  const first = till.createPayment(PAYMENT)
  await expect.poll(() => calls).toBe(1)
  await wait(2)
  const others = await Promise.all([another().createPayment(PAYMENT), another().createPayment(PAYMENT)])
  // One of them takes it over; the other one may come after its response.
  expect(others.map(wordOf)).toContain('done')
  expect(others.map(wordOf).filter((word) => word !== 'done' && word !== 'not_sent in_progress')).toEqual([])
  expect(calls).toBe(2)
  const { url } = others.find(({ outcome }) => outcome === 'done') as { url: string }
  paused.resolve()
  expect(await first).toEqual({ outcome: 'done', url })
  expect(await till.createPayment(PAYMENT)).toEqual({ outcome: 'done', url })
  expect(wordOf(await till.createPayment({ ...PAYMENT, amount: 1 }))).toBe('not_sent key_reused')
  await pay(url)
  await deliver()
  expect(await till.order('A-1')).toMatchObject({ status: 'success', flags: [] })
})

it('takes the payment of a process that was paused during its call, though another one has given it up', async () => {
  const paused = Promise.withResolvers<void>()
  let calls = 0
  const fetch: typeof globalThis.fetch = async (input, init) => {
    if (!String(input).endsWith('/payment')) return shop.emulator.fetch(input as string, init)
    if (calls++ === 0) await paused.promise
    else throw new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } })
    return shop.emulator.fetch(input as string, { ...init, signal: null })
  }
  const shop: Awaited<ReturnType<typeof openTill>> = await openTill({}, { fetch })
  const { till, another, wait, pay } = shop
  const first = till.createPayment(PAYMENT)
  await expect.poll(() => calls).toBe(1)
  await wait(2)
  expect(wordOf(await another().createPayment(PAYMENT))).toBe('not_sent unreachable')
  paused.resolve()
  const opened = await first
  expect(wordOf(opened)).toBe('done')
  expect(await another().createPayment(PAYMENT)).toEqual(opened)
  // It is looked for again: its webhook may be lost.
  shop.emulator.faults.rate({ kind: 'drop' }, 1)
  await pay((opened as { url: string }).url)
  await wait(16)
  await till.settle()
  expect((await till.order('A-1'))?.status).toBe('success')
})

it('sells no id that can never be refunded, unless that is meant', async () => {
  const { till, pay, deliver, emulator } = await openTill({}, { onWarning() {} })
  const order_id = 'x'.repeat(33)
  const long = { ...PAYMENT, order_id }
  const refused = await till.createPayment(long)
  expect(refused).toMatchObject({ outcome: 'rejected', error: { code: 'invalid_input' } })
  expect(JSON.stringify(refused)).toContain('longOrderId')
  const hold = { ...long, method: 'auth' } as const
  expect(wordOf(await till.createPayment(hold, { longOrderId: true }))).toBe('rejected invalid_input')
  // The id of another attempt would be too long to be captured.
  const tried = await till.createPayment({ ...hold, order_id: 'x'.repeat(30) }, { attempts: true, longOrderId: true })
  expect(wordOf(tried)).toBe('rejected invalid_input')
  expect(emulator.orders.get(order_id)).toBeUndefined()
  const opened = await till.createPayment(long, { longOrderId: true })
  await pay((opened as { url: string }).url)
  await deliver()
  expect((await till.order(order_id))?.status).toBe('success')
  expect(wordOf(await till.createPayment({ ...PAYMENT, order_id: '𝟙'.repeat(32) }))).toBe('done')
})

it.each([undefined, '\ud800', ...ids.none])('names an order_id that is none: %j', async (order_id) => {
  const { till } = await openTill()
  const input = { ...REFUND, order_id: order_id as never }
  expect(wordOf(await till.refund(input, { key: 'press' }))).toBe('rejected invalid_input')
  expect(wordOf(await till.createPayment({ ...PAYMENT, ...input }))).toBe('rejected invalid_input')
  expect(await till.orders()).toEqual({ orders: [], cursor: null })
})
