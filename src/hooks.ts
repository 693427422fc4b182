/** Passed to {@link Hooks.onRequest}. No header, no body: nothing secret can be in it. */
export interface RequestInfo {
  /** The function that was called, such as `createPayment`. */
  operation: string
  /** A UUID: the same for each attempt of a call, and the `callId` of its error. */
  callId: string
  /** The HTTP verb. */
  method: string
  /** Path and query below the base address. */
  path: string
  /**
   * The path as the API document writes it, such as `/api/v1/pos/{pos_id}/order/{order_id}/cancel`; of `rawRequest` its
   * `path`.
   */
  template: string
  /** 1 for the first attempt. */
  attempt: number
}

/** Passed to {@link Hooks.onResponse}. */
export interface ResponseInfo extends RequestInfo {
  /** The HTTP status. */
  status: number
  /** From the start of the attempt to the response's headers, in milliseconds. */
  durationMs: number
  /**
   * `x-request-id` of the response, redacted, when there is one (assumption: the API document shows no such header).
   */
  requestId: string | undefined
}

/** Passed to {@link Hooks.onRetry}. */
export interface RetryInfo extends RequestInfo {
  /** Milliseconds until the next attempt. */
  delayMs: number
  /** The HTTP status that caused it; undefined when there was no response. */
  status: number | undefined
}

/** The subject of a {@link Warning}. */
export type WarningCode =
  | 'order_id_not_capturable'
  | 'unusual_webhook_port'
  | 'split_sum'
  | 'unusual_checkout_address'
  | 'missing_customer_field'
  | 'other_amount'

/** Passed to {@link Hooks.onWarning}: something is allowed, but probably a mistake. */
export interface Warning {
  /** The function that was called. */
  operation: string
  /** Literal, for programs. */
  code: WarningCode
  /**
   * The field that it is about; several customer fields that are missing are one warning:
   * `customer_email, customer_phone`.
   */
  path: string
  /** The meaning and the fix, for people. */
  message: string
}

/** Passed to {@link Hooks.onError}. */
export interface ErrorInfo {
  /** The function that was called. */
  operation: string
  /** The error that the call throws: the object itself. */
  error: unknown
}

/**
 * Functions that observe calls. Each receives its own copy, so that no hook can change another's. A hook that throws,
 * or rejects, does not break the call.
 */
export interface Hooks {
  /** Before each attempt. */
  onRequest?: ((info: RequestInfo) => unknown) | undefined
  /** When the headers of a response arrived. */
  onResponse?: ((info: ResponseInfo) => unknown) | undefined
  /** Before the pause that precedes another attempt. */
  onRetry?: ((info: RetryInfo) => unknown) | undefined
  /**
   * When something is allowed but suspicious. Without it, each code but `missing_customer_field` goes to
   * `console.warn`, once for each configuration object; `onWarning: () => {}` silences them.
   */
  onWarning?: ((warning: Warning) => unknown) | undefined
  /** When a call is about to throw, after its retries. */
  onError?: ((info: ErrorInfo) => unknown) | undefined
}

/** Calls a hook with a copy of its argument. Its errors, now or later, are ignored. */
export function callHook<T extends object>(hook: ((info: T) => unknown) | undefined, info: T): void {
  if (!hook) return
  try {
    // Of any result: a promise may be of another realm.
    Promise.resolve(hook({ ...info })).catch(() => {})
  } catch {}
}

/** Prints a warning. */
interface WarningTarget {
  given: Hooks
  /** The codes that were already printed for this configuration object. */
  printedWarnings: Set<string>
}

/** Passes a warning to the hook, or prints it once. Customer fields that are missing are too common to be printed. */
export function warn({ given, printedWarnings }: WarningTarget, warning: Warning): void {
  const { operation, code, message } = warning
  if (given.onWarning) callHook(given.onWarning, warning)
  else if (code !== 'missing_customer_field' && !printedWarnings.has(code)) {
    printedWarnings.add(code)
    console.warn(`edgetill ${operation} (${code}): ${message} Pass onWarning to handle it.`)
  }
}
