// Client

export { createClient } from './client/client.ts'
export type { Client } from './client/client-methods.ts'
export type { ClientConfig, Fetch, Signer, SignerInput } from './config.ts'
export { configFromEnv } from './helpers/config-from-env.ts'
export type { ErrorInfo, Hooks, RequestInfo, ResponseInfo, RetryInfo, Warning, WarningCode } from './hooks.ts'
export type { BodilessCallOptions, CallOptions } from './http/types.ts'

// Operations

export type { CancelPaymentInput } from './operations/cancel-payment.ts'
export { cancelPayment } from './operations/cancel-payment.ts'
export type { CancelRecurringInput } from './operations/cancel-recurring.ts'
export { cancelRecurring } from './operations/cancel-recurring.ts'
export type { CapturePaymentInput, ReceiptDelivery } from './operations/capture-payment.ts'
export { capturePayment } from './operations/capture-payment.ts'
export type { CaptureSplitPurchaseInput } from './operations/capture-split-purchase.ts'
export { captureSplitPurchase } from './operations/capture-split-purchase.ts'
export type {
  CreatePaymentInput,
  DirectAuthForm,
  DirectAuthInput,
  DirectPurchaseForm,
  DirectPurchaseInput,
  HostedAuthInput,
  HostedPurchaseInput,
  PaymentForm,
} from './operations/create-payment.ts'
export { createPayment } from './operations/create-payment.ts'
export type {
  CreateSplitPurchaseInput,
  DirectSplitForm,
  DirectSplitPurchaseInput,
  HostedSplitPurchaseInput,
  SplitPurchaseForm,
} from './operations/create-split-purchase.ts'
export { createSplitPurchase } from './operations/create-split-purchase.ts'
export type { GetAccountInput } from './operations/get-account.ts'
export { getAccount } from './operations/get-account.ts'
export type { ListAccountsInput } from './operations/list-accounts.ts'
export { listAccounts } from './operations/list-accounts.ts'
export type { ListOrderOperationsInput } from './operations/list-order-operations.ts'
export { listOrderOperations } from './operations/list-order-operations.ts'
export type { RawRequestInput, RawRequestResult } from './operations/raw-request.ts'
export { rawRequest } from './operations/raw-request.ts'
export type { RefundPaymentInput } from './operations/refund-payment.ts'
export { refundPayment } from './operations/refund-payment.ts'
export type { RefundSplitPurchaseInput } from './operations/refund-split-purchase.ts'
export { refundSplitPurchase } from './operations/refund-split-purchase.ts'
export type { ResendWebhookInput } from './operations/resend-webhook.ts'
export { resendWebhook } from './operations/resend-webhook.ts'
export type { VoidPaymentInput } from './operations/void-payment.ts'
export { voidPayment } from './operations/void-payment.ts'

export type { ResolvedOutcome } from './outcome/decide.ts'
export type { OrderAddress, OrderLookup } from './outcome/look-up.ts'
export type { ResolveOutcomeOptions, UnresolvedCall } from './outcome/resolve-outcome.ts'
export { resolveOutcome } from './outcome/resolve-outcome.ts'
export { snapshotOrder } from './outcome/snapshot-order.ts'

// Wire objects. The types of `edgetill/card` and `edgetill/webhooks` that these calls take or return are here too:
// without them TypeScript could not name an inferred type in a declaration file.

export type { BrowserFingerprint } from './card/browser-fingerprint.ts'
export type { Checkout, PaymentResult } from './operations/purchase.ts'
export { isCheckout } from './operations/purchase.ts'
export type { Account, AccountBalances } from './schemas/account.ts'
export type { Capture, SecondaryOperation } from './schemas/capture.ts'
export type { DocumentedEvent, WebhookEvent } from './schemas/event.ts'
export type { CancelledPayment, Payment, PaymentDetails } from './schemas/payment.ts'
export type {
  CardOrToken,
  CheckoutLanguage,
  DirectPurchaseFields,
  HostedPurchaseFields,
  PurchaseFields,
} from './schemas/purchase.ts'
export type { InitRecurring, IntervalUnit, Recurring, RecurringCancellation } from './schemas/recurring.ts'
export type { Refund, Void } from './schemas/secondary-operation.ts'
export type { Product, Split, SplitResult } from './schemas/split.ts'
export type { BankPay, Currency, Fee, LimitInfo, LiteralUnion, Mode, Status, Timestamp } from './schemas/values.ts'

// Helpers: status, money, time

export { fromMinorUnits, splitAmount, toMinorUnits } from './helpers/amount.ts'
export { newOrderId } from './helpers/order-id.ts'
export type { HasStatus, StatusCodeMeaning } from './helpers/status.ts'
export { customerActionUrl, describeStatusCode, isFinal, isSuccess } from './helpers/status.ts'
export { compareTimestamps, timestampToDate } from './helpers/timestamp.ts'

// Errors

export type {
  CallDetails,
  ErrorCode,
  FieldViolation,
  Issue,
  ResponseDetails,
  UnknownOutcomeReason,
} from './errors.ts'
export {
  ApiError,
  ConfigError,
  ConnectionError,
  EdgetillError,
  InvalidInputError,
  isApiError,
  isConfigError,
  isConnectionError,
  isEdgetillError,
  isInvalidInputError,
  isOutcomeUnknownError,
  isUnexpectedResponseError,
  OutcomeUnknownError,
  UnexpectedResponseError,
} from './errors.ts'
