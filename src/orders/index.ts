export { eventKey } from './event-key.ts'
export { foldOrder } from './fold.ts'
export { needsPerson } from './needs-person.ts'
export { operationKey } from './operation-key.ts'
export type {
  ExpectedPayment,
  Order,
  OrderEvent,
  OrderFlag,
  OrderOperation,
  OrderTotals,
} from './order.ts'
export { orderKey } from './order-key.ts'
export { type Paid, paidOf } from './paid-of.ts'
export type { EventSummary } from './summary.ts'
export { summarizeEvent } from './summary.ts'
