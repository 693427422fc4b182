import type { Operation, Payment } from '../state/state.ts'

/** The status codes that the emulator uses. 1000, 2122 and 6007 are the API document's; the others come from public lists. */
export interface CodeRules {
  success: string
  reserved: string
  refunded: string
  voided: string
  threeDSecure: string
  processing: string
  cancelled: string
  threeDSecureFailed: string
  timedOut: string
  threeDSecureTimedOut: string
  sessionExpired: string
  invalidCard: string
  expiredCard: string
}

export const CODES: CodeRules = {
  success: '1000',
  reserved: '1002',
  refunded: '1004',
  voided: '1009',
  threeDSecure: '2122',
  processing: '2001',
  cancelled: '6007',
  threeDSecureFailed: '4157',
  timedOut: '4148',
  threeDSecureTimedOut: '4147',
  sessionExpired: '4149',
  invalidCard: '4144',
  expiredCard: '4001',
}

/** The status that each event leads to ("States and transitions"), and the fixed words of records. */
export interface StatusRules {
  created: string
  threeDSecure: string
  paid: string
  declined: string
  processing: string
  cancelled: string
  /** `mode` of every secondary operation. */
  operationMode: string
  recurringCreated: string
  recurringActive: string
  recurringEnded: string
}

export const STATUSES: StatusRules = {
  created: 'init',
  threeDSecure: 'pending',
  paid: 'success',
  declined: 'failure',
  processing: 'pending',
  cancelled: 'failure',
  operationMode: 'direct',
  recurringCreated: 'init',
  recurringActive: 'active',
  recurringEnded: 'canceled',
}

/** Where a webhook goes ("Events", 2); the last argument is what the merchant set up without a request. */
export interface DestinationRules {
  payment(serverUrl: string | null, standing: string | null): string | null
  operation(serverUrl: string | null, standing: string | null): string | null
  /** Void, refund and both split operations: the call's own address, else the payment's (assumption). */
  beyond(serverUrl: string | null, paymentUrl: string | null): string | null
  charge(notificationUrl: string | null, initial: string | null): string | null
}

export const DESTINATIONS: DestinationRules = {
  payment: (serverUrl, standing) => serverUrl ?? standing,
  operation: (serverUrl, standing) => serverUrl ?? standing,
  beyond: (serverUrl, paymentUrl) => serverUrl ?? paymentUrl,
  charge: (notificationUrl, initial) => notificationUrl ?? initial,
}

/** What must hold before an operation changes anything. Each returns whether the operation may go on. */
export interface ConditionRules {
  /** "Capture", rule 1: only a primary `auth` … */
  captureMethod(payment: Payment): boolean
  /** … with status `success` can be captured. */
  captureStatus(payment: Payment): boolean
  /** "Capture", request table: `order_currency` is the currency of the original order. The same for every secondary operation. */
  orderCurrency(payment: Payment, currency: unknown): boolean
  /** "Capture", rule 2: at most the configured percentage of the authorized amount, over all captures. Amounts in minor units. */
  captureWithin(reserved: number, captured: number, asked: number, percent: number): boolean
  /** "Cancel": the method is `purchase` or `auth` … */
  cancelMethod(payment: Payment): boolean
  /** … the status is `init` … */
  cancelStatus(payment: Payment): boolean
  /** … and the mode is `hosted`. */
  cancelMode(payment: Payment): boolean
  /** "Payment record": the merchant's order identifier is unique, failed payments included. */
  orderIsNew(known: boolean): boolean
  /** "Split purchase", rule 1: either card data or a token. */
  oneInstrument(card: boolean, token: boolean): boolean
  /** "Split purchase", rule 2: wallet tokens, which this emulator has never issued, carry the prefix `rcr:`. */
  walletToken(token: string): boolean
  /** A voided authorization can neither be captured nor voided again nor increased (assumption). */
  notVoided(operations: readonly Operation[]): boolean
  /** Beyond the API document: only an `auth` can be voided … */
  voidMethod(payment: Payment): boolean
  /** … with status `success` … */
  voidStatus(payment: Payment): boolean
  /** … and only whole: nothing of it was captured. Minor units. */
  voidWhole(captured: number): boolean
  /** Beyond the API document: only a purchase or a captured auth can be refunded … */
  refundMethod(payment: Payment): boolean
  /** … with status `success` … */
  refundStatus(payment: Payment): boolean
  /** … and at most what was paid and not refunded yet. Minor units. */
  refundWithin(left: number, asked: number): boolean
  /** The parts of a split capture or refund add up to its amount (assumption: they do in every public example). Minor units. */
  splitAddsUp(parts: number, amount: number): boolean
  /** A sub-merchant gives back at most its own share. Minor units. */
  splitWithin(left: number, asked: number): boolean
}

export const CONDITIONS: ConditionRules = {
  captureMethod: (payment) => payment.method === 'auth',
  captureStatus: (payment) => payment.status === 'success',
  orderCurrency: (payment, currency) => payment.currency === currency,
  captureWithin: (reserved, captured, asked, percent) => (captured + asked) * 100 <= reserved * percent,
  cancelMethod: (payment) => payment.method === 'purchase' || payment.method === 'auth',
  cancelStatus: (payment) => payment.status === 'init',
  cancelMode: (payment) => payment.mode === 'hosted',
  orderIsNew: (known) => !known,
  oneInstrument: (card, token) => card !== token,
  walletToken: (token) => token.startsWith('rcr:'),
  notVoided: (operations) => !operations.some(({ method, status }) => method === 'void' && status !== 'failure'),
  voidMethod: (payment) => payment.method === 'auth',
  voidStatus: (payment) => payment.status === 'success',
  voidWhole: (captured) => captured === 0,
  refundMethod: (payment) => payment.method === 'purchase' || payment.method === 'auth',
  refundStatus: (payment) => payment.status === 'success',
  refundWithin: (left, asked) => asked > 0 && asked <= left,
  splitAddsUp: (parts, amount) => parts === amount,
  splitWithin: (left, asked) => asked <= left,
}
