import type { AppliedFault } from '../state/activity.ts'

/** One attempt at a delivery: the receiver's HTTP status, or why there was none (`ECONNREFUSED 127.0.0.1:3000`). */
export interface Attempt {
  at: string
  status?: number
  error?: string
  /** Milliseconds of real time until the response or the failure; 0 where the emulator's clock stands still. */
  ms?: number
  /** The address, if not the webhook's own: such an attempt does not count for the delivery. */
  url?: string
  /** The receiver's headers, but for `date` and those of the connection; credentials are masked. */
  response_headers?: Record<string, string>
  /** The first 16,384 bytes of the receiver's response, with card data masked. */
  response_body?: string
  /** When the failed webhook is sent again. */
  retry_at?: string
}

/** One webhook. */
export interface Delivery {
  id: string
  order_id: string
  /** Its address; null when the request named no `server_url` and the emulator has no `webhookUrl`. */
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

/** How many webhooks are kept; older webhooks are forgotten. Their deliveries under way go on. */
const MAX_DELIVERIES = 10_000

/** Under way: neither responded to nor failed. */
export function isOpen({ status, error }: Attempt): boolean {
  return status === undefined && error === undefined
}

/** Anything but a 2xx has not arrived. */
export function hasFailed({ status }: Attempt): boolean {
  return status === undefined || status < 200 || status > 299
}

function lastAttempt({ attempts }: Delivery): Attempt | undefined {
  return attempts.filter(({ url }) => url === undefined).at(-1)
}

export function stateOf(delivery: Delivery): 'no address' | 'waiting' | 'failed' | 'delivered' {
  if (delivery.url === null) return 'no address'
  const last = lastAttempt(delivery)
  if (last === undefined || isOpen(last)) return 'waiting'
  return hasFailed(last) ? 'failed' : 'delivered'
}

export class DeliveryStore {
  readonly all: Delivery[] = []
  private readonly byOrder = new Map<string, Delivery[]>()
  private readonly failing = new Set<Delivery>()

  add(delivery: Delivery): void {
    this.all.push(delivery)
    this.byOrder.set(delivery.order_id, [...this.ofOrder(delivery.order_id), delivery])
    const [oldest] = this.all
    if (this.all.length > MAX_DELIVERIES && oldest !== undefined) this.remove([oldest])
  }

  settle(delivery: Delivery): void {
    const last = lastAttempt(delivery)
    const isKept = this.ofOrder(delivery.order_id).includes(delivery)
    if (isKept && last !== undefined && hasFailed(last)) this.failing.add(delivery)
    else this.failing.delete(delivery)
  }

  ofOrder(orderId: string): readonly Delivery[] {
    return this.byOrder.get(orderId) ?? []
  }

  /** Those whose last attempt failed, in the order in which they first did. */
  undelivered(): readonly Delivery[] {
    return [...this.failing]
  }

  remove(deliveries: readonly Delivery[]): void {
    for (const delivery of deliveries) {
      this.all.splice(this.all.indexOf(delivery), 1)
      this.failing.delete(delivery)
      const others = this.ofOrder(delivery.order_id).filter((one) => one !== delivery)
      if (others.length > 0) this.byOrder.set(delivery.order_id, others)
      else this.byOrder.delete(delivery.order_id)
    }
  }

  clear(): void {
    this.all.length = 0
    this.byOrder.clear()
    this.failing.clear()
  }
}
