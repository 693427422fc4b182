import type { Scope, Turn } from '../scope.ts'
import type { OrderStore } from './order-store.ts'
import type { Outbox } from './queue.ts'
import type { Erasures, Watchlist } from './watchlist.ts'

/** What a flow works with inside an order's gate, where its state is. */
export interface OrderScope extends Scope {
  /** The order's state: consistent. */
  store: OrderStore
  /** What has no final state yet; the service is asked about it on a schedule. */
  watchlist: Watchlist
  /** The queue of `onEvent`. */
  outbox: Outbox
  /** The removal of personal data after RETENTION_DAYS. */
  erasures: Erasures
  /** Stores one event after the other. */
  eventsInTurn: Turn
}
