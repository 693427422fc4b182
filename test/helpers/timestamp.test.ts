import { describe, expect, it } from 'vitest'
import { compareTimestamps, timestampToDate } from '../../src/index.ts'

const issuePath = (run: () => unknown): unknown => {
  try {
    run()
  } catch (error) {
    expect(error).toMatchObject({ code: 'invalid_input' })
    return (error as { issues: { path: string }[] }).issues[0]?.path
  }
  throw new Error('It was accepted.')
}

describe('compareTimestamps', () => {
  it.each<[string, string, number]>([
    ['2026-01-01T10:00:00', '2026-01-01T10:00:00.000', 0],
    ['2026-01-01T10:00:00.5', '2026-01-01T10:00:00.500', 0],
    ['2026-01-01T10:00:00.000', '2026-01-01T10:00:00.001', -1],
    ['2026-01-01T10:00:00', '2026-01-01T10:00:00.001', -1],
    ['2026-01-01T10:00:00.9', '2026-01-01T10:00:00.10', 1],
    ['2026-01-01T10:00:01', '2026-01-01T10:00:00.999', 1],
    ['2025-12-31T23:59:59.999', '2026-01-01T00:00:00', -1],
    ['2026-01-01T10:00:00.123456789', '2026-01-01T10:00:00.123456788', 1],
  ])('%s and %s: %d', (a, b, order) => {
    expect(compareTimestamps(a, b)).toBe(order)
    expect(compareTimestamps(b, a)).toBe(0 - order)
  })

  it('sorts', () => {
    const times = ['2026-01-01T10:00:00.2', '2026-01-01T10:00:00', '2026-01-01T10:00:00.19']
    expect(times.sort(compareTimestamps)).toEqual([
      '2026-01-01T10:00:00',
      '2026-01-01T10:00:00.19',
      '2026-01-01T10:00:00.2',
    ])
  })

  it.each([
    '',
    '2026-01-01',
    '2026-01-01 10:00:00',
    '2026-01-01T10:00:00Z',
    '2026-01-01T10:00:00+02:00',
    '2026-02-30T10:00:00',
    '2026-13-01T10:00:00',
    '2026-01-01T25:00:00',
    '2026-01-01T24:00:00',
    '2026-01-01T10:00:00.',
    ' 2026-01-01T10:00:00',
    5,
    null,
  ])('rejects %j', (value) => {
    expect(issuePath(() => compareTimestamps(value as string, '2026-01-01T10:00:00'))).toBe('a')
    expect(issuePath(() => compareTimestamps('2026-01-01T10:00:00', value as string))).toBe('b')
  })
})

describe('timestampToDate', () => {
  it.each<[string, string, string]>([
    ['2026-01-01T10:00:00.123', 'UTC', '2026-01-01T10:00:00.123Z'],
    ['2026-01-01T10:00:00', 'Europe/Kyiv', '2026-01-01T08:00:00.000Z'],
    ['2026-07-01T10:00:00', 'Europe/Kyiv', '2026-07-01T07:00:00.000Z'],
    ['2026-01-01T10:00:00.1239', '+02:00', '2026-01-01T08:00:00.123Z'],
    ['2026-01-01T10:00:00', '-09:30', '2026-01-01T19:30:00.000Z'],
    ['2026-01-01T00:30:00', 'Pacific/Kiritimati', '2025-12-31T10:30:00.000Z'],
    ['2026-01-01T10:00:00', 'Asia/Kathmandu', '2026-01-01T04:15:00.000Z'],
    ['1999-12-31T23:59:59.999', 'America/New_York', '2000-01-01T04:59:59.999Z'],
  ])('%s in %s', (timestamp, zone, instant) => {
    expect(timestampToDate(timestamp, zone).toISOString()).toBe(instant)
  })

  it.each<[string, string, string, string]>([
    ['just before the clocks go forward', '2026-03-29T02:59:59.999', 'Europe/Kyiv', '2026-03-29T00:59:59.999Z'],
    [
      'a time that is skipped: the offset from before',
      '2026-03-29T03:30:00',
      'Europe/Kyiv',
      '2026-03-29T01:30:00.000Z',
    ],
    ['just after', '2026-03-29T04:00:00', 'Europe/Kyiv', '2026-03-29T01:00:00.000Z'],
    ['a time that occurs twice: the first', '2026-10-25T03:30:00', 'Europe/Kyiv', '2026-10-25T00:30:00.000Z'],
    ['just after it', '2026-10-25T04:00:00', 'Europe/Kyiv', '2026-10-25T02:00:00.000Z'],
    ['far west, forward', '2026-03-08T03:00:00', 'America/New_York', '2026-03-08T07:00:00.000Z'],
    ['far west, twice', '2026-11-01T01:30:00', 'America/New_York', '2026-11-01T05:30:00.000Z'],
  ])('%s', (_name, timestamp, zone, instant) => {
    expect(timestampToDate(timestamp, zone).toISOString()).toBe(instant)
  })

  it.each(['', 'Mars/Base', '+2:00', '+24:00', '+02:60', 'local'])('rejects the zone %j', (zone) => {
    expect(issuePath(() => timestampToDate('2026-01-01T10:00:00', zone))).toBe('zone')
  })

  it('rejects what is not a timestamp', () => {
    expect(issuePath(() => timestampToDate('2026-01-01T10:00:00Z', 'UTC'))).toBe('timestamp')
  })
})

it.each([undefined, '', null, 3])('timestampToDate never takes the machine’s own zone: %s', (zone) => {
  expect(() => timestampToDate('2026-01-01T10:00:00.000', zone as never)).toThrow(
    expect.objectContaining({ code: 'invalid_input', issues: [expect.objectContaining({ path: 'zone' })] }),
  )
})
