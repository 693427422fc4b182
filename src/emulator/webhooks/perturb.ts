import type { WebhookRules } from '../spec/response-fields.ts'
import type { Perturbation } from '../state/perturbations.ts'

type Payload = Record<string, unknown>

/** @param count Different for each webhook: the order of keys changes with it. */
export function perturb(
  payload: Payload,
  perturbations: readonly Perturbation[],
  webhooks: WebhookRules,
  count: number,
): Payload {
  let event = payload
  if (perturbations.includes('nulls')) {
    event = { ...Object.fromEntries(optionalFields(payload, webhooks).map((name) => [name, null])), ...event }
  }
  if (perturbations.includes('no_transaction_id')) {
    const { transaction_id: _, ...rest } = event
    event = rest
  }
  if (perturbations.includes('unknown_fields')) {
    event = { ...event, emulator_extra: { since: 'now' }, emulator_list: [1], emulator_null: null }
  }
  if (perturbations.includes('keys_reordered')) {
    const entries = Object.entries(event)
    const start = 2 + (count % (entries.length - 2))
    event = Object.fromEntries([...entries.slice(start), ...entries.slice(0, start)].reverse())
  }
  return event
}

function optionalFields({ operation_id, method }: Payload, webhooks: WebhookRules): readonly string[] {
  if (operation_id === undefined) return webhooks.primary.optional
  const own = webhooks[method as 'capture' | 'void' | 'auth_increment' | 'refund'] ?? []
  return [...webhooks.secondaryOptional, ...own]
}
