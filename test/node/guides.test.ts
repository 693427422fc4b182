import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { runInNewContext } from 'node:vm'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createEmulator, type Fault, testCard } from '../../src/emulator/index.ts'
import { type Client, createClient } from '../../src/index.ts'
import * as schemas from '../../src/schemas/index.ts'
import type { OnEvent } from '../../src/shop/index.ts'
import {
  createD1Double,
  createTestShop,
  prove,
  reportText,
  type TestEvent,
  testEvent,
} from '../../src/testing/index.ts'
import { CARD, DIRECT_AUTH } from '../support/inputs.ts'
import { openShop } from '../support/shop.ts'
import { Document, quoted } from './support/document.ts'
import { folderInCheckout, serve, serveNewEmulator, whenOver } from './support/fixtures.ts'
import { freePort } from './support/free-port.ts'
import { load, writeProgram } from './support/program.ts'
import { root } from './support/runtimes.ts'
import { blocks } from './support/snippets.ts'
import { against } from './support/verb.ts'

const AT = { created_at: '2026-03-01T10:00:00.000', processed_at: '2026-03-01T10:00:01.000' }
const PAID = { ...AT, order_id: 'A-1', payment_id: 'p-1', transaction_id: 't-1', amount: 100.5 }

const clock = { now: () => Date.parse('2026-03-01T10:00:00Z') }
const open = () => openShop({ maxRetries: 0, onWarning() {} }, { clock })
afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})
type Call = (...given: unknown[]) => Promise<never>

const guides = Object.fromEntries(
  readdirSync(join(root, 'guides'))
    .filter((file) => file.endsWith('.md'))
    .map((file) => [file.replace(/\.md$/, ''), new Document(`guides/${file}`)]),
)

function guide(name: string): Document {
  const found = guides[name]
  if (!found) throw new Error(`There is no guides/${name}.md.`)
  return found
}

describe('guides/emulator.md', () => {
  const emulatorGuide = guide('emulator')
  const program = emulatorGuide.program('In a test')

  it('has a program that prints what it says', async () => {
    const logged = vi.spyOn(console, 'log').mockImplementation(() => {})
    await load(program)
    const lines = logged.mock.calls.map((words) => words.join(' '))
    const said = quoted(/^The program prints ([\s\S]*?)\.$/m.exec(emulatorGuide.text)?.[1] ?? '')
    expect(said).toHaveLength(4)
    expect(lines).toEqual(said)
  })

  it('names only members that an emulator has', () => {
    const members = emulatorGuide
      .rows('Control it')
      .flatMap(([, cell = '']) => quoted(cell))
      .filter((code) => !/^\.|^[A-Z]/.test(code))
    expect(members.length).toBeGreaterThan(20)
    for (const code of members) {
      expect(createEmulator()).toHaveProperty(
        code.replace(/\(.*$/, ''),
        code.includes('(') ? expect.any(Function) : expect.anything(),
      )
    }
  })
})

describe('guides/console.md', () => {
  const program = guide('console').program('Who gets in')

  it('has a program whose console lets nobody in without a token of Access', async () => {
    const { app } = (await load(program)) as {
      app: { request: (url: string, init: object, env: object) => Promise<Response> }
    }
    const response = await app.request('https://shop.example.com/console', {}, {})
    expect([response.status, await response.text()]).toEqual([403, expect.stringContaining('No access')])
  })
})

describe('guides/errors.md', () => {
  const errors = guide('errors')
  const program = errors.program('Handle every outcome of a call')
  const resolving = errors.program('After an unknown outcome')

  it('has a capture that distinguishes each outcome', async () => {
    const { charge } = (await load(program)) as Record<string, Call>
    const { emulator, client } = open()
    for (const name of ['success', 'capture_declined'] as const)
      await client.createPayment({ ...DIRECT_AUTH, order_id: name, cc_number: testCard(name) })
    const captures = () => emulator.orders.get('success')?.operations.length
    const hitBy = (fault: Fault) => {
      emulator.faults.next(fault)
      return charge?.(client, 'success', 10)
    }
    expect(await charge?.(client, 'success', 10)).toBe('captured 10')
    expect(await charge?.(client, 'capture_declined', 10)).toMatch(/^declined: \w+/)
    expect(await hitBy({ kind: 'too_many_requests' })).toBe('not processed: call again later')
    expect(captures()).toBe(1)
    expect(await hitBy({ kind: 'reset', when: 'after_commit' })).toMatch(/^find out before .*resolveOutcome/)
    expect(captures()).toBe(2)
    expect(await charge?.(client, 'nothing', 10)).toMatch(/^rejected with 404: /)
    await expect(charge?.(client, 'success', 0)).rejects.toMatchObject({ code: 'invalid_input' })
    const refused = Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNREFUSED' } })
    const offline = createClient({ ...emulator.credentials, fetch: () => Promise.reject(refused) })
    expect(await charge?.(offline, 'success', 10)).toBe('not processed: call again later')
  })

  it('has a refund whose outcome is found out later, from JSON', async () => {
    const { refund, settle } = (await load(resolving)) as Record<string, Call>
    const { emulator, client } = open()
    await client.createPayment({ ...CARD, order_id: 'A-1', cc_number: testCard('success') })
    let saved = ''
    const make = (when?: 'after_commit' | 'before_commit') => {
      if (when) emulator.faults.next({ kind: 'reset', when, on: 'refund-payment' })
      return refund?.(client, 'A-1', 20.25, (job: object) => (saved = JSON.stringify(job)))
    }
    const found = (more: object = {}) => {
      const job = JSON.parse(saved)
      return settle?.(client, { ...job, call: { ...job.call, ...more } })
    }
    expect(await make()).toBe('success')
    expect([await make('after_commit'), await found()]).toEqual(['unknown', 'success'])
    const later = expect.stringMatching(/^ask again later/)
    expect([await make('before_commit'), await found()]).toEqual(['unknown', later])
    expect(await found({ sent_at: Date.now() - 600_000 })).toMatch(/^not refunded/)
  })
})

describe('guides/going-live.md', () => {
  guide('going-live').program('The sweep of unpaid orders')
  const connection = guide('going-live').program('What arrives at the service')
  it('gives each request a connection of its own', async () => {
    const sent: RequestInit[] = []
    vi.stubGlobal('fetch', async (_: unknown, init: RequestInit) => {
      sent.push(init)
      return Response.json([])
    })
    const { open } = (await load(connection)) as { open(env: object): Client }
    const { environment } = against(createEmulator({ origin: 'https://pay.example.com' }))
    await open(environment).listOrderOperations({ order_id: 'A' })
    const headers = { connection: 'close', 'X-API-KEY': environment.EDGETILL_ENDPOINTS_KEY }
    expect(sent[0]).toMatchObject({ cache: 'no-store', headers })
  })

  const program = guide('going-live').program('Direct mode')

  it('has a form and a handler that make a direct payment, and send the customer to 3-D Secure', async () => {
    const { form, pay } = (await load(program)) as { form: string; pay: Call }
    // The script of the form fills it in, in a page.
    const inputs: Record<string, string>[] = []
    runInNewContext(/<script>(.*)<\/script>/s.exec(form)?.[1] ?? '', {
      screen: { colorDepth: 24, height: 1080, width: 1920 },
      navigator: { javaEnabled: () => false, language: 'uk-UA' },
      document: {
        createElement: (tag: string) => ({ tag }),
        currentScript: { parentElement: { append: (input: Record<string, string>) => inputs.push(input) } },
      },
    })
    expect(inputs.filter(({ tag, type }) => tag !== 'input' || type !== 'hidden')).toEqual([])
    const filled = Object.fromEntries(inputs.map(({ name = '', value = '' }) => [name, value]))
    expect(filled).toMatchObject({
      ...{ browserColorDepth: '24', browserScreenHeight: '1080', browserScreenWidth: '1920' },
      ...{ browserJavaEnabled: 'false', browserLanguage: 'uk-UA', browserTimeZone: expect.stringMatching(/\w/) },
      browserTimeZoneOffset: expect.stringMatching(/^-?\d+$/),
    })
    const { emulator, client } = open()
    const submit = (card_cvv: string) => {
      const fields = { ...filled, cc_number: testCard('three_d_secure'), exp_month: '12', exp_year: '39', card_cvv }
      const headers = { accept: 'text/html', 'user-agent': 'Mozilla/5.0' }
      const init = { method: 'POST', headers, body: new URLSearchParams(fields) }
      return pay(client, new Request('https://shop.example.com/pay', init), '203.0.113.7')
    }
    expect([await submit('12'), emulator.orders.list().length]).toEqual(['/pay?again', 0])
    const secured = expect.stringMatching(/3ds|secure/i)
    expect([await submit('123'), emulator.orders.list().length]).toEqual([secured, 1])
  })
})

describe('guides/receivers.md', () => {
  const receivers = guide('receivers')
  const store = receivers.program('Store each event once').replace('events.sqlite', ':memory:')
  const SERVERS: [title: string, from: string | RegExp, to: string][] = [
    ['Express', 'app.listen(3000)', "export const server = app.listen(0, '127.0.0.1')"],
    ['Fastify', 'await app.listen({ port: 3000 })', 'export const { server } = app\nawait app.listen({ port: 0 })'],
    ['node:http', /createServer(\(\(req[\s\S]*)\.listen\(3000\)/, 'export const server = createServer$1.listen(0)'],
    ...['Hono', 'Bun and Deno'].map((title): [string, string, string] => [title, '', '']),
  ]
  const programs = SERVERS.map(([title, from, to]) => [title, receivers.program(title).replace(from, to)] as const)
  // test/frameworks runs these in what each framework builds.
  for (const title of ['Next, App Router', 'Next, Pages Router', 'SvelteKit', 'AWS Lambda']) receivers.program(title)
  const check = receivers.program('The check that both recipes keep')

  it.each(programs)('%s: stores a genuine webhook once, and nothing else', async (_, program) => {
    const outfile = join(folderInCheckout(), 'receiver.mjs')
    await writeProgram(program.replace(/^import \{ onEvent \}.*$/m, store), outfile)
    const running = (await import(/* @vite-ignore */ pathToFileURL(outfile).href)) as {
      default?: { fetch(request: Request): Promise<Response> }
      server?: Server
      orderOf(order_id: string): { status: string; flags: string[]; events: unknown[] }
    }
    const { server, orderOf } = running
    whenOver(() => server?.close().closeAllConnections())
    if (server && !server.listening) await once(server, 'listening')
    const origin = `http://127.0.0.1:${(server?.address() as AddressInfo | undefined)?.port ?? 80}`
    const eventOf = (fields: object, secret = 'your-api-secret') =>
      testEvent('purchase', { ...PAID, ...fields }, { secret })
    const post = async (event: TestEvent<'purchase'>) => {
      const request = event.request(`${origin}/webhooks`)
      return (await (running.default?.fetch(request) ?? fetch(request))).status
    }
    const warned = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const paid = eventOf({})
    expect(await Promise.all([paid, paid, eventOf({ status: 'pending' })].map(post))).toEqual([200, 200, 200])
    expect(await post(eventOf({ amount: 1 }, 'forged'))).toBe(401)
    expect(warned).toHaveBeenCalledTimes(1)
    expect(orderOf('A-1')).toMatchObject({ status: 'success', flags: [] })
    expect(orderOf('A-1').events).toHaveLength(2)
  })

  it('keeps the check for forms of other sites', async () => {
    const { isForeignForm } = (await load(check)) as { isForeignForm: (request: Request, url: URL) => boolean }
    const url = new URL('https://shop.example.com/cart')
    const form = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' }
    const foreign = (method: string, headers: Record<string, string>) =>
      isForeignForm({ method, headers: new Headers(headers) } as Request, url)
    expect([foreign('POST', form), foreign('POST', { ...form, origin: 'https://evil.example' })]).toEqual([true, true])
    const own = [foreign('POST', { ...form, origin: url.origin }), foreign('GET', {})]
    expect([...own, foreign('POST', { 'content-type': 'application/json' })]).toEqual([false, false, false])
  })
})

describe('guides/recipes.md', () => {
  const recipes = guide('recipes')
  const subscription = recipes.program('A subscription, from start to cancel')
  const splitting = recipes.program('A split, with its capture and its refund')
  const direct = recipes.program('A direct payment with 3-D Secure, in a script')
  const day = recipes.program('Reconcile a day')
  const traced = recipes.program('Trace calls with OpenTelemetry')
  const paid = recipes.program("When a Worker's order is paid: D1, a queue, a mail")
  const queued = recipes.program("Validate a queue's message")
  const fiscal = recipes.program('A fiscal receipt for each payment, exactly once')

  it('subscribes, notices a missed charge, and cancels', async () => {
    const { subscribe, charged, unsubscribe } = (await load(subscription)) as Record<string, Call>
    const { emulator, client, events } = open()
    await emulator.pay((await subscribe?.(client, 'S-1', 'olena@example.com')) ?? '')
    emulator.faults.next({ kind: 'status_code', status_code: '4009', on: 'charge' })
    await emulator.clock.advance({ days: 31, hours: 1 })
    await emulator.deliveries.idle()
    expect(events.map((event) => charged?.(event))).toEqual(['paid', 'missed'])
    await emulator.clock.advance({ days: 1 })
    expect(events.map((event) => charged?.(event))).toEqual(['paid', 'missed', 'paid'])
    expect(await unsubscribe?.(client, 'S-1')).toBe(true)
    await emulator.clock.advance({ days: 62 })
    // The fourth is the one that unsubscribe had sent again.
    expect(events).toHaveLength(4)
  })

  it('splits, and refunds and captures the parts', async () => {
    const { parts, sell, captureParts, refundParts } = (await load(splitting)) as Record<string, Call>
    const { emulator, client } = open()
    const [first, second] = [crypto.randomUUID(), crypto.randomUUID()]
    const split = (await parts?.(100.5, first, second, 0.3)) as unknown as { sub_merchant_id: string; amount: number }[]
    expect(split.map(({ sub_merchant_id, amount }) => [sub_merchant_id, amount])).toEqual([
      [first, 30.15],
      [second, 70.35],
    ])
    const checkout = (await sell?.(client, 'A-1', 100.5, split)) as unknown as { url: string }
    await emulator.pay(checkout.url)
    expect(await refundParts?.(client, 'A-1', 10, parts?.(10, first, second, 0.3))).toMatchObject({ status: 'success' })
    await client.createPayment({ ...DIRECT_AUTH, order_id: 'A-2', amount: 50 })
    const captured = await captureParts?.(client, 'A-2', 50, parts?.(50, first, second, 0.5))
    expect(captured).toMatchObject({ status: 'success' })
  })

  it('pays directly with 3-D Secure', async () => {
    const { payByToken } = (await load(direct)) as Record<string, Call>
    const { emulator, client } = open()
    const { cc_token } = await client.createPayment({ ...CARD, order_id: 'A-1', cc_number: testCard('three_d_secure') })
    const url = await payByToken?.(client, 'A-2', cc_token)
    expect(url).toMatch(/3ds/)
    await emulator.pay(url ?? '')
    expect(emulator.orders.get('A-2')?.payments[0]?.status).toBe('success')
  })

  it('finds what differs in a day', async () => {
    const { reconcile } = (await load(day)) as Record<string, Call>
    const { client } = open()
    for (const order_id of ['fine', 'back'])
      await client.createPayment({ ...CARD, order_id, amount: 100, currency: 'UAH' })
    await client.createPayment({ ...DIRECT_AUTH, order_id: 'held', amount: 100, currency: 'UAH' })
    await client.refundPayment({ order_id: 'back', order_currency: 'UAH', refund_amount: 5 })
    const orders = ['fine', 'back', 'held', 'gone'].map((order_id) => ({ order_id, amount: 100, currency: 'UAH' }))
    expect([...((await reconcile?.(client, orders)) ?? [])]).toEqual([
      ['back', 'refunded 500 hundredths'],
      ['held', 'captured 0 of 10000 hundredths'],
      ['gone', 'not known to the service'],
    ])
  })

  it('writes a paid order to D1 and to a queue, and sends a mail, once each', async () => {
    const { intoD1, intoQueue, byMail } = (await load(paid)) as Record<string, OnEvent>
    const DB = createD1Double('CREATE TABLE payment (id TEXT PRIMARY KEY, order_id TEXT, amount REAL, currency TEXT)')
    const queued: object[] = []
    const mails: RequestInit[] = []
    const QUEUE = { send: async (message: object) => queued.push(message) }
    const env = { DB, QUEUE, MAIL_TOKEN: 'the-token' } as never
    vi.stubGlobal('fetch', async (_: string, init: RequestInit) => {
      mails.push(init)
      return new Response()
    })
    let calls = 0
    const onEvent: OnEvent = async (...given) => {
      await intoD1?.(...given)
      if (++calls > 1) return
      for (const handle of [intoQueue, byMail]) await handle?.(...given)
      throw new Error('told again')
    }
    const shop = await createTestShop({ onEvent, env })
    const order = await shop.sell({ amount: 100.5 })
    const { order_id } = order
    await shop.pay(order)
    await shop.advance(5_000)
    expect(calls).toBe(2)
    const { results } = await DB.prepare('SELECT order_id, amount, currency FROM payment').all()
    expect(results).toEqual([{ order_id, amount: 100.5, currency: 'UAH' }])
    expect(queued).toMatchObject([{ order_id, amount: 100.5 }])
    expect(mails).toMatchObject([
      { headers: { authorization: 'Bearer the-token' }, body: expect.stringContaining('"text":"100.5 UAH paid."') },
    ])
  })

  it('makes one fiscal receipt of each payment and refund, though the service is down for a day and answers are lost', async () => {
    const { withReceipt } = (await load(fiscal)) as Record<string, OnEvent>
    const table = 'operation TEXT PRIMARY KEY, receipt_id TEXT NOT NULL, done INTEGER NOT NULL DEFAULT 0'
    const DB = createD1Double(`CREATE TABLE fiscal (${table})`)
    const receipts = new Map<string, { type: string; amount: number }>()
    let calls = 0
    let state: 'down' | 'deaf' | 'up' = 'down'
    vi.stubGlobal('fetch', async (url: string, init: RequestInit) => {
      calls++
      if (state === 'down') throw new TypeError('fetch failed')
      const known = receipts.has(url)
      receipts.set(url, JSON.parse(String(init.body)))
      // It has made the receipt, and its answer is lost.
      if (state === 'deaf') throw new TypeError('The connection was reset.')
      return new Response(null, { status: known ? 409 : 201 })
    })
    const onEvent: OnEvent = async (...given) => withReceipt?.(...given)
    const shop = await createTestShop({ onEvent, env: { DB, FISCAL_TOKEN: 't' } as never })
    const order = await shop.sell({ amount: 100.5 })
    await shop.pay(order)
    for (let hours = 0; hours < 24; hours++) await shop.advance(3_600_000)
    expect([calls > 3, receipts.size]).toEqual([true, 0])
    state = 'deaf'
    for (let hours = 0; hours < 7; hours++) await shop.advance(3_600_000)
    expect(receipts.size).toBe(1)
    state = 'up'
    for (let hours = 0; hours < 8; hours++) await shop.advance(3_600_000)
    const headers = { 'idempotency-key': 'k' }
    const body = JSON.stringify({ refund_amount: 40 })
    await shop.api(`/api/orders/${order.order_id}/refund`, { method: 'POST', headers, body })
    for (let minutes = 0; minutes < 5; minutes++) await shop.advance(60_000)
    expect([...receipts.values()]).toMatchObject([
      { type: 'SELL', amount: 100.5 },
      { type: 'RETURN', amount: 40 },
    ])
    const { results } = await DB.prepare('SELECT done FROM fiscal').all()
    expect(results).toEqual([{ done: 1 }, { done: 1 }])
  })

  it('reads a queue’s message with a schema', async () => {
    const { orderOf, jsonSchema } = (await load(queued)) as Record<string, (given: unknown) => { required?: string[] }>
    expect(orderOf?.('{"method":"loyalty","order_id":"A-1"}')).toBe('A-1')
    expect(orderOf?.('{"method":"refund","order_id":"A-1"}')).toBe('A-1')
    expect(() => orderOf?.('[]')).toThrow('must be an object')
    // Chosen by its method; a text or an object.
    const { webhookEventSchema: _, limitInfoSchema: __, ...convertible } = schemas
    for (const schema of Object.values(convertible)) expect(jsonSchema?.(schema)).toHaveProperty('type')
    expect(jsonSchema?.(schemas.primaryEventSchema).required).toContain('payment_id')
  })

  it('traces a capture with a retry, and one that got no response', async () => {
    const { tracing } = (await load(traced)) as Record<string, CallableFunction>
    const exporter = new InMemorySpanExporter()
    const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
    const { emulator, client } = open()
    await client.createPayment({ ...DIRECT_AUTH, order_id: 'A-1' })
    const hooks = tracing?.(provider.getTracer('shop'))
    const watched = createClient({ ...emulator.credentials, fetch: emulator.fetch, onWarning() {}, ...hooks })
    const capture = () => watched.capturePayment({ order_id: 'A-1', order_currency: 'UAH', charge_amount: 1 })
    emulator.faults.next({ kind: 'too_many_requests', retryAfter: 0 })
    await capture()
    emulator.faults.next({ kind: 'reset' })
    await expect(capture()).rejects.toMatchObject({ code: 'outcome_unknown' })
    const spans = exporter.getFinishedSpans()
    expect(spans).toMatchObject([
      { attributes: { 'http.response.status_code': 429, 'http.request.resend_count': 0 }, status: { code: 2 } },
      { attributes: { 'http.response.status_code': 200, 'http.request.resend_count': 1 }, status: { code: 0 } },
      { attributes: { 'http.request.resend_count': 0 }, status: { code: 2 }, events: [{ name: 'exception' }] },
    ])
    const [first, ...rest] = spans.map(({ name, attributes }) => `${name} ${attributes['edgetill.call_id']}`)
    expect(first).toMatch(/^POST \/api\/v1\/capture [\w-]+$/)
    expect(rest.map((one) => one === first)).toEqual([true, false])
  })
})

it('examples/README.md sets the emulator’s settings, and runs scripts that are there', () => {
  const [script = ''] = blocks('examples/README.md', 'sh').map(({ code }) => code)
  const set = Object.fromEntries([...script.matchAll(/(EDGETILL_\w+)=(\S+)/g)].map(([, name, value]) => [name, value]))
  expect(set).toMatchObject(against(createEmulator({ origin: 'http://127.0.0.1:4010' })).environment)
  const named = [...script.matchAll(/examples\/([\w-]+\.ts)/g)].map(([, file]) => file as string)
  expect(named).toHaveLength(3)
  expect(readdirSync(join(root, 'examples'))).toEqual(expect.arrayContaining(named))
})

describe('SKILL.md', () => {
  const skill = new Document('SKILL.md')
  const titles = [...skill.text.matchAll(/^## (.+)\n(?:(?!^## |^```)[\s\S])*^```ts$/gm)].map(([, title = '']) => title)

  it.each(titles.filter((title) => title !== 'A shop that is right'))('%s: runs', async (title) => {
    await load(skill.program(title))
  })

  it('has a shop in which prove finds nothing, its refund button included', { timeout: 120_000 }, async () => {
    const port = await freePort()
    const { openShop } = (await load(skill.program('A shop that is right').replace('3000', String(port)))) as {
      openShop(env: object, database: DatabaseSync): Promise<{ fetch(request: Request): Promise<Response> }>
    }
    const { emulator, origin } = await serveNewEmulator()
    vi.spyOn(console, 'warn').mockImplementation(() => {})
    const { fetch } = await openShop(against(emulator).environment, new DatabaseSync(':memory:'))
    const shop = await serve(fetch, { port })
    const orders = `${shop.origin}/orders`
    const addresses = { url: `${shop.origin}/webhooks`, create: orders, state: `${orders}/{order_id}` }
    const refund = `${orders}/{order_id}/refund`
    const report = await prove({ ...addresses, refund, emulator: origin, usesEdgetill: true })
    expect(reportText(report)).toMatch(/nothing found/)
    expect(report.findings).toEqual([])
  })

  it('has every program under a separate title', () => {
    expect(titles).toHaveLength(blocks('SKILL.md', 'ts').length)
  })
})

it('no guide has a program without a test', () => {
  // Other files of test/node run theirs.
  const apart = ['first-payment', 'testing', 'prove', 'till', 'troubleshooting', 'moving', 'ci', 'platforms']
  const others = Object.values(guides).filter(({ file }) => !apart.includes(basename(file, '.md')))
  expect(others.flatMap((one) => one.untested())).toEqual([])
})
