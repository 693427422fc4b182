import { describe, expect, it } from 'vitest'
import { compareTimestamps, timestampToDate } from '../../src/index.ts'
import times from '../corpus/timestamps.json' with { type: 'json' }
import { rejects } from '../support/call.ts'

const NOON = '2026-01-01T10:00:00'

describe('compareTimestamps', () => {
  it.each(times.order as [string, string, number][])('%s and %s: %d', (a, b, order) => {
    expect(compareTimestamps(a, b)).toBe(order)
    expect(compareTimestamps(b, a)).toBe(0 - order)
  })

  it.each(times.none)('rejects %j', (value) => {
    rejects(() => compareTimestamps(value as string, NOON), 'a')
    rejects(() => compareTimestamps(NOON, value as string), 'b')
    rejects(() => timestampToDate(value as string, 'UTC'), 'timestamp')
  })
})

describe('timestampToDate', () => {
  it.each(times.instants as string[][])('%s in %s', (timestamp, zone, instant) => {
    expect(timestampToDate(timestamp, zone).toISOString()).toBe(instant)
  })

  it.each(['', 'Mars/Base', '+2:00', '+24:00', '+02:60', 'local', undefined, null, 3])(
    'rejects the zone %j: the machine’s own is never taken',
    (zone) => rejects(() => timestampToDate(NOON, zone as string), 'zone'),
  )
})
