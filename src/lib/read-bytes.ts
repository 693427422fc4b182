/** What {@link readBytes} throws when there is more than the limit. */
export class TooLargeError extends Error {
  override readonly name = 'TooLargeError'
}

/** The body of a `Request` or a `Response`, as far as reading it goes. */
export interface RequestLike {
  readonly headers: { get(name: string): string | null }
  readonly body: ReadableStream<Uint8Array> | null
}

/**
 * Reads a body from its stream up to a limit, with or without a `content-length`; a longer one is abandoned.
 * @throws {TooLargeError} beyond the limit.
 */
export async function readBytes(source: RequestLike, limit: number): Promise<Uint8Array> {
  const { body } = source
  if (!body) return new Uint8Array()
  if (Number(source.headers.get('content-length')) > limit) {
    abandon(body)
    throw new TooLargeError()
  }
  const reader = body.getReader()
  const chunks: Uint8Array[] = []
  let size = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    size += value.byteLength
    if (size > limit) {
      reader.cancel().catch(ignore)
      throw new TooLargeError()
    }
    chunks.push(value)
  }
  const [first] = chunks
  if (first && chunks.length === 1) return first
  const bytes = new Uint8Array(size)
  let offset = 0
  for (const chunk of chunks) {
    bytes.set(chunk, offset)
    offset += chunk.byteLength
  }
  return bytes
}

/** Lets go of a body that will not be read, so that its connection is not held open. */
export function abandon(body: ReadableStream | null): void {
  // Not awaited: a stream whose cancelling never ends must not hold up the caller.
  body?.cancel().catch(ignore)
}

// A body that is already broken or closed has nothing left to cancel.
function ignore(): void {}
