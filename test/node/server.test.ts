import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import express from 'express'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createEmulator } from '../../src/emulator/index.ts'
import { signWebhook } from '../../src/index.ts'
import { createConsole } from '../../src/shop/console/index.ts'
import type { Returns } from '../../src/shop/index.ts'
import { createShop, nodeHandler, type ServerOptions } from '../../src/shop/server.ts'
import { pay } from '../../src/testing/index.ts'
import { sqlite } from '../../src/till/index.ts'
import { Browser, formTo } from '../console/support/browser.ts'
import { payment } from '../worker/support/events.ts'
import { ADMIN_TOKEN, newOrderId, ORDER, payAt } from '../worker/support/world.ts'
import { listen, serveNewEmulator, temporaryFolder } from './support/fixtures.ts'
import { api, configOf, linkTo, ORIGIN, openServer, type Send, within } from './support/server-shop.ts'

// `edgetill/server` over real SQLite: in process, behind node:http, and inside Express.

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const REFUND = { refund_amount: 10.5, order_currency: 'UAH' }

/** A service in this process whose webhooks go to the shop that `open` returns. */
function inProcess(options: Parameters<typeof openServer>[1] = {}) {
  const emulator = createEmulator({ seed: 7, fetch: (input, init) => shop.fetch(new Request(input, init)) })
  const shop = openServer(emulator, options)
  const send = within(shop)
  return {
    emulator,
    shop,
    send,
    /** Opens a link, pays, and has the webhook delivered. @returns Where the customer is sent to. */
    async buy(link: string): Promise<string> {
      const { headers, status } = await send(link)
      expect(status).toBe(303)
      const result = await payAt(emulator, headers.get('location') ?? '', 'success')
      await emulator.deliveries.idle()
      return result ?? ''
    },
  }
}

describe('over SQLite, behind node:http', () => {
  it('sells by a link, refunds once for a key, and shows both to its people', async () => {
    const served = await serveNewEmulator()
    const { emulator } = served
    const seen: string[] = []
    const file = join(temporaryFolder(), 'shop.db')
    const shop = openServer(emulator, { file, fetch, onEvent: ({ event }) => void seen.push(event.kind) })
    await shop.start()
    const origin = await listen(createServer(nodeHandler(shop)))
    const send: Send = (path, init) => globalThis.fetch(new URL(path, origin), { redirect: 'manual', ...init })
    const order_id = newOrderId()
    const link = await linkTo(send, { order_id })
    expect(link).toMatch(new RegExp(`^${origin}/checkout/[\\w-]+$`))
    const result = await pay((await send(link)).headers.get('location') ?? '')
    await emulator.deliveries.idle()
    expect(await (await globalThis.fetch(result)).text()).toContain('<h1>Your payment was successful</h1>')
    const path = `/api/orders/${order_id}`
    const press = () => api(send, 'POST', `${path}/refund`, REFUND, { 'idempotency-key': 'once' })
    const presses = await Promise.all(Array.from({ length: 10 }, press))
    expect(new Set(presses.map(({ status, body }) => `${status} ${body.operation_id}`)).size).toBe(1)
    const refund = await shop.till.refund({ order_id, ...REFUND }, { key: 'once' })
    expect(refund).toMatchObject({ outcome: 'done', record: { operation_id: presses[0]?.body.operation_id } })
    expect((await api(send, 'GET', path)).body).toMatchObject({
      totals: { captured_minor: 10050, refunded_minor: 1050 },
    })
    await emulator.deliveries.idle()
    await shop.stop()
    expect(seen.sort()).toEqual(['purchase', 'refund'])
    expect((await api(within(openServer(emulator, { file, fetch })), 'GET', path)).body).toMatchObject({ order_id })

    const again = within(openServer(emulator, { file, fetch }), origin)
    const browser = new Browser((request) => again(request.url, request), {}, origin)
    await browser.signIn()
    expect((await browser.open('/console/orders')).text).toContain(order_id)
  })

  it('keeps a webhook that names no order, also while it is not configured, and one that is not JSON', async () => {
    const { shop, emulator, send } = inProcess({ config: { API_KEY: '' } })
    const { apiSecret } = emulator.credentials
    const bodies = [payment('', { order_id: null as never }), 'not JSON'].map((one) => signWebhook(one, apiSecret).body)
    for (const body of [...bodies, ...bodies]) {
      expect((await send('/webhooks', { method: 'POST', body, headers: FORM })).status).toBe(200)
    }
    const { body } = await api<Returns['GET /api/strays']>(send, 'GET', '/api/strays?limit=1')
    const next = await api<Returns['GET /api/strays']>(send, 'GET', `/api/strays?cursor=${body.cursor}`)
    const strays = [...body.strays, ...next.body.strays]
    expect(strays.map(({ reason }) => reason).sort()).toEqual(['no_order_id', 'not_json'])
    for (const { id } of strays) expect((await api(send, 'GET', `/api/strays/${id}`)).body.data).toMatch(/^[\w-]+=*$/)
    await shop.stop()
  })
})

describe('inside Express, below a path', () => {
  it('has all its addresses there, also behind a body parser', async () => {
    const { emulator } = await serveNewEmulator()
    const app = express()
    app.get('/', (_, response) => void response.send('the shop of today'))
    app.use(express.urlencoded({ extended: false }), express.json())
    const origin = await listen(createServer(app))
    const mounted = `${origin}/pay`
    const shop = openServer(emulator, { fetch, config: { PUBLIC_ORIGIN: mounted } })
    app.use('/pay', nodeHandler(shop))
    const send: Send = (path, init) => globalThis.fetch(new URL(path, origin), { redirect: 'manual', ...init })
    const at: Send = (path, init) => send(`/pay${path}`, init)
    expect(await (await send('/')).text()).toBe('the shop of today')
    expect([(await at('/health')).status, (await send('/health')).status]).toEqual([200, 404])
    const order_id = newOrderId()
    const { body } = await api(
      at,
      'POST',
      '/api/links',
      { order: { ...ORDER, order_id }, landing: true },
      { 'content-type': 'application/json' },
    )
    const { pathname } = new URL(String(body.url))
    expect(String(body.url)).toMatch(new RegExp(`^${mounted}/checkout/`))
    expect((await send(String(body.short_url))).headers.get('location')).toBe(pathname)
    const browser = new Browser((request) => globalThis.fetch(request, { redirect: 'manual' }), {}, origin)
    formTo(await browser.open(pathname), pathname)
    const opened = await send(pathname, { method: 'POST', headers: FORM, body: 'a=b' })
    const result = await pay(opened.headers.get('location') ?? '')
    await emulator.deliveries.idle()
    expect(result).toMatch(new RegExp(`^${mounted}/return/`))
    expect(await (await send(result)).text()).toContain('<h1>Your payment was successful</h1>')
    const refund = await api(at, 'POST', `/api/orders/${order_id}/refund`, REFUND, {
      'idempotency-key': 'k',
      'content-type': 'application/json',
    })
    expect(refund.status).toBe(200)
    const login = formTo(await browser.open('/pay/console'), '/pay/console/login')
    await browser.submit(login, { password: ADMIN_TOKEN })
    expect((await browser.open('/pay/console/orders')).text).toContain(`/pay/console/orders/${order_id}`)
    expect((await at('/api/nothing')).status).toBe(401)
    await shop.stop()
  })

  it('says that PUBLIC_ORIGIN has another path than the mount', async () => {
    const { shop } = inProcess({ config: { PUBLIC_ORIGIN: `${ORIGIN}/shop` } })
    const app = express().use('/pay', nodeHandler(shop))
    const response = await globalThis.fetch(`${await listen(createServer(app))}/pay/health`)
    expect([response.status, await response.text()]).toEqual([
      500,
      'PUBLIC_ORIGIN must end in /pay, where the shop is mounted.',
    ])
  })
})

describe('several processes over one database', () => {
  it('lead two visitors of a link to one payment: the second waits for the address that another process opens', async () => {
    const emulator = createEmulator({ seed: 7 })
    const file = join(temporaryFolder(), 'shop.db')
    let calls = 0
    const held = Promise.withResolvers<void>()
    const holding = async (input: string | URL | Request, init?: RequestInit) => {
      if (String(input).endsWith('/api/v1/payment')) {
        calls += 1
        await held.promise
      }
      return emulator.fetch(input as string, init)
    }
    const [first, second] = [1, 2].map(() => within(openServer(emulator, { file, fetch: holding }))) as [Send, Send]
    const link = await linkTo(first)
    const opening = first(link)
    await expect.poll(() => calls).toBe(1)
    const waiting = second(link)
    held.resolve()
    const [one, two] = await Promise.all([opening, waiting])
    expect([one.status, two.status, calls]).toEqual([303, 303, 1])
    expect(two.headers.get('location')).toBe(one.headers.get('location'))
  })

  it('count wrong tokens of an address together, and forget them after an hour', async () => {
    const emulator = createEmulator({ seed: 7 })
    const file = join(temporaryFolder(), 'shop.db')
    let time = Date.now()
    const [one, two] = [1, 2].map(() => openServer(emulator, { file, now: () => time })) as [
      ReturnType<typeof openServer>,
      ReturnType<typeof openServer>,
    ]
    const wrong = { headers: { authorization: `Bearer ${'wrong'.repeat(8)}` } }
    const statuses: number[] = []
    for (let i = 0; i < 11; i++) statuses.push((await within(i % 2 ? one : two)('/api/orders', wrong)).status)
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429])
    expect((await api(within(one), 'GET', '/api/orders')).status).toBe(429)
    expect((await api(within(two, ORIGIN, '192.0.2.8'), 'GET', '/api/orders')).status).toBe(200)
    time += 61_000
    expect((await api(within(one), 'GET', '/api/orders')).status).toBe(200)
    time += 3_600_000
    await within(two)('/api/orders', wrong)
    const rows = new DatabaseSync(file).prepare('SELECT count(*) AS count FROM edgetill_try').get()
    expect(rows).toEqual({ count: 1 })
  })

  it('know of a session that was ended in another process', async () => {
    const emulator = createEmulator({ seed: 7 })
    const file = join(temporaryFolder(), 'shop.db')
    const shops = [1, 2].map(() => within(openServer(emulator, { file })))
    const [first, second] = shops as [Send, Send]
    const browser = new Browser((request) => first(request.url, request), {}, ORIGIN)
    await browser.signIn()
    const cookie = [...browser.cookies].map((pair) => pair.join('=')).join('; ')
    const elsewhere = async () => (await second('/console', { headers: { cookie } })).text()
    expect(await elsewhere()).toContain('action="/console/logout"')
    await browser.submit(formTo(await browser.open('/console'), '/console/logout'))
    expect(await elsewhere()).toContain('action="/console/login"')
  })
})

describe('start and stop', () => {
  it('hands the events that are due to onEvent, and each minute those that became due', async () => {
    const emulator = createEmulator({ seed: 7 })
    const file = join(temporaryFolder(), 'shop.db')
    const quiet = openServer(emulator, { file })
    const body = signWebhook(payment('A-1', { status: 'success' }), emulator.credentials.apiSecret).body
    await within(quiet)('/webhooks', { method: 'POST', body, headers: FORM })
    const tries: string[] = []
    onTestFinished(() => void vi.useRealTimers())
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const shop = openServer(emulator, {
      file,
      onEvent({ event }, order) {
        tries.push(`${event.kind} of ${order.order_id}`)
        if (tries.length === 1) throw new Error('no stock')
      },
    })
    await shop.start()
    await expect.poll(() => tries.length).toBe(1)
    const database = new DatabaseSync(file)
    const anotherMinute = () => {
      // The next try is due after a second of the database's clock.
      database.exec('UPDATE edgetill_log SET next_at = 1 WHERE next_at IS NOT NULL')
      vi.advanceTimersByTime(60_000)
      return tries
    }
    await expect.poll(anotherMinute).toEqual(['purchase of A-1', 'purchase of A-1'])
    await shop.stop()
  })

  it('ends within eight seconds though onEvent hangs, takes no request any more, and leaves the event due', async () => {
    const file = join(temporaryFolder(), 'shop.db')
    const { emulator, shop, send, buy } = inProcess({ file, onEvent: () => new Promise<void>(() => {}) })
    await shop.start()
    onTestFinished(() => void vi.useRealTimers())
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    await buy(await linkTo(send))
    let isOver = false
    const stopped = shop.stop().then(() => {
      isOver = true
    })
    expect((await send('/health')).status).toBe(503)
    await vi.advanceTimersByTimeAsync(7_900)
    expect(isOver).toBe(false)
    await vi.advanceTimersByTimeAsync(100)
    vi.useRealTimers()
    await stopped
    new DatabaseSync(file).exec('UPDATE edgetill_log SET next_at = 1 WHERE next_at IS NOT NULL')
    const seen: string[] = []
    const next = openServer(emulator, { file, onEvent: ({ event }) => void seen.push(event.kind) })
    await next.start()
    await expect.poll(() => seen).toEqual(['purchase'])
    await next.stop()
  })

  it('ends at once where nothing is under way, and fails to start without its database', async () => {
    const { shop } = inProcess()
    await shop.start()
    await shop.stop()
    const database = { ...sqlite(new DatabaseSync(':memory:')), run: () => Promise.reject(new Error('down')) }
    await expect(openServer(createEmulator(), { database }).start()).rejects.toThrow('The database failed')
  })
})

describe('behind a proxy', () => {
  const enforced = { SENDER_CHECK: 'enforce', SENDER_IP: '198.51.100.9' }

  it('checks the sender only with trust, and by the last address that the proxy wrote', async () => {
    expect(() => inProcess({ config: enforced })).toThrow(/SENDER_CHECK is enforce, which needs trust/)
    const { emulator, send } = inProcess({ config: enforced, trust: 'x-forwarded-for' })
    const { body } = signWebhook(payment('A-1', { status: 'success' }), emulator.credentials.apiSecret)
    const statusOf = async (forwarded: string) => {
      const headers = { ...FORM, 'x-forwarded-for': forwarded }
      return (await send('/webhooks', { method: 'POST', body, headers })).status
    }
    expect(await Promise.all(['198.51.100.9, 203.0.113.4', '203.0.113.4', ''].map(statusOf))).toEqual([403, 403, 403])
    expect(await statusOf('203.0.113.4, 198.51.100.9')).toBe(200)
  })

  it('warns at /health of a proxy that is not trusted', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.4', authorization: `Bearer ${ADMIN_TOKEN}` }
    const warning = async (options: Partial<ServerOptions>) => {
      const response = await inProcess(options).send('/health', { headers })
      return [response.status, ((await response.json()) as { warning?: string }).warning]
    }
    const text = 'Requests come through a proxy: set trust to the header with the client’s address.'
    expect(await warning({})).toEqual([200, text])
    expect(await warning({ trust: 'x-forwarded-for' })).toEqual([200, undefined])
    const unnamed = await inProcess().send('/health', { headers: { 'x-forwarded-for': '203.0.113.4' } })
    expect(await unnamed.json()).toEqual({ status: 'ok', mode: 'test' })
  })

  it('takes http beyond loopback only with PUBLIC_ORIGIN, which its pages and forms then have', async () => {
    const inside = 'http://10.0.0.7:3000'
    const shop = openServer(createEmulator())
    expect((await within(shop, inside)('/console')).status).toBe(500)
    const open = openServer(createEmulator(), { config: { PUBLIC_ORIGIN: 'https://pay.shop.example.com' } })
    const login = await within(open, inside)('/console')
    expect(login.headers.get('set-cookie')).toMatch(/^__Host-edgetill=.*; Secure/)
    const link = await linkTo(within(open, inside))
    expect(link).toMatch(/^https:\/\/pay\.shop\.example\.com\/checkout\//)
  })
})

it('takes EDGETILL_ names first, and names the settings that are missing', async () => {
  const { credentials } = createEmulator()
  const config = {
    ...configOf({ credentials }),
    EDGETILL_ADMIN_TOKEN: 'x'.repeat(40),
    API_KEY: '',
    EDGETILL_API_KEY: '',
  }
  const shop = createShop({ database: sqlite(new DatabaseSync(':memory:')), config, console: createConsole })
  const response = await within(shop)('/health', { headers: { authorization: `Bearer ${'x'.repeat(40)}` } })
  expect(await response.json()).toMatchObject({
    status: 'misconfigured',
    problems: [{ binding: 'API_KEY', problem: 'missing' }],
  })
  expect(() => createShop({ database: {} as never, config })).toThrow(/database must be sqlite/)
})

it('rejects what no Request can express', async () => {
  const { shop } = inProcess()
  const handle = nodeHandler(shop)
  const origin = await listen(
    createServer((request: IncomingMessage, response: ServerResponse) => {
      request.headers.host = 'user@shop.example.com'
      return void handle(request, response)
    }),
  )
  expect((await globalThis.fetch(`${origin}/health`)).status).toBe(400)
})
