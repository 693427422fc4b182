import { isWebhookVerificationError } from '../../errors.ts'
import { readWebhook, type WebhookEvent } from '../../webhooks/index.ts'

export interface Delivery {
  /** Undefined if it was rejected. */
  event?: WebhookEvent
  reason?: string
  contentType: string
  encoding: string | null
}

export interface Inbox {
  handle(request: Request): Promise<Response>
  /** The order's next webhook, or a rejected webhook; undefined when none comes in time. */
  next(order_id: string, ms: number): Promise<Delivery | undefined>
}

export function createInbox(secret: string, pause: (ms: number) => Promise<void>): Inbox {
  const deliveries: Delivery[] = []
  let arrived = (): void => {}
  const take = (order_id: string): Delivery | undefined => {
    const at = deliveries.findIndex(({ event }) => event === undefined || event.order_id === order_id)
    return at < 0 ? undefined : deliveries.splice(at, 1)[0]
  }
  return {
    async handle(request) {
      if (request.method !== 'POST') return new Response()
      const { headers } = request
      const seen = { contentType: headers.get('content-type') ?? '', encoding: headers.get('content-encoding') }
      try {
        deliveries.push({ ...seen, event: await readWebhook(request, secret) })
      } catch (error) {
        if (!isWebhookVerificationError(error)) throw error
        deliveries.push({ ...seen, reason: error.reason })
      }
      arrived()
      return new Response()
    },
    async next(order_id, ms) {
      let isLate = false
      const late = pause(ms).then(() => (isLate = true))
      for (;;) {
        const found = take(order_id)
        if (found !== undefined || isLate) return found
        await Promise.race([new Promise<void>((resolve) => (arrived = resolve)), late])
      }
    },
  }
}
