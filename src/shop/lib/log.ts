/** The contents of a log line beside its kind. Never personal data: identifiers, names of fields, codes. */
export type LogFields = Record<string, string | number | boolean | readonly string[] | null | undefined>

/** One structured line that a person should look at: JSON with `kind` first. */
export function logError(kind: string, fields: LogFields = {}): void {
  console.error(JSON.stringify({ kind, ...fields }))
}

export function logInfo(kind: string, fields: LogFields = {}): void {
  console.warn(JSON.stringify({ kind, ...fields }))
}

/** The name of an error, of a code or of a field. */
const NAME = /^[a-z][\w.[\]-]{0,63}$/i

/** The part of an error that a log line may hold, the merchant's own too. Its message may repeat a customer's input. */
export function describeError(error: unknown): LogFields {
  let fields: Record<string, unknown>
  try {
    const { name, code, status, apiCode: api_code, reason, field } = (error ?? {}) as Record<string, unknown>
    fields = { error: name, code, status, api_code, reason, field }
  } catch {
    // The merchant's code may throw anything: reading its fields may throw again.
    return {}
  }
  return Object.fromEntries(
    Object.entries(fields).filter(
      ([, value]) => typeof value === 'number' || (typeof value === 'string' && NAME.test(value)),
    ),
  ) as LogFields
}

/** The name of an error that the merchant's code threw. */
export const nameOf = (error: unknown): string => String(describeError(error).error ?? typeof error)

/** The origin of an error: its stack without its message. */
export const placeOf = ({ stack = '' }: Error): string[] => stack.split('\n').filter((line) => /^\s+at /.test(line))
