import { expect, it, vi } from 'vitest'
import type { TillDatabase } from '../../src/till/index.ts'
import { openTill, PAYMENT, REFUND, wordOf } from './support/open-till.ts'

const PRESS = { key: 'press' }

it('refunds once for a key, however many presses come at once', async () => {
  const { till, another, sell, refunds } = await openTill()
  await sell()
  const tills = [till, another()]
  const presses = Array.from({ length: 20 }, (_, i) => tills[i % 2]?.refund(REFUND, PRESS))
  const words = (await Promise.all(presses)).map((moved) => moved && wordOf(moved))
  expect(words).toEqual(presses.map(() => 'done'))
  expect(await refunds()).toEqual([30])

  // From then on each gets the same.
  const [first, second] = [await till.refund(REFUND, PRESS), await another().refund(REFUND, PRESS)]
  expect(first).toMatchObject({ outcome: 'done', record: { amount: 30, status: 'success' } })
  expect(second).toEqual(first)
  expect((await till.order('A-1'))?.totals).toMatchObject({ captured_minor: 10_050, refunded_minor: 3000 })
  expect(await till.settle()).toEqual([])
})

it('gives ten presses of one key the end of the first, and says unknown after 25 seconds without one', async () => {
  let respond: (() => void) | undefined
  const { another, sell, client, refunds, database } = await openTill()
  await sell()
  const slow = another({
    client: {
      ...client,
      refundPayment: async (input) => {
        await new Promise<void>((resolve) => (respond = resolve))
        return client.refundPayment(input)
      },
    },
  })
  const first = slow.refund(REFUND, PRESS)
  await expect.poll(() => respond).toBeDefined()
  let reads = 0
  const counted: TillDatabase = Object.assign(Object.create(database), {
    run(...statement: Parameters<TillDatabase['run']>) {
      reads++
      return database.run(...statement)
    },
  })
  let settled = 0
  const others = Array.from({ length: 9 }, () => another({ database: counted }).refund(REFUND, PRESS))
  for (const other of others) void other.finally(() => settled++)
  // Another key has nothing to wait for.
  expect(wordOf(await another().refund(REFUND, { key: 'other' }))).toBe('not_sent in_progress')
  // Each has read the order several times, and goes on.
  await expect.poll(() => reads).toBeGreaterThan(9 * 5)
  expect(settled).toBe(0)
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 25_000 })
  try {
    expect((await Promise.all(others)).map(wordOf)).toEqual(others.map(() => 'unknown'))
  } finally {
    vi.useRealTimers()
  }

  const again = Array.from({ length: 9 }, () => another().refund(REFUND, PRESS))
  respond?.()
  const moved = await first
  expect(moved).toMatchObject({ outcome: 'done', record: { amount: 30 } })
  expect(await Promise.all(again)).toEqual(again.map(() => moved))
  expect(await refunds()).toEqual([30])
})

it('does not send a key of another request, of totals that have changed, or beside an operation without an outcome', async () => {
  const { till, sell, refunds, emulator, wait } = await openTill()
  await sell()
  const seen = (await till.order('A-1'))?.version
  expect(wordOf(await till.refund(REFUND, { key: 'a', ifVersion: seen }))).toBe('done')
  const reused = await till.refund({ ...REFUND, refund_amount: 20 }, { key: 'a' })
  expect(reused).toMatchObject({ outcome: 'not_sent', reason: 'key_reused', sameKey: false })
  const changed = await till.refund({ ...REFUND, refund_amount: 20 }, { key: 'b', ifVersion: seen })
  expect(changed).toMatchObject({ outcome: 'not_sent', reason: 'order_changed', sameKey: true })

  emulator.faults.next({ kind: 'reset', when: 'before_commit', on: 'refund-payment' })
  expect(wordOf(await till.refund({ ...REFUND, refund_amount: 10 }, { key: 'c' }))).toBe('unknown')
  const other = await till.refund({ ...REFUND, refund_amount: 20 }, { key: 'b' })
  expect(other).toMatchObject({ outcome: 'not_sent', reason: 'in_progress', sameKey: true })
  expect(await refunds()).toEqual([30])

  // Ten minutes later the absence counts, and the same key may be used for what was never sent under it.
  await wait(9)
  expect(wordOf(await till.refund({ ...REFUND, refund_amount: 10 }, { key: 'c' }))).toBe('unknown')
  await wait(2)
  expect(wordOf(await till.refund({ ...REFUND, refund_amount: 20 }, { key: 'b' }))).toBe('done')
  expect(wordOf(await till.refund({ ...REFUND, refund_amount: 10 }, { key: 'c' }))).toBe('rejected not_executed')
  expect(await refunds()).toEqual([30, 20])
})

it('finds out what became of a refund whose response was lost', async () => {
  const { till, sell, refunds, emulator } = await openTill()
  await sell()
  emulator.faults.next({ kind: 'reset', when: 'after_commit', on: 'refund-payment' })
  expect(wordOf(await till.refund(REFUND, PRESS))).toBe('unknown')
  const again = await till.refund(REFUND, PRESS)
  expect(again).toMatchObject({ outcome: 'done', record: { amount: 30, status: 'success' } })
  expect(await till.refund(REFUND, PRESS)).toEqual(again)
  expect(await refunds()).toEqual([30])
})

it('tries again under the same key where nothing was sent, and keeps a rejection', async () => {
  const { till, sell, refunds, emulator } = await openTill()
  await sell()
  emulator.faults.next({ kind: 'too_many_requests', on: 'refund-payment' })
  const first = await till.refund(REFUND, PRESS)
  expect(first).toMatchObject({ outcome: 'not_sent', reason: 'unreachable', sameKey: true })
  expect(wordOf(await till.refund(REFUND, PRESS))).toBe('done')
  const tooMuch = await till.refund({ ...REFUND, refund_amount: 100 }, { key: 'more' })
  expect(tooMuch).toMatchObject({ outcome: 'rejected', error: { code: 'api', status: 400 } })
  expect(await till.refund({ ...REFUND, refund_amount: 100 }, { key: 'more' })).toEqual(tooMuch)
  expect(await refunds()).toEqual([30])
})

/** A refund whose process is frozen at the socket, for longer than any look-up believes. `late`: its outcome. */
async function frozen(refund_amount: number) {
  const opened = await openTill()
  const { till, another, sell, client } = opened
  await sell()
  let respond: ((_: unknown) => void) | undefined
  const refundPayment: typeof client.refundPayment = async (input) => {
    await new Promise((resolve) => (respond = resolve))
    return client.refundPayment({ ...input, refund_amount })
  }
  const late = another({ client: { ...client, refundPayment } }).refund(REFUND, PRESS)
  // Its row is there before it is sent: eleven minutes between the two, and nothing would be.
  await expect.poll(() => respond).toBeDefined()
  const [{ id } = { id: '' }] = (await till.order('A-1'))?.attempts ?? []
  return { ...opened, id, late, respond: () => respond?.(undefined) }
}

it('keeps an end that contradicts the one that was settled, until a person has looked', async () => {
  const { till, id, late, respond, wait, refunds } = await frozen(30)
  await wait(11)
  expect(wordOf(await till.refund(REFUND, PRESS))).toBe('rejected not_executed')
  respond()

  expect(await late).toMatchObject({ outcome: 'unknown', record: { amount: 30, status: 'success' } })
  expect(await refunds()).toEqual([30])
  expect((await till.order('A-1'))?.totals.refunded_minor).toBe(3000)
  expect(await till.attention()).toMatchObject([
    {
      ...{ kind: 'operation_contradicted', order_id: 'A-1', id },
      ...{ settled: { outcome: 'rejected' }, late: { outcome: 'done', record: { amount: 30 } } },
    },
  ])
  expect(await till.refund(REFUND, PRESS)).toEqual(await late)
  expect(wordOf(await till.settleByHand('A-1', id, { executed: true }))).toBe('done')
  expect(wordOf(await till.refund(REFUND, PRESS))).toBe('done')
  expect(await till.attention()).toEqual([])
})

it('keeps a rejection of what a person has settled as executed, however often it is looked at', async () => {
  const { till, id, late, respond, wait } = await frozen(100_000)
  await wait(2)
  expect(wordOf(await till.settleByHand('A-1', id, { executed: true }))).toBe('done')
  respond()
  expect(await late).toMatchObject({ outcome: 'unknown' })
  const contradicted = [
    { kind: 'operation_contradicted', id, settled: { outcome: 'done' }, late: { outcome: 'rejected' } },
  ]
  for (let look = 0; look < 3; look++) expect(await till.settle()).toMatchObject(contradicted)
  expect(wordOf(await till.settleByHand('A-1', id, { executed: false }))).toBe('rejected api')
  expect(await till.settle()).toEqual([])
})

it('sends nothing where the database fails before the call, and says unknown where it fails after it', async () => {
  const { till, another, database, sell, refunds } = await openTill()
  await sell()
  let isDown = (_: string): boolean => false
  const failing: TillDatabase = {
    get clock() {
      return database.clock
    },
    run: (sql, values) => (isDown(sql) ? Promise.reject(new Error('database is locked')) : database.run(sql, values)),
  }
  const locked = another({ database: failing })
  isDown = (sql) => sql.startsWith('INSERT INTO edgetill_log')
  expect(await locked.refund(REFUND, PRESS)).toMatchObject({ outcome: 'not_sent', reason: 'busy', sameKey: true })
  expect(await refunds()).toEqual([])
  let written = 0
  isDown = (sql) => sql.startsWith('INSERT INTO edgetill_log') && written++ > 0
  expect(await locked.refund(REFUND, PRESS)).toMatchObject({ outcome: 'unknown', record: { amount: 30 } })
  expect(await refunds()).toEqual([30])
  expect(wordOf(await till.refund({ ...REFUND, refund_amount: 5 }, { key: 'other' }))).toBe('not_sent in_progress')
  await till.settle()
})

it('counts any other error of a call as unknown, and settle() finds out what became of it', async () => {
  const { till, another, database, sell, client, wait, refunds } = await openTill()
  await sell()
  const refundPayment = () => Promise.reject(new TypeError('x is not a function'))
  const broken = another({ client: { ...client, refundPayment } })
  const message = expect.stringContaining('x is not')
  expect(await broken.refund(REFUND, PRESS)).toMatchObject({ outcome: 'unknown', message })
  await wait(2)
  expect(await till.settle()).toEqual([])
  expect((await till.order('A-1'))?.attempts).toMatchObject([{ kind: 'refund', amount: 30, state: 'unknown' }])
  for (let i = 0; i < 15; i++) {
    await wait(1)
    await till.settle()
  }
  expect((await till.order('A-1'))?.attempts).toEqual([])
  expect(wordOf(await till.refund(REFUND, PRESS))).toBe('rejected not_executed')
  expect(await refunds()).toEqual([])
  expect(await database.run('SELECT error FROM edgetill_log WHERE error IS NOT NULL', [])).toEqual([])
})

it('shows a person what the service does not tell, and takes what the person has seen there', async () => {
  const { till, another, sell, client, wait } = await openTill()
  await sell()
  await till.refund({ ...REFUND, refund_amount: 1 }, { key: 'before' })
  const silent = another({ client: { ...client, listOrderOperations: () => Promise.reject(new Error('down')) } })
  for (const [key, executed] of [
    ['seen', true],
    ['not seen', false],
  ] as const) {
    const lossy = another({ client: { ...client, refundPayment: timeout } })
    expect(wordOf(await lossy.refund(REFUND, { key }))).toBe('unknown')
    await wait(11)
    const [attention] = await silent.settle()
    expect(attention).toMatchObject({ kind: 'operation_unsettled', attempt: { kind: 'refund', amount: 30 } })
    const { attempt } = attention as { attempt: { id: string } }
    const settled = await silent.settleByHand('A-1', attempt.id, { executed })
    expect(wordOf(settled)).toBe(executed ? 'done' : 'rejected not_executed')
    expect(await till.refund(REFUND, { key })).toEqual(settled)
    expect(await silent.attention()).toEqual([])
  }
  expect(wordOf(await till.settleByHand('A-1', 'no such', { executed: true }))).toBe('rejected unknown_operation')
})

it('does not send beyond what is left while another operation is pending', async () => {
  const { till, sell, emulator, refunds } = await openTill()
  await sell()
  emulator.faults.next({ kind: 'status_code', status_code: '2000', on: 'refund-payment' })
  const most = { ...REFUND, refund_amount: 60 }
  expect(await till.refund(most, { key: 'a' })).toMatchObject({ record: { status: 'pending' } })
  const message = expect.stringContaining('at most 40.5')
  const over = await till.refund(most, { key: 'b' })
  expect(over).toMatchObject({ outcome: 'not_sent', reason: 'in_progress', message })
  expect(wordOf(await till.refund(REFUND, { key: 'c' }))).toBe('done')
  expect(await refunds()).toEqual([60, 30])
})

const timeout = () => Promise.reject(new Error('no response'))

it('says why it cannot find out, where the service has no list and an earlier operation hides a later one', async () => {
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const isList = (init?.method ?? 'GET') === 'GET' && /\/orders\/[^/?]+(\?|$)/.test(String(input))
    return isList ? new Response('{}', { status: 404 }) : shop.emulator.fetch(input as string, init)
  }
  const shop: Awaited<ReturnType<typeof openTill>> = await openTill({}, { fetch })
  const { till, sell, wait, emulator } = shop
  await sell()
  expect(wordOf(await till.refund({ ...REFUND, refund_amount: 10 }, { key: 'a' }))).toBe('done')
  emulator.faults.next({ kind: 'reset', when: 'before_commit', on: 'refund-payment' })
  expect(wordOf(await till.refund(REFUND, PRESS))).toBe('unknown')
  await wait(11)
  const [asked] = await till.settle()
  expect(asked).toMatchObject({ kind: 'operation_unsettled', order_id: 'A-1' })
  const moved = await till.refund(REFUND, PRESS)
  expect(moved).toMatchObject({ outcome: 'unknown', message: expect.stringContaining('settle it by hand') })
  // A person ends it.
  const { id } = moved as { id: string }
  expect(wordOf(await till.settleByHand('A-1', id, { executed: false }))).toBe('rejected not_executed')
  expect(wordOf(await till.refund(REFUND, { key: 'new' }))).toBe('done')
  expect(await till.attention()).toEqual([])
})

it('sends the webhooks of a call to its own server_url, and else to that of its payment', async () => {
  const { till, sell, emulator } = await openTill()
  await sell()
  const { server_url } = PAYMENT
  for (const [key, own] of [
    ['a', 'https://shop.example.com/refunds'],
    ['b', undefined],
  ] as const) {
    await till.refund({ ...REFUND, ...(own && { server_url: own }) }, { key })
    await emulator.deliveries.idle()
    expect(emulator.deliveries.at(-1)?.url).toBe(own ?? server_url)
  }
})
