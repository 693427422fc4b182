const CARD_FIELDS: ReadonlySet<string> = new Set(['cc_number', 'exp_month', 'exp_year', 'card_cvv'])

/** What stands in the place of something that must not be shown. */
const REDACTED = '[redacted]'

/** Cuts raw card data out of a verified webhook, which documents none: a second look at a record that was parsed already. */
export function cutCardData(record: Record<string, unknown>): void {
  for (const name of CARD_FIELDS) if (name in record) delete record[name]
}

/**
 * Cuts raw card data out of an answer, at any depth: the document's split purchase answer echoes it.
 * `cc_mask` and `cc_token` stay. (A reviver of `JSON.parse` would take five times as long as the parsing.)
 */
export function cutDeepCardData(value: unknown): void {
  for (const [key, inner] of Object.entries((typeof value === 'object' && value) || {})) {
    if (CARD_FIELDS.has(key)) delete (value as Record<string, unknown>)[key]
    else cutDeepCardData(inner)
  }
}

const SECRET_FIELDS: ReadonlySet<string> = new Set(['cc_number', 'card_cvv', 'cc_token'])

/** What of a request's body no error may show: card data, tokens that can be charged, every text of a cryptogram. */
export function paymentSecrets(body: string | undefined): string[] {
  const secrets: string[] = []
  const collect = (value: unknown, secret: boolean): void => {
    if (value !== null && typeof value === 'object') {
      for (const [key, inner] of Object.entries(value)) {
        collect(inner, secret || key === 'cryptogram' || SECRET_FIELDS.has(key))
      }
    } else if (secret && (typeof value === 'string' || typeof value === 'number')) secrets.push(String(value))
  }
  if (body !== undefined) collect(JSON.parse(body), false)
  return secrets
}

/** Hides the given secrets, the card fields of JSON (also of JSON that is cut off), and anything that looks like a card number, in a text that somebody will read. */
export function redactText(text: string, secrets: readonly string[]): string {
  let redacted = text
  for (const secret of secrets) if (secret !== '') redacted = redacted.replaceAll(secret, REDACTED)
  return redacted
    .replace(
      /("(?:cc_number|card_cvv|cc_token|exp_month|exp_year)"\s*:\s*)("(?:[^"\\]|\\.)*"?|[\d.]+)/g,
      `$1"${REDACTED}"`,
    )
    .replace(/\d(?:[ -]?\d){12,18}/g, REDACTED)
}
