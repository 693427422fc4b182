/** The fields of raw card data, which nothing that is received may keep. */
const CARD_FIELDS: ReadonlySet<string> = new Set(['cc_number', 'exp_month', 'exp_year', 'card_cvv'])
/** The fields of a request that can be charged, or show a card. */
const SECRET_FIELDS: ReadonlySet<string> = new Set(['cc_number', 'card_cvv', 'cc_token', 'cryptogram'])

/**
 * Removes raw card data from parsed JSON, at any depth: a webhook documents none, and the documented response of a
 * split purchase echoes it. `cc_mask` and `cc_token` stay. (A reviver of `JSON.parse` would take five times as long as
 * the parsing.)
 */
export function cutCardData(json: unknown): void {
  // A list rather than recursion: JSON may be nested more deeply than the stack is. Not a text, whose keys are its
  // letters.
  const todo = [typeof json === 'object' && json] as Record<string, unknown>[]
  for (const record of todo) {
    // Not `Object.entries`, which takes several times as long: a webhook comes by here. (null has no keys.)
    for (const key in record) {
      if (CARD_FIELDS.has(key)) delete record[key]
      else if (typeof record[key] === 'object') todo.push(record[key] as Record<string, unknown>)
    }
  }
}

/** Whether a member of this name is always redacted. */
export function isSecretField(name: string): boolean {
  return CARD_FIELDS.has(name) || SECRET_FIELDS.has(name)
}

/**
 * Fields of a request's body that no error may show: card data, tokens that can be charged, every text of a cryptogram.
 */
export function paymentSecrets(body: string | undefined): string[] {
  const secrets: string[] = []
  const todo: [value: unknown, secret: boolean][] = [[JSON.parse(body ?? 'null'), false]]
  for (let next = todo.pop(); next; next = todo.pop()) {
    const [value, secret] = next
    if (typeof value === 'object') {
      const record = value as Record<string, unknown>
      for (const key in record) {
        todo.push([record[key], secret || SECRET_FIELDS.has(key)])
      }
    } else if (secret && (typeof value === 'string' || typeof value === 'number')) secrets.push(String(value))
  }
  return secrets
}
