import { createRandom } from './random.ts'

/** Behaviour of the service that the API document does not show; a shop must handle every case. */
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
  /** On the checkout page a first card is declined, and the second card pays: two payments of an order. */
  'second_card',
  /** Webhooks have fields that the API document does not name. */
  'unknown_fields',
  /** Every paid payment has `processed_amount`, not only those of a payer who chose the amount [C]. */
  'processed_amount',
  /** The customer comes back to `result_url` with `order_id` and `status` in its query [C]. */
  'return_parameters',
] as const

/** An assumption about the service that the emulator can break. */
export type Perturbation = (typeof PERTURBATIONS)[number]

/** About half, by the seed. */
export function drawPerturbations(seed: number): readonly Perturbation[] {
  const random = createRandom(seed ^ 0x9e37)
  return PERTURBATIONS.filter(() => random() < 0.5)
}
