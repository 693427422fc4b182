import { maskBody, maskHeaders } from '../state/mask.ts'

/** What a receiver responded, as far as it is kept. */
export interface ReceiverResponse {
  status: number
  /** Without what belongs to the connection, and `date`: the same run gives the same bytes. */
  response_headers: Record<string, string>
  /** The first 16,384 bytes, with card data masked. */
  response_body: string
}

const MAX_BYTES = 16_384
/** A body that takes longer is kept as far as it came; the status has decided by then. */
const PATIENCE_MS = 1000
const OF_CONNECTION = ['connection', 'date', 'keep-alive', 'transfer-encoding']

/** Reads the start of a response; a body that breaks off or does not end changes nothing. */
export async function receive(response: Response): Promise<ReceiverResponse> {
  const bytes = await startOf(response)
  const headers = Object.entries(maskHeaders(response.headers)).filter(([name]) => !OF_CONNECTION.includes(name))
  return {
    status: response.status,
    response_headers: Object.fromEntries(headers),
    response_body: maskBody(bytes, response.headers.get('content-type') ?? ''),
  }
}

async function startOf({ body }: Response): Promise<Uint8Array> {
  if (body === null) return new Uint8Array()
  const reader = body.getReader()
  const parts: Uint8Array[] = []
  let size = 0
  const timer = setTimeout(() => reader.cancel().catch(() => {}), PATIENCE_MS)
  try {
    while (size < MAX_BYTES) {
      const { done, value } = await reader.read()
      if (done) break
      const part = (value as Uint8Array).subarray(0, MAX_BYTES - size)
      parts.push(part)
      size += part.length
    }
  } catch {
    // What came before it broke off is kept.
  }
  clearTimeout(timer)
  // Not awaited: a receiver that does not end its response must not hold the delivery.
  reader.cancel().catch(() => {})
  const kept = new Uint8Array(size)
  let at = 0
  for (const part of parts) {
    kept.set(part, at)
    at += part.length
  }
  return kept
}
