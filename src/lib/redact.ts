const CARD_FIELDS: ReadonlySet<string> = new Set(['cc_number', 'exp_month', 'exp_year', 'card_cvv'])

/** What stands in the place of something that must not be shown. */
export const REDACTED = '[redacted]'

/**
 * Cuts raw card data out of an answer, at any depth: the document's split purchase answer echoes it.
 * `cc_mask` and `cc_token` stay. Used as the reviver of `JSON.parse`, so that no uncut copy ever exists.
 */
export function cutCardFields(key: string, value: unknown): unknown {
  return CARD_FIELDS.has(key) ? undefined : value
}

/** Hides the given secrets, and anything that looks like a card number, in a text that somebody will read. */
export function redactText(text: string, secrets: readonly string[]): string {
  let redacted = text
  for (const secret of secrets) if (secret !== '') redacted = redacted.replaceAll(secret, REDACTED)
  return redacted.replace(/\d(?:[ -]?\d){12,18}/g, REDACTED)
}
