import { expect } from 'vitest'
import { testCard } from '../../../src/emulator/index.ts'
import { type Bench, createBench, direct, hosted, type Json, openCheckout, post, SPLIT } from '../call.ts'
import { type Create, type Row, row } from './row.ts'
import { capture, payDirect, payHosted, sendCapture } from './samples.ts'

/** Limits at their edges, and the schedule of recurring payments. */

async function statusOf({ emulator }: Bench, body: Json, path = '/api/v1/payment'): Promise<number> {
  return (await post(emulator, path, body)).status
}

/** Sends init_recurring with one value changed. */
async function accepts(create: Create, init_recurring: Json): Promise<boolean> {
  const bench = createBench({}, create)
  const recurring = { interval_unit: 'month', interval_count: 1, ...init_recurring }
  return (await statusOf(bench, hosted(bench.emulator, { init_recurring: recurring }))) === 303
}

async function edges(create: Create, name: string, least: number, most: number, more: Json = {}): Promise<void> {
  for (const [value, expected] of [
    [least - 1, false],
    [least, true],
    [most, true],
    [most + 1, false],
  ] as const) {
    expect([name, value, await accepts(create, { ...more, [name]: value })]).toEqual([name, value, expected])
  }
}

/** The days and times of all charges of a subscription after the initial payment. */
async function charges(create: Create, init_recurring: Json, advance: Json, card = 'success'): Promise<string[]> {
  const bench = createBench({}, create)
  await payHosted(bench, { init_recurring }, card as 'success')
  await bench.emulator.clock.advance(advance)
  const payments = bench.emulator.orders.get('A-1')?.payments.slice(1) ?? []
  return payments.map(({ created_at, status }) => `${created_at.slice(0, 19)} ${status}`)
}

const MONTHLY = { interval_unit: 'month', interval_count: 1 }

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
      expect(await statusOf(bench, body(4000))).toBe(mode === 'direct' ? 200 : 303)
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
    await edges(create, 'retry_interval_hours', 1, 23, { interval_unit: 'day' })
    for (const interval_unit of ['week', 'month', 'quarter', 'year']) {
      await edges(create, 'retry_interval_hours', 1, 72, { interval_unit })
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
  }),
  row('limits', '| processed_currency | at most 256 |', async (create) => {
    const bench = createBench({}, create)
    await payDirect(bench, { cc_number: testCard('payer_changes_amount') })
    await bench.emulator.deliveries.idle()
    expect(String(bench.received[0]?.event.processed_currency).length).toBeLessThanOrEqual(256)
  }),
  ...schedules(),
]

function schedules(): Row[] {
  const table: [string, Json, Json, string[]][] = [
    [
      'day',
      { interval_unit: 'day', interval_count: 2 },
      { days: 5 },
      ['2026-02-02T10:00:00 success', '2026-02-04T10:00:00 success'],
    ],
    [
      'week',
      { interval_unit: 'week', interval_count: 1 },
      { weeks: 2 },
      ['2026-02-07T10:00:00 success', '2026-02-14T10:00:00 success'],
    ],
    [
      'month',
      { interval_unit: 'month', interval_count: 2 },
      { months: 4 },
      ['2026-03-31T10:00:00 success', '2026-05-31T10:00:00 success'],
    ],
    [
      'quarter',
      { interval_unit: 'quarter', interval_count: 1 },
      { months: 6 },
      ['2026-04-30T10:00:00 success', '2026-07-31T10:00:00 success'],
    ],
    [
      'year',
      { interval_unit: 'year', interval_count: 1 },
      { years: 2 },
      ['2027-01-31T10:00:00 success', '2028-01-31T10:00:00 success'],
    ],
  ]
  return [
    row('recurring', '| interval_unit | String | yes | `day`, `week`, `month`, `quarter`, `year` |', async (create) => {
      for (const [unit, config, advance, expected] of table) {
        expect([unit, await charges(create, config, advance)]).toEqual([unit, expected])
      }
      for (const interval_unit of ['hour', 'days', 'DAY', ''])
        expect(await accepts(create, { interval_unit })).toBe(false)
    }),
    row(
      'recurring',
      '| interval_count | Integer | yes | Number of intervals between charges, maximum 30 |',
      async (create) => {
        await edges(create, 'interval_count', 1, 30)
        const [first] = await charges(create, { interval_unit: 'day', interval_count: 30 }, { days: 31 })
        expect(first).toBe('2026-03-02T10:00:00 success')
      },
    ),
    row('recurring', '| start_date | Date | no | First scheduled charge |', async (create) => {
      expect(await charges(create, { ...MONTHLY, start_date: '2026-02-15' }, { months: 2 })).toEqual([
        '2026-02-15T10:00:00 success',
        '2026-03-15T10:00:00 success',
      ])
      // A day that is over is not made up for; the rhythm it gives stays.
      expect(await charges(create, { ...MONTHLY, start_date: '2025-12-31' }, { months: 2 })).toEqual([
        '2026-02-28T10:00:00 success',
        '2026-03-31T10:00:00 success',
      ])
    }),
    row('recurring', '| expiry_date | Date | no | Last scheduled charge |', async (create) => {
      const until = (expiry_date: string) => charges(create, { ...MONTHLY, expiry_date }, { months: 6 })
      expect(await until('2026-03-31')).toEqual(['2026-02-28T10:00:00 success', '2026-03-31T10:00:00 success'])
      expect(await until('2026-03-30')).toEqual(['2026-02-28T10:00:00 success'])
      const bench = createBench({}, create)
      await payHosted(bench, { init_recurring: { ...MONTHLY, expiry_date: '2026-02-28' } })
      const status = () => bench.emulator.orders.get('A-1')?.recurring?.status
      await bench.emulator.clock.advance({ months: 1 })
      expect(status()).toBe('active')
      await bench.emulator.clock.advance({ days: 1 })
      expect(status()).toBe('canceled')
    }),
    row(
      'recurring',
      '| time | Time | no | Time of each charge, UTC; defaults to the creation time of the recurring payment |',
      async (create) => {
        const daily = { interval_unit: 'day', interval_count: 1 }
        expect(await charges(create, { ...daily, time: '06:05:04' }, { days: 2 })).toEqual([
          '2026-02-01T06:05:04 success',
          '2026-02-02T06:05:04 success',
        ])
        expect(await charges(create, daily, { days: 1 })).toEqual(['2026-02-01T10:00:00 success'])
      },
    ),
    row(
      'recurring',
      '| amount | Number | no | Recurring amount; defaults to the initial amount; positive, at most 2 decimal digits |',
      async (create) => {
        for (const [more, amount] of [
          [{ amount: 5.25 }, 5.25],
          [{}, 100.5],
        ] as const) {
          const bench = createBench({}, create)
          await payHosted(bench, { init_recurring: { ...MONTHLY, ...more } })
          await bench.emulator.clock.advance({ months: 1 })
          expect(bench.emulator.orders.get('A-1')?.payments.map((payment) => payment.amount)).toEqual([100.5, amount])
        }
      },
    ),
    row(
      'recurring',
      '| retry_attempts | Integer | no | Retries after a failed charge; default 3; maximum 7 |',
      async (create) => {
        await edges(create, 'retry_attempts', 0, 7)
        const declined = await charges(create, MONTHLY, { months: 1, days: 10 }, 'recurring_declined')
        expect(declined).toEqual(
          [28, 1, 2, 3].map((day) => `2026-0${day === 28 ? 2 : 3}-${String(day).padStart(2, '0')}T10:00:00 failure`),
        )
        // Given up, the subscription goes on with the next interval (assumption).
        expect((await charges(create, MONTHLY, { months: 2 }, 'recurring_declined')).at(-1)).toBe(
          '2026-03-31T10:00:00 failure',
        )
      },
    ),
    row(
      'recurring',
      '| retry_interval_hours | Integer | no | Hours between retries; default 2 when `interval_unit` is `day`, else 24; maximum 23 when `day`, else 72 |',
      async (create) => {
        const retried = await charges(
          create,
          { ...MONTHLY, retry_interval_hours: 72 },
          { months: 1, days: 3 },
          'recurring_declined_once',
        )
        expect(retried).toEqual(['2026-02-28T10:00:00 failure', '2026-03-03T10:00:00 success'])
      },
    ),
    row(
      'recurring',
      "| notification_url | URL | no | Where recurring notifications go; defaults to the initial transaction's `server_url` |",
      async (create) => {
        for (const [more, url] of [
          [{ notification_url: 'https://shop.example/notify' }, 'https://shop.example/notify'],
          [{}, 'https://shop.example/hook'],
        ] as const) {
          const bench = createBench({}, create)
          await payHosted(bench, { init_recurring: { ...MONTHLY, ...more } })
          await bench.emulator.clock.advance({ months: 1 })
          expect(bench.received.map((received) => received.url)).toEqual(['https://shop.example/hook', url])
        }
      },
    ),
    row('states', 'Transitions between them: not shown.', async (create) => {
      const bench = createBench({}, create)
      await openCheckout(bench.emulator, { init_recurring: MONTHLY })
      await bench.emulator.clock.advance({ months: 2 })
      expect(bench.emulator.orders.get('A-1')).toMatchObject({ status: 'init', recurring: { status: 'init' } })
      expect(bench.received).toEqual([])
    }),
  ]
}

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
