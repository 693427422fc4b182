import { drained, readBytes } from '../../lib/read-bytes.ts'
import { ProblemError } from './problem.ts'

/** The longest body that the Worker reads. */
const MAX_BYTES = 65_536

/**
 * A sender that gets a response while it is still sending may see a reset connection instead: this much is read, and
 * dropped.
 */
const DRAINED_BYTES = 8 * 2 ** 20

export const drain = (request: Request): Promise<unknown> =>
  readBytes(request, 0, drained(DRAINED_BYTES)).catch(() => {})

/** The body as text; undefined if it exceeds 64 KiB. Every body but a webhook's is read here. */
export async function bodyText(request: Request): Promise<string | undefined> {
  const bytes = await readBytes(request, MAX_BYTES, drained(DRAINED_BYTES))
  return bytes && new TextDecoder().decode(bytes)
}

/** The body as a JSON object; an empty body counts as an empty one. */
export async function jsonBody(request: Request): Promise<Record<string, unknown>> {
  const text = await bodyText(request)
  if (text === '') return {}
  try {
    const value: unknown = text === undefined ? undefined : JSON.parse(text)
    if (value !== null && typeof value === 'object' && !Array.isArray(value)) return value as Record<string, unknown>
  } catch {}
  throw new ProblemError(400, 'invalid_json', 'The body must be a JSON object of at most 64 KiB.')
}
