// The schemas of the wire, as valibot has them: for a queue's message, a stored record, a form of your own.

// Webhooks

export {
  authIncrementEventSchema,
  captureEventSchema,
  primaryEventSchema,
  refundEventSchema,
  voidEventSchema,
} from './event.ts'
export { webhookEventSchema } from './read-event.ts'

// Records

export { accountSchema } from './account.ts'
export { captureSchema } from './capture.ts'
export { cancelledPaymentSchema, paymentSchema } from './payment.ts'
export { recurringCancellationSchema, recurringSchema } from './recurring.ts'
export { splitResultSchema } from './split.ts'
export { bankPaySchema, feeSchema, limitInfoSchema } from './values.ts'

// Inputs

export { browserFingerprintSchema } from './purchase.ts'
export { initRecurringSchema } from './recurring.ts'
export { splitListSchema, splitSchema } from './split.ts'

// Types

export type { EventFields } from './event.ts'
export type { Schema } from './fields.ts'
export type { Received, Wire } from './read.ts'
