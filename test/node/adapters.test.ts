import { createServer, request as open, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import formbody from '@fastify/formbody'
import express from 'express'
import createFastify, { type FastifyInstance } from 'fastify'
import { afterEach, describe, expect, it } from 'vitest'
import { webhookHandler as expressHandler } from '../../src/adapters/express.ts'
import { webhookHandler as fastifyPlugin } from '../../src/adapters/fastify.ts'
import { webhookHandler as nodeHandler } from '../../src/adapters/node.ts'
import { eventKey, signWebhook, type WebhookEvent, type WebhookHandlerOptions } from '../../src/index.ts'

const SECRET = 'canary-secret-7f3a'
const FORM = 'application/x-www-form-urlencoded'
const payload = (order_id: string) => ({ method: 'refund', operation_id: '1f0e', order_id })
const signed = signWebhook(payload('A-1'), SECRET)
const forged = signWebhook(payload('A-1'), 'other')
const RESPONSES = new Map([
  [200, ''],
  [400, 'Bad request'],
  [401, 'Unauthorized'],
  [405, 'Method not allowed'],
  [413, 'Too large'],
  [415, 'Unsupported media type'],
  [500, 'Internal error'],
  [503, 'Try again later'],
])

/** An app under test: how it is set up, and the path of its webhooks. */
interface Served {
  origin: string
  close: () => Promise<unknown>
}
type App = (options: WebhookHandlerOptions) => Promise<Served>

async function serve(listener: RequestListener): Promise<Served> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () =>
    new Promise((resolve) => {
      server.close(resolve)
      server.closeAllConnections()
    })
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close }
}

const withExpress =
  (prepare: (app: express.Express) => unknown): App =>
  (options) => {
    const app = express()
    prepare(app)
    app.all('/webhooks', expressHandler(options))
    return serve(app)
  }

const withFastify =
  (prepare: (app: FastifyInstance) => unknown): App =>
  async (options) => {
    const app = createFastify({ forceCloseConnections: true })
    await prepare(app)
    app.register(fastifyPlugin, { prefix: '/webhooks', ...options })
    const origin = await app.listen({ port: 0, host: '127.0.0.1' })
    return { origin, close: () => app.close() }
  }

type NodeRequest = Parameters<RequestListener>[0] & { body?: unknown }
const withNode =
  (prepare: (request: NodeRequest) => unknown): App =>
  (options) => {
    const receive = nodeHandler(options)
    return serve(async (request, response) => {
      await prepare(request)
      await receive(request, response)
    })
  }

async function textOf(request: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

/** What a body parser does. */
function leave(request: { body?: unknown }, body: unknown): void {
  request.body = body
}

const bare = () => {}
const text = { type: FORM, limit: '5mb' }

/** Every way in which an app has the body at hand. */
const APPS: Record<string, App> = {
  'Express without a parser': withExpress(bare),
  'Express with express.urlencoded': withExpress((app) =>
    app.use(express.urlencoded({ extended: false, limit: '5mb' })),
  ),
  'Express with express.urlencoded({ extended: true })': withExpress((app) =>
    app.use(express.urlencoded({ extended: true, limit: '5mb' })),
  ),
  'Express with express.raw': withExpress((app) => app.use(express.raw(text))),
  'Express with express.text': withExpress((app) => app.use(express.text(text))),
  'Express with express.json alone': withExpress((app) => app.use(express.json())),
  'Express with the empty body of Express 4': withExpress((app) =>
    app.use((request, _response, next) => {
      leave(request, {})
      next()
    }),
  ),
  'Fastify without a parser': withFastify(bare),
  'Fastify with @fastify/formbody': withFastify((app) => app.register(formbody, { bodyLimit: 5_000_000 })),
  'Fastify with a parser of the text': withFastify((app) =>
    app.addContentTypeParser(FORM, { parseAs: 'string' }, (_request, body, done) => done(null, body)),
  ),
  'Fastify with a parser that leaves the stream': withFastify((app) =>
    app.addContentTypeParser(FORM, (_request, stream, done) => done(null, stream)),
  ),
  'Fastify with a parser for everything else': withFastify((app) =>
    app.addContentTypeParser('*', (_request, _stream, done) => done(null)),
  ),
  'node:http': withNode(bare),
  'node:http whose body was kept as text': withNode(async (request) => leave(request, await textOf(request))),
  'node:http whose body was kept as fields': withNode(async (request) =>
    leave(request, new URLSearchParams(await textOf(request))),
  ),
}

/** Apps that read the body and leave nothing of it, or something else, each with what the message has to name. */
const MISTAKES: [name: string, app: App, cure: RegExp][] = [
  [
    'Express, body read already',
    withExpress((app) =>
      app.use(async (request, _response, next) => {
        await textOf(request)
        next()
      }),
    ),
    /mount webhookHandler before that middleware.*express\.urlencoded/,
  ],
  [
    'Express, wrong parser',
    withExpress((app) =>
      app.use((request, _response, next) => {
        leave(request, ['data'])
        next()
      }),
    ),
    /received: array.*receivers\.md/,
  ],
  [
    'Fastify, body read already',
    withFastify((app) => app.addHook('preValidation', async (request) => leave(request, undefined))),
    /let the parser return the text/,
  ],
  [
    'Fastify, wrong parser',
    withFastify((app) =>
      app.addContentTypeParser(FORM, { parseAs: 'string' }, (_request, _body, done) => done(null, 7)),
    ),
    /received: number.*receivers\.md/,
  ],
  ['node:http, body read already', withNode(textOf), /Call webhookHandler before anything reads the request/],
  ['node:http, a Promise', withNode((request) => leave(request, textOf(request))), /received: Promise.*receivers\.md/],
]

const running: Served[] = []
afterEach(async () => {
  await Promise.all(running.splice(0).map(({ close }) => close()))
})

/** Starts an app, and keeps what its functions received. */
async function start(app: App, options: Partial<WebhookHandlerOptions> = {}) {
  const events: WebhookEvent[] = []
  const reports: { error: { message: string; reason?: string; code?: string }; status: number }[] = []
  const served = await app({
    secrets: SECRET,
    onEvent: (event) => events.push(event),
    onRejected: (error, status) => reports.push({ error: error as Error, status }),
    ...options,
  })
  running.push(served)
  const send = async (body: BodyInit | null, type = FORM, method = 'POST') => {
    const init = { method, body, headers: { 'content-type': type }, duplex: 'half' }
    const response = await fetch(`${served.origin}/webhooks`, init)
    const said = await response.text()
    expect(said).toBe(RESPONSES.get(response.status))
    return response.status
  }
  return { send, events, reports, origin: served.origin }
}

describe.each(Object.entries(APPS))('%s', (_name, app) => {
  it('stores a genuine webhook, then responds 200', async () => {
    const { send, events, reports } = await start(app)
    expect(await send(signed.body)).toBe(200)
    expect(events.map(({ order_id }) => order_id)).toEqual(['A-1'])
    expect(reports).toEqual([])
  })

  it('rejects what is not one, and reports why', async () => {
    const { send, events, reports } = await start(app)
    const statuses = [
      await send(forged.body),
      await send('data=abc'),
      await send('&'),
      await send(''),
      await send(signed.body.replace('signature=', 'signature=+')),
      await send(`${signed.body}&signature=x`),
      await send('{"data":1}', 'application/json'),
      await send('<a/>', 'text/xml'),
      await send(signed.body, FORM, 'PUT'),
      await send(null, FORM, 'GET'),
    ]
    expect(statuses).toEqual([401, 400, 400, 400, 401, 400, 415, 415, 405, 405])
    expect(reports.map(({ error }) => error.reason)).toEqual([
      'signature_mismatch',
      'missing_field',
      'missing_field',
      'missing_field',
      'plus_became_space',
      'duplicate_field',
      'content_type',
      'content_type',
      'method',
      'method',
    ])
    expect(reports.map(({ status }) => status)).toEqual(statuses)
    // What the sender never learns names the cure.
    const cures = [
      'check that the API secret is of the same project',
      'its form has no "signature"',
      'its form has no "data"',
      'its form has no "data"',
      'pass the body on as it came',
      'more than once',
      'instead of application/x-www-form-urlencoded',
      'instead of application/x-www-form-urlencoded',
      'its method is not POST',
      'its method is not POST',
    ]
    for (const [index, cure] of cures.entries()) expect(reports[index]?.error.message).toContain(cure)
    expect(events).toEqual([])
  })

  it('responds 413 to 2 MB, and the next webhook passes', async () => {
    const { send, reports } = await start(app)
    expect(await send(`data=${'x'.repeat(2_000_000)}&signature=x`)).toBe(413)
    expect(reports).toMatchObject([{ status: 413, error: { reason: 'too_large' } }])
    expect(reports[0]?.error.message).toMatch(/longer than 65536 bytes: the option maxBytes allows more/)
    expect(await send(signed.body)).toBe(200)
  })

  it('reads a body that comes in chunks', async () => {
    const { send, events } = await start(app)
    const parts = [signed.body.slice(0, 20), signed.body.slice(20)].map((part) => new TextEncoder().encode(part))
    const body = new ReadableStream({
      pull(controller) {
        const part = parts.shift()
        if (part) controller.enqueue(part)
        else controller.close()
      },
    })
    expect(await send(body)).toBe(200)
    expect(events).toHaveLength(1)
  })

  it('receives two at once, and the same one twice', async () => {
    const rows = new Map<string, WebhookEvent>()
    const { send } = await start(app, { onEvent: (event) => rows.set(eventKey(event), event) })
    const bodies = [signed.body, signWebhook(payload('A-2'), SECRET).body, signed.body]
    expect(await Promise.all(bodies.map((body) => send(body)))).toEqual([200, 200, 200])
    expect([...rows.values()].map(({ order_id }) => order_id).toSorted()).toEqual(['A-1', 'A-2'])
  })

  it('responds 503 when the store fails', async () => {
    const away = new Error('the database is away')
    const { send, reports } = await start(app, { onEvent: () => Promise.reject(away) })
    expect(await send(signed.body)).toBe(503)
    expect(reports).toEqual([{ error: away, status: 503 }])
  })
})

describe('a mistake in the receiver is a 500 whose message names the cure', () => {
  it.each(MISTAKES)('%s', async (_name, app, cure) => {
    const { send, events, reports } = await start(app)
    expect(await send(signed.body)).toBe(500)
    expect(reports).toMatchObject([{ status: 500, error: { code: 'config', message: expect.stringMatching(cure) } }])
    expect(events).toEqual([])
  })
})

it.each([
  ['Express', withExpress(bare)],
  ['Fastify', withFastify(bare)],
  ['node:http', withNode(bare)],
])('%s reports wrong options at the start', async (_name, app) => {
  const options = { secrets: '', onEvent() {} }
  await expect(async () => app(options)).rejects.toMatchObject({ code: 'config', field: 'secrets' })
})

it('a connection that ends within the body stores nothing', async () => {
  let report: (error: unknown) => void = () => {}
  const reported = new Promise((resolve) => (report = resolve))
  const { origin, events } = await start(withNode(bare), { onRejected: report })
  const client = open(`${origin}/webhooks`, {
    method: 'POST',
    headers: { 'content-type': FORM, 'content-length': 500 },
  })
  client.on('error', () => {})
  client.write('data=', () => client.destroy())
  expect(await reported).toMatchObject({ message: expect.stringMatching(/closed|aborted/) })
  expect(events).toEqual([])
})

it("the app's own hooks and other routes keep their errors and parsers", async () => {
  const app = createFastify({ forceCloseConnections: true })
  app.post('/form', async (request) => request.body)
  app.register(fastifyPlugin, { prefix: '/webhooks', secrets: SECRET, onEvent() {} })
  app.addHook('onRequest', async (request) => {
    if (request.headers['x-limit']) throw Object.assign(new Error('slow down'), { statusCode: 429 })
  })
  const headers = { 'content-type': FORM }
  const post = (url: string, more = {}) =>
    app.inject({ method: 'POST', url, headers: { ...headers, ...more }, body: signed.body })
  expect((await post('/webhooks')).statusCode).toBe(200)
  expect((await post('/webhooks', { 'x-limit': '1' })).statusCode).toBe(429)
  expect((await post('/form')).statusCode).toBe(415)
  await app.close()
})
