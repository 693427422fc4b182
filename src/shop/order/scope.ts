import type { Scope, Turn } from '../scope.ts'
import type { OrderStore } from './tables.ts'

/** The surroundings of a flow inside an order's gate, where its state is. */
export interface OrderScope extends Scope {
  /** The order's state: consistent. */
  store: OrderStore
  /** Stores one event after the other. */
  eventsInTurn: Turn
  /** Publishes one change after the other. */
  publishInTurn: Turn
}

/** The means to read an order. */
export type Reader = Pick<OrderScope, 'store' | 'env'>
