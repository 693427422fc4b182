export const DRAINED_BYTES: number = 8 * 2 ** 20

/**
 * Reads what is left of a request's body, up to 8 MB, and drops it: a sender that gets a response while it is still sending
 * may see a reset connection instead of the response.
 */
export async function drain({ body }: Request): Promise<void> {
  if (!body || body.locked) return
  const reader = body.getReader()
  try {
    for (let read = 0; read < DRAINED_BYTES; ) {
      const { done, value } = await reader.read()
      if (done) return
      read += value.byteLength
    }
    await reader.cancel()
  } catch {}
}
