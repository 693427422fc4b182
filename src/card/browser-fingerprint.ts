import { InvalidInputError, type Issue } from '../errors.ts'
import { kindOf } from '../lib/kind.ts'

/** The values of the customer's browser for 3-D Secure 2. All ten are strings, and all must be sent in direct mode. */
export interface BrowserFingerprint {
  /** Bits per colour, such as `24`. */
  browserColorDepth: string
  /** Pixels. */
  browserScreenHeight: string
  /** Pixels. */
  browserScreenWidth: string
  /** `true` or `false`. */
  browserJavaEnabled: string
  /** Such as `uk-UA`. */
  browserLanguage: string
  /** Such as `Europe/Kyiv`. */
  browserTimeZone: string
  /** Minutes, such as `-120`. */
  browserTimeZoneOffset: string
  /** The browser's `Accept` header. */
  browserAcceptHeader: string
  /** The customer's IP address. */
  browserIpAddress: string
  /** The browser's `User-Agent` header. */
  browserUserAgent: string
}

/** The seven form fields that only a script in the page can fill. {@link browserFingerprintSnippet} fills them. */
export type BrowserFingerprintField = Exclude<
  keyof BrowserFingerprint,
  'browserAcceptHeader' | 'browserIpAddress' | 'browserUserAgent'
>

/** A submitted form (`FormData`, `URLSearchParams`, a `Map`), or an object with the seven fields. */
export type BrowserFingerprintValues =
  | { get(name: string): unknown }
  | { readonly [field in BrowserFingerprintField]?: unknown }

/** A web `Request`, or the request of Express, Fastify and node:http: only its headers are read. */
export interface BrowserRequest {
  readonly headers: { get(name: string): string | null } | { readonly [name: string]: string | string[] | undefined }
}

/**
 * Builds the `browser_fingerprint` of a direct payment. `Accept`, `User-Agent` and the IP address come from the request
 * that submitted the form, the other seven values from the form.
 *
 * @param request The customer's request, of the web, Express, Fastify or node:http. Its body is not read.
 * @param values The submitted form; fields of other names are ignored.
 * @param ip The customer's IP address, such as the `req.ip` of Express and Fastify. Default: the header
 *   `cf-connecting-ip`, which only Cloudflare's edge guarantees.
 * @throws {InvalidInputError} with an issue for each of the ten values that is missing.
 * @see The API document, "browser_fingerprint (Json object)".
 * @example
 * import { browserFingerprint } from 'edgetill/card'
 * async function fingerprintOf(request: Request) {
 *   return browserFingerprint(request, await request.formData())
 * }
 */
export function browserFingerprint(
  request: BrowserRequest,
  values: BrowserFingerprintValues,
  ip: string | null | undefined = headerOf(request, 'cf-connecting-ip'),
): BrowserFingerprint {
  const issues: Issue[] = []
  const must = (path: string, value: unknown, message: string): string => {
    if (typeof value === 'string') return value
    issues.push({ path, message, received: value == null ? 'missing' : kindOf(value) })
    return ''
  }
  const field = (name: BrowserFingerprintField) => {
    const { get, [name]: own } = (values ?? {}) as { get?: unknown } & Partial<Record<BrowserFingerprintField, unknown>>
    const value = typeof get === 'function' ? get.call(values, name) : own
    return must(name, value, 'must be a string from the form')
  }
  const header = (path: string, name: string) =>
    must(path, headerOf(request, name), `must be given by the header "${name}"`)
  const fingerprint: BrowserFingerprint = {
    browserColorDepth: field('browserColorDepth'),
    browserScreenHeight: field('browserScreenHeight'),
    browserScreenWidth: field('browserScreenWidth'),
    browserJavaEnabled: field('browserJavaEnabled'),
    browserLanguage: field('browserLanguage'),
    browserTimeZone: field('browserTimeZone'),
    browserTimeZoneOffset: field('browserTimeZoneOffset'),
    browserAcceptHeader: header('browserAcceptHeader', 'accept'),
    browserIpAddress: must('browserIpAddress', ip, 'must be given as ip, or by the header "cf-connecting-ip"'),
    browserUserAgent: header('browserUserAgent', 'user-agent'),
  }
  if (issues.length > 0) throw new InvalidInputError('browserFingerprint', issues)
  return fingerprint
}

/** Node has the headers as an object with names in lower case. */
function headerOf(request: BrowserRequest, name: string): string | undefined {
  const headers = request?.headers as Record<string, unknown> | undefined
  const value: unknown = typeof headers?.get === 'function' ? headers.get(name) : headers?.[name]
  return typeof value === 'string' ? value : undefined
}

/**
 * HTML for the payment form of a page: a script that adds the seven hidden fields that only a browser can fill. Under a
 * content security policy, allow it by its hash or a nonce.
 * @see The API document, "browser_fingerprint (Json object)".
 * @example
 * import { browserFingerprintSnippet } from 'edgetill/card'
 * const form = `<form method="post" action="/pay">${browserFingerprintSnippet}<button>Pay</button></form>`
 */
export const browserFingerprintSnippet: string = `<script>
  for (const [name, value] of Object.entries({
    browserColorDepth: screen.colorDepth,
    browserScreenHeight: screen.height,
    browserScreenWidth: screen.width,
    browserJavaEnabled: navigator.javaEnabled ? navigator.javaEnabled() : false,
    browserLanguage: navigator.language,
    browserTimeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    browserTimeZoneOffset: new Date().getTimezoneOffset(),
  })) {
    const field = document.createElement('input')
    field.type = 'hidden'
    field.name = name
    field.value = String(value)
    document.currentScript.parentElement.append(field)
  }
</script>`
