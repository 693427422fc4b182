import { expect, it, vi } from 'vitest'
import type { Moved } from '../../src/till/index.ts'
import { openTill, PAYMENT, wordOf } from './support/open-till.ts'

/** An order that another program has paid under an attempt's id. */
async function sellBeside({ client, pay, deliver }: Awaited<ReturnType<typeof openTill>>, order_id: string) {
  const { url } = await client.createPayment({ ...PAYMENT, order_id })
  await pay(url)
  await deliver()
}

it('shows an order by the attempt that holds money, else by the newest, and an attempt by its own id', async () => {
  const shop = await openTill()
  const { till, sell, database, client, deliver } = shop
  await sell('mugs')
  await sellBeside(shop, 'mugs~2')
  // An order of its own, whatever its id looks like.
  await sellBeside(shop, 'mugs~2~3')
  expect(await till.order('mugs')).toMatchObject({
    ...{ order_id: 'mugs', status: 'success', replaced_by: 'mugs~2', flags: ['paid_twice'] },
  })
  expect(await till.order('mugs~2')).toMatchObject({
    order_id: 'mugs~2',
    replaces: 'mugs',
    flags: ['unknown_order', 'paid_twice'],
  })
  expect(await till.order('mugs~1')).toMatchObject({ order_id: 'mugs', totals: { captured_minor: 10_050 } })
  expect(await till.order('mugs~2~3')).toMatchObject({ order_id: 'mugs~2~3', flags: ['unknown_order'] })
  expect(await till.order('mugs~4')).toBeUndefined()
  expect(await till.order('mugs~2~1')).toBeUndefined()
  expect(await till.attention()).toContainEqual({
    ...{ kind: 'flag', order_id: 'mugs', flags: ['paid_twice', 'unknown_order'] },
  })
  expect((await till.orders()).orders.map(({ order_id }) => order_id).sort()).toEqual(['mugs', 'mugs~2~3'])

  const numbers = await database.run(
    "SELECT order_id, attempt, number FROM edgetill_log WHERE order_id = 'mugs' ORDER BY number",
    [],
  )
  expect(numbers.map(({ attempt, number }) => [attempt, number])).toEqual([
    ...[1, 1, 2].map((attempt, index) => [attempt, index + 1]),
  ])

  await client.refundPayment({ order_id: 'mugs', order_currency: 'UAH', refund_amount: 100.5 })
  await deliver()
  expect(await till.order('mugs')).toMatchObject({ order_id: 'mugs~2', flags: ['unknown_order'] })
  expect(JSON.stringify(await till.attention())).not.toContain('paid_twice')
})

const MUGS = { order_id: 'mugs', order_currency: 'UAH', refund_amount: 30 }

it('refunds the attempt that holds money, and never another one under the same key', async () => {
  const shop = await openTill()
  const { till, sell, refunds, another, deliver, client, pay } = shop
  const opened = await till.createPayment({ ...PAYMENT, order_id: 'mugs' })
  await pay((opened as { url: string }).url, 'insufficient_funds')
  await deliver()
  await sell('mugs')
  expect(await till.order('mugs')).toMatchObject({ order_id: 'mugs~2', replaces: 'mugs', status: 'success' })
  const moved = await till.refund(MUGS, { key: 'press' })
  expect([wordOf(moved), await refunds('mugs'), await refunds('mugs~2')]).toEqual(['done', [], [30]])

  // Paid after all: by the other attempt from now on.
  await client.refundPayment({ order_id: 'mugs~2', order_currency: 'UAH', refund_amount: 70.5 })
  await deliver()
  await sellBeside(shop, 'mugs~3')
  expect(await another().refund(MUGS, { key: 'press' })).toEqual(moved)
  expect(await another().refund({ ...MUGS, order_id: 'mugs~2' }, { key: 'press' })).toEqual(moved)
  expect(wordOf(await till.refund({ ...MUGS, order_id: 'mugs~3' }, { key: 'press' }))).toBe('not_sent key_reused')
  expect(await refunds('mugs~3')).toEqual([])
  await till.refund(MUGS, { key: 'next' })
  expect(await refunds('mugs~3')).toEqual([30])
})

it('names both attempts where two hold money, and takes the id of one', async () => {
  const shop = await openTill()
  const { till, sell, refunds } = shop
  await sell('mugs')
  await sellBeside(shop, 'mugs~2')
  expect(await till.refund(MUGS, { key: 'press' })).toMatchObject({
    ...{ outcome: 'not_sent', reason: 'paid_twice', sameKey: true, order_ids: ['mugs~1', 'mugs~2'] },
  })
  const version = (await till.order('mugs'))?.version
  expect(version).toBe((await till.order('mugs~2'))?.version)
  expect(wordOf(await till.refund({ ...MUGS, order_id: 'mugs~1' }, { key: 'press', ifVersion: version }))).toBe('done')
  expect(await refunds('mugs')).toEqual([30])
  const changed = await till.refund({ ...MUGS, order_id: 'mugs~2' }, { key: 'other', ifVersion: version })
  expect(wordOf(changed)).toBe('not_sent order_changed')
  expect(await refunds('mugs~2')).toEqual([])
})

it('says that no attempt of several holds money', async () => {
  const { till, pay, deliver } = await openTill()
  for (const card of ['insufficient_funds', 'insufficient_funds'] as const) {
    const opened = await till.createPayment({ ...PAYMENT, order_id: 'mugs' }, { attempts: true })
    await pay((opened as { url: string }).url, card)
    await deliver()
  }
  expect(wordOf(await till.refund(MUGS, { key: 'press' }))).toBe('not_sent not_paid')
})

it('moves no money of an attempt while a call of another one has no outcome', async () => {
  const shop = await openTill()
  const { till, sell, refunds, emulator, wait } = shop
  await sell('mugs')
  await sellBeside(shop, 'mugs~2')
  emulator.faults.next({ kind: 'reset', when: 'after_commit', on: 'refund-payment' })
  emulator.faults.rate({ kind: 'drop' }, 1)
  expect(wordOf(await till.refund({ ...MUGS, order_id: 'mugs~1' }, { key: 'one' }))).toBe('unknown')
  emulator.faults.next({ kind: 'reset', when: 'before_commit', on: 'list-order-operations' })
  const second = { ...MUGS, order_id: 'mugs~2' }
  expect(wordOf(await till.refund(second, { key: 'two' }))).toBe('not_sent in_progress')
  expect((await till.order('mugs'))?.attempts).toHaveLength(1)
  await wait(1)
  // The same press finds out first, then sends.
  expect(wordOf(await till.refund(second, { key: 'two' }))).toBe('done')
  expect([await refunds('mugs'), await refunds('mugs~2')]).toEqual([[30], [30]])
})

it('counts the refunds of all attempts against a limit, and needs an amount under it', async () => {
  const shop = await openTill()
  const { till, sell, refunds } = shop
  await sell('mugs')
  await sellBeside(shop, 'mugs~2')
  const [one, two] = [
    { ...MUGS, order_id: 'mugs~1' },
    { ...MUGS, order_id: 'mugs~2' },
  ]
  const limitMinor = 5000
  expect(wordOf(await till.refund(one, { key: 'one', limitMinor }))).toBe('done')
  expect(wordOf(await till.refund(two, { key: 'two', limitMinor }))).toBe('not_sent over_limit')
  const { refund_amount: _, ...all } = one
  expect(wordOf(await till.refund(all, { key: 'all', limitMinor }))).toBe('not_sent over_limit')
  expect(wordOf(await till.refund({ ...two, refund_amount: 20 }, { key: 'two', limitMinor }))).toBe('done')
  expect([await refunds('mugs'), await refunds('mugs~2')]).toEqual([[30], [20]])
  await expect(till.refund(one, { key: 'x', limitMinor: 0.5 })).rejects.toThrow('limitMinor')
})

it('stays below a limit where several tills refund both attempts at once', async () => {
  const shop = await openTill()
  const { till, sell, refunds, another } = shop
  await sell('mugs')
  await sellBeside(shop, 'mugs~2')
  const tills = [till, another(), another()]
  const press = (i: number) => {
    const input = { ...MUGS, order_id: `mugs~${(i % 2) + 1}`, refund_amount: 20 }
    return tills[i % 3]?.refund(input, { key: `press ${i}`, limitMinor: 5000 })
  }
  for (let time = 0; time < 3; time++) await Promise.all(Array.from({ length: 6 }, (_, i) => press(i)))
  const made = [...(await refunds('mugs')), ...(await refunds('mugs~2'))]
  expect(made).toEqual([20, 20])
  expect(wordOf((await press(7)) as Moved)).toBe('not_sent over_limit')
})

const ATTEMPTS = { attempts: true }
const SALE = { ...PAYMENT, order_id: 'mugs' }

/** A shop whose first payment was declined. */
async function openDeclined() {
  const calls: string[] = []
  const fetch: typeof globalThis.fetch = (input, init) => {
    calls.push(`${init?.method} ${new URL(String(input)).pathname}`)
    return shop.emulator.fetch(input as string, init)
  }
  const shop: Awaited<ReturnType<typeof openTill>> = await openTill({}, { fetch })
  const { url } = (await shop.till.createPayment(SALE, ATTEMPTS)) as { url: string }
  await shop.pay(url, 'insufficient_funds')
  await shop.deliver()
  calls.splice(0)
  return { ...shop, url, calls }
}

it('makes another attempt after a decline, once the service was asked about the first one', async () => {
  const { till, url, calls, pay, deliver, emulator } = await openDeclined()
  expect(await till.createPayment(SALE)).toEqual({ outcome: 'ended', status: 'failure' })
  expect(calls).toEqual([])
  const opened = (await till.createPayment(SALE, ATTEMPTS)) as { url: string }
  expect(opened).toMatchObject({ outcome: 'done', url: expect.not.stringContaining(url) })
  expect(calls[0]).toMatch(/^GET .*mugs/)
  expect(calls.filter((call) => call.startsWith('POST'))).toHaveLength(1)
  expect(await till.createPayment(SALE)).toEqual(opened)
  expect(await till.createPayment(SALE, ATTEMPTS)).toEqual(opened)
  expect(await till.createPayment({ ...SALE, amount: 1 }, ATTEMPTS)).toMatchObject({ reason: 'key_reused' })
  await pay(opened.url)
  await deliver()
  expect(await till.createPayment(SALE, ATTEMPTS)).toEqual({ outcome: 'ended', status: 'success' })
  expect(await till.order('mugs')).toMatchObject({ order_id: 'mugs~2', status: 'success', flags: [] })
  expect(emulator.orders.get('mugs~3')).toBeUndefined()
})

it('makes one further attempt for everybody who comes at once', async () => {
  const { till, another, emulator } = await openDeclined()
  const tills = [till, another(), another()]
  const opened = await Promise.all(Array.from({ length: 9 }, (_, i) => tills[i % 3]?.createPayment(SALE, ATTEMPTS)))
  const words = opened.map((one) => one && wordOf(one))
  expect(words.filter((word) => word !== 'done' && word !== 'not_sent in_progress')).toEqual([])
  expect(words).toContain('done')
  expect(emulator.orders.get('mugs~2')?.payments).toHaveLength(1)
  expect(emulator.orders.get('mugs~3')).toBeUndefined()
})

it('cancels a payment whose address was lost, and makes another attempt', async () => {
  const { till, emulator, wait } = await openTill()
  emulator.faults.next({ kind: 'reset', when: 'after_commit', on: 'create-payment' })
  expect(wordOf(await till.createPayment(SALE, ATTEMPTS))).toBe('unknown')
  expect(wordOf(await till.createPayment(SALE, ATTEMPTS))).toBe('not_sent in_progress')
  await wait(2)
  expect(wordOf(await till.createPayment(SALE, ATTEMPTS))).toBe('done')
  const statusOf = (order_id: string) => emulator.orders.get(order_id)?.payments.map(({ status }) => status)
  expect([statusOf('mugs'), statusOf('mugs~2')]).toEqual([['failure'], ['init']])
  expect(await till.cancel('mugs~1')).toMatchObject({ outcome: 'done', record: { order_id: 'mugs~2' } })
  expect(statusOf('mugs~2')).toEqual(['failure'])
  expect(wordOf(await till.createPayment(SALE, ATTEMPTS))).toBe('ended failure')
  expect(emulator.orders.get('mugs~3')).toBeUndefined()
})

it('cancels the payment that is open once another attempt is paid', async () => {
  const shop = await openTill()
  const { till, emulator } = shop
  await till.createPayment(SALE)
  await sellBeside(shop, 'mugs~2')
  await till.settle()
  expect(emulator.orders.get('mugs')?.payments).toMatchObject([{ status: 'failure' }])
  expect(await till.order('mugs')).toMatchObject({ order_id: 'mugs~2', status: 'success' })
  expect(await till.createPayment(SALE, ATTEMPTS)).toEqual({ outcome: 'ended', status: 'success' })
})

it('cancels a payment that is being created while the shop cancels the order', async () => {
  const paused = Promise.withResolvers<void>()
  let calls = 0
  const fetch: typeof globalThis.fetch = async (input, init) => {
    if (String(input).endsWith('/payment') && calls++ === 0) await paused.promise
    return shop.emulator.fetch(input as string, { ...init, signal: null })
  }
  const shop: Awaited<ReturnType<typeof openTill>> = await openTill({}, { fetch })
  const opening = shop.till.createPayment(SALE, ATTEMPTS)
  await vi.waitUntil(() => calls === 1, 10_000)
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  const cancelling = shop.another().cancel('mugs').finally(vi.useRealTimers)
  while (vi.isFakeTimers()) await vi.advanceTimersByTimeAsync(50)
  expect(await cancelling).toMatchObject({ outcome: 'done', record: { link: 'closed' } })
  paused.resolve()
  expect(wordOf(await opening)).toBe('ended failure')
  expect(shop.emulator.orders.get('mugs')?.payments).toMatchObject([{ status: 'failure' }])
})

it('takes no order_id that names an attempt, nor one that leaves no room for it', async () => {
  const { till } = await openTill()
  expect(wordOf(await till.createPayment({ ...PAYMENT, order_id: 'mugs~2' }))).toBe('rejected invalid_input')
  const long = { ...PAYMENT, order_id: 'x'.repeat(30) }
  expect(wordOf(await till.createPayment(long, ATTEMPTS))).toBe('rejected invalid_input')
  expect(wordOf(await till.createPayment(long))).toBe('done')
})
