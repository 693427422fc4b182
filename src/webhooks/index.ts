// Receiving

export type { RequestLike } from '../lib/read-bytes.ts'
export type { WebhookFields, WebhookForm } from './form.ts'
export { createWebhookHandler } from './handler.ts'
export type { LateWebhook, WebhookHandlerOptions } from './receiver.ts'
export type { ReadWebhookOptions } from './verify.ts'
export { readWebhook, readWebhookForm, verifyWebhook } from './verify.ts'

// Events

export type {
  AuthEvent,
  AuthIncrementEvent,
  CaptureEvent,
  CommonEvent,
  CreditEvent,
  DocumentedEvent,
  EventCopy,
  LookupEvent,
  P2pEvent,
  PrimaryEvent,
  PurchaseEvent,
  RefundEvent,
  SecondaryEvent,
  UnexpectedEvent,
  UnknownEvent,
  VoidEvent,
  WebhookEvent,
} from '../schemas/event.ts'
export { isDocumentedEvent } from '../schemas/event.ts'
export { readEvent } from '../schemas/read-event.ts'

// Signatures

export type { SignedWebhook } from './sign.ts'
export { signWebhook } from './sign.ts'
export type { WebhookSecrets } from './signature.ts'
export { signData, verifySignature } from './signature.ts'

// Errors. Every other error is in `edgetill`; `Issue` is the type of an event's `issues`.

export type { Issue, WebhookRejection } from '../errors.ts'
export { isWebhookVerificationError, WebhookVerificationError } from '../errors.ts'
