import type { Scope, Turn } from '../scope.ts'
import type { OrderStore } from './tables.ts'

/** What a flow works with inside an order's gate, where its state is. */
export interface OrderScope extends Scope {
  /** The order's state: consistent. */
  store: OrderStore
  /** Stores one event after the other. */
  eventsInTurn: Turn
}

/** What an order is read with. */
export type Reader = Pick<OrderScope, 'store' | 'env'>
