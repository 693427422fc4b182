import { createServer, request as open, type RequestListener } from 'node:http'
import { text as textOf } from 'node:stream/consumers'
import formbody from '@fastify/formbody'
import express from 'express'
import createFastify, { type FastifyInstance } from 'fastify'
import { describe, expect, it } from 'vitest'
import { webhookHandler as expressHandler } from '../../src/adapters/express.ts'
import { webhookHandler as fastifyPlugin } from '../../src/adapters/fastify.ts'
import { webhookHandler as nodeHandler } from '../../src/adapters/node.ts'
import { signWebhook, type WebhookEvent, type WebhookHandlerOptions } from '../../src/webhooks/index.ts'
import { listen, whenOver } from './support/fixtures.ts'

const SECRET = 'canary-secret-7f3a'
const FORM = 'application/x-www-form-urlencoded'
const payload = (order_id: string) => ({ method: 'refund', operation_id: '1f0e', order_id })
const signed = signWebhook(payload('A-1'), SECRET)
const forged = signWebhook(payload('A-1'), 'other')
const RESPONSES: Readonly<Record<number, string>> = {
  ...{ 200: '', 400: 'Bad request', 401: 'Unauthorized', 405: 'Method not allowed', 413: 'Too large' },
  ...{ 415: 'Unsupported media type', 500: 'Internal error', 503: 'Try again later' },
}

/** An app under test: how it is set up, and its origin. */
type App = (options: WebhookHandlerOptions) => Promise<string>

const serve = (listener: RequestListener) => listen(createServer(listener))

const withMiddleware =
  (...middleware: express.RequestHandler[]): App =>
  (options) => {
    const app = express()
    app.all('/webhooks', ...middleware, expressHandler(options))
    return serve(app)
  }

/** A middleware that does something with the request first. */
const before =
  (act: (request: express.Request) => unknown): express.RequestHandler =>
  async (request, _response, next) => {
    await act(request)
    next()
  }

const withFastify =
  (prepare: (app: FastifyInstance) => unknown): App =>
  async (options) => {
    const app = createFastify({ forceCloseConnections: true })
    await prepare(app)
    app.register(fastifyPlugin, { prefix: '/webhooks', ...options })
    whenOver(() => app.close())
    return app.listen({ port: 0, host: '127.0.0.1' })
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

/** The work of a body parser. */
function leave(request: { body?: unknown }, body: unknown): void {
  request.body = body
}

const bare = () => {}
const text = { type: FORM, limit: '5mb' }

/** Every way in which an app has the body at hand. */
const APPS: Record<string, App> = {
  'Express without a parser': withMiddleware(),
  'Express with express.urlencoded': withMiddleware(express.urlencoded({ extended: false, limit: '5mb' })),
  'Express with express.raw': withMiddleware(express.raw(text)),
  'Express with express.text': withMiddleware(express.text(text)),
  'Express with the empty body of Express 4': withMiddleware(before((request) => leave(request, {}))),
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
  ['Express, body read', withMiddleware(before(textOf)), /mount webhookHandler before.*express\.urlencoded/],
  ['Express, parser', withMiddleware(before((request) => leave(request, ['data']))), /received: array.*receivers\.md/],
  [
    'Fastify, body read already',
    withFastify((app) => app.addHook('preValidation', async (request) => leave(request, undefined))),
    /let the parser return the text/,
  ],
  ['node:http, body read already', withNode(textOf), /Call webhookHandler before anything reads the request/],
]

/** Starts an app, and keeps what its functions received. */
async function start(app: App, options: Partial<WebhookHandlerOptions> = {}) {
  const events: WebhookEvent[] = []
  const reports: { error: { message: string; reason?: string; code?: string }; status: number }[] = []
  const origin = await app({
    secrets: SECRET,
    onEvent: (event) => events.push(event),
    onRejected: (error, status) => reports.push({ error: error as Error, status }),
    ...options,
  })
  const send = async (body: BodyInit, type = FORM, method = 'POST') => {
    const init = { method, body, headers: { 'content-type': type }, duplex: 'half' }
    const response = await fetch(`${origin}/webhooks`, init)
    expect(await response.text()).toBe(RESPONSES[response.status])
    return response.status
  }
  return { send, events, reports, origin }
}

const LONG = `data=${'x'.repeat(2_000_000)}&signature=x`
/** Requests that are not webhooks: the status, the reason that is reported, and the cure, which the sender never learns. */
const REJECTED: [body: BodyInit, status: number, reason: string, cure: string, type?: string, method?: string][] = [
  [forged.body, 401, 'signature_mismatch', 'check that the API secret is of the same project'],
  ['data=abc', 400, 'missing_field', 'its form has no "signature"'],
  ['', 400, 'missing_field', 'its form has no "data", nor any other field'],
  [signed.body.replace('signature=', 'signature=+'), 401, 'plus_became_space', 'pass the body on unchanged'],
  [`${signed.body}&signature=x`, 400, 'duplicate_field', 'more than once'],
  ['{"data":1}', 415, 'content_type', `instead of ${FORM}`, 'application/json'],
  ['<a/>', 415, 'content_type', `instead of ${FORM}`, 'text/xml'],
  [signed.body, 405, 'method', 'its method is not POST', FORM, 'PUT'],
  [LONG, 413, 'too_large', 'longer than 65536 bytes: the option maxBytes allows more'],
]

describe.each(Object.entries(APPS))('%s', (_name, app) => {
  it('stores what is genuine, in chunks and at once too, and rejects the rest', async () => {
    const { send, events, reports } = await start(app)
    for (const [body, status, , , type, method] of REJECTED) expect(await send(body, type, method)).toBe(status)
    expect(reports.map(({ status, error }) => [status, error.reason])).toEqual(
      REJECTED.map(([, status, reason]) => [status, reason]),
    )
    for (const [index, [, , , cure]] of REJECTED.entries()) expect(reports[index]?.error.message).toContain(cure)
    expect(events).toEqual([])

    const chunks = new Blob([signed.body.slice(0, 20), signed.body.slice(20)]).stream()
    const bodies = [signed.body, signWebhook(payload('A-2'), SECRET).body, signed.body, chunks]
    expect(await Promise.all(bodies.map((body) => send(body)))).toEqual([200, 200, 200, 200])
    expect(events.map(({ order_id }) => order_id).toSorted()).toEqual(['A-1', 'A-1', 'A-1', 'A-2'])
    expect(reports).toHaveLength(REJECTED.length)
  })
})

it.each([
  ['Express', withMiddleware()],
  ['Fastify', withFastify(bare)],
  ['node:http', withNode(bare)],
])('%s responds 503 when the store fails, and reports wrong options at the start', async (_name, app) => {
  const away = new Error('the database is away')
  const { send, reports } = await start(app, { onEvent: () => Promise.reject(away) })
  expect(await send(signed.body)).toBe(503)
  expect(reports).toEqual([{ error: away, status: 503 }])
  await expect(async () => app({ secrets: '', onEvent() {} })).rejects.toMatchObject({
    code: 'config',
    field: 'secrets',
  })
})

it.each(MISTAKES)('a mistake in the receiver is a 500 whose message names the cure: %s', async (_name, app, cure) => {
  const { send, events, reports } = await start(app)
  expect(await send(signed.body)).toBe(500)
  expect(reports).toMatchObject([{ status: 500, error: { code: 'config', message: expect.stringMatching(cure) } }])
  expect(events).toEqual([])
})

it('leaves a response alone that something else has sent', async () => {
  const receive = nodeHandler({ secrets: SECRET, onEvent() {}, onRejected() {} })
  const origin = await serve(async (request, response) => {
    response.writeHead(408).end('Too slow')
    await receive(request, response)
  })
  const response = await fetch(origin, { method: 'POST', body: '' })
  expect([response.status, await response.text()]).toEqual([408, 'Too slow'])
})

it('a connection that ends within the body stores nothing', async () => {
  const { promise: reported, resolve: report } = Promise.withResolvers<unknown>()
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
