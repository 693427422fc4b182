// The public entry `edgetill/till`: money once, over a shop's own SQL database.

export type { ReceivedEvent } from '../money/queue.ts'
export type { UnsettledOperation } from '../money/unsettled.ts'
export * from './database.ts'
export type { OnTillEvent, TillClient, TillOptions } from './events.ts'
export type { Failed, Moved, NotSentReason } from './move-money.ts'
export type { Opened } from './open-payment.ts'
export type { TillAttention } from './settle.ts'
export type { TillOrder } from './store.ts'
export * from './till.ts'
