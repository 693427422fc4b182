import type { Fault } from './fault.ts'

type Json = Record<string, unknown>

/** Applies the faults of contents to a response or a webhook's payload; the others are left to their own places. */
export function applyContentFaults(value: unknown, faults: readonly Fault[]): unknown {
  if (Array.isArray(value)) return value.map((entry) => applyContentFaults(entry, faults))
  if (typeof value !== 'object' || value === null) return value
  let record: Json = { ...value }
  for (const { kind } of faults) {
    if (kind === 'numbers_as_strings') record = numbersAsStrings(record) as Json
    if (kind === 'null_fee') record = { ...record, fee: null, fixed_fee: null, percent_fee: null }
    if (kind === 'unknown_fields') record = { ...record, emulator_extra: { since: 'now' }, emulator_flag: true }
    if (kind === 'unknown_status' && 'status' in record) record = { ...record, status: 'emulator_unknown' }
    if (kind === 'unknown_method' && 'method' in record) record = { ...record, method: 'emulator_unknown' }
  }
  return record
}

function numbersAsStrings(value: unknown): unknown {
  if (typeof value === 'number') return String(value)
  if (Array.isArray(value)) return value.map(numbersAsStrings)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, numbersAsStrings(entry)]))
}
