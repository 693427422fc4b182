import { hundredths } from '../lib/decimal.ts'
import { foldOperations, paid } from './fold.ts'
import type { EventSummary } from './summary.ts'

/** The kinds of an operation that moves money. */
export type TakingKind = 'authorized' | 'paid' | 'captured' | 'refunded' | 'voided'

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
  /** The amount that it adds to the takings, or takes from them: 0 for a reservation and its release. */
  taken: number
  currency: string
  fee: number
  /** Every event of the operation. */
  events: readonly T[]
  /** Those that say that it succeeded. */
  successes: readonly T[]
  /** It does not count any more: the service has taken the success back. */
  isGone: boolean
}

/** The operations of an order that have succeeded. @param method Of the order. */
export function takingsOf<T extends EventSummary>(events: readonly T[], method: string | null): Taking<T>[] {
  return foldOperations(events).flatMap(({ key, events, newest }) => {
    const kind = KINDS.get(newest.method)
    const successes = events.filter(({ status }) => status === 'success')
    const last = successes.at(-1)
    if (!kind || last?.currency === undefined) return []
    const { fee_amount = 0, fee_currency = last.currency, currency } = last
    const amount = paid(last)
    const isTaken = kind === 'paid' || kind === 'captured'
    // A void takes a purchase back, or releases what was reserved.
    const isGivenBack = kind === 'refunded' || (kind === 'voided' && method === 'purchase')
    return {
      ...{ key, kind, amount, currency, events, successes },
      taken: isTaken ? amount : isGivenBack ? -amount : 0,
      // An authorization's fee is not taken: its captures name their own.
      fee: fee_currency === currency && (isTaken || isGivenBack) ? hundredths(fee_amount) : 0,
      isGone: newest.status !== 'success',
    }
  })
}
