// The public entry `edgetill/till`: money once, over a shop's own SQL database.

export type { DaySum, DaysQuery, TillOperation } from '../orders/day-sums.ts'
export type { ListedOrder } from '../orders/listed-order.ts'
export type { MoneyState } from '../orders/money-state.ts'
export type {
  D1Handle,
  D1Statement,
  DurableStorage,
  PgClient,
  PostgresHandle,
  Sql,
  SqliteHandle,
  SqlStatement,
  SqlValue,
  TillDatabase,
} from './database.ts'
export { d1, durable, postgres, sqlite } from './database.ts'
export type { OperationsQuery } from './days.ts'
export type { OnTillEvent, TillClient, TillOptions } from './events.ts'
export type { OrdersQuery, Page } from './lists.ts'
export type { LogRow, TableKeys, TillLog } from './log.ts'
export { tillLog } from './log.ts'
export type { Failed, Moved, NotSentReason } from './move-money.ts'
export type { Opened, OpenOptions } from './open-payment.ts'
export type { ReceivedEvent } from './queue.ts'
export type { TillAttention } from './settle.ts'
export type { TillOrder } from './store.ts'
export type { Move, MoveOptions, RefundOptions, Till } from './till.ts'
export { createTill } from './till.ts'
export type { UnsettledOperation } from './unsettled.ts'
