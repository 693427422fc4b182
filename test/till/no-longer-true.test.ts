// An answer that an event contradicts later is corrected, and a person sees both.
import { expect, it } from 'vitest'
import { MERCHANT, merchantOf } from '../../src/client/merchant.ts'
import { signWebhook, verifyWebhook } from '../../src/webhooks/index.ts'
import { openTill, PAYMENT, REFUND, wordOf } from './support/open-till.ts'

const PRESS = { key: 'press' }
const TEN = { ...REFUND, refund_amount: 10 }

/** A refund that counts as not executed, which the service executes after all: its webhook has come. */
async function executedLate(how: 'absence' | 'a person' | 'the service') {
  const opened = await openTill()
  const { till, another, sell, client, wait, deliver } = opened
  await sell()
  const refundPayment = async () => {
    if (how !== 'the service') throw new Error('reset')
    await client.refundPayment(REFUND)
    return client.refundPayment({ ...REFUND, refund_amount: 100_000 })
  }
  const pressed = await another({ client: { ...client, refundPayment } }).refund(REFUND, PRESS)
  if (how === 'absence') await wait(11)
  if (how === 'a person') {
    await wait(2)
    const down = { ...client, listOrderOperations: () => Promise.reject(new Error('down')) }
    const { id } = pressed as { id: string }
    await another({ client: down }).settleByHand('A-1', id, { executed: false })
  }
  const answer = await till.refund(REFUND, PRESS)
  expect(answer.outcome).toBe('rejected')
  if (how !== 'the service') await client.refundPayment(REFUND)
  await deliver()
  return { ...opened, told: answer }
}

it.each(['absence', 'a person', 'the service'] as const)(
  'says that a refund was executed which was rejected by %s, and takes a person’s word',
  async (how) => {
    const { till, told, refunds } = await executedLate(how)
    const record = { amount: 30, status: 'success' }
    expect(await till.refund(REFUND, PRESS)).toMatchObject({ outcome: 'unknown', record })
    const [attention] = await till.attention()
    const late = { outcome: 'done', record }
    expect(attention).toMatchObject({ kind: 'operation_contradicted', order_id: 'A-1', settled: told, late })
    expect((await till.order('A-1'))?.totals.refunded_minor).toBe(3000)
    // The key that its caller was advised to take waits for the person.
    if (how !== 'the service') expect(wordOf(await till.refund(REFUND, { key: 'new' }))).toBe('not_sent in_progress')

    const { id } = attention as { id: string }
    const done = await till.settleByHand('A-1', id, { executed: true })
    expect(done).toMatchObject({ outcome: 'done', record })
    expect(await till.refund(REFUND, PRESS)).toEqual(done)
    expect(await till.settle()).toEqual([])
    expect(wordOf(await till.refund(TEN, { key: 'new' }))).toBe('done')
    expect(await refunds()).toEqual([30, 10])
  },
)

it('keeps that a refund was not executed where a person says that another program made the one that is shown', async () => {
  const { till, client, told, deliver } = await executedLate('absence')
  const [{ id } = {}] = (await till.attention()) as { id: string }[]
  expect(await till.settleByHand('A-1', id as string, { executed: false })).toEqual(told)
  expect([await till.refund(REFUND, PRESS), await till.attention()]).toEqual([told, []])
  // One more like it is contradicted again.
  await client.refundPayment(REFUND)
  await deliver()
  expect(await till.attention()).toMatchObject([{ kind: 'operation_contradicted', id }])
  await till.settleByHand('A-1', id as string, { executed: false })
  expect([await till.refund(REFUND, PRESS), await till.attention()]).toEqual([told, []])
})

it('takes a refund for the one of another key where that key explains it', async () => {
  const { till, emulator, sell, wait, deliver } = await openTill()
  await sell()
  emulator.faults.next({ kind: 'reset', when: 'before_commit', on: 'refund-payment' })
  await till.refund(REFUND, PRESS)
  await wait(11)
  expect(wordOf(await till.refund(REFUND, PRESS))).toBe('rejected not_executed')
  emulator.faults.next({ kind: 'reset', when: 'after_commit', on: 'refund-payment' })
  expect(wordOf(await till.refund(REFUND, { key: 'new' }))).toBe('unknown')
  await deliver()
  expect([await till.attention(), wordOf(await till.refund(REFUND, PRESS))]).toEqual([[], 'rejected not_executed'])
  expect(wordOf(await till.refund(REFUND, { key: 'new' }))).toBe('done')
  expect([await till.attention(), wordOf(await till.refund(REFUND, PRESS))]).toEqual([[], 'rejected not_executed'])
})

it('says declined of what the bank declined, and nowhere done', async () => {
  const { till, emulator, pay, deliver } = await openTill()
  const opened = await till.createPayment({ ...PAYMENT, method: 'purchase' })
  await pay((opened as { url: string }).url, 'refund_declined')
  await deliver()
  const declined = await till.refund(REFUND, PRESS)
  expect(declined).toMatchObject({ outcome: 'declined', record: { status: 'failure', amount: 30 } })
  expect(await till.refund(REFUND, PRESS)).toEqual(declined)
  // Its response was lost: the service shows how it ended.
  emulator.faults.next({ kind: 'reset', when: 'after_commit', on: 'refund-payment' })
  expect(wordOf(await till.refund(TEN, { key: 'lost' }))).toBe('unknown')
  expect(await till.refund(TEN, { key: 'lost' })).toMatchObject({ outcome: 'declined', record: { amount: 10 } })
  expect([await till.settle(), (await till.order('A-1'))?.totals.refunded_minor]).toEqual([[], 0])
})

it.each(['failure', 'success'] as const)('a refund that was pending is told as it ended: %s', async (status) => {
  const calls: string[] = []
  const { till, emulator, sell, deliver } = await openTill({
    onEvent: ({ event }) => void calls.push(`${event.kind} ${'status' in event && event.status}`),
  })
  await sell()
  emulator.faults.next({ kind: 'status_code', status_code: '2000', on: 'refund-payment' })
  const pending = await till.refund(REFUND, PRESS)
  expect(pending).toMatchObject({ outcome: 'done', record: { status: 'pending' } })
  await deliver()
  const { record } = pending as { record: { operation_id: string } }
  const ends = { ...record, status, status_code: status === 'failure' ? '4153' : '1004' }
  await till.receive(verifyWebhook(signWebhook(ends, 'secret'), 'secret'))
  const attention = await till.settle()
  const outcome = status === 'failure' ? 'declined' : 'done'
  const ended = await till.refund(REFUND, PRESS)
  expect(ended).toMatchObject({ outcome, record: { operation_id: record.operation_id, status } })
  expect(calls).toContain(`refund ${status}`)
  if (status === 'success') {
    expect(attention).toEqual([])
    return
  }
  const [{ id } = {}] = attention as { id: string }[]
  expect(attention).toMatchObject([{ kind: 'operation_declined', order_id: 'A-1', record: { status } }])
  expect(await till.settleByHand('A-1', id as string, { executed: false })).toEqual(ended)
  expect([await till.attention(), await till.refund(REFUND, PRESS)]).toEqual([[], ended])
})

it('writes nothing of a request that the SDK itself rejects, and leaves its key free', async () => {
  const { till, another, client, database, sell, refunds } = await openTill()
  await sell()
  const rows = async () => (await database.run('SELECT number FROM edgetill_log', [])).length
  const before = await rows()
  for (const refund_amount of [10.005, -1, Number.NaN, '30' as never]) {
    const moved = await till.refund({ ...REFUND, refund_amount }, PRESS)
    expect(moved).toMatchObject({ outcome: 'rejected', error: { code: 'invalid_input' } })
    expect((moved as { error: { message: string } }).error.message).toContain('refund_amount')
  }
  for (const order_id of ['', null, 5, ['A-1'], undefined])
    expect(wordOf(await till.refund({ ...REFUND, order_id: order_id as never }, PRESS))).toBe('rejected invalid_input')
  const opened = await till.createPayment({ ...PAYMENT, order_id: 'B-1', amount: 0.001 })
  expect(opened).toMatchObject({ outcome: 'rejected', error: { code: 'invalid_input' } })
  expect(await rows()).toBe(before)
  expect(await till.order('B-1')).toBeUndefined()

  // A client of the shop's own that cannot be asked before: a row is written, and the key is free all the same.
  const own = { ...client, [MERCHANT]: { ...merchantOf(client), check: async () => {} } }
  const wrong = { ...REFUND, refund_amount: 10.005 }
  expect(wordOf(await another({ client: own }).refund(wrong, PRESS))).toBe('rejected invalid_input')
  expect(wordOf(await till.refund(REFUND, PRESS))).toBe('done')
  expect(await refunds()).toEqual([30])
})
