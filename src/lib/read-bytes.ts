/** The body of a `Request` or a `Response`, as far as reading it goes. */
export interface RequestLike {
  /** As those of a `Request`. */
  readonly headers: { get(name: string): string | null }
  /** Null if there is no body. */
  readonly body: ReadableStream<Uint8Array> | null
}

type Reader = ReadableStreamDefaultReader<Uint8Array>

/**
 * Reads a body from its stream up to a limit, with or without a `content-length`. A longer body is abandoned.
 * @param drain Reads the rest of a longer body first, and is passed the number of bytes that were read: see
 *   {@link drained}.
 * @returns Undefined for a longer body.
 */
export async function readBytes(
  source: RequestLike,
  limit: number,
  drain?: (reader: Reader, size: number) => Promise<void>,
): Promise<Uint8Array | undefined> {
  const { body } = source
  if (!body) return new Uint8Array()
  const reader = body.getReader()
  const chunks: Uint8Array[] = []
  let size = 0
  let isTooLong = Number(source.headers.get('content-length')) > limit
  while (!isTooLong) {
    const { done, value } = await reader.read()
    if (done) return joined(chunks, size)
    size += value.byteLength
    isTooLong = size > limit
    chunks.push(value)
  }
  await drain?.(reader, size)
  abandon(reader)
  return undefined
}

function joined(chunks: readonly Uint8Array[], size: number): Uint8Array {
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

/**
 * Reads and drops up to `max` bytes of a body that is too long: a sender that gets a response while it is still sending
 * may see a reset connection instead of the response.
 */
export const drained =
  (max: number) =>
  async (reader: Reader, size: number): Promise<void> => {
    try {
      for (let dropped = size; dropped < max; ) {
        const { done, value } = await reader.read()
        if (done) return
        dropped += value.byteLength
      }
    } catch {
      // The sender is gone: nothing is left to read.
    }
  }

/** Lets go of a body that will not be read, so that its connection is not held open. */
export function abandon(body: { cancel(): Promise<unknown> } | null): void {
  // Not awaited: a stream whose cancelling never ends must not hold up the caller.
  body?.cancel().catch(ignore)
}

// A body that is already broken or closed has nothing left to cancel.
function ignore(): void {}
