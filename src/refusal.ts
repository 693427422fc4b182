import { ApiError, type CallDetails, type FieldViolation } from './errors.ts'
import { redactText } from './lib/redact.ts'

interface Refusal {
  operation: string
  call: CallDetails
  status: number
  /** The body as far as it could be read; JSON, HTML, empty, anything. */
  text: string
  retryable: boolean
  retryAfterMs: number | undefined
  /** Whether the request was signed by the default signer, which is an assumption. */
  usesDefaultSigner: boolean
  /** Values that the service may echo and that no error may show. */
  sensitive: readonly string[]
}

/** Characters of the service's own message that an error repeats. */
const MESSAGE_LENGTH = 1000

const MEANING: Record<number, string> = {
  400: 'parameters are incorrect or incomplete',
  401: 'the POS id, API key, API secret or endpoints key is not accepted',
  404: 'the endpoint or the payment does not exist',
  405: 'the HTTP verb is not accepted',
  406: 'the body must be application/json',
  409: 'it conflicts with what exists',
  429: 'too many requests',
}

/**
 * Makes the error of a refused request from whatever body came with it. The error bodies are not in the document: their
 * shapes come from other public material, so that each is tried and none is relied upon.
 */
export function apiError(refusal: Refusal): ApiError {
  const { operation, call, status, sensitive } = refusal
  const hide = (text: string) => redactText(text, sensitive)
  const body = parse(refusal.text)
  const apiMessage = typeof body.message === 'string' ? hide(body.message).slice(0, MESSAGE_LENGTH) : undefined
  const code = body.args && !Array.isArray(body.args) ? (body.args as { code?: unknown }).code : undefined
  const apiCode = typeof code === 'string' ? hide(code) : undefined
  const violations = violationsOf(body.args).map((one) => ({
    field_name: hide(one.field_name),
    violation: hide(one.violation),
  }))
  const parts = [`${operation} was refused with ${status}`]
  if (MEANING[status]) parts.push(` (${MEANING[status]})`)
  if (apiMessage || apiCode) parts.push(`: ${[apiMessage, apiCode].filter(Boolean).join(', ')}`)
  parts.push('.')
  if (violations.length > 0) {
    parts.push(` ${violations.map((one) => `${one.field_name}: ${one.violation}`).join('; ')}.`)
  }
  if (status === 401 && refusal.usesDefaultSigner) {
    parts.push(
      ' The request was signed by the default signer, which is an assumption: try authentication: "plain", or pass a signer of your own.',
    )
  }
  if (apiCode === 'P-409')
    parts.push(' This order_id was already used; order ids are unique per POS, failed ones included.')
  return new ApiError(parts.join(''), call, {
    status,
    apiCode,
    apiMessage,
    violations,
    retryable: refusal.retryable,
    retryAfterMs: refusal.retryAfterMs,
  })
}

/** `Retry-After` in milliseconds: whole seconds, or an HTTP date. Undefined when absent or neither. */
export function retryAfterMs(value: string | null): number | undefined {
  if (value === null) return undefined
  if (/^\d+$/.test(value)) return Number(value) * 1000
  // Only the forms of an HTTP date: an engine's Date.parse reads a date into "-1" and "1.5" too.
  const at = /^[A-Z][a-z]{2,8}, .+ GMT$/.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now())
}

function parse(text: string): { message?: unknown; args?: unknown } {
  try {
    const value: unknown = JSON.parse(text)
    return value !== null && typeof value === 'object' ? value : {}
  } catch {
    return {}
  }
}

function violationsOf(args: unknown): FieldViolation[] {
  const entries: unknown[] = Array.isArray(args) ? args : args !== null && typeof args === 'object' ? [args] : []
  return entries.flatMap((entry) => {
    const { field_name, violation, msg } = (entry ?? {}) as { field_name?: unknown; violation?: unknown; msg?: unknown }
    const field = typeof field_name === 'string' ? field_name : ''
    if (typeof violation === 'string') return [{ field_name: field, violation }]
    const texts = (Array.isArray(msg) ? msg : [msg]).filter((one) => typeof one === 'string')
    return texts.map((text) => ({ field_name: field, violation: text }))
  })
}
