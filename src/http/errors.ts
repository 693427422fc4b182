import { ApiError, type FieldViolation } from '../errors.ts'
import { isObject } from '../lib/kind.ts'
import { redactText } from '../lib/redact.ts'
import { isSigned } from './auth.ts'
import { sensitiveValues } from './failure.ts'
import { callOf, type Exchange } from './types.ts'

/** Characters of the service's own message that an error repeats. */
const MESSAGE_LENGTH = 1000

const MEANING: Record<number, string> = {
  400: 'parameters are incorrect or incomplete',
  401: 'the POS id or a credential is not accepted',
  404: 'no such endpoint or payment',
  409: 'conflict',
  429: 'too many requests',
}

/**
 * Makes the error of a refused request from whatever body came with it. The error bodies are not in the document: their
 * shapes come from other public material, so that each is tried and none is relied upon.
 */
export function apiError(exchange: Exchange, status: number, text: string, retryAfterMs: number | undefined): ApiError {
  const { config, request, attempts } = exchange
  const sensitive = sensitiveValues(exchange)
  const shown = (value: unknown) => (typeof value === 'string' ? redactText(value, sensitive) : undefined)
  const { message, args } = parse(text)
  const apiMessage = shown(message)?.slice(0, MESSAGE_LENGTH)
  const apiCode = shown((args as { code?: unknown } | null | undefined)?.code)
  const violations = violationsOf(args, shown)
  const words = [apiMessage, apiCode].filter(Boolean).join(', ')
  let what = `${request.operation} was refused with ${status}`
  if (MEANING[status]) what += ` (${MEANING[status]})`
  if (words) what += `: ${words}`
  what += '.'
  if (violations.length > 0) {
    what += ` ${violations.map(({ field_name, violation }) => `${field_name}: ${violation}`).join('; ')}.`
  }
  if (status === 401 && !config.signer && isSigned(config, request)) what += SIGNER_HINT
  if (apiCode === 'P-409') what += ORDER_ID_HINT
  const retryable = status === 429 || status >= 500
  const details = { status, apiCode, apiMessage, violations, retryable, retryAfterMs }
  return new ApiError(what, callOf(request, attempts), details)
}

const SIGNER_HINT = ' The default signer is an assumption: try authentication: "plain", or your own signer.'
const ORDER_ID_HINT = ' This order_id was already used; failed attempts count too.'

/** `Retry-After` in milliseconds: whole seconds, or an HTTP date. Undefined when absent or neither. */
export function retryAfterMs(value: string): number | undefined {
  if (/^\d+$/.test(value)) return Number(value) * 1000
  // Only the forms of an HTTP date: an engine's Date.parse reads a date into "-1" and "1.5" too.
  const at = Date.parse(/^[A-Z][a-z]{2,8}, .+ GMT$/.test(value) ? value : '')
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now())
}

function parse(text: string): { message?: unknown; args?: unknown } {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}

function violationsOf(args: unknown, shown: (value: unknown) => string | undefined): FieldViolation[] {
  return [args].flat().flatMap((entry) => {
    const { field_name, violation, msg } = (entry ?? {}) as { field_name?: unknown; violation?: unknown; msg?: unknown }
    return [violation, msg].flat().flatMap((text) => {
      const what = shown(text)
      return what === undefined ? [] : [{ field_name: shown(field_name) ?? '', violation: what }]
    })
  })
}
