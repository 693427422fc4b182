// An operation without an outcome, as people see it, and its end.

import { isFinal } from '../helpers/status.ts'
import type { OrderOperation } from '../orders/order.ts'
import { isOpen, type MoneyOperation, type OperationKind } from './protocol.ts'

/** A capture, refund or void whose outcome is not known yet; it can be settled by hand. */
export interface UnsettledOperation {
  id: string
  kind: OperationKind
  /** In the currency's unit; null: all that was left. */
  amount: number | null
  /** `in_progress`: no response yet, or its process died. `unknown`: the response left the outcome open. */
  state: 'in_progress' | 'unknown'
  /** ISO 8601, UTC, by the clock of its database. */
  started_at: string
  /**
   * The service's operation that it may be, made before the storage was lost. Nothing was sent; a person decides
   * whether it is the same.
   */
  may_be?: string
}

export const describeUnsettled = (operation: MoneyOperation): UnsettledOperation => {
  const { id, kind, amount, outcome, started_at, answer } = operation
  return {
    ...{ id, kind, amount, state: outcome === undefined ? 'in_progress' : 'unknown' },
    started_at: new Date(started_at).toISOString(),
    ...(answer?.code === 'unexplained' && { may_be: answer.operation_id }),
  }
}

/** Whether an operation has its final status, or was settled by hand, when the service's operation is not known. */
export function hasEnded(own: MoneyOperation, shown: readonly OrderOperation[]): boolean {
  if (isOpen(own)) return false
  if (own.outcome !== 'done' || own.operation_id === undefined) return true
  return isFinal(shown.find(({ id, method }) => id === own.operation_id && method === own.kind)?.status ?? '')
}
