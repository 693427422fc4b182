import { expect } from 'vitest'
import { type Bench, createBench, hosted, type Json, openCheckout, post } from '../call.ts'
import { type Create, type Row, row } from './row.ts'
import { payHosted } from './samples.ts'

/** The schedule of recurring payments. */

async function statusOf({ emulator }: Bench, body: Json, path = '/api/v1/payment'): Promise<number> {
  return (await post(emulator, path, body)).status
}

/** Sends init_recurring with one value changed. */
export async function accepts(create: Create, init_recurring: Json): Promise<boolean> {
  const bench = createBench({}, create)
  const recurring = { interval_unit: 'month', interval_count: 1, ...init_recurring }
  return (await statusOf(bench, hosted(bench.emulator, { init_recurring: recurring }))) === 303
}

export async function edges(create: Create, name: string, least: number, most: number, more: Json = {}): Promise<void> {
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
export async function charges(
  create: Create,
  init_recurring: Json,
  advance: Json,
  card = 'success',
): Promise<string[]> {
  const bench = createBench({}, create)
  await payHosted(bench, { init_recurring }, card as 'success')
  await bench.emulator.clock.advance(advance)
  const payments = bench.emulator.orders.get('A-1')?.payments.slice(1) ?? []
  return payments.map(({ created_at, status }) => `${created_at.slice(0, 19)} ${status}`)
}

export const MONTHLY = { interval_unit: 'month', interval_count: 1 }

export function scheduleRows(): Row[] {
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
