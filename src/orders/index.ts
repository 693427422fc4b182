export { eventKey, recordOf } from './event-key.ts'
export { foldOrder, foldSummaries } from './fold.ts'
export type {
  ExpectedPayment,
  Order,
  OrderEvent,
  OrderFlag,
  OrderOperation,
  OrderTotals,
} from './order.ts'
export type { EventSummary } from './summary.ts'
export { readSummary, summarizeEvent } from './summary.ts'
