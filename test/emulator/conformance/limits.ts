import { expect } from 'vitest'
import { testCard } from '../../../src/emulator/index.ts'
import { type Bench, createBench, direct, hosted, type Json, post, SPLIT } from '../call.ts'
import { type Create, type Row, row } from './row.ts'
import { capture, payDirect, sendCapture } from './samples.ts'
import { accepts, charges, edges, MONTHLY } from './schedules.ts'

/** Limits at their edges, and the schedule of recurring payments. */

async function statusOf({ emulator }: Bench, body: Json, path = '/api/v1/payment'): Promise<number> {
  return (await post(emulator, path, body)).status
}

export const limitRows: Row[] = [
  row('limits', '| amount (any amount parameter) | positive; at most 2 decimal digits |', async (create) => {
    const bench = createBench({}, create)
    for (const amount of [0.01, 0.1 + 0.7, 1, 19.99, 999999999.99]) {
      const exact = Math.round(amount * 100) / 100
      expect((await payDirect(bench, { amount: exact, order_id: `${amount}` })).amount).toBe(exact)
    }
    for (const amount of [0, -0.01, 0.001, 0.1 + 0.2, 1e21, '1', null, 1e-7]) {
      expect([amount, await statusOf(bench, direct(bench.emulator, { amount, order_id: `x${amount}` }))]).toEqual([
        amount,
        400,
      ])
    }
    await payDirect(bench, { method: 'auth' })
    for (const charge_amount of [0, -1, 0.1 + 0.2, '5'])
      expect((await sendCapture(bench, { charge_amount })).status).toBe(400)
    const split = [{ ...SPLIT[0], amount: 0.1 + 0.2 }]
    expect(await statusOf(bench, hosted(bench.emulator, { split, order_id: 's' }), '/api/v1/split/purchase')).toBe(400)
    expect(await accepts(create, { amount: 0.1 + 0.2 })).toBe(false)
    expect(await accepts(create, { amount: 0.3 })).toBe(true)
  }),
  row('limits', '| payload | at most 4000 characters |', async (create) => {
    const bench = createBench({}, create)
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
  row('limits', '| order_id in capture | at most 32 characters |', async (create) => {
    const bench = createBench({}, create)
    for (const [length, status] of [
      [32, 200],
      [33, 400],
    ] as const) {
      const order_id = 'я'.repeat(length)
      await payDirect(bench, { order_id, method: 'auth' })
      expect((await sendCapture(bench, { order_id })).status).toBe(status)
    }
  }),
  row('limits', '| order_id in responses | at most 256 |', (create) => atMost(create, 'order_id', 256)),
  row('limits', '| description in responses | at most 2048 |', (create) => atMost(create, 'description', 2048)),
  row('limits', '| comment in capture | at most 2048 characters |', async (create) => {
    const bench = createBench({}, create)
    await payDirect(bench, { method: 'auth' })
    expect((await sendCapture(bench, { charge_amount: 1, comment: 'я'.repeat(2049) })).status).toBe(400)
    expect((await capture(bench, { charge_amount: 1, comment: 'я'.repeat(2048) })).comment).toHaveLength(2048)
    expect((await capture(bench, { charge_amount: 1, comment: '' })).comment).toBe('')
  }),
  row('capture', '| f_receipt_delivery | String | no | `email`, `sms`, `viber`, `none` |', async (create) => {
    const bench = createBench({}, create)
    await payDirect(bench, { method: 'auth' })
    for (const f_receipt_delivery of ['email', 'sms', 'viber', 'none']) {
      expect((await sendCapture(bench, { charge_amount: 1, f_receipt_delivery })).status).toBe(200)
    }
    expect((await sendCapture(bench, { charge_amount: 1, f_receipt_delivery: 'pigeon' })).status).toBe(400)
  }),
  row('limits', '| interval_count | at most 30 |', (create) => edges(create, 'interval_count', 1, 30)),
  row('limits', '| retry_attempts | default 3, at most 7 |', async (create) => {
    await edges(create, 'retry_attempts', 0, 7)
    const attempts = async (more: Json) =>
      (await charges(create, { ...MONTHLY, ...more }, { months: 1, days: 20 }, 'recurring_declined')).length
    expect([await attempts({}), await attempts({ retry_attempts: 0 }), await attempts({ retry_attempts: 7 })]).toEqual([
      4, 1, 8,
    ])
  }),
  row('limits', '| retry_interval_hours | default 2 (`day`) else 24; at most 23 (`day`) else 72 |', async (create) => {
    await edges(create, 'retry_interval_hours', 0, 23, { interval_unit: 'day' })
    for (const interval_unit of ['week', 'month', 'quarter', 'year']) {
      await edges(create, 'retry_interval_hours', 0, 72, { interval_unit })
    }
    const daily = { interval_unit: 'day', interval_count: 1 }
    expect(await charges(create, daily, { days: 1, hours: 5 }, 'recurring_declined')).toEqual([
      '2026-02-01T10:00:00 failure',
      '2026-02-01T12:00:00 failure',
      '2026-02-01T14:00:00 failure',
    ])
    expect(await charges(create, MONTHLY, { months: 1, hours: 30 }, 'recurring_declined_once')).toEqual([
      '2026-02-28T10:00:00 failure',
      '2026-03-01T10:00:00 success',
    ])
    const own = { ...MONTHLY, retry_interval_hours: 7, retry_attempts: 1 }
    expect(await charges(create, own, { months: 1, days: 3 }, 'recurring_declined')).toEqual([
      '2026-02-28T10:00:00 failure',
      '2026-02-28T17:00:00 failure',
    ])
    const atOnce = { ...MONTHLY, retry_interval_hours: 0, retry_attempts: 2 }
    expect(await charges(create, atOnce, { months: 1 }, 'recurring_declined')).toEqual(
      Array(3).fill('2026-02-28T10:00:00 failure'),
    )
  }),
  row('limits', '| processed_currency | at most 256 |', async (create) => {
    const bench = createBench({}, create)
    await payDirect(bench, { cc_number: testCard('payer_changes_amount') })
    await bench.emulator.deliveries.idle()
    expect(String(bench.received[0]?.event.processed_currency).length).toBeLessThanOrEqual(256)
  }),
]

async function atMost(create: Create, name: 'order_id' | 'description', most: number): Promise<void> {
  const text = 'я'.repeat(most)
  expect((await payDirect(createBench({}, create), { [name]: text }))[name]).toBe(text)
  const hostedStatus = async (value: string): Promise<number> => {
    const bench = createBench({}, create)
    return statusOf(bench, hosted(bench.emulator, { [name]: value }))
  }
  expect([await hostedStatus(text), await hostedStatus(`${text}я`)]).toEqual([303, 400])
  const bench = createBench({}, create)
  expect(await statusOf(bench, direct(bench.emulator, { [name]: `${text}я` }))).toBe(400)
}
