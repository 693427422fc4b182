import type { Operation, Payment } from '../state/state.ts'

/**
 * The status codes that the emulator uses. 1000, 2122 and 6007 are the API document's; the others come from public
 * lists.
 */
export const CODES = {
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
export const STATUSES = {
  created: 'init',
  threeDSecure: 'pending',
  paid: 'success',
  declined: 'failure',
  processing: 'pending',
  cancelled: 'failure',
  /** `mode` of every secondary operation. */
  operationMode: 'direct',
  recurringCreated: 'init',
  recurringActive: 'active',
  recurringEnded: 'canceled',
}

/** The address of a webhook ("Events", 2); the last argument is the merchant's own setting. */
export const DESTINATIONS = {
  payment: (serverUrl: string | null, standing: string | null): string | null => serverUrl ?? standing,
  operation: (serverUrl: string | null, standing: string | null): string | null => serverUrl ?? standing,
  /** Void, refund and both split operations: the call's own address, else the payment's (assumption). */
  beyond: (serverUrl: string | null, paymentUrl: string | null): string | null => serverUrl ?? paymentUrl,
  charge: (notificationUrl: string | null, initial: string | null): string | null => notificationUrl ?? initial,
}

/** Conditions of an operation, checked before it changes anything. Each returns whether the operation may go on. */
export const CONDITIONS = {
  /** "Capture", rule 1: only a primary `auth` … */
  captureMethod: (payment: Payment): boolean => payment.method === 'auth',
  /** … with status `success` can be captured. */
  captureStatus: (payment: Payment): boolean => payment.status === 'success',
  /**
   * "Capture", request table: `order_currency` is the currency of the original order. The same for every secondary
   * operation.
   */
  orderCurrency: (payment: Payment, currency: unknown): boolean => payment.currency === currency,
  /**
   * "Capture", rule 2: at most the configured percentage of the authorized amount, over all captures. Amounts in minor
   * units.
   */
  captureWithin: (reserved: number, captured: number, requested: number, percent: number): boolean =>
    (captured + requested) * 100 <= reserved * percent,
  /** "Cancel": the method is `purchase` or `auth` … */
  cancelMethod: (payment: Payment): boolean => payment.method === 'purchase' || payment.method === 'auth',
  /** … the status is `init` … */
  cancelStatus: (payment: Payment): boolean => payment.status === 'init',
  /** … and the mode is `hosted`. */
  cancelMode: (payment: Payment): boolean => payment.mode === 'hosted',
  /** "Payment record": the merchant's order identifier is unique, failed payments included. */
  orderIsNew: (known: boolean): boolean => !known,
  /** "Split purchase", rule 1: either card data or a token. */
  oneInstrument: (card: boolean, token: boolean): boolean => card !== token,
  /** "Split purchase", rule 2: wallet tokens, which this emulator has never issued, carry the prefix `rcr:`. */
  walletToken: (token: string): boolean => token.startsWith('rcr:'),
  /** A voided authorization can neither be captured nor voided again nor increased (assumption). */
  notVoided: (operations: readonly Operation[]): boolean =>
    !operations.some(({ method, status }) => method === 'void' && status !== 'failure'),
  /** Beyond the API document: only an `auth` can be voided … */
  voidMethod: (payment: Payment): boolean => payment.method === 'auth',
  /** … with status `success` … */
  voidStatus: (payment: Payment): boolean => payment.status === 'success',
  /** … and only whole: nothing was captured. Minor units. */
  voidWhole: (captured: number): boolean => captured === 0,
  /** Beyond the API document: only a purchase or a captured auth can be refunded … */
  refundMethod: (payment: Payment): boolean => payment.method === 'purchase' || payment.method === 'auth',
  /** … with status `success` … */
  refundStatus: (payment: Payment): boolean => payment.status === 'success',
  /** … and at most the paid amount minus refunds. Minor units. */
  refundWithin: (left: number, requested: number): boolean => requested > 0 && requested <= left,
  /**
   * The parts of a split capture or refund add up to its amount (assumption: they do in every public example). Minor
   * units.
   */
  splitAddsUp: (parts: number, amount: number): boolean => parts === amount,
  /** A sub-merchant gives back at most its own share. Minor units. */
  splitWithin: (left: number, requested: number): boolean => requested <= left,
}
