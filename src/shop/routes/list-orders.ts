import type { ListedOrder } from '../../orders/listed-order.ts'
import { listOrders, type OrdersQuery } from '../../till/lists.ts'
import { orStorageError } from '../lib/storage-error.ts'
import type { Scope } from '../scope.ts'

/** A page of orders, the newest first, as they are at this moment. */
export const listPage = (scope: Scope, query: OrdersQuery): Promise<{ orders: ListedOrder[]; cursor: string | null }> =>
  orStorageError('list', () => listOrders(scope.till, query))
