import { createEmulator } from '../../../../src/emulator/index.ts'
import { createClient } from '../../../../src/index.ts'
import { eventKey, foldOrder } from '../../../../src/orders/index.ts'
import { type ProvePress, prove } from '../../../../src/testing/index.ts'
import { createWebhookHandler, type WebhookEvent } from '../../../../src/webhooks/index.ts'

export const WEBHOOKS = 'https://shop.example.com/webhooks'
type Emulator = ReturnType<typeof createEmulator>
export type Press = (press: ProvePress) => Promise<unknown>

/** A shop whose events are kept, and which refunds and captures in one way. */
export function play(
  events: Map<string, WebhookEvent>,
  receive: (request: Request) => Promise<Response>,
  emulator: Emulator,
  buttons: { refund?: Press; capture?: Press },
) {
  return prove({
    url: WEBHOOKS,
    fetch: (input, init) => {
      const request = new Request(input, init)
      return request.url.startsWith('https://shop.') ? receive(request) : emulator.fetch(request)
    },
    state(order_id) {
      const own = [...events.values()].filter((event) => event.order_id === order_id)
      const { totals } = foldOrder(own)
      return own.length === 0 ? undefined : { paid: totals.captured_minor / 100, refunded: totals.refunded_minor / 100 }
    },
    orders: 1,
    emulator: emulator.credentials.baseUrl,
    restart() {},
    ...buttons,
  })
}

export function openShop() {
  const inbox: { receive?: (request: Request) => Promise<Response> } = {}
  const fetch = async (url: string, init: RequestInit) =>
    (await inbox.receive?.(new Request(url, init))) ?? new Response()
  const emulator = createEmulator({ fetch })
  const events = new Map<string, WebhookEvent>()
  const onEvent = (event: WebhookEvent) => void events.set(eventKey(event), event)
  const receive = createWebhookHandler({ secrets: emulator.credentials.apiSecret, onEvent, onRejected() {} })
  inbox.receive = receive
  const client = createClient({ ...emulator.credentials, fetch: emulator.fetch, onWarning() {} })
  return { emulator, events, receive, client, onEvent, inbox }
}
