import type { WebhookRules } from '../spec/response-fields.ts'
import type { Perturbation } from '../state/perturbations.ts'
import type { Fault } from './fault.ts'

type Json = Record<string, unknown>

/**
 * "The set of parameters may change at the service's initiative": in webhooks by the switch, elsewhere by the fault.
 */
const UNKNOWN_FIELDS = {
  emulator_extra: { since: 'now' },
  emulator_flag: true,
  emulator_list: [1],
  emulator_null: null,
}

export function applyContentFaults(value: unknown, faults: readonly Fault[]): unknown {
  if (Array.isArray(value)) return value.map((entry) => applyContentFaults(entry, faults))
  if (typeof value !== 'object' || value === null) return value
  let record: Json = { ...value }
  for (const { kind } of faults) {
    if (kind === 'numbers_as_strings') record = numbersAsStrings(record) as Json
    if (kind === 'null_fee') record = { ...record, fee: null, fixed_fee: null, percent_fee: null }
    if (kind === 'unknown_fields') record = { ...record, ...UNKNOWN_FIELDS }
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

/**
 * A webhook as the service may send it, although the API document does not show it.
 *
 * @param count Different for each webhook: the order of keys changes with it.
 */
export function perturb(
  payload: Json,
  perturbations: readonly Perturbation[],
  webhooks: WebhookRules,
  count: number,
): Json {
  let event = payload
  if (perturbations.includes('nulls')) {
    event = { ...Object.fromEntries(optionalFields(payload, webhooks).map((name) => [name, null])), ...event }
  }
  if (perturbations.includes('no_transaction_id')) {
    const { transaction_id: _, ...rest } = event
    event = rest
  }
  if (perturbations.includes('unknown_fields')) event = { ...event, ...UNKNOWN_FIELDS }
  if (perturbations.includes('keys_reordered')) {
    const entries = Object.entries(event)
    const start = 2 + (count % (entries.length - 2))
    event = Object.fromEntries([...entries.slice(start), ...entries.slice(0, start)].reverse())
  }
  return event
}

function optionalFields({ operation_id, method }: Json, webhooks: WebhookRules): readonly string[] {
  if (operation_id === undefined) return webhooks.primary.optional
  const own = webhooks[method as 'capture' | 'void' | 'auth_increment' | 'refund'] ?? []
  return [...webhooks.secondaryOptional, ...own]
}
