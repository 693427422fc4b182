import { expect, it } from 'vitest'
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
  const { till, another, client, wait } = await openTill()
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
  await wait(2)
  const opened = await till.createPayment(PAYMENT)
  go?.(undefined)
  expect(wordOf(opened)).toBe('done')
  expect(await late).toEqual(opened)

  await client.createPayment({ ...PAYMENT, order_id: 'B-1' })
  expect(await till.createPayment({ ...PAYMENT, order_id: 'B-1' })).toEqual({ outcome: 'ended', status: 'init' })
})

it('cancels a payment, captures a hold once, and pays directly', async () => {
  const { till, sell, database } = await openTill()
  await till.createPayment(PAYMENT)
  const cancelled = { status: 'failure', status_code: '6007' }
  expect(await till.cancel('A-1')).toMatchObject({ outcome: 'done', record: cancelled })
  await till.settle()
  expect(await till.createPayment(PAYMENT)).toEqual({ outcome: 'ended', status: 'failure' })
  expect(wordOf(await till.cancel('C-9'))).toBe('rejected api')

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
  expect((await till.order('A-1'))?.totals).toMatchObject({ captured: 10_050, refunded: 9000 })
  expect(wordOf(await till.refund({ ...REFUND, refund_amount: 10 }, { key: 'rest' }))).toBe('done')
  expect(await refunds()).toEqual([90, 10])
})
