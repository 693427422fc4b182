import { ProblemError } from './problem.ts'

const MAX_BYTES = 65_536

/** The body as a JSON object; an empty body counts as an empty one. */
export async function jsonBody(request: Request): Promise<Record<string, unknown>> {
  const tooLong = Number(request.headers.get('content-length')) > MAX_BYTES
  const text = tooLong ? undefined : await request.text()
  if (text === '') return {}
  try {
    const value: unknown = text === undefined || text.length > MAX_BYTES ? undefined : JSON.parse(text)
    if (value !== null && typeof value === 'object' && !Array.isArray(value)) return value as Record<string, unknown>
  } catch {}
  throw new ProblemError(400, 'invalid_json', 'The body must be a JSON object of at most 64 KiB.')
}
