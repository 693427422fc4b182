import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createEmulator } from '../../src/emulator/index.ts'
import { createConsole } from '../../src/shop/console/index.ts'
import { createShop as createWorker, type Returns } from '../../src/shop/index.ts'
import { createShop, nodeHandler, type ServerOptions } from '../../src/shop/server.ts'
import { createKvDouble } from '../../src/testing/index.ts'
import { signWebhook } from '../../src/webhooks/index.ts'
import { Browser, formTo } from '../console/support/browser.ts'
import { openDatabase } from '../till/support/open-till.ts'
import { payment } from './support/events.ts'
import { api, configOf, linkTo, ORIGIN, openServer, type Send, within } from './support/server.ts'
import { ADMIN_TOKEN, bindings, payAt } from './support/world.ts'

// `edgetill/server` over each runtime's SQLite, in process. test/node/server.test.ts has it behind node:http and Express.

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

/** A service in this process whose webhooks go to the shop. */
async function inProcess(options: Partial<ServerOptions> = {}) {
  const database = await openDatabase()
  const emulator = createEmulator({ seed: 7, fetch: (input, init) => shop.fetch(new Request(input, init)) })
  const shop = openServer(emulator, database, options)
  const send = within(shop)
  return {
    emulator,
    database,
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

describe('its database', () => {
  it('keeps a webhook that names no order, also while it is not configured, and one that is not JSON', async () => {
    const { shop, emulator, send } = await inProcess({ config: { API_KEY: '' } })
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

it('a Worker over its own database makes the tables again if the first request died on the way', async () => {
  const emulator = createEmulator({ seed: 7 })
  const real = await openDatabase()
  const dead = { ...real, run: () => new Promise<never>(() => {}) }
  let current = dead as typeof real
  const opened = Promise.withResolvers<void>()
  const database = () => {
    opened.resolve()
    return current
  }
  const worker = createWorker({ database, fetch: emulator.fetch as typeof globalThis.fetch })
  const env = { ...bindings(emulator.credentials), STATE: createKvDouble({ now: Date.now }).at() } as never
  const context = { waitUntil() {}, passThroughOnException() {}, props: {} }
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` }
  const list = async () => worker.fetch(new Request(`${ORIGIN}/api/orders`, { headers }), env, context)
  void list()
  await opened.promise
  current = real
  const statuses = await Promise.all([list(), list(), list()])
  expect(statuses.map(({ status }) => status)).toEqual([200, 200, 200])
})

describe('several processes over one database', () => {
  it('lead two visitors of a link to one payment: the second waits for the address that another process opens', async () => {
    const emulator = createEmulator({ seed: 7 })
    const database = await openDatabase()
    let calls = 0
    const held = Promise.withResolvers<void>()
    const holding = async (input: string | URL | Request, init?: RequestInit) => {
      if (String(input).endsWith('/api/v1/payment')) {
        calls += 1
        await held.promise
      }
      return emulator.fetch(input as string, init)
    }
    const [first, second] = [1, 2].map(() => within(openServer(emulator, database, { fetch: holding }))) as [Send, Send]
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
    const database = await openDatabase()
    let time = Date.now()
    const [one, two] = [1, 2].map(() => openServer(emulator, database, { now: () => time })) as [
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
    const rows = await database.run('SELECT count(*) AS count FROM edgetill_guess', [])
    expect(rows).toEqual([{ count: 1 }])
  })

  it('know of a session that was ended in another process', async () => {
    const emulator = createEmulator({ seed: 7 })
    const database = await openDatabase()
    const shops = [1, 2].map(() => within(openServer(emulator, database)))
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
    const database = await openDatabase()
    const quiet = openServer(emulator, database)
    const body = signWebhook(payment('A-1', { status: 'success' }), emulator.credentials.apiSecret).body
    await within(quiet)('/webhooks', { method: 'POST', body, headers: FORM })
    const tries: string[] = []
    onTestFinished(() => void vi.useRealTimers())
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const shop = openServer(emulator, database, {
      onEvent({ event }, order) {
        tries.push(`${event.kind} of ${order.order_id}`)
        if (tries.length === 1) throw new Error('no stock')
      },
    })
    await shop.start()
    await expect.poll(() => tries.length).toBe(1)
    const anotherMinute = async () => {
      // The next try is due after a second of the database's clock. A call that is going on keeps its claim.
      await database.run('UPDATE edgetill_log SET next_at = 1 WHERE attempts = 1 AND error IS NOT NULL', [])
      vi.advanceTimersByTime(60_000)
      return tries
    }
    await expect.poll(anotherMinute).toEqual(['purchase of A-1', 'purchase of A-1'])
    await shop.stop()
  })

  it('ends within eight seconds though onEvent hangs, takes no request any more, and leaves the event due', async () => {
    const { database, emulator, shop, send, buy } = await inProcess({ onEvent: () => new Promise<void>(() => {}) })
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
    await database.run('UPDATE edgetill_log SET next_at = 1 WHERE next_at IS NOT NULL', [])
    const seen: string[] = []
    const next = openServer(emulator, database, { onEvent: ({ event }) => void seen.push(event.kind) })
    await next.start()
    await expect.poll(() => seen).toEqual(['purchase'])
    await next.stop()
  })

  it('ends at once where nothing is under way, and fails to start without its database', async () => {
    const { shop } = await inProcess()
    await shop.start()
    await shop.stop()
    const database = { clock: '0', run: () => Promise.reject(new Error('down')) }
    await expect(openServer(createEmulator(), database).start()).rejects.toThrow('The database failed')
  })
})

describe('behind a proxy', () => {
  const enforced = { SENDER_CHECK: 'enforce', SENDER_IP: '198.51.100.9' }

  it('checks the sender only with trust, and by the last address that the proxy wrote', async () => {
    await expect(inProcess({ config: enforced })).rejects.toThrow(/SENDER_CHECK is enforce, which needs trust/)
    const { emulator, send } = await inProcess({ config: enforced, trust: 'x-forwarded-for' })
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
      const response = await (await inProcess(options)).send('/health', { headers })
      return [response.status, ((await response.json()) as { warning?: string }).warning]
    }
    const text = 'Requests come through a proxy: set trust to the header with the client’s address.'
    expect(await warning({})).toEqual([200, text])
    expect(await warning({ trust: 'x-forwarded-for' })).toEqual([200, undefined])
    const unnamed = await (await inProcess()).send('/health', { headers: { 'x-forwarded-for': '203.0.113.4' } })
    expect(await unnamed.json()).toEqual({ status: 'ok', mode: 'test' })
  })

  it('takes http beyond loopback only with PUBLIC_ORIGIN, which its pages and forms then have', async () => {
    const inside = 'http://10.0.0.7:3000'
    const shop = openServer(createEmulator(), await openDatabase())
    expect((await within(shop, inside)('/console')).status).toBe(500)
    const open = openServer(createEmulator(), await openDatabase(), {
      config: { PUBLIC_ORIGIN: 'https://pay.shop.example.com' },
    })
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
  const shop = createShop({ database: await openDatabase(), config, console: createConsole })
  const response = await within(shop)('/health', { headers: { authorization: `Bearer ${'x'.repeat(40)}` } })
  expect(await response.json()).toMatchObject({
    status: 'misconfigured',
    problems: [{ binding: 'API_KEY', problem: 'missing' }],
  })
  expect(() => createShop({ database: {} as never, config })).toThrow(/database must be sqlite/)
})

it('reads a request of node:http, and what a body parser has left of it', async () => {
  const seen: string[] = []
  const handle = nodeHandler({
    async fetch(request, { address, base }) {
      seen.push([request.method, request.url, await request.text(), address, base].join(' '))
      return new Response('a page', {
        status: 201,
        headers: [
          ['content-type', 'text/plain'],
          ['set-cookie', 'a=1'],
          ['set-cookie', 'b=2'],
        ],
      })
    },
  })
  const send = async (more: object) => {
    const written: unknown[] = []
    const response = {
      ...{ statusCode: 0, headersSent: false, once() {}, setHeader: (...parts: unknown[]) => written.push(parts) },
      write: (chunk: Uint8Array) => written.push(new TextDecoder().decode(chunk)) > 0,
      end: () => written.push('end'),
    }
    async function* body() {
      yield new TextEncoder().encode('a=')
      yield new TextEncoder().encode('b')
    }
    const request = {
      ...{ method: 'POST', url: '/webhooks?x=1', rawHeaders: ['Host', 'a.example'], headers: { host: 'a.example' } },
      ...{ socket: { remoteAddress: '192.0.2.7' }, readableDidRead: false, resume() {} },
      [Symbol.asyncIterator]: body,
    }
    await handle({ ...request, ...more }, response)
    return [response.statusCode, ...written]
  }
  const page = [201, ['content-type', 'text/plain'], ['set-cookie', ['a=1', 'b=2']], 'a page', 'end']
  expect(await send({})).toEqual(page)
  const read = { readableDidRead: true, originalUrl: '/pay/webhooks', baseUrl: '/pay', socket: { encrypted: true } }
  await send({ ...read, body: { a: 'c d' } })
  await send({ ...read, body: { a: 1 }, headers: { host: 'a.example', 'content-type': 'application/json' } })
  await send({ ...read, body: 'text' })
  expect(seen).toEqual([
    'POST http://a.example/webhooks?x=1 a=b 192.0.2.7 ',
    'POST https://a.example/pay/webhooks a=c+d  /pay',
    'POST https://a.example/pay/webhooks {"a":1}  /pay',
    'POST https://a.example/pay/webhooks text  /pay',
  ])
  expect((await send({ headers: { host: 'user@a.example' } }))[0]).toBe(400)
  expect((await send({ method: 'TRACE' }))[0]).toBe(400)
  expect(await send({ socket: undefined })).toEqual([500, 'end'])
})
