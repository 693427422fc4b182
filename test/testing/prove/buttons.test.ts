import { describe, expect, it } from 'vitest'
import { createEmulator } from '../../../src/emulator/index.ts'
import { createClient, createWebhookHandler, eventKey, foldOrder, type WebhookEvent } from '../../../src/index.ts'
import { type ProvePress, prove } from '../../../src/testing/index.ts'
import { createTill, sqlite } from '../../../src/till/index.ts'
import { hasSqlite } from '../../support/environment.ts'
import { WRONG_BUTTONS } from './support/wrong.ts'

const WEBHOOKS = 'https://shop.example.com/webhooks'
type Emulator = ReturnType<typeof createEmulator>
type Press = (press: ProvePress) => Promise<unknown>

/** A shop whose events are kept, and which refunds and captures in one way. */
function play(
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

function openShop() {
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

describe.concurrent('the buttons of a shop', () => {
  it.each(WRONG_BUTTONS)('%s: %s, %s', { timeout: 300_000 }, async (button, cause, verdict, name) => {
    const { emulator, events, receive, client, onEvent, inbox } = openShop()
    const deaf = createWebhookHandler({
      secrets: emulator.credentials.apiSecret,
      onEvent: (event) => (event.kind === name && emulator.deliveries.length > 0 ? undefined : onEvent(event)),
      onRejected() {},
    })
    const receiver = button === 'deaf' ? deaf : receive
    inbox.receive = receiver
    const pressed = new Set<string>()
    const press: Press = async ({ key, order_id, amount, currency }) => {
      if (button !== 'bare' && pressed.has(order_id)) return
      pressed.add(order_id)
      if (button === 'dead') return
      const sent = { half: Math.floor(amount * 50) / 100, whole: 100.5 }[button] ?? amount
      const of = { order_id, order_currency: currency, server_url: WEBHOOKS }
      if (name === 'refund') await client.refundPayment({ ...of, refund_amount: sent })
      else await client.capturePayment({ ...of, charge_amount: sent })
      return key
    }
    const { findings } = await play(events, receiver, emulator, { [name]: press })
    const own = findings.filter(({ story }) => story.some(({ says }) => says.includes(`the ${name} of`)))
    expect(own.map((one) => [one.verdict, one.cause])).toEqual([[verdict, cause]])
    if (button === 'bare')
      expect(own[0]?.story.at(-1)?.says).toMatch(/^the service has of each \w+: 30.2 UAH and 30.2 UAH$/)
    // Both may only be late.
    if (/deaf|dead/.test(button)) expect(own[0]?.advice).toMatch(/Is it right later\? Pass --settle-ms \d+000\.$/)
  })

  const onSqlite = hasSqlite ? it : () => {}
  onSqlite('the till passes', { timeout: 300_000 }, async () => {
    const { DatabaseSync } = await import('node:sqlite')
    const { emulator, events, client, onEvent, inbox } = openShop()
    const till = createTill({ client, database: sqlite(new DatabaseSync(':memory:')), onEvent() {} })
    await till.migrate()
    const receive = createWebhookHandler({
      secrets: emulator.credentials.apiSecret,
      onEvent: async (event) => {
        await till.receive(event)
        onEvent(event)
      },
      onRejected() {},
    })
    inbox.receive = receive
    const refund: Press = ({ key, order_id, amount, currency }) =>
      till.refund({ order_id, order_currency: currency, refund_amount: amount }, { key })
    const capture: Press = ({ key, order_id, amount, currency }) =>
      till.capture({ order_id, order_currency: currency, charge_amount: amount, server_url: WEBHOOKS }, { key })
    expect((await play(events, receive, emulator, { refund, capture })).findings).toEqual([])
  })
})
