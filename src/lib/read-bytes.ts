/** Thrown by {@link readBytes} when there is more than the limit. */
export class TooLargeError extends Error {
  override readonly name = 'TooLargeError'
}

/** The body of a `Request` or a `Response`, as far as reading it goes. */
export interface RequestLike {
  /** As those of a `Request`. */
  readonly headers: { get(name: string): string | null }
  /** Null where there is none. */
  readonly body: ReadableStream<Uint8Array> | null
}

/**
 * Reads a body from its stream up to a limit, with or without a `content-length`; a longer one is abandoned.
 * @param drained How much of a longer body is read and dropped first: a sender that gets a response while it is still sending
 *   may see a reset connection instead of the response.
 * @throws {TooLargeError} beyond the limit.
 */
export async function readBytes(source: RequestLike, limit: number, drained = 0): Promise<Uint8Array> {
  const { body } = source
  if (!body) return new Uint8Array()
  const reader = body.getReader()
  if (Number(source.headers.get('content-length')) > limit) {
    await drop(reader, drained)
    throw new TooLargeError()
  }
  const chunks: Uint8Array[] = []
  let size = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    size += value.byteLength
    if (size > limit) {
      await drop(reader, drained - size)
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

async function drop(reader: ReadableStreamDefaultReader<Uint8Array>, max: number): Promise<void> {
  try {
    for (let dropped = 0; dropped < max; ) {
      const { done, value } = await reader.read()
      if (done) return
      dropped += value.byteLength
    }
  } catch {
    // The sender is gone: nothing is left to read.
  }
  // Not awaited: a stream whose cancelling never ends must not hold up the caller.
  reader.cancel().catch(ignore)
}

/** Lets go of a body that will not be read, so that its connection is not held open. */
export function abandon(body: ReadableStream | null): void {
  // Not awaited: a stream whose cancelling never ends must not hold up the caller.
  body?.cancel().catch(ignore)
}

// A body that is already broken or closed has nothing left to cancel.
function ignore(): void {}
