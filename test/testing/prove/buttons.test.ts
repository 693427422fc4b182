import { describe, expect, it } from 'vitest'
import { createTill, sqlite } from '../../../src/till/index.ts'
import { createWebhookHandler } from '../../../src/webhooks/index.ts'
import { hasSqlite } from '../../support/environment.ts'
import { openShop, type Press, play, WEBHOOKS } from './support/button-shop.ts'
import { WRONG_BUTTONS } from './support/wrong.ts'

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
