// Receiving

export type { EdgetillError, ErrorCode, Issue, WebhookRefusal } from '../errors.ts'
// Errors
export { ConfigError, isConfigError, isWebhookVerificationError, WebhookVerificationError } from '../errors.ts'
export type {
  AuthIncrementEvent,
  CaptureEvent,
  PrimaryEvent,
  RefundEvent,
  UnexpectedEvent,
  UnknownEvent,
  UnknownMethod,
  VoidEvent,
  WebhookEvent,
} from './event.ts'
// Events
export { isUnexpectedEvent, isUnknownEvent } from './event.ts'
export type { WebhookForm } from './form.ts'
export type { SignedWebhook } from './sign.ts'
// Signatures
export { signWebhook } from './sign.ts'
export { signData, verifySignature } from './signature.ts'
export type { ReadWebhookOptions } from './verify.ts'
export { readWebhook, readWebhookForm, verifyWebhook } from './verify.ts'
