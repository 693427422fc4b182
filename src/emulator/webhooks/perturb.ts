import type { WebhookRules } from '../spec/response-fields.ts'
import { createRandom } from '../state/random.ts'

/** What the service may do although the API document does not show it; a shop has to bear all of it. */
export const PERTURBATIONS = [
  /** Optional fields of a webhook are null instead of missing. */
  'nulls',
  /** Webhooks have no `transaction_id`. */
  'no_transaction_id',
  /** The charges of a subscription keep its first `payment_id`. */
  'same_payment_id',
  /** The fields of a webhook come in another order. */
  'keys_reordered',
  /** The webhook of a hosted payment is followed by an `init` of the same payment. */
  'late_init',
  /** On the checkout page a first card is declined, and the next one is paid: two payments of one order. */
  'second_card',
  /** Webhooks have fields that the API document does not name. */
  'unknown_fields',
] as const

export type Perturbation = (typeof PERTURBATIONS)[number]

/** About half of them, by the seed. */
export function drawPerturbations(seed: number): readonly Perturbation[] {
  const random = createRandom(seed ^ 0x9e37)
  return PERTURBATIONS.filter(() => random() < 0.5)
}

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
    const start = count % entries.length
    event = Object.fromEntries([...entries.slice(start), ...entries.slice(0, start)].reverse())
  }
  return event
}

function optionalFields({ operation_id, method }: Payload, webhooks: WebhookRules): readonly string[] {
  if (operation_id === undefined) return webhooks.primary.optional
  const own = webhooks[method as 'capture' | 'void' | 'auth_increment' | 'refund'] ?? []
  return [...webhooks.secondaryOptional, ...own]
}
