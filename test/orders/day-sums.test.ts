import { expect, it } from 'vitest'
import { dayIn } from '../../src/lib/day.ts'
import { boundsOf } from '../../src/orders/day-sums.ts'

/** Days on which some clock changes: Cairo's has no midnight, Lord Howe's moves by half an hour. */
const CHANGES = ['2026-03-29', '2026-04-05', '2026-04-24', '2026-10-04', '2026-10-25', '2026-10-30']
const ZONES = 'UTC Pacific/Kiritimati Etc/GMT+12 Asia/Kathmandu Australia/Lord_Howe Africa/Cairo Europe/Kyiv'.split(' ')

it.each(ZONES)('a day in %s begins with its first millisecond and ends with its last', (timeZone) => {
  for (const day of [...CHANGES, '2026-01-01', '2028-02-29']) {
    const [start, end] = boundsOf({ from: day, to: day, timeZone })
    const isWithin = [start - 1, start, end - 1, end].map((time) => dayIn(time, timeZone) === day)
    expect([day, ...isWithin]).toEqual([day, false, true, true, false])
  }
})
