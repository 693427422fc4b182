/** What {@link Hooks.onRequest} is told. No header, no body: nothing secret can be in it. */
export interface RequestInfo {
  /** The function that was called, such as `createPayment`. */
  operation: string
  /** The HTTP verb. */
  method: string
  /** Path and query below the base address. */
  path: string
  /** 1 for the first attempt. */
  attempt: number
}

/** What {@link Hooks.onResponse} is told. */
export interface ResponseInfo extends RequestInfo {
  /** The HTTP status. */
  status: number
  /** From the start of the attempt to the answer's headers, in milliseconds. */
  durationMs: number
  /** `x-request-id` of the answer, when there is one (assumption: the document shows no such header). */
  requestId: string | undefined
}

/** What {@link Hooks.onRetry} is told. */
export interface RetryInfo extends RequestInfo {
  /** Milliseconds until the next attempt. */
  delayMs: number
  /** The HTTP status that caused it; undefined when there was no answer. */
  status: number | undefined
}

/** What a {@link Warning} is about. */
export type WarningCode = 'order_id_not_capturable' | 'unusual_webhook_port' | 'split_sum' | 'missing_customer_field'

/** What {@link Hooks.onWarning} receives: an input that is allowed, and will probably not do what you want. */
export interface Warning {
  /** The function that was called. */
  operation: string
  /** Literal, for programs. */
  code: WarningCode
  /** The field that it is about. */
  path: string
  /** What it means and what to do, for people. */
  message: string
}

/** Functions that are told what a call does. One that throws, or rejects, does not break the call. */
export interface Hooks {
  /** Before each attempt. */
  onRequest?: ((info: RequestInfo) => unknown) | undefined
  /** When the headers of an answer arrived. */
  onResponse?: ((info: ResponseInfo) => unknown) | undefined
  /** Before waiting for another attempt. */
  onRetry?: ((info: RetryInfo) => unknown) | undefined
  /**
   * When an input is allowed but suspicious. Without it, each code but `missing_customer_field` goes to `console.warn`, once
   * for each configuration object; `onWarning: () => {}` silences them.
   */
  onWarning?: ((warning: Warning) => unknown) | undefined
}

/** Calls a hook; whatever it throws, now or later, stays with it. */
export function tell<T>(hook: ((info: T) => unknown) | undefined, info: T): void {
  if (!hook) return
  try {
    const result = hook(info)
    if (result instanceof Promise) result.catch(() => {})
  } catch {}
}

/** Where a warning goes. */
interface WarningTarget {
  hooks: Hooks
  /** The codes that were already printed for this configuration object. */
  printedWarnings: Set<string>
}

/** Passes a warning to the hook, or prints it once. Customer fields that are missing are too common to be printed. */
export function warn({ hooks, printedWarnings }: WarningTarget, warning: Warning): void {
  const { operation, code, message } = warning
  if (hooks.onWarning) tell(hooks.onWarning, warning)
  else if (code !== 'missing_customer_field' && !printedWarnings.has(code)) {
    printedWarnings.add(code)
    console.warn(`edgetill ${operation} (${code}): ${message} Pass onWarning to handle warnings yourself.`)
  }
}
