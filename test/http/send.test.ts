import { afterEach, describe, expect, it, vi } from 'vitest'
import { createClient } from '../../src/index.ts'
import { call, failure, GET, HOSTED, POST } from '../support/call.ts'
import { CHECKOUT_URL, CONFIG, json, redirect, rejection, wire } from '../support/mock-fetch.ts'

afterEach(() => vi.restoreAllMocks())

describe('every request', () => {
  const EMPTY = { ...POST, body: undefined }
  it.each([
    ['a POST', POST, '{"a":1}', true, Blob],
    ['an empty POST', EMPTY, '', false, Blob],
    ['an empty PUT', { ...EMPTY, method: 'PUT' as const }, '', false, Uint8Array],
    ['a GET', GET, undefined, false, undefined],
  ])('%s leaves nothing to a host, and forbids any repetition of what may not come twice', async (...row) => {
    const [, input, body, isJson, form] = row
    const { answer, sent } = call(input, [json({})], { userAgent: 'shop/1.0' })
    await answer
    const { headers: _, signal, body: sentBody, ...init } = sent[0]?.init ?? {}
    const guards = { redirect: 'manual', keepalive: false, cache: 'no-store', credentials: 'omit' }
    expect(init).toEqual({ method: input.method, ...guards, referrerPolicy: 'no-referrer' })
    expect(signal?.aborted).toBe(false)
    // A Blob is the one form of body that no runtime sends again.
    expect(sentBody?.constructor).toBe(form)
    expect(sent[0]?.body).toBe(body)
    expect(sent[0]?.headers).toMatchObject({ Accept: 'application/json', 'User-Agent': 'shop/1.0' })
    expect('Content-Type' in (sent[0]?.headers ?? {})).toBe(isJson)
  })

  it('goes below a base address that has a path', async () => {
    const { answer, sent } = call(GET, [json({})], { baseUrl: 'https://pay.example.com/gateway/' })
    await answer
    expect(sent[0]?.url).toBe('https://pay.example.com/gateway/api/v1/state')
  })

  it.each(['/a/../b', '/a/%2e%2e/b', '/./a', '/a b', '/a#b', '/ї', '//../a', '/a\\b', '/a\n'])(
    'rejects a path that would not stay as it is: %j',
    async (path) => {
      expect(await failure(call({ ...GET, path }, [json({})]))).toMatchObject({ code: 'invalid_input', requests: 0 })
    },
  )
})

it('asks a runtime once, at the first call, whether it takes `cache`', async () => {
  const asked = vi.spyOn(globalThis, 'Request')
  const { fetch, sent } = wire(json({}), json({}))
  const client = createClient({ ...CONFIG, fetch })
  expect(asked).not.toHaveBeenCalled()
  for (const _ of [1, 2]) await client.rawRequest(GET)
  expect(asked).toHaveBeenCalledTimes(1)
  asked.mockImplementation(() => {
    throw new Error("The 'cache' field on 'RequestInitializerDict' is not implemented.")
  })
  const old = call(GET, [json({})])
  await old.answer
  expect(sent.map(({ init }) => 'cache' in init)).toEqual([true, true])
  expect(old.sent[0]?.init).toMatchObject({ credentials: 'omit', referrerPolicy: 'no-referrer' })
  expect(old.sent[0]?.init).not.toHaveProperty('cache')
})

describe('what a framework throws through fetch to steer itself', () => {
  const steering = (more: object = {}) =>
    Object.assign(new Error('Dynamic server usage'), { digest: 'DYNAMIC_SERVER_USAGE' }, more)
  const postponed = { $$typeof: Symbol.for('react.postpone') }

  it('passes untouched on a GET, at once', async () => {
    for (const thrown of [steering(), steering({ code: 'ECONNREFUSED' }), postponed]) {
      const { answer, sent } = call(GET, [() => Promise.reject(thrown)])
      await expect(answer).rejects.toBe(thrown)
      expect(sent).toHaveLength(1)
    }
  })

  it('leaves its digest on the error of a POST, where a log does not show it; React’s postpone passes', async () => {
    for (const thrown of [steering(), steering({ code: 'ECONNREFUSED' })]) {
      const error = await rejection(call(POST, [() => Promise.reject(thrown)]).answer)
      expect(error).toMatchObject({ code: 'outcome_unknown', reason: 'interrupted', digest: thrown.digest })
      expect(Object.keys(error)).not.toContain('digest')
    }
    const { answer, sent } = call(POST, [() => Promise.reject(postponed)])
    await expect(answer).rejects.toBe(postponed)
    expect(sent).toHaveLength(1)
    // Next gives one to whatever has none.
    const other = await rejection(call(POST, [Object.assign(new Error('x'), { digest: 5 })]).answer)
    expect(Object.assign(other, { digest: '1' }).digest).toBe('1')
    // A caller's own reason is not a framework's.
    const stopped = new AbortController()
    stopped.abort(steering())
    const aborted = await rejection(call(GET, [], {}, { signal: stopped.signal }).answer)
    expect(aborted).toMatchObject({ code: 'connection', reason: 'aborted' })
  })
})

describe('redirects', () => {
  it.each([
    ['relative to the host', '/api/v1/checkout/7d1f/form', CHECKOUT_URL],
    ['relative to the path', 'checkout/7d1f/form', CHECKOUT_URL],
    ['on another host', 'https://other.example.com/x', 'https://other.example.com/x'],
  ])('an expected one is a result: %s', async (_name, location, url) => {
    for (const status of [301, 302, 303, 307, 308]) {
      const { answer } = call(HOSTED, [redirect(location, status)])
      expect(await answer).toEqual({ status, body: undefined, location: url })
    }
  })

  it.each([undefined, '', 'javascript:alert(1)', 'data:text/html,x', 'https://[bad'])(
    'an expected one without a usable Location, which is kept as it came: %s',
    async (location) => {
      const reply = new Response(null, { status: 303, headers: location === undefined ? {} : { location } })
      const error = await rejection(call(HOSTED, [reply]).answer)
      expect(error).toMatchObject({ code: 'outcome_unknown', reason: 'unexpected_redirect', status: 303 })
      expect(error.message).toMatch(/Location/)
      expect(error.location).toBe(location || undefined)
    },
  )

  it('begins at 300: a 299 is read as JSON, and a 304 never leads anywhere', async () => {
    expect(await call(POST, [json({ a: 1 }, 299)]).answer).toMatchObject({ status: 299, body: { a: 1 } })
    for (const status of [300, 304, 399]) {
      const error = await rejection(call(POST, [redirect(undefined, status)]).answer)
      expect(error).toMatchObject({ reason: 'unexpected_redirect', status, location: CHECKOUT_URL })
    }
    const expected = await rejection(call(HOSTED, [redirect(undefined, 304)]).answer)
    expect(expected).toMatchObject({ reason: 'unexpected_redirect', status: 304 })
  })

  it('lets go of its body', async () => {
    const cancel = vi.fn()
    const body = new ReadableStream({ cancel })
    await call(HOSTED, [new Response(body, { status: 303, headers: { location: CHECKOUT_URL } })]).answer
    expect(cancel).toHaveBeenCalled()
  })
})

describe('responses that cannot be read', () => {
  const endless = () => new Response(new ReadableStream({ pull: (c) => c.enqueue(new Uint8Array(65_536)) }))
  const broken = () => new Response(new ReadableStream({ pull: (c) => c.error(new Error('reset')) }))
  it.each<[string, () => Response, string]>([
    ['HTML', () => new Response('<h1>Hello</h1>', { headers: { 'content-type': 'text/html' } }), 'unreadable_response'],
    ['cut off', () => new Response('{"status":"succ'), 'unreadable_response'],
    ['not UTF-8', () => new Response(new Uint8Array([0x22, 0xff, 0x22])), 'unreadable_response'],
    ['without end', endless, 'unreadable_response'],
    ['a broken connection', broken, 'interrupted'],
  ])('%s', async (_name, reply, reason) => {
    const post = call(POST, [reply()])
    expect(await rejection(post.answer)).toMatchObject({ code: 'outcome_unknown', reason, attempts: 1 })
    const get = call(GET, [reply(), reply(), reply()])
    const expected = reason === 'interrupted' ? { code: 'connection', reason } : { code: 'unexpected_response' }
    expect(await rejection(get.answer)).toMatchObject(expected)
    expect([post.sent.length, get.sent.length]).toEqual([1, reason === 'interrupted' ? 3 : 1])
  })

  it('an empty success is a response to request(), which promises no body', async () => {
    for (const method of ['DELETE', 'PUT', 'POST', 'GET'] as const) {
      const { body: _, ...input } = POST
      const { answer } = call({ ...input, method }, [new Response(null, { status: 204 })])
      expect(await answer).toEqual({ status: 204, body: undefined, location: undefined })
    }
    expect(await call(POST, [new Response('')]).answer).toMatchObject({ status: 200, body: undefined })
  })

  it('JSON of any depth is JSON', async () => {
    const text = '['.repeat(20_000) + ']'.repeat(20_000)
    expect(await call(POST, [new Response(text)]).answer).toMatchObject({ status: 200 })
  })

  it('JSON of exactly the limit is read, one byte more is not', async () => {
    const text = JSON.stringify('x'.repeat(1_048_574))
    expect(await call(POST, [new Response(text)]).answer).toMatchObject({ status: 200 })
    const error = await rejection(call(POST, [new Response(`${text} `)]).answer)
    expect(error.message).toMatch(/larger than 1048576 bytes/)
  })

  it('whatever the content type says, JSON is JSON', async () => {
    const reply = new Response('{"a":1}', { headers: { 'content-type': 'text/html' } })
    expect(await call(POST, [reply]).answer).toEqual({ status: 200, body: { a: 1 }, location: undefined })
  })

  it('cuts raw card data out at any depth, and keeps mask and token', async () => {
    const token = { cc_mask: '424242******4242', cc_token: 'token' }
    const { answer } = call(POST, [json({ ...token, inner: [{ card_cvv: '123', ...token }] })])
    expect((await answer).body).toEqual({ ...token, inner: [token] })
  })

  it('a text that is not JSON stays in the error, without credentials and card data', async () => {
    const text = `oops ${CONFIG.apiSecret} 4242 4242 4242 4242 ${CONFIG.endpointsKey}`
    const error = await rejection(call(GET, [new Response(text)]).answer)
    expect(error.body).toBe('oops [redacted] [redacted] [redacted]')
    expect(Object.keys(error)).not.toContain('body')
  })
})

describe('what surrounds a response', () => {
  it('passThrough is for a request with a body', async () => {
    const without = call(GET, [], {}, { passThrough: { extra: 1 } })
    expect(await rejection(without.answer)).toMatchObject({ issues: [{ path: 'passThrough' }] })
  })

  it.each([303, 503])('%i with a body whose cancelling never ends does not delay the call', async (status) => {
    const body = new ReadableStream({ cancel: () => new Promise(() => {}) })
    const reply = new Response(body, { status, headers: { location: 'https://elsewhere.example.com/' } })
    const { answer } = call(POST, [reply], { timeoutMs: 1000 })
    expect(await rejection(answer)).toMatchObject({ code: 'outcome_unknown', status })
  })

  it.each([undefined, null, '200', '404', true, [404], Number.NaN, 200.5, 100, 199])(
    'a fetch that does not return a Response is not a response: a status of %j',
    async (status) => {
      const reply = { status, headers: new Headers(), body: new Response('{}').body }
      const client = createClient({ ...CONFIG, fetch: (async () => reply) as unknown as typeof fetch })
      expect(await rejection(client.rawRequest(POST))).toMatchObject({ code: 'outcome_unknown', reason: 'interrupted' })
    },
  )

  it('nor is one whose body is not a web stream, as node-fetch 2 has it', async () => {
    const reply = { status: 200, headers: new Headers(), body: { pipe() {} } }
    const client = createClient({ ...CONFIG, fetch: (async () => reply) as unknown as typeof fetch })
    const error = await rejection(client.rawRequest(POST))
    expect(error).toMatchObject({ code: 'outcome_unknown', reason: 'interrupted' })
    expect((error.cause as Error).message).toBe('got no fresh Response from the configured `fetch`')
  })

  it.each<[string, () => unknown]>([
    ['nothing', () => undefined],
    ['a promise of nothing', async () => undefined],
    ['an object like a Response', async () => ({ ok: true, status: 200, json: async () => ({}) })],
    ['headers of a plain object', async () => ({ status: 200, headers: {}, body: new Response('{}').body })],
  ])('nor is %s: the message says so', async (_name, stub) => {
    const client = createClient({ ...CONFIG, fetch: stub as unknown as typeof fetch })
    const error = await rejection(client.rawRequest(POST))
    expect(error).toMatchObject({ code: 'outcome_unknown', reason: 'interrupted' })
    expect(error.message).toMatch(/^rawRequest got no fresh Response from the configured `fetch`\./)
  })

  it('nor is one that was read before, and one that is no promise is taken', async () => {
    const once = new Response('{}')
    const client = createClient({ ...CONFIG, fetch: (() => once) as unknown as typeof fetch })
    expect(await client.rawRequest(POST)).toMatchObject({ status: 200 })
    const error = await rejection(client.rawRequest(POST))
    expect(error.message).toContain('got no fresh Response')
  })
})

describe('a global Blob that fetch does not know, as that of jsdom', () => {
  class ForeignBlob {
    readonly parts: unknown[]
    readonly type: string
    constructor(parts: unknown[], { type = '' } = {}) {
      this.parts = parts
      this.type = type
    }
    get [Symbol.toStringTag]() {
      return 'Blob'
    }
  }

  it.each([['é'], ['']])('sends what is signed: %j', async (text) => {
    vi.stubGlobal('Blob', ForeignBlob)
    const { signed, sent } = await new Promise<{ signed: string; sent: string }>((resolve) => {
      let signed = ''
      const signer = ({ body }: { body: string }) => {
        signed = body
        return 'x'
      }
      const fetch = async (url: string | URL | Request, init?: RequestInit) => {
        resolve({ signed, sent: await new Request(url, init).text() })
        return json({})
      }
      const client = createClient({ ...CONFIG, signer, fetch })
      void client.rawRequest({ ...POST, authentication: 'hmac', body: { text } })
    }).finally(() => vi.unstubAllGlobals())
    expect(sent).toBe(JSON.stringify({ text }))
    expect(sent).toBe(signed)
  })
})
