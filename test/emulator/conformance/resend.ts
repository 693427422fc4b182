import { expect } from 'vitest'
import { createBench, get, type Json } from '../call.ts'
import { type Row, row, rows } from './row.ts'
import { DAILY, payDirect, payHosted, resend, sendResend } from './samples.ts'

/** Re-sending webhooks. */

export const resendRows: Row[] = [
  row('resend', '| pos_id | UUID | yes', async (bench) => {
    await payDirect(bench)
    const { baseUrl, posId } = bench.emulator.credentials
    const read = async (pos: string) =>
      (await get(bench.emulator, `${baseUrl}/api/v1/pos/${pos}/orders/A-1/purchase?callback=true`)).status
    expect([await read(posId), await read('1'), await read(posId.replace(/1$/, '2'))]).toEqual([200, 400, 401])
  }),
  row('resend', '| order_id | String | yes', async (bench) => {
    for (const orderId of ['a/b', 'ключ', '50%']) {
      await payDirect(bench, { order_id: orderId })
      expect((await resend(bench, 'purchase', 'callback=true', orderId)).order_id).toBe(orderId)
    }
    expect((await sendResend(bench, 'purchase', 'callback=true', 'unknown')).status).toBe(404)
  }),
  row('resend', '| operation | String', async (bench) => {
    await payDirect(bench, { method: 'auth' })
    bench.emulator.control.voidPayment('A-1')
    for (const [operation, status] of [
      ['auth', 200],
      ['void', 200],
      ['purchase', 404],
      ['capture', 404],
      ['steal', 400],
    ] as const) {
      const answer = await sendResend(bench, operation)
      expect([operation, answer.status]).toEqual([operation, status])
      if (status === 200) expect(((await answer.json()) as Json).method).toBe(operation)
    }
  }),
  ...rows(['resend: | callback | Boolean', 'service: The service sends webhooks'], async (_, create) => {
    // Strict: by default `1` is taken, with a note, because a public client sends it.
    const bench = createBench({ strict: true }, create)
    await payDirect(bench)
    await bench.emulator.deliveries.idle()
    for (const query of ['', 'callback=false', 'callback=1', 'callback=TRUE', 'callback=']) {
      expect([query, (await sendResend(bench, 'purchase', query)).status]).toEqual([query, 400])
    }
    expect((await sendResend(bench, 'purchase', 'callback=true')).status).toBe(200)
    await bench.emulator.deliveries.idle()
    expect(bench.received).toHaveLength(2)
    const [first, again] = bench.received.map(({ url, event }) => ({ url, event }))
    expect(again).toEqual(first)
  }),
  row('resend', '| transactionId | String', async (_, create) => {
    const bench = createBench({ strict: true }, create)
    const { emulator } = bench
    await payHosted(bench, { init_recurring: { interval_unit: 'month', interval_count: 1 } })
    await emulator.clock.advance({ months: 2 })
    const transactions = emulator.orders.get('A-1')?.payments.map(({ transaction_id }) => transaction_id) ?? []
    expect(transactions).toHaveLength(3)
    for (const id of transactions) {
      expect((await resend(bench, 'purchase', `callback=true&transactionId=${id}`)).transaction_id).toBe(id)
    }
    expect((await sendResend(bench, 'purchase', 'callback=true&transactionId=unknown')).status).toBe(404)
    await payDirect(bench, { order_id: 'once' })
    const once = `callback=true&transactionId=${transactions[0]}`
    expect((await sendResend(bench, 'purchase', once, 'once')).status).toBe(400)
    expect((await sendResend(bench, 'refund', once)).status).toBe(400)
  }),
  row('resend', 'Without `transactionId`', async (bench) => {
    await payHosted(bench, { init_recurring: DAILY })
    await bench.emulator.clock.advance({ days: 3 })
    const latest = bench.emulator.orders.get('A-1')?.payments.at(-1)
    const answer = await resend(bench, 'purchase')
    expect([answer.transaction_id, answer.created_at]).toEqual([latest?.transaction_id, '2026-02-03T10:00:00.000'])
  }),
]
