import type { AppliedFault } from '../state/activity.ts'

/** One attempt at a delivery: the receiver's HTTP status, or why there was none (`ECONNREFUSED 127.0.0.1:3000`). */
export interface Attempt {
  at: string
  status?: number
  error?: string
  /** Milliseconds of real time until the response or the failure; 0 where the emulator's clock stands still. */
  ms?: number
  /** Where it went, if not to the webhook's own address: it says nothing about the delivery. */
  url?: string
  /** The receiver's headers, but for `date` and those of the connection; credentials are masked. */
  response_headers?: Record<string, string>
  /** The first 16,384 bytes of what the receiver responded, with card data masked. */
  response_body?: string
  /** When the failed webhook is sent again. */
  retry_at?: string
}

/** One webhook. */
export interface Delivery {
  id: string
  order_id: string
  /** Where it goes; null when the request named no `server_url` and the emulator has no `webhookUrl`. */
  url: string | null
  /** The payload. */
  event: Record<string, unknown>
  /** The form as it is sent: `data` and `signature`. */
  body: string
  /** Sent with each attempt. */
  headers: Record<string, string>
  attempts: Attempt[]
  /** The faults that fired on it. */
  faults: AppliedFault[]
}

/** How many webhooks are kept; older ones are forgotten. What is under way of them goes on. */
const MAX_DELIVERIES = 10_000

/** Anything but a 2xx has not arrived. */
export function hasFailed({ status }: Attempt): boolean {
  return status === undefined || status < 200 || status > 299
}

/** The last attempt at the webhook's own address. */
function lastAttempt({ attempts }: Delivery): Attempt | undefined {
  return attempts.filter(({ url }) => url === undefined).at(-1)
}

/** What became of a webhook, in a word. */
export function stateOf(delivery: Delivery): 'no address' | 'waiting' | 'failed' | 'delivered' {
  if (delivery.url === null) return 'no address'
  const last = lastAttempt(delivery)
  if (last === undefined || (last.status === undefined && last.error === undefined)) return 'waiting'
  return hasFailed(last) ? 'failed' : 'delivered'
}

/** The latest webhooks, with what the pages look for in so many. */
export interface DeliveryStore {
  /** Oldest first. */
  readonly all: Delivery[]
  add(delivery: Delivery): void
  /** Takes note of how the last attempt ended. */
  settle(delivery: Delivery): void
  ofOrder(orderId: string): readonly Delivery[]
  undelivered(): readonly Delivery[]
  forget(orderId: string): void
  clear(): void
}

export function createDeliveryStore(): DeliveryStore {
  const all: Delivery[] = []
  const byOrder = new Map<string, Delivery[]>()
  const failing = new Set<Delivery>()

  function forgetOldest(): void {
    const oldest = all.shift()
    if (oldest === undefined) return
    failing.delete(oldest)
    const others = (byOrder.get(oldest.order_id) ?? []).filter((delivery) => delivery !== oldest)
    if (others.length > 0) byOrder.set(oldest.order_id, others)
    else byOrder.delete(oldest.order_id)
  }

  return {
    all,
    add(delivery) {
      all.push(delivery)
      const others = byOrder.get(delivery.order_id)
      if (others === undefined) byOrder.set(delivery.order_id, [delivery])
      else others.push(delivery)
      if (all.length > MAX_DELIVERIES) forgetOldest()
    },
    settle(delivery) {
      const last = lastAttempt(delivery)
      const isKept = byOrder.get(delivery.order_id)?.includes(delivery) ?? false
      if (isKept && last !== undefined && hasFailed(last)) failing.add(delivery)
      else failing.delete(delivery)
    },
    ofOrder: (orderId) => byOrder.get(orderId) ?? [],
    undelivered: () => [...failing],
    forget(orderId) {
      for (const delivery of byOrder.get(orderId) ?? []) {
        all.splice(all.indexOf(delivery), 1)
        failing.delete(delivery)
      }
      byOrder.delete(orderId)
    },
    clear() {
      all.length = 0
      byOrder.clear()
      failing.clear()
    },
  }
}
