import { maskNumber, passesLuhn } from './cards.ts'

/** The longest body that the request log keeps, in characters. */
const MAX_BODY = 16_384
/** A longer body is not parsed for the log. */
const MAX_PARSED = 262_144

const HIDDEN = '***'
const CARD_FIELDS = ['cc_number', 'exp_month', 'exp_year', 'card_cvv', 'cc_token', 'cryptogram']
const CARD_FIELD_TEXT = new RegExp(
  `(["']?(?:${CARD_FIELDS.join('|')})["']?\\s*[:=]\\s*)("(?:[^"\\\\]|\\\\.)*"?|[^,&}\\s]+)`,
  'g',
)
const CREDENTIAL_HEADERS = ['x-api-key', 'authorization', 'proxy-authorization', 'cookie', 'set-cookie']

/** Headers as they can be shown: the scheme word and the key stay, because they explain most rejections. */
export function maskHeaders(headers: Headers): Record<string, string> {
  return Object.fromEntries([...headers].map(([name, value]) => [name, maskHeader(name, value)]))
}

function maskHeader(name: string, value: string): string {
  if (CREDENTIAL_HEADERS.includes(name)) return HIDDEN
  if (name !== 'x-api-auth') return value
  const visible = /^\S+ [^:]*:/.exec(value)?.[0] ?? /^\S+ /.exec(value)?.[0] ?? ''
  return visible + HIDDEN
}

/** A body as it can be kept and shown: card data masked, cut to 16,384 characters. */
export function maskBody(bytes: Uint8Array, contentType: string): string {
  if (bytes.length === 0) return ''
  if (bytes.length > MAX_PARSED) {
    const start = new TextDecoder().decode(bytes.subarray(0, MAX_BODY))
    // Half of a value at the end would not be recognized as card data.
    const whole = start.slice(0, Math.max(start.lastIndexOf(','), start.lastIndexOf('&'), 0))
    return `${maskText(whole)}\n[cut: ${bytes.length} bytes in all]`
  }
  const text = new TextDecoder().decode(bytes)
  const masked = contentType.includes('x-www-form-urlencoded') ? maskForm(text) : maskJson(text)
  return masked.length > MAX_BODY ? `${masked.slice(0, MAX_BODY)}\n[cut: ${masked.length} characters in all]` : masked
}

/** Text of no known form: numbers that are card numbers, and the text after the name of a card field. */
export function maskText(text: string): string {
  return maskNumbers(text.replaceAll(CARD_FIELD_TEXT, `$1${HIDDEN}`))
}

function maskNumbers(text: string): string {
  return text.replaceAll(/\d(?:[ -]?\d){12,18}/g, (run) => {
    const digits = run.replaceAll(/\D/g, '')
    return passesLuhn(digits) ? maskNumber(digits) : run
  })
}

function maskForm(text: string): string {
  const fields = [...new URLSearchParams(text)]
  const masked = fields.map(([name, value]) => [name, String(maskValue(name, value))])
  // Re-encoded only if something is hidden: a body with a wrong content type stays readable.
  return masked.some(([, value], index) => value !== fields[index]?.[1]) ? new URLSearchParams(masked).toString() : text
}

function maskJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text, maskValue))
  } catch {
    return maskText(text)
  }
}

function maskValue(name: string, value: unknown): unknown {
  if (CARD_FIELDS.includes(name) && value !== null && value !== '') {
    const digits = String(value).replaceAll(/[ -]/g, '')
    return name === 'cc_number' && /^\d{12,19}$/.test(digits) ? maskNumber(digits) : HIDDEN
  }
  return typeof value === 'string' ? maskNumbers(value) : value
}
