// The public entry `edgetill/till`: money once, over a shop's own SQL database.

export type { OperationKind } from '../money/protocol.ts'
export type { ReceivedEvent } from '../money/queue.ts'
export type { UnsettledOperation } from '../money/unsettled.ts'
export type { D1Handle, PostgresHandle, SqliteHandle, SqlValue, TillDatabase } from './database.ts'
export { d1, postgres, sqlite } from './database.ts'
export type { OnTillEvent, TillClient, TillOptions } from './events.ts'
export type { Opened } from './open-payment.ts'
export type { Failed, Moved, NotSentReason, Rejection } from './outcome.ts'
export type { TillAttention } from './settle.ts'
export type { TillOrder } from './store.ts'
export type { Move, MoveOptions, Till } from './till.ts'
export { createTill } from './till.ts'
