// The public entry `edgetill/till`: money once, over a shop's own SQL database.

export type { OperationKind } from '../money/protocol.ts'
export type { UnsettledOperation } from '../money/unsettled.ts'
export type { D1Handle, PostgresHandle, SqliteHandle, SqlValue, TillDatabase } from './database.ts'
export { d1, postgres, sqlite } from './database.ts'
export type { OnTillEvent, TillClient, TillEvent } from './events.ts'
export type { Opened } from './open-payment.ts'
export type { Failed, Moved, NotSentReason, Rejection } from './outcome.ts'
export type { OperationEnd, TillAttention } from './settle.ts'
export type { TillOrder } from './store.ts'
export type { Move, MovedBy, MoveOptions, Till, TillOptions } from './till.ts'
export { createTill } from './till.ts'
