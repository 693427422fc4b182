import {
  ConfigError,
  isConfigError,
  isWebhookVerificationError,
  type WebhookRejection,
  type WebhookVerificationError,
} from '../errors.ts'
import type { WebhookEvent } from '../schemas/event.ts'
import { ownOptions } from '../schemas/fields.ts'
import { rejected } from './errors.ts'
import { readForm, type WebhookForm } from './form.ts'
import { checkSecrets, type WebhookSecrets } from './signature.ts'
import { checkMaxBytes, verifyWebhookAsync } from './verify.ts'

/** Options of {@link createWebhookHandler}, and of the adapters for Express, Fastify and node:http. */
export interface WebhookHandlerOptions {
  /**
   * The API secret, or several while one is being replaced; an undefined one is skipped. A function is called at the
   * first webhook, and again as long as it throws or returns none that can work (the response is then 503):
   * `() => process.env.EDGETILL_API_SECRET` lets a framework build without it.
   */
  secrets: WebhookSecrets | (() => WebhookSecrets | undefined | Promise<WebhookSecrets | undefined>)
  /**
   * Stores a genuine event; `form` is what was received. The response waits for the promise it returns, up to
   * `timeoutMs`. A webhook can arrive more than once, so use `eventKey(event)` as a unique key. When it throws, or
   * takes longer, the response is 503, and the service sends the webhook again, perhaps while this still runs.
   */
  onEvent: (event: WebhookEvent, form: WebhookForm) => unknown
  /**
   * Stores `error.data`, the only copy of a genuine webhook that cannot be read; the response is then 200. Without it,
   * or when it throws, the response is 503.
   */
  onUnreadable?: ((error: WebhookVerificationError & { readonly data: string }) => unknown) | undefined
  /**
   * Receives the reason of every response that is not 200: a {@link WebhookVerificationError}, a {@link ConfigError}
   * for a mistake in the receiver, or the error of `onEvent` or `onUnreadable`. The sender never sees it. Without it,
   * the reason goes to `console.warn` (4xx) or `console.error` (5xx). Its own errors are ignored.
   */
  onRejected?: ((error: unknown, status: number) => unknown) | undefined
  /** Bytes of the body that are read at most. Default 65,536. */
  maxBytes?: number | undefined
  /**
   * Milliseconds until the response is 503 although your functions are still running, or 408 if the body has not
   * arrived. Nothing is stopped. Default 25,000.
   */
  timeoutMs?: number | undefined
  /**
   * Receives the result of a function of yours that was still running, or ran only after the response was sent. The
   * service sends the webhook again, so that the event then comes a second time. Without it, the result goes to
   * `console.warn`.
   */
  onLate?: ((late: LateWebhook) => unknown) | undefined
}

/** A webhook whose response was 503 because your functions took too long. */
export interface LateWebhook {
  /** The status that the response would have had. */
  status: number
  /** The error; undefined if the event was stored after all. */
  error: unknown
}

/** A response, before a framework sends it. */
export interface WebhookResponse {
  status: number
  headers: Record<string, string>
  /** Reveals nothing. Empty for 200. */
  text: string
}

/** Receives one webhook, given how to read its form: an argument of `readForm`, or its promise. */
export type WebhookReceiver = (form: () => unknown) => Promise<WebhookResponse>

const STATUSES: Partial<Record<WebhookRejection, number>> = {
  incomplete: 408,
  missing_field: 400,
  duplicate_field: 400,
  not_utf8: 400,
  method: 405,
  too_large: 413,
  content_type: 415,
}

const TEXTS: Readonly<Record<number, string>> = {
  200: '',
  400: 'Bad request',
  401: 'Unauthorized',
  405: 'Method not allowed',
  408: 'Request timeout',
  413: 'Too large',
  415: 'Unsupported media type',
  500: 'Internal error',
  503: 'Try again later',
}

const OPTIONS = ['secrets', 'onEvent', 'onUnreadable', 'onRejected', 'maxBytes', 'timeoutMs', 'onLate']
const TIMEOUT_MS = 25_000

/** @throws {ConfigError} for options that cannot work. */
export function createReceiver(received: WebhookHandlerOptions): WebhookReceiver {
  // Check the names first: `secret` in place of `secrets` must not be reported as a missing secret.
  const options = received && ownOptions(received, OPTIONS)
  checkOptions(options)
  const { secrets, onEvent, onUnreadable, onRejected, timeoutMs = TIMEOUT_MS, onLate = printLate } = options
  let known = typeof secrets === 'function' ? undefined : secrets

  async function receive(form: WebhookForm, onGenuine: () => void): Promise<void> {
    // Checked before they are kept: the function is called again for secrets that cannot work yet.
    known ??= await stored(async () => checkSecrets(await (secrets as () => WebhookSecrets | undefined)()))
    let event: WebhookEvent
    try {
      event = await verifyWebhookAsync(form, known)
    } catch (error) {
      if (!isUnreadable(error) || !onUnreadable) throw error
      onGenuine()
      await stored(() => onUnreadable(error))
      return
    }
    onGenuine()
    await stored(() => onEvent(event, form))
  }

  return async (form) => {
    let isLate = false
    let isReceived = false
    let isGenuine = false
    const run = async (): Promise<number> => {
      let result: LateWebhook = { status: 200, error: undefined }
      try {
        const fields = readForm(await form())
        isReceived = true
        await receive(fields, () => {
          isGenuine = true
        })
      } catch (failure) {
        result =
          failure instanceof StoreFailure
            ? { status: 503, error: failure.cause }
            : { status: statusOf(failure), error: failure }
      }
      const { status, error } = result
      if (isLate) await quietly(() => isGenuine && onLate(result))
      else if (status !== 200) await report(onRejected, error, status)
      return status
    }
    let timer: ReturnType<typeof setTimeout> | undefined
    const late = new Promise<number>((resolve) => {
      timer = setTimeout(() => {
        isLate = true
        const status = isReceived ? 503 : 408
        resolve(status)
        const error = isReceived
          ? new Error(`The webhook was not stored within ${timeoutMs} ms.`)
          : rejected('incomplete', `its body did not arrive within ${timeoutMs} ms`)
        report(onRejected, error, status)
      }, timeoutMs)
    })
    const status = await Promise.race([run(), late])
    clearTimeout(timer)
    const text = TEXTS[status] ?? ''
    const headers: Record<string, string> = text === '' ? {} : { 'content-type': 'text/plain; charset=utf-8' }
    if (status === 405) headers.allow = 'POST'
    return { status, headers, text }
  }
}

const printLate = ({ status }: LateWebhook): void =>
  console.warn(`edgetill: a webhook's handler ended after its response was sent (${status}).`)

/** Calls a function, and ignores its failure. */
async function quietly(call: () => unknown): Promise<void> {
  try {
    await call()
  } catch {}
}

/** @throws {WebhookVerificationError} `method`. */
export function requirePost(method: string | undefined): void {
  if (method !== 'POST') throw rejected('method', 'its method is not POST')
}

/** Marks an error of the merchant's own function, which may be an error of this package too. */
class StoreFailure extends Error {}

async function stored<T>(store: () => T): Promise<Awaited<T>> {
  try {
    return await store()
  } catch (cause) {
    throw new StoreFailure('', { cause })
  }
}

const isUnreadable = (error: unknown): error is WebhookVerificationError & { readonly data: string } =>
  isWebhookVerificationError(error) && error.verified

function statusOf(error: unknown): number {
  if (isConfigError(error)) return 500
  // The connection failed while the body was read.
  if (!isWebhookVerificationError(error)) return 400
  return error.verified ? 503 : (STATUSES[error.reason] ?? 401)
}

async function report(onRejected: WebhookHandlerOptions['onRejected'], error: unknown, status: number): Promise<void> {
  if (onRejected) await quietly(() => onRejected(error, status))
  else if (status < 500) console.warn(String(error))
  else console.error(error)
}

function checkOptions(options: WebhookHandlerOptions): void {
  if (typeof options?.secrets !== 'function') checkSecrets(options?.secrets)
  checkMaxBytes(options.maxBytes)
  const { timeoutMs = TIMEOUT_MS } = options
  if (!(Number.isInteger(timeoutMs) && timeoutMs > 0 && timeoutMs < 2 ** 31))
    throw new ConfigError('timeoutMs', 'timeoutMs must be a whole number of milliseconds from 1 to 2,147,483,647.')
  for (const name of ['onEvent', 'onUnreadable', 'onRejected', 'onLate'] as const) {
    const isOptional = name !== 'onEvent'
    if (typeof options[name] !== 'function' && !(isOptional && options[name] === undefined)) {
      throw new ConfigError(name, `${name} must be a function.`)
    }
  }
}
