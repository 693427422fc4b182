import { ConfigError, type WebhookRejection, WebhookVerificationError } from '../errors.ts'
import { SIGNATURE_LENGTH } from './signature.ts'

// Plain numbers: a bundler keeps an object with a computed key even where nothing uses it.
const HINT: Record<number, string> = {
  27: ': its padding "=" is probably lost',
  40: ': it is probably hexadecimal',
}

/**
 * Finds out why a signature did not match. Runs after a mismatch only, so that a genuine webhook pays nothing for it.
 * It describes what was received and never says anything about the expected signature.
 */
export function signatureError(data: string, signature: string): WebhookVerificationError {
  if ((data + signature).includes(' ')) {
    return rejected(
      'plus_became_space',
      'a field holds a space, a "+" before form decoding: it is standard Base64, unescaped. Pass the body on as it came',
    )
  }
  if (/[+/]/.test(signature)) {
    return rejected('signature_alphabet', 'the signature is standard Base64; Base64Url has "-" and "_" for "+" and "/"')
  }
  const { length } = signature
  if (length !== SIGNATURE_LENGTH) {
    const hint = HINT[length] ?? ''
    return rejected('signature_length', `the signature has ${length} characters instead of ${SIGNATURE_LENGTH}${hint}`)
  }
  if (!/^[\w-]+=$/.test(signature)) {
    return rejected('signature_alphabet', 'the signature holds a character that is not Base64Url')
  }
  return rejected(
    'signature_mismatch',
    'the signature belongs to other data or another secret: check that the API secret is of the same project, test or live',
  )
}

/** The error of a webhook that is not genuine, or of a request that is not a webhook. */
export function rejected(reason: WebhookRejection, what: string): WebhookVerificationError {
  return new WebhookVerificationError(reason, `Webhook rejected: ${what}.`)
}

export function missing(name: string): WebhookVerificationError {
  return rejected('missing_field', `its form has no "${name}"`)
}

export function duplicate(name: string): WebhookVerificationError {
  return rejected('duplicate_field', `its form has "${name}" more than once, so it is not clear which one was signed`)
}

export function tooLarge(maxBytes: number): WebhookVerificationError {
  return rejected('too_large', `its body is longer than ${maxBytes} bytes: the option maxBytes allows more`)
}

// A mistake in the receiver is never a WebhookVerificationError: a receiver that responds 401 to those would lose genuine webhooks.

const RECIPES = 'Recipes for Express, Fastify, Hono, node:http and Lambda: guides/receivers.md.'

const misused = (field: string, what: string): ConfigError => new ConfigError(field, `${what}. ${RECIPES}`)

/** The error of a form that only a mistake in the receiver can produce. */
export function notAForm(received: unknown): ConfigError {
  const parsed = 'the parsed form (express.urlencoded, @fastify/formbody, await c.req.parseBody())'
  return misused('form', `verifyWebhook received ${describe(received)} instead of ${parsed}`)
}

/** The error of a form that is still encoded: AWS Lambda delivers bodies as Base64 (`isBase64Encoded`). */
export function stillBase64(): ConfigError {
  return misused('form', 'The form is still Base64: decode event.body and pass new URLSearchParams(text)')
}

/** The error of a request that is not a web `Request`. */
export function notARequest(received: unknown): ConfigError {
  return misused('request', `The receiver got ${describe(received)} instead of a web Request (Hono: pass c.req.raw)`)
}

/** The error of a request whose body cannot be read a second time. */
export function bodyAlreadyRead(): ConfigError {
  const read = 'what was read (c.req.parseBody(), new URLSearchParams(text))'
  return misused(
    'request',
    `The body was read already: call readWebhook before anything else reads it, or pass ${read} to verifyWebhook`,
  )
}

/** What was received, without a value of it. */
function describe(received: unknown): string {
  if (received == null) return String(received)
  if (typeof received === 'string') return 'a string'
  if (typeof received !== 'object') return `a ${typeof received}`
  if (ArrayBuffer.isView(received) || received instanceof ArrayBuffer) return 'bytes'
  if (received instanceof Promise) return 'a Promise (await it)'
  if (Array.isArray(received)) return 'an array'
  if ('isBase64Encoded' in received) return 'an event of AWS Lambda (decode its body)'
  if ('parseBody' in received) return 'the request of Hono'
  if ('headers' in received)
    return isWebRequest(received) ? 'a web Request' : 'a request of Express, Fastify or node:http'
  if ('pipe' in received || 'stream' in received || 'getReader' in received) return 'the raw body'
  if ('req' in received) return 'the Context of Hono'
  return 'an object'
}

/** Whether a value has what `readWebhook` needs of a `Request`. */
export function isWebRequest(value: unknown): boolean {
  const { headers, body } = (value ?? {}) as {
    headers?: { get?: unknown } | null
    body?: { getReader?: unknown } | null
  }
  return typeof headers?.get === 'function' && (body === null || typeof body?.getReader === 'function')
}
