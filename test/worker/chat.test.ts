// CHAT_URL: a message at each payment and alert, at least once, and never the address of the chat anywhere.
import { describe, expect, it } from 'vitest'
import { payment, secondary } from './support/events.ts'
import { log, World, type WorldOptions } from './support/world.ts'

const TOKEN = 'xoxb-a-token-that-nobody-may-read'
const CHAT_URL = `https://chat.example.com/hook/${TOKEN}?chat_id=7`

interface Message {
  text: string
  init: RequestInit
}

/** A shop with a chat that responds as the test says. */
function open(options: WorldOptions = {}, respond: () => Response | Promise<Response> = () => new Response('ok')) {
  const messages: Message[] = []
  const world = new World({ failures: 0, ...options, env: { CHAT_URL, SHOP_NAME: 'Mugs', ...options.env } })
  const chat = { respond }
  world.intercept = (url, init = {}) => {
    if (!url.startsWith('https://chat.example.com/')) return undefined
    messages.push({ text: (JSON.parse(String(init.body)) as { text: string }).text, init })
    return Promise.resolve().then(chat.respond)
  }
  return { world, messages, chat }
}

async function paid(world: World, order_id = 'A-1', order: object = {}): Promise<void> {
  await world.pay(await world.open(await world.link({ order_id, ...order } as never)))
  await world.advance(5_000)
}

describe('a payment', () => {
  it('is one message, with the sum, what was bought and the order; its copies and refunds are none', async () => {
    const { world, messages } = open()
    await paid(world, 'A-1', { description: 'Two <b>mugs</b> & @everyone' })
    for (let i = 0; i < 3; i++) await world.advance(3_600_000)
    await world.send('/api/orders/A-1/refund', { refund_amount: 1 }, 'k')
    await world.advance(60_000)
    expect(messages.map(({ text }) => text.replaceAll('\u00a0', ' '))).toEqual([
      'Mugs · Paid UAH 100.50 · Two &lt;b&gt;mugs&lt;/b&gt; &amp; @everyone · order A-1',
    ])
    expect(messages[0]?.init).toMatchObject({ method: 'POST', redirect: 'manual' })
    expect(messages[0]?.init.signal).toBeInstanceOf(AbortSignal)
  })

  it('is said in the shop’s language, and names the customer only where the shop wants it', async () => {
    const named = { customer_fname: 'Олена', description: 'Кухоль' }
    const plain = open({ pages: { texts: [{ lang: 'uk' }] } })
    await paid(plain.world, 'A-1', { ...named, method: 'auth' })
    expect(plain.messages[0]?.text.replaceAll('\u00a0', ' ')).toBe(
      'Mugs · Заблоковано 100,50 грн · Кухоль · замовлення A-1',
    )
    const personal = open({ chat: { personal: true } })
    await paid(personal.world, 'A-1', named)
    expect(personal.messages[0]?.text).toContain('Олена')
  })

  it.each<[string, () => Response | Promise<Response>]>([
    ['is down', () => Promise.reject(new TypeError(`fetch failed: ${CHAT_URL}`))],
    ['rejects it', () => new Response(CHAT_URL, { status: 500 })],
    ['leads elsewhere', () => new Response(null, { status: 302, headers: { location: 'https://evil.example.com' } })],
  ])('is sent again while the chat %s, and not again once it was accepted', async (_, failing) => {
    const { world, messages, chat } = open({}, failing)
    await paid(world)
    for (let i = 0; i < 4; i++) await world.advance(3_600_000)
    const tried = messages.length
    expect(tried).toBeGreaterThan(2)
    chat.respond = () => new Response('ok')
    for (let i = 0; i < 12; i++) await world.advance(6 * 3_600_000)
    expect(messages.length).toBe(tried + 1)
  })

  it('survives a Worker that dies while the chat takes it: it comes at least once', async () => {
    const { world, messages, chat } = open({}, () => new Promise<Response>(() => {}))
    await world.pay(await world.open(await world.link({ order_id: 'A-1' })))
    void world.advance(5_000)
    for (let turn = 0; turn < 200 && messages.length === 0; turn++) await new Promise((done) => setTimeout(done))
    expect(messages.length).toBe(1)
    chat.respond = () => new Response('ok')
    world.begin()
    await world.advance(3_600_000)
    await world.advance(3_600_000)
    expect(messages.length).toBe(2)
  })

  it('waits for no `onEvent`, and `onEvent` for no chat', async () => {
    const handled: string[] = []
    const failing = open({ onEvent: () => Promise.reject(new Error('down')) })
    await paid(failing.world)
    expect(failing.messages.length).toBe(1)
    const down = open({ onEvent: ({ id }) => void handled.push(id) }, () => new Response('', { status: 503 }))
    await paid(down.world)
    expect(handled.length).toBe(1)
  })

  it('that was there before CHAT_URL was set, or without it, is no message', async () => {
    const { world, messages } = open({ env: { CHAT_URL: '' } })
    await paid(world)
    expect(messages).toEqual([])
  })
})

describe('an alert', () => {
  it('is a message too, at most one a minute for each kind, beside the shop’s own onAlert', async () => {
    const own: string[] = []
    const { world, messages } = open({ onAlert: ({ kind }) => void own.push(kind) })
    for (const id of ['A-1', 'A-2', 'A-3']) await world.deliver(payment(id))
    await world.idle()
    const alerts = () => messages.filter(({ text }) => !text.startsWith('Mugs ·'))
    expect([own.length, alerts().length]).toEqual([3, 1])
    await world.post(world.signed({ amount: 1 }))
    await world.idle()
    expect([own.at(-1), alerts().length]).toEqual(['stray', 2])
    await world.advance(60_000)
    await world.deliver(payment('A-4'))
    await world.idle()
    expect(alerts().length).toBe(3)
  })

  it('goes to the chat of its shop, where two are in one process', async () => {
    for (const { world, messages } of [open(), open()]) {
      await world.deliver(payment('A-1'))
      await world.idle()
      expect(messages.filter(({ text }) => text.includes('no link'))).toHaveLength(1)
    }
  })
})

describe('the address', () => {
  it('is in no log, error, alert, page or response, whatever the chat does', async () => {
    const alerts: string[] = []
    const { world } = open({ onAlert: (alert) => void alerts.push(JSON.stringify(alert)) }, () =>
      Promise.reject(new Error(`could not reach ${CHAT_URL}`)),
    )
    log.length = 0
    await paid(world)
    await world.deliver(payment('B-1'))
    await world.deliver(secondary('B-1', 'refund', { amount: 500 }))
    for (let i = 0; i < 30; i++) await world.advance(6 * 3_600_000)
    const texts = [JSON.stringify(log), ...alerts]
    for (const path of ['/api/orders/A-1', '/api/attention', '/api/audit', '/health'])
      texts.push(await (await world.api(path)).text())
    texts.push(await (await world.get('/health')).text())
    expect(JSON.stringify(log)).toContain('chat_given_up')
    for (const text of texts) expect(text).not.toContain(TOKEN)
  })

  it.each(['http://chat.example.com/x', 'ftp://x', 'https://u:p@chat.example.com/', 'chat.example.com'])(
    'that is not an https one is named by /health, never shown, and gets nothing: %s',
    async (url) => {
      const { world, messages } = open({ env: { CHAT_URL: url } })
      await paid(world)
      expect(messages).toEqual([])
      const health = await world.api('/health')
      const text = await health.text()
      expect([health.status, text.includes('CHAT_URL'), text.includes(url)]).toEqual([503, true, false])
    },
  )
})

it('a try of the chat says whether it took a message, or that there is none', async () => {
  const { world, messages, chat } = open()
  const tried = async () => (await world.send('/api/chat', {})).body.accepted
  const ok = await tried()
  chat.respond = () => new Response('', { status: 500 })
  expect([ok, await tried(), messages[0]?.text]).toEqual([true, false, 'edgetill · Mugs'])
  world.options.env = { CHAT_URL }
  expect([await tried(), messages[2]?.text]).toEqual([false, 'edgetill · '])
  world.options.env = {}
  expect([await tried(), messages.length]).toEqual([null, 3])
})
