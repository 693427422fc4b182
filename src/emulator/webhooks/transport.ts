import type { ResolvedOptions } from '../options.ts'
import { maskBody, maskHeaders } from '../state/mask.ts'

export interface ReceiverResponse {
  status: number
  /** Without headers of the connection, and `date`: the same run gives the same bytes. */
  response_headers: Record<string, string>
  /** The first 16,384 bytes, with card data masked. */
  response_body: string
}

type TransportOptions = Pick<ResolvedOptions, 'fetch' | 'webhookTimeoutMs'>

/** The webhooks on their way to receivers: an order's webhooks leave in turn, different orders' side by side. */
export class Transport {
  private readonly options: TransportOptions
  private readonly started = new Set<Promise<unknown>>()
  private readonly queues = new Map<string, Promise<unknown>>()
  private readonly sending = new Set<AbortController>()

  constructor(options: TransportOptions) {
    this.options = options
  }

  async send(url: string, init: RequestInit): Promise<ReceiverResponse> {
    const send = this.options.fetch ?? globalThis.fetch
    // Not AbortSignal.any: every signal that it makes stays with the lasting one for as long as that lives.
    const underWay = new AbortController()
    const late = (): void => underWay.abort(new DOMException('', 'TimeoutError'))
    const timeout = setTimeout(late, this.options.webhookTimeoutMs)
    this.sending.add(underWay)
    try {
      return await receive(await send(url, { ...init, redirect: 'manual', signal: underWay.signal }))
    } finally {
      clearTimeout(timeout)
      this.sending.delete(underWay)
    }
  }

  enqueue(orderId: string, work: () => Promise<unknown>): void {
    const before = this.queues.get(orderId) ?? Promise.resolve()
    const next = this.track(before.then(work)).finally(() => {
      if (this.queues.get(orderId) === next) this.queues.delete(orderId)
    })
    this.queues.set(orderId, next)
  }

  track<T>(work: Promise<T>): Promise<T> {
    this.started.add(work)
    const done = (): void => {
      this.started.delete(work)
    }
    work.then(done, done)
    return work
  }

  async idle(): Promise<void> {
    while (this.started.size > 0) await Promise.allSettled([...this.started])
  }

  abort(): void {
    for (const underWay of this.sending) underWay.abort()
    this.queues.clear()
  }
}

const MAX_BYTES = 16_384
/** A body that takes longer is kept as far as it came; the status has decided by then. */
const PATIENCE_MS = 1000
const OF_CONNECTION = ['connection', 'date', 'keep-alive', 'transfer-encoding']

async function receive(response: Response): Promise<ReceiverResponse> {
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
  const parts: Uint8Array<ArrayBuffer>[] = []
  let size = 0
  const timer = setTimeout(() => reader.cancel().catch(() => {}), PATIENCE_MS)
  try {
    while (size < MAX_BYTES) {
      const { done, value } = await reader.read()
      if (done) break
      const part = (value as Uint8Array<ArrayBuffer>).subarray(0, MAX_BYTES - size)
      parts.push(part)
      size += part.length
    }
  } catch {
    // The part that arrived before it broke off is kept.
  }
  clearTimeout(timer)
  // Not awaited: a receiver that does not end its response must not hold the delivery.
  reader.cancel().catch(() => {})
  return new Uint8Array(await new Blob(parts).arrayBuffer())
}
