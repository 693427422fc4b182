import { describe, expect, it } from 'vitest'
import { createScheduler, type Job, type JobHandlers } from '../../src/emulator/state/clock.ts'
import { addDuration, addMonths, timestamp } from '../../src/emulator/state/time.ts'

it('the scheduler stops at each due moment, in order, and at those that appear on the way', async () => {
  const scheduler = createScheduler({ now: () => 0 })
  const ran: [string, number][] = []
  const names: Record<string, string> = { a: 'first', b: 'between', c: 'second', d: 'third', e: 'later' }
  const run = ({ subject }: Job) => {
    ran.push([names[subject] ?? '', scheduler.now()])
    if (subject === 'a') scheduler.schedule({ at: 15, kind: 'charge', subject: 'b' })
  }
  scheduler.handle(new Proxy({}, { get: () => run }) as JobHandlers)
  for (const [subject, at] of Object.entries({ c: 20, a: 10, d: 20, e: 31 })) {
    scheduler.schedule({ at, kind: 'charge', subject })
  }
  await scheduler.advance({ ms: 30 }, async () => {})
  expect(ran).toEqual([
    ['first', 10],
    ['between', 15],
    ['second', 20],
    ['third', 20],
  ])
  expect(scheduler.now()).toBe(30)
})

describe('calendar arithmetic', () => {
  it("keeps to a month's last day, leap years included", () => {
    const day = (text: string, months: number) => timestamp(addMonths(Date.parse(`${text}T10:00:00.000Z`), months))
    expect(day('2028-01-31', 1)).toBe('2028-02-29T10:00:00.000')
    expect(day('2026-03-31', -1)).toBe('2026-02-28T10:00:00.000')
    expect(day('2024-02-29', 12)).toBe('2025-02-28T10:00:00.000')
  })

  it('adds every unit', () => {
    const all = { years: 1, months: 1, weeks: 1, days: 1, hours: 1, minutes: 1, seconds: 1, ms: 1 }
    expect(timestamp(addDuration(Date.parse('2026-01-01T00:00:00.000Z'), all))).toBe('2027-02-09T01:01:01.001')
  })
})
