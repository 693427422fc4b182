import { expect } from 'vitest'
import type { TestCardName } from '../../../src/emulator/index.ts'
import { createBench, hosted, type Json, openCheckout, post } from '../call.ts'
import { type Create, type Row, row, rows } from './row.ts'
import { DAILY, payHosted } from './samples.ts'

/** The schedule of recurring payments. */

const MONTHLY = { interval_unit: 'month', interval_count: 1 }
/** Whether a monthly payment is taken with a part of init_recurring changed. */
async function accepts(create: Create, init_recurring: Json): Promise<boolean> {
  const { emulator } = createBench({}, create)
  const body = hosted(emulator, { init_recurring: { ...MONTHLY, ...init_recurring } })
  return (await post(emulator, '/api/v1/payment', body)).status === 303
}

async function edges(create: Create, name: string, least: number, most: number, more: Json = {}): Promise<void> {
  for (const value of [least - 1, least, most, most + 1]) {
    const expected = value >= least && value <= most
    expect([name, value, await accepts(create, { ...more, [name]: value })]).toEqual([name, value, expected])
  }
}

/** A configuration, how far the clock goes, the charges that follow the first payment, and the card. */
type Schedule = [config: Json, advance: Json, charged: string[], card?: TestCardName]

async function charge(create: Create, config: Json, advance: Json, card: TestCardName = 'success') {
  const bench = createBench({}, create)
  await payHosted(bench, { init_recurring: { ...MONTHLY, ...config } }, card)
  await bench.emulator.clock.advance(advance)
  const payments = bench.emulator.orders.get('A-1')?.payments.slice(1) ?? []
  const charged = payments.map(({ created_at, status }) =>
    status === 'success' ? created_at.slice(0, 19) : `${created_at.slice(0, 19)} ${status}`,
  )
  return { bench, charged, payments }
}

async function followed(create: Create, schedules: Schedule[]): Promise<void> {
  for (const [config, advance, expected, card] of schedules) {
    expect([config, (await charge(create, config, advance, card)).charged]).toEqual([config, expected])
  }
}

const INTERVALS: Schedule[] = [
  [{ interval_unit: 'day', interval_count: 2 }, { days: 5 }, ['2026-02-02T10:00:00', '2026-02-04T10:00:00']],
  [{ interval_unit: 'week' }, { weeks: 2 }, ['2026-02-07T10:00:00', '2026-02-14T10:00:00']],
  [{ interval_count: 2 }, { months: 4 }, ['2026-03-31T10:00:00', '2026-05-31T10:00:00']],
  [{ interval_unit: 'quarter' }, { months: 6 }, ['2026-04-30T10:00:00', '2026-07-31T10:00:00']],
  [{ interval_unit: 'year' }, { years: 2 }, ['2027-01-31T10:00:00', '2028-01-31T10:00:00']],
]

const STARTS: Schedule[] = [
  [{ start_date: '2026-02-15' }, { months: 2 }, ['2026-02-15T10:00:00', '2026-03-15T10:00:00']],
  // A day that is over is not made up for; the rhythm it gives stays.
  [{ start_date: '2025-12-31' }, { months: 2 }, ['2026-02-28T10:00:00', '2026-03-31T10:00:00']],
]

const ENDS: Schedule[] = [
  [{ expiry_date: '2026-03-31' }, { months: 6 }, ['2026-02-28T10:00:00', '2026-03-31T10:00:00']],
  [{ expiry_date: '2026-03-30' }, { months: 6 }, ['2026-02-28T10:00:00']],
]

const TIMES: Schedule[] = [
  [{ ...DAILY, time: '06:05:04' }, { days: 2 }, ['2026-02-01T06:05:04', '2026-02-02T06:05:04']],
  [DAILY, { days: 1 }, ['2026-02-01T10:00:00']],
]

const failures = (...times: string[]): string[] => times.map((time) => `2026-${time}:00:00 failure`)

const [ALWAYS, ONCE] = ['recurring_declined', 'recurring_declined_once'] as const

const RETRIES: Schedule[] = [
  [{}, { months: 1, days: 20 }, failures('02-28T10', '03-01T10', '03-02T10', '03-03T10'), ALWAYS],
  [{ retry_attempts: 0 }, { months: 1, days: 20 }, failures('02-28T10'), ALWAYS],
]

const WAITS: Schedule[] = [
  [DAILY, { days: 1, hours: 5 }, failures('02-01T10', '02-01T12', '02-01T14'), ALWAYS],
  [{}, { months: 1, hours: 30 }, [...failures('02-28T10'), '2026-03-01T10:00:00'], ONCE],
  [{ retry_interval_hours: 72 }, { months: 1, days: 3 }, [...failures('02-28T10'), '2026-03-03T10:00:00'], ONCE],
  [{ retry_interval_hours: 7, retry_attempts: 1 }, { months: 1, days: 3 }, failures('02-28T10', '02-28T17'), ALWAYS],
  [{ retry_interval_hours: 0, retry_attempts: 2 }, { months: 1 }, failures(...Array(3).fill('02-28T10')), ALWAYS],
]

export const scheduleRows: Row[] = [
  row('recurring', '| interval_unit', async (_, create) => {
    await followed(create, INTERVALS)
    for (const interval_unit of ['hour', 'days', 'DAY', ''])
      expect(await accepts(create, { interval_unit })).toBe(false)
  }),
  ...rows(['recurring: | interval_count', 'limits: | interval_count'], async (_, create) => {
    await edges(create, 'interval_count', 1, 30)
    await followed(create, [[{ ...DAILY, interval_count: 30 }, { days: 31 }, ['2026-03-02T10:00:00']]])
  }),
  row('recurring', '| start_date', (_, create) => followed(create, STARTS)),
  row('recurring', '| expiry_date', async (_, create) => {
    await followed(create, ENDS)
    const { bench } = await charge(create, { expiry_date: '2026-02-28' }, { months: 1 })
    const status = () => bench.emulator.orders.get('A-1')?.recurring?.status
    expect(status()).toBe('active')
    await bench.emulator.clock.advance({ days: 1 })
    expect(status()).toBe('canceled')
  }),
  row('recurring', '| time', (_, create) => followed(create, TIMES)),
  row('recurring', '| amount', async (_, create) => {
    for (const [more, amount] of [
      [{ amount: 5.25 }, 5.25],
      [{}, 100.5],
    ] as const) {
      expect((await charge(create, more, { months: 1 })).payments).toMatchObject([{ amount }])
    }
  }),
  ...rows(['recurring: | retry_attempts', 'limits: | retry_attempts'], async (_, create) => {
    await edges(create, 'retry_attempts', 0, 7)
    await followed(create, RETRIES)
    const seven = await charge(create, { retry_attempts: 7 }, { months: 1, days: 20 }, ALWAYS)
    expect(seven.charged).toHaveLength(8)
    // Given up, the subscription goes on with the next interval (assumption).
    const { charged } = await charge(create, {}, { months: 2 }, ALWAYS)
    expect(charged.at(-1)).toBe('2026-03-31T10:00:00 failure')
  }),
  ...rows(['recurring: | retry_interval_hours', 'limits: | retry_interval_hours'], async (_, create) => {
    await edges(create, 'retry_interval_hours', 0, 23, { interval_unit: 'day' })
    for (const interval_unit of ['week', 'month', 'quarter', 'year']) {
      await edges(create, 'retry_interval_hours', 0, 72, { interval_unit })
    }
    await followed(create, WAITS)
  }),
  row('recurring', '| notification_url', async (_, create) => {
    for (const [more, url] of [
      [{ notification_url: 'https://shop.example/notify' }, 'https://shop.example/notify'],
      [{}, 'https://shop.example/hook'],
    ] as const) {
      const { bench } = await charge(create, more, { months: 1 })
      expect(bench.received.map((received) => received.url)).toEqual(['https://shop.example/hook', url])
    }
  }),
  row('states', 'Transitions between them', async (bench) => {
    await openCheckout(bench.emulator, { init_recurring: MONTHLY })
    await bench.emulator.clock.advance({ months: 2 })
    expect(bench.emulator.orders.get('A-1')).toMatchObject({ status: 'init', recurring: { status: 'init' } })
    expect(bench.received).toEqual([])
  }),
]
