import { expect } from 'vitest'
import { testCard } from '../../../src/emulator/index.ts'
import { type Bench, createBench, direct, hosted, type Json, post, SPLIT } from '../call.ts'
import { type Row, row, rows } from './row.ts'
import { capture, eventsOf, payDirect, sendCapture } from './samples.ts'
import { accepts } from './schedules.ts'

/** Limits at their edges; those of recurring payments are in schedules.ts, those of request tables alone in requests.ts. */

async function statusOf({ emulator }: Bench, body: Json, path = '/api/v1/payment'): Promise<number> {
  return (await post(emulator, path, body)).status
}

export const limitRows: Row[] = [
  row('limits', '| amount', async (bench, create) => {
    for (const amount of [0.01, 0.8, 1, 19.99, 999999999.99]) {
      expect((await payDirect(bench, { amount, order_id: `${amount}` })).amount).toBe(amount)
    }
    for (const amount of [0, -0.01, 0.001, 0.1 + 0.2, 1e20, 10_000_000_000_001, '1', null, 1e-7]) {
      const body = direct(bench.emulator, { amount, order_id: `x${amount}` })
      expect([amount, await statusOf(bench, body)]).toEqual([amount, 400])
    }
    await payDirect(bench, { method: 'auth' })
    for (const charge_amount of [0, -1, 0.1 + 0.2, '5']) {
      expect((await sendCapture(bench, { charge_amount })).status).toBe(400)
    }
    const split = [{ ...SPLIT[0], amount: 0.1 + 0.2 }]
    expect(await statusOf(bench, hosted(bench.emulator, { split, order_id: 's' }), '/api/v1/split/purchase')).toBe(400)
    expect(await accepts(create, { amount: 0.1 + 0.2 })).toBe(false)
    expect(await accepts(create, { amount: 0.3 })).toBe(true)
  }),
  row('limits', '| payload', async (bench) => {
    for (const mode of ['direct', 'hosted']) {
      const body = (letters: number) => ({
        ...direct(bench.emulator),
        mode,
        payload: '🙂'.repeat(letters),
        order_id: `${mode}${letters}`,
      })
      for (const letters of [0, 4000]) expect(await statusOf(bench, body(letters))).toBe(mode === 'direct' ? 200 : 303)
      expect(bench.emulator.orders.get(`${mode}0`)?.payments[0]?.payload).toBe('')
      expect(await statusOf(bench, body(4001))).toBe(400)
    }
  }),
  row('limits', '| order_id in capture', async (bench) => {
    for (const [length, status] of [
      [32, 200],
      [33, 400],
    ] as const) {
      const order_id = 'я'.repeat(length)
      await payDirect(bench, { order_id, method: 'auth' })
      expect((await sendCapture(bench, { order_id })).status).toBe(status)
    }
  }),
  ...(['order_id', 'description'] as const).map((name) =>
    row('limits', `| ${name} in responses`, async (bench, create) => {
      const longest = 'я'.repeat(name === 'order_id' ? 256 : 2048)
      expect((await payDirect(bench, { [name]: longest }))[name]).toBe(longest)
      for (const form of [direct, hosted]) {
        const other = createBench({}, create)
        expect(await statusOf(other, form(other.emulator, { [name]: `${longest}я` }))).toBe(400)
        expect(await statusOf(other, form(other.emulator, { [name]: longest }))).toBe(form === direct ? 200 : 303)
      }
    }),
  ),
  row('limits', '| comment in capture', async (bench) => {
    await payDirect(bench, { method: 'auth' })
    expect((await sendCapture(bench, { charge_amount: 1, comment: 'я'.repeat(2049) })).status).toBe(400)
    expect((await capture(bench, { charge_amount: 1, comment: 'я'.repeat(2048) })).comment).toHaveLength(2048)
    expect((await capture(bench, { charge_amount: 1, comment: '' })).comment).toBe('')
  }),
  row('capture', '| f_receipt_delivery', async (bench) => {
    await payDirect(bench, { method: 'auth' })
    for (const f_receipt_delivery of ['email', 'sms', 'viber', 'none']) {
      expect((await sendCapture(bench, { charge_amount: 1, f_receipt_delivery })).status).toBe(200)
    }
    expect((await sendCapture(bench, { charge_amount: 1, f_receipt_delivery: 'pigeon' })).status).toBe(400)
  }),
  ...rows(['limits: | processed_currency', 'primary-webhook: For payments where'], async (bench) => {
    await payDirect(bench, { amount: 0.1, cc_number: testCard('payer_changes_amount') })
    await payDirect(bench, { order_id: 'B' })
    const [changed, usual] = await eventsOf(bench)
    expect(changed).toMatchObject({ amount: 0.1, processed_amount: 0.09, processed_currency: 'UAH' })
    expect(usual).not.toHaveProperty('processed_amount')
    expect(usual).not.toHaveProperty('processed_currency')
  }),
]
