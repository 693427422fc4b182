import { describe, expect, it } from 'vitest'
import { compareTimestamps, timestampToDate } from '../../src/index.ts'
import { rejects } from '../support/call.ts'

const NOON = '2026-01-01T10:00:00'

describe('compareTimestamps', () => {
  it.each<[string, string, number]>([
    [NOON, `${NOON}.000`, 0],
    [`${NOON}.5`, `${NOON}.500`, 0],
    [NOON, `${NOON}.001`, -1],
    [`${NOON}.9`, `${NOON}.10`, 1],
    ['2025-12-31T23:59:59.999', '2026-01-01T00:00:00', -1],
    [`${NOON}.123456789`, `${NOON}.123456788`, 1],
  ])('%s and %s: %d', (a, b, order) => {
    expect(compareTimestamps(a, b)).toBe(order)
    expect(compareTimestamps(b, a)).toBe(0 - order)
  })

  it.each([
    ...['', '2026-01-01', '2026-01-01 10:00:00', `${NOON}Z`, `${NOON}+02:00`, `${NOON}.`, ` ${NOON}`, 5, null],
    ...['2026-02-30T10:00:00', '2026-13-01T10:00:00', '2026-01-01T25:00:00', '2026-01-01T24:00:00'],
  ])('rejects %j', (value) => {
    rejects(() => compareTimestamps(value as string, NOON), 'a')
    rejects(() => compareTimestamps(NOON, value as string), 'b')
    rejects(() => timestampToDate(value as string, 'UTC'), 'timestamp')
  })
})

describe('timestampToDate', () => {
  it.each<[string, string, string]>([
    [`${NOON}.123`, 'UTC', `${NOON}.123Z`],
    ['0001-01-01T00:00:00', 'UTC', '0001-01-01T00:00:00.000Z'],
    ['0099-12-31T23:59:59', 'Etc/GMT-2', '0099-12-31T21:59:59.000Z'],
    [NOON, 'Europe/Kyiv', '2026-01-01T08:00:00.000Z'],
    [`${NOON}.1239`, '+02:00', '2026-01-01T08:00:00.123Z'],
    [`${NOON}.5`, '-09:30', '2026-01-01T19:30:00.500Z'],
    ['2026-01-01T00:30:00', 'Pacific/Kiritimati', '2025-12-31T10:30:00.000Z'],
    ['1999-12-31T23:59:59.999', 'America/New_York', '2000-01-01T04:59:59.999Z'],
    // The clocks go forward: just before, a time that is skipped (the offset from before), just after.
    ['2026-03-29T02:59:59.999', 'Europe/Kyiv', '2026-03-29T00:59:59.999Z'],
    ['2026-03-29T03:30:00', 'Europe/Kyiv', '2026-03-29T01:30:00.000Z'],
    ['2026-03-29T04:00:00', 'Europe/Kyiv', '2026-03-29T01:00:00.000Z'],
    // They go back: a time that occurs twice (the first), and just after it.
    ['2026-10-25T03:30:00', 'Europe/Kyiv', '2026-10-25T00:30:00.000Z'],
    ['2026-10-25T04:00:00', 'Europe/Kyiv', '2026-10-25T02:00:00.000Z'],
  ])('%s in %s', (timestamp, zone, instant) => {
    expect(timestampToDate(timestamp, zone).toISOString()).toBe(instant)
  })

  it.each(['', 'Mars/Base', '+2:00', '+24:00', '+02:60', 'local', undefined, null, 3])(
    'rejects the zone %j: the machine’s own is never taken',
    (zone) => rejects(() => timestampToDate(NOON, zone as string), 'zone'),
  )
})
