// Every statement of a call is over when the call is: one that goes on alone may fail unseen, or be overtaken.
import { expect, it } from 'vitest'
import type { TillDatabase } from '../../src/till/index.ts'
import { DIRECT_AUTH } from '../support/inputs.ts'
import { openTill, PAYMENT, REFUND, wordOf } from './support/open-till.ts'

/** A till whose statements take a turn of the event loop each, and fail where `fails` says so. */
async function openSlow() {
  const shop = await openTill({ onEvent: () => {} })
  const state = { running: 0, fails: (_sql: string) => false }
  const { database } = shop
  const slow: TillDatabase = {
    get clock() {
      return database.clock
    },
    async run(sql, values) {
      state.running++
      try {
        await new Promise((done) => setTimeout(done))
        if (state.fails(sql)) throw new Error('disk I/O error')
        return await database.run(sql, values)
      } finally {
        state.running--
      }
    },
  }
  return { ...shop, state, slow: shop.another({ database: slow }) }
}

it('no call returns while a statement of its own runs', async () => {
  const { slow, state, pay, emulator, events, wait } = await openSlow()
  const over = async <T>(name: string, call: Promise<T>): Promise<T> => {
    const result = await call
    expect([name, state.running]).toEqual([name, 0])
    return result
  }
  const deliver = async () => {
    await emulator.deliveries.idle()
    // It hands the event over after it has returned.
    for (const event of events.splice(0)) await slow.receive(event)
    while (state.running > 0) await new Promise((done) => setTimeout(done))
  }
  const opened = await over('createPayment', slow.createPayment(PAYMENT))
  await pay(('url' in opened && opened.url) || '')
  await deliver()
  await over('settle', slow.settle())
  await over('refund', slow.refund(REFUND, { key: 'a' }))
  emulator.faults.next({ kind: 'reset', when: 'before_commit', on: 'refund-payment' })
  await over('a refund without an answer', slow.refund({ ...REFUND, refund_amount: 5 }, { key: 'b' }))
  await wait(15)
  await deliver()
  await over('settle', slow.settle())
  // An opening that died is taken over.
  emulator.faults.next({ kind: 'reset', when: 'before_commit', on: 'create-payment' })
  const other = { ...PAYMENT, order_id: 'A-2' }
  await over('createPayment without an answer', slow.createPayment(other))
  await wait(15)
  await over('createPayment again', slow.createPayment(other))
  const direct = { ...PAYMENT, order_id: 'A-3', method: 'auth' as const }
  await over('an authorization', slow.createPayment(direct as never))
  await over('erase', slow.erase('A-1'))
  await over('recover', slow.recover({ since: new Date(emulator.clock.now() - 60_000) }))
  await over('attention', slow.attention())
})

it('whichever statement of a refund fails, it is made at most once, and the last word agrees with the service', async () => {
  for (let failing = 1, isOver = false; !isOver; failing++) {
    const { slow, state, sell, refunds, wait } = await openSlow()
    await sell()
    let count = 0
    state.fails = () => ++count === failing
    const word = await slow.refund(REFUND, { key: 'press' }).then(wordOf, () => 'thrown')
    isOver = count < failing
    state.fails = () => false
    await wait(15)
    await slow.settle()
    const again = await slow.refund(REFUND, { key: 'press' }).then(wordOf)
    const made = await refunds()
    const last = made.length > 0 ? /^done/ : /^rejected not_executed/
    expect([failing, word, made, again]).toEqual([failing, word, made.slice(0, 1), expect.stringMatching(last)])
    if (word === 'done success') expect(made).toEqual([30])
  }
})

it.each<[string, (shop: Awaited<ReturnType<typeof openSlow>>) => Promise<() => Promise<unknown>>]>([
  [
    'an opening that is taken over',
    async ({ slow, emulator, wait }) => {
      emulator.faults.next({ kind: 'reset', when: 'before_commit', on: 'create-payment' })
      await slow.createPayment(PAYMENT)
      await wait(15)
      return () => slow.createPayment(PAYMENT)
    },
  ],
  [
    'a direct payment',
    async ({ slow }) =>
      () =>
        slow.createPayment({ ...DIRECT_AUTH, order_id: 'A-1' }),
  ],
])('whichever statement of %s fails, none fails unseen', async (_, prepare) => {
  for (let failing = 1, isOver = false; !isOver; failing++) {
    const shop = await openSlow()
    const call = await prepare(shop)
    let count = 0
    let unseen = 0
    shop.state.fails = () => ++count === failing
    await call().catch(() => {})
    // A statement that is not waited for would fail now: the runner reports its rejection.
    while (shop.state.running > 0) unseen += await new Promise<number>((done) => setTimeout(() => done(1)))
    expect([failing, unseen]).toEqual([failing, 0])
    isOver = count < failing
  }
})

it('repeats a statement that Postgres has rolled back for another process', async () => {
  const { another, database, sell, refunds } = await openTill()
  await sell()
  let n = 0
  const till = another({
    database: {
      clock: database.clock,
      run: async (sql, values) => {
        if (n++ % 3 > 0) throw Object.assign(new Error('could not serialize access'), { code: '40001' })
        return database.run(sql, values)
      },
    },
  })
  expect(wordOf(await till.refund(REFUND, { key: 'press' }))).toBe('done')
  expect(await till.settle()).toEqual([])
  expect(await refunds()).toEqual([30])
})
