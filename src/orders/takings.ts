import { hundredths } from '../lib/decimal.ts'
import { foldOperations, movesMoney, paid } from './fold.ts'
import { isAmount } from './paid-of.ts'
import type { EventSummary } from './summary.ts'

/** The kinds of an operation that moves money. `given_back`: a purchase that was voided. */
export type TakingKind = 'authorized' | 'paid' | 'captured' | 'refunded' | 'voided' | 'given_back'

const KINDS: ReadonlyMap<string | undefined, TakingKind> = /* @__PURE__ */ new Map([
  ['purchase', 'paid'],
  ['auth', 'authorized'],
  ['auth_increment', 'authorized'],
  ['capture', 'captured'],
  ['refund', 'refunded'],
  ['void', 'voided'],
])

/** An operation that has succeeded. Amounts are hundredths of the currency's unit. */
export interface Taking<T extends EventSummary> {
  /** The identity of the operation. */
  key: string
  kind: TakingKind
  amount: number
  currency: string
  fee: number
  /** The events that report its success. */
  successes: readonly T[]
}

/** The operations of an order that have succeeded. @param payment The method of the order's payment. */
export const takingsOf = <T extends EventSummary>(events: readonly T[], payment: string | null): Taking<T>[] =>
  foldOperations(events).flatMap(({ key, events, newest }) => {
    const { method, status, currency, fee_amount, fee_currency = currency } = newest
    const kind = KINDS.get(method)
    if (!kind || status !== 'success' || currency === undefined) return []
    const moves = movesMoney(method, payment)
    return {
      ...{ key, kind: moves && kind === 'voided' ? 'given_back' : kind, amount: paid(newest), currency },
      fee: moves && isAmount(fee_amount) && fee_currency === currency ? hundredths(fee_amount) : 0,
      successes: events.filter((event) => event.status === status),
    }
  })
