/** What a log line says beside its kind. Never personal data: identifiers, names of fields, codes. */
export type LogFields = Record<string, string | number | boolean | readonly string[] | null | undefined>

/** One structured line that a person should look at: JSON with `kind` first. */
export function report(kind: string, fields: LogFields = {}): void {
  console.error(JSON.stringify({ kind, ...fields }))
}

/** One structured line of information. */
export function note(kind: string, fields: LogFields = {}): void {
  console.warn(JSON.stringify({ kind, ...fields }))
}

/** What a log line may hold of an error of the service or the storage. Its message may repeat what a customer entered. */
export function describeError(error: unknown): LogFields {
  const { name, code, status, apiCode, reason, field } = (error ?? {}) as Record<string, unknown>
  const api_code = /^[a-z][\w.-]{0,31}$/i.test(String(apiCode)) ? apiCode : undefined
  const fields = { error: name, code, status, api_code, reason, field }
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => typeof value === 'string' || typeof value === 'number'),
  ) as LogFields
}
