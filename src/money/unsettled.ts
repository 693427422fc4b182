// An operation whose outcome is not known: as people see it, and when it is over.

import { isFinal } from '../helpers/status.ts'
import type { OrderOperation } from '../orders/order.ts'
import { isOpen, type MoneyOperation, type OperationKind } from './protocol.ts'

/** A capture, refund or void whose outcome is not known yet; it can be settled by hand. */
export interface UnsettledOperation {
  id: string
  kind: OperationKind
  /** In the currency's unit; null: all that was left. */
  amount: number | null
  /** `in_progress`: no response yet, or its process died. `unknown`: the response did not say. */
  state: 'in_progress' | 'unknown'
  /** ISO 8601, UTC, by the clock of its database. */
  started_at: string
}

export const describeUnsettled = ({ id, kind, amount, outcome, started_at }: MoneyOperation): UnsettledOperation => ({
  ...{ id, kind, amount, state: outcome === undefined ? 'in_progress' : 'unknown' },
  started_at: new Date(started_at).toISOString(),
})

/** Whether an operation has its final status. Of one that was settled by hand it is not known which of the service's it is. */
export function hasEnded(own: MoneyOperation, shown: readonly OrderOperation[]): boolean {
  if (isOpen(own)) return false
  if (own.outcome !== 'done' || own.operation_id === undefined) return true
  return isFinal(shown.find(({ id, method }) => id === own.operation_id && method === own.kind)?.status ?? '')
}
