import { afterEach, describe, expect, it, vi } from 'vitest'
import type { OnAlert, OnEvent } from '../../src/shop/index.ts'
import { onAlert } from '../../worker/on-alert.ts'
import { onEvent } from '../../worker/on-event.ts'
import { payment } from '../worker/support/events.ts'
import { log, World } from '../worker/support/world.ts'

afterEach(() => vi.unstubAllGlobals())

describe('worker/on-event.ts and worker/on-alert.ts', () => {
  const CHAT_URL = 'https://chat.example.com/hook/a-token-that-stays-secret'

  /** A shop with the template's two functions and a chat that responds as `chat` says. */
  function open(env: object = { CHAT_URL }) {
    const chat = { respond: (): Promise<Response> => Promise.resolve(new Response()) }
    const messages: string[] = []
    vi.stubGlobal('fetch', (_: string, { body, redirect }: RequestInit) => {
      expect(redirect).toBe('manual')
      messages.push((JSON.parse(String(body)) as { text: string }).text)
      return chat.respond()
    })
    const world = new World({ onEvent: onEvent as OnEvent, onAlert: onAlert as OnAlert, env: { MODE: 'test', ...env } })
    return { world, chat, messages }
  }

  it('send one message for each payment, with the paid amount, and none for copies, refunds and declines', async () => {
    const { world, messages } = open()
    await world.pay(await world.open(await world.link({ order_id: 'A-1' })), 'declined')
    await world.pay(await world.open(await world.link({ order_id: 'A-1' })))
    await world.pay(await world.open(await world.link({ order_id: 'A-2', method: 'auth' })))
    await world.untilHandled()
    await world.send('/api/orders/A-1/refund', { refund_amount: 1 }, 'k')
    await world.untilHandled()
    expect(messages.sort()).toEqual(['Paid 100.50 UAH · order A-1~2', 'Reserved 100.50 UAH · order A-2'])
    await world.deliver(payment('A-3', { processed_amount: 90.45 }))
    await world.untilHandled()
    const paid = messages.filter((text) => text.startsWith('Paid 90.45 UAH · order A-3 · '))
    expect(paid).toEqual([expect.stringMatching(/ · look at it before you ship: unknown_order/)])
  })

  it('send an alert’s text, and nothing without CHAT_URL', async () => {
    const { world, messages } = open()
    await world.deliver(payment('B-1'))
    await world.untilHandled()
    expect(messages.sort()).toEqual([expect.stringContaining('no link of this shop'), expect.stringMatching(/^Paid /)])
    const silent = open({})
    await silent.world.deliver(payment('B-1'))
    await silent.world.untilHandled()
    expect(silent.messages).toEqual([])
  })

  it.each<[string, () => Promise<Response>]>([
    ['is down', () => Promise.reject(new TypeError(`fetch failed: ${CHAT_URL}`))],
    ['rejects it', () => Promise.resolve(new Response(CHAT_URL, { status: 500 }))],
    ['leads elsewhere', () => Promise.resolve(new Response(null, { status: 302, headers: { location: CHAT_URL } }))],
  ])('repeat a message while the chat %s, and show its address nowhere', async (_, failing) => {
    const { world, chat, messages } = open()
    chat.respond = failing
    log.length = 0
    await world.pay(await world.open(await world.link({ order_id: 'A-1' })))
    for (let minute = 0; minute < 20; minute++) await world.advance(60_000)
    expect(messages.length).toBeGreaterThan(2)
    const texts = [JSON.stringify(log)]
    for (const path of ['orders/A-1', 'attention', 'events?failing=true'])
      texts.push(await (await world.api(`/api/${path}`)).text())
    expect(texts[0]).toContain('on_event_failed')
    expect(texts.join('')).not.toContain('a-token-that')
    chat.respond = () => Promise.resolve(new Response())
    for (let minute = 0; minute < 20; minute++) await world.advance(60_000)
    const sent = messages.length
    for (let hour = 0; hour < 8; hour++) await world.advance(3_600_000)
    expect([messages.at(-1), messages.length]).toEqual(['Paid 100.50 UAH · order A-1', sent])
  })
})
