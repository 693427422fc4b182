import type { Group } from '../lib/configuration.ts'
import type { Handler } from '../scope.ts'
import { DAYS_QUERY, listAudit, listOperations, OPERATIONS_QUERY, showDays } from './days.ts'
import { EVENTS_QUERY, failingEvents, postReplay, postReplays } from './events.ts'
import { deleteLink, LINKS_QUERY, listLinks, makeLink } from './links.ts'
import {
  balances,
  deletePersonalData,
  finishAttention,
  postCancel,
  postNote,
  postOperation,
  resendOrder,
  settleAttempt,
} from './operations.ts'
import {
  ATTENTION_QUERY,
  getOrder,
  getOrderEvent,
  listOrders,
  ORDERS_QUERY,
  PAGE_QUERY,
  showAttention,
  showStray,
  showStrays,
} from './orders.ts'

/** A route of `/api`: the bindings that it needs, and the query parameters that it takes. Any other one is rejected. */
type ApiRoute = [
  call: `${'GET' | 'POST' | 'DELETE'} /api/${string}`,
  needs: Group,
  handle: Handler,
  query?: readonly string[],
]

/** Every route of `/api`. */
export const API_ROUTES: readonly ApiRoute[] = [
  ['GET /api/orders', 'orders', listOrders, ORDERS_QUERY],
  ['GET /api/attention', 'orders', showAttention, ATTENTION_QUERY],
  ['GET /api/orders/:order_id', 'orders', getOrder],
  ['GET /api/orders/:order_id/events/:event_id', 'stored', getOrderEvent],
  ['POST /api/orders/:order_id/capture', 'operations', postOperation('capture')],
  ['POST /api/orders/:order_id/refund', 'operations', postOperation('refund')],
  ['POST /api/orders/:order_id/void', 'operations', postOperation('void')],
  ['POST /api/orders/:order_id/attempts/:attempt_id/settle', 'operations', settleAttempt],
  ['POST /api/orders/:order_id/cancel', 'operations', postCancel],
  ['POST /api/orders/:order_id/resend', 'operations', resendOrder],
  ['DELETE /api/orders/:order_id/personal-data', 'orders', deletePersonalData],
  ['POST /api/orders/:order_id/notes', 'orders', postNote],
  ['POST /api/orders/:order_id/attention/done', 'orders', finishAttention],
  ['GET /api/days', 'orders', showDays, DAYS_QUERY],
  ['GET /api/operations', 'orders', listOperations, OPERATIONS_QUERY],
  ['GET /api/audit', 'orders', listAudit, PAGE_QUERY],
  ['GET /api/events', 'orders', failingEvents, EVENTS_QUERY],
  ['POST /api/events/replay', 'orders', postReplays],
  ['POST /api/events/:id/replay', 'orders', postReplay],
  ['POST /api/links', 'links', makeLink],
  ['GET /api/links', 'links', listLinks, LINKS_QUERY],
  ['DELETE /api/links/:id', 'links', deleteLink],
  ['GET /api/balances', 'balances', balances],
  ['GET /api/strays', 'stored', showStrays, PAGE_QUERY],
  ['GET /api/strays/:id', 'stored', showStray],
]
