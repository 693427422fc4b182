import { describe, expect, it } from 'vitest'
import { type CallOptions, type ClientConfig, createClient, type RequestInput } from '../src/index.ts'
import { CHECKOUT_URL, CONFIG, json, redirect, rejection, silence, wire } from './support/wire.ts'

const GET: RequestInput = { method: 'GET', path: '/api/v1/state', authentication: 'plain' }
const POST: RequestInput = { method: 'POST', path: '/api/v1/thing', authentication: 'plain', body: { a: 1 } }
const HOSTED: RequestInput = { ...POST, redirectExpected: true }

type Setup = [...Parameters<typeof wire>]

function call(input: RequestInput, replies: Setup, config: Partial<ClientConfig> = {}, options?: CallOptions) {
  const { fetch, sent } = wire(...replies)
  const { request } = createClient({ ...CONFIG, random: () => 0, ...config, fetch })
  return { answer: request(input, options), sent }
}

describe('every request', () => {
  it('forbids following redirects and, for a POST, any repetition by the runtime', async () => {
    const { answer, sent } = call(POST, [json({})])
    await answer
    expect(sent[0]?.init).toMatchObject({ redirect: 'manual', keepalive: false })
    expect(sent[0]?.init.body).toBeInstanceOf(Blob)
  })

  it('sends an empty POST as an empty Blob', async () => {
    const { answer, sent } = call({ ...POST, body: undefined }, [json([])])
    await answer
    expect(sent[0]?.init.body).toBeInstanceOf(Blob)
    expect(sent[0]?.body).toBe('')
    expect(sent[0]?.headers).not.toHaveProperty('Content-Type')
  })

  it('gives a GET no body at all', async () => {
    const { answer, sent } = call(GET, [json({})])
    await answer
    expect(sent[0]?.body).toBeUndefined()
  })

  it('asks for JSON and names itself', async () => {
    const { answer, sent } = call(GET, [json({})], { userAgent: 'shop/1.0' })
    await answer
    expect(sent[0]?.headers).toMatchObject({ Accept: 'application/json', 'User-Agent': 'shop/1.0' })
  })

  it('goes below a base address that has a path', async () => {
    const { answer, sent } = call(GET, [json({})], { baseUrl: 'https://pay.example.com/gateway/' })
    await answer
    expect(sent[0]?.url).toBe('https://pay.example.com/gateway/api/v1/state')
  })

  it.each(['/a/../b', '/a/%2e%2e/b', '/./a', '/a b', '/a#b', '/ї', '//../a', '/a\\b', '/a\n'])(
    'refuses a path that would not stay as it is: %j',
    async (path) => {
      const { answer, sent } = call({ ...GET, path }, [json({})])
      expect(await rejection(answer)).toMatchObject({ code: 'invalid_input' })
      expect(sent).toEqual([])
    },
  )
})

describe('redirects', () => {
  it.each([
    ['absolute', CHECKOUT_URL, CHECKOUT_URL],
    ['relative to the host', '/api/v1/checkout/7d1f/form', CHECKOUT_URL],
    ['relative to the path', 'checkout/7d1f/form', CHECKOUT_URL],
    ['on another host', 'https://other.example.com/x', 'https://other.example.com/x'],
  ])('an expected one is an answer: %s', async (_name, location, url) => {
    for (const status of [301, 302, 303, 307, 308]) {
      expect(await call(HOSTED, [redirect(location, status)]).answer).toEqual({
        status,
        body: undefined,
        location: url,
      })
    }
  })

  it.each([undefined, '', 'javascript:alert(1)', 'data:text/html,x', 'https://[bad'])(
    'an expected one without a usable Location: %s',
    async (location) => {
      const reply = new Response(null, { status: 303, headers: location === undefined ? {} : { location } })
      const error = await rejection(call(HOSTED, [reply]).answer)
      expect(error).toMatchObject({ code: 'outcome_unknown', reason: 'unexpected_redirect', status: 303 })
      expect(error.message).toMatch(/Location/)
    },
  )

  it('an unexpected one is never followed: a POST may have been executed, a GET was not as documented', async () => {
    const post = call(POST, [redirect()])
    expect(await rejection(post.answer)).toMatchObject({ code: 'outcome_unknown', reason: 'unexpected_redirect' })
    const get = call(GET, [redirect(undefined, 302)])
    expect(await rejection(get.answer)).toMatchObject({ code: 'unexpected_response', status: 302 })
    expect([post.sent.length, get.sent.length]).toEqual([1, 1])
  })

  it('lets go of the body of a redirect', async () => {
    let cancelled = false
    const body = new ReadableStream({
      cancel() {
        cancelled = true
      },
    })
    await call(HOSTED, [new Response(body, { status: 303, headers: { location: CHECKOUT_URL } })]).answer
    expect(cancelled).toBe(true)
  })
})

describe('answers that cannot be read', () => {
  const endless = () => new Response(new ReadableStream({ pull: (c) => c.enqueue(new Uint8Array(65_536)) }))
  const broken = () => new Response(new ReadableStream({ pull: (c) => c.error(new Error('reset')) }))
  it.each<[string, () => Response, string]>([
    ['empty', () => new Response(''), 'unreadable_answer'],
    ['no body', () => new Response(null, { status: 204 }), 'unreadable_answer'],
    ['HTML', () => new Response('<h1>Hello</h1>', { headers: { 'content-type': 'text/html' } }), 'unreadable_answer'],
    ['cut off', () => new Response('{"status":"succ'), 'unreadable_answer'],
    ['not UTF-8', () => new Response(new Uint8Array([0x22, 0xff, 0x22])), 'unreadable_answer'],
    ['2 MB of JSON', () => new Response(JSON.stringify('x'.repeat(2_000_000))), 'unreadable_answer'],
    ['without end', endless, 'unreadable_answer'],
    ['a broken connection', broken, 'interrupted'],
  ])('%s', async (_name, reply, reason) => {
    const post = call(POST, [reply()])
    expect(await rejection(post.answer)).toMatchObject({ code: 'outcome_unknown', reason, attempts: 1 })
    const get = call(GET, [reply(), reply(), reply()])
    const expected = reason === 'interrupted' ? { code: 'connection', reason } : { code: 'unexpected_response' }
    expect(await rejection(get.answer)).toMatchObject(expected)
    expect([post.sent.length, get.sent.length]).toEqual([1, reason === 'interrupted' ? 3 : 1])
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
    const card = { cc_number: '4242424242424242', exp_month: 1, exp_year: 30, card_cvv: '123' }
    const kept = { cc_mask: '424242******4242', cc_token: 'token' }
    const { answer } = call(POST, [json({ ...card, ...kept, inner: [{ ...card, ...kept }] })])
    expect(await answer).toMatchObject({ body: { ...kept, inner: [kept] } })
    expect(JSON.stringify(await answer)).not.toMatch(/cc_number|exp_|cvv/)
  })

  it('the text of a GET that is not JSON stays in the error, without credentials and card numbers', async () => {
    const text = `oops ${CONFIG.apiSecret} 4242 4242 4242 4242 ${CONFIG.endpointsKey}`
    const error = await rejection(call(GET, [new Response(text)]).answer)
    expect(error.body).toBe('oops [redacted] [redacted] [redacted]')
    expect(Object.keys(error)).not.toContain('body')
  })
})

describe('time limits', () => {
  it('a POST that times out may have been executed', async () => {
    const { answer, sent } = call(POST, [silence], { timeoutMs: 5 })
    expect(await rejection(answer)).toMatchObject({ code: 'outcome_unknown', reason: 'timeout' })
    expect(sent).toHaveLength(1)
    expect(sent[0]?.init.signal?.aborted).toBe(true)
  })

  it('a GET that times out is tried again, then given up as a connection failure', async () => {
    const { answer, sent } = call(GET, [silence, silence, silence], { timeoutMs: 5 })
    expect(await rejection(answer)).toMatchObject({ code: 'connection', reason: 'timeout', attempts: 3 })
    expect(sent).toHaveLength(3)
  })

  it('covers the body too: headers alone are no answer', async () => {
    const stalled = () => new Response(new ReadableStream({ start: (c) => c.enqueue(new Uint8Array([0x7b])) }))
    expect(await rejection(call(POST, [stalled()], { timeoutMs: 5 }).answer)).toMatchObject({
      code: 'outcome_unknown',
      reason: 'timeout',
      status: 200,
    })
    const refused = new Response(new ReadableStream({ start: (c) => c.enqueue(new Uint8Array([0x7b])) }), {
      status: 400,
    })
    expect(await rejection(call(POST, [refused], { timeoutMs: 5 }).answer)).toMatchObject({ code: 'api', status: 400 })
  })

  it('the option of a call wins over the configuration', async () => {
    const { answer } = call(POST, [silence], { timeoutMs: 60_000 }, { timeoutMs: 5 })
    expect(await rejection(answer)).toMatchObject({ reason: 'timeout' })
  })

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31, '5'])('refuses %s', async (timeoutMs) => {
    const { answer, sent } = call(POST, [], {}, { timeoutMs: timeoutMs as number })
    expect(await rejection(answer)).toMatchObject({ code: 'invalid_input', issues: [{ path: 'timeoutMs' }] })
    expect(sent).toEqual([])
  })

  it.each([undefined, null])('of a call: %s leaves the configured one', async (timeoutMs) => {
    const { answer } = call(POST, [silence], { timeoutMs: 5 }, { timeoutMs: timeoutMs as undefined })
    expect(await rejection(answer)).toMatchObject({ reason: 'timeout' })
  })
})

describe('the caller gives up', () => {
  it('beforehand: nothing is sent', async () => {
    const { answer, sent } = call(POST, [json({})], {}, { signal: AbortSignal.abort(new Error('mine')) })
    const error = await rejection(answer)
    expect(error).toMatchObject({ code: 'connection', reason: 'aborted' })
    expect(error.cause).toMatchObject({ message: 'mine' })
    expect(sent).toEqual([])
  })

  it('a POST on its way: the outcome is unknown; a GET: nothing can have changed, and nobody wants a retry', async () => {
    for (const [input, code] of [
      [POST, 'outcome_unknown'],
      [GET, 'connection'],
    ] as const) {
      const controller = new AbortController()
      const hang = () => {
        controller.abort()
        return silence()
      }
      const retries: unknown[] = []
      const onRetry = (info: unknown) => retries.push(info)
      const { answer, sent } = call(input, [hang, json({})], { onRetry }, { signal: controller.signal })
      expect(await rejection(answer)).toMatchObject({ code, reason: 'aborted' })
      expect(retries).toEqual([])
      expect(sent).toHaveLength(1)
    }
  })

  it('while waiting for another attempt', async () => {
    const controller = new AbortController()
    const { answer, sent } = call(
      POST,
      [json({}, 429, { 'retry-after': '50' })],
      { onRetry: () => controller.abort() },
      { signal: controller.signal },
    )
    expect(await rejection(answer)).toMatchObject({ code: 'connection', reason: 'aborted', attempts: 1 })
    expect(sent).toHaveLength(1)
  })

  it('leaves no listener behind on a signal that lives long', async () => {
    const controller = new AbortController()
    const { signal } = controller
    let listeners = 0
    const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)]
    signal.addEventListener = ((...args: Parameters<typeof add>) => {
      listeners += 1
      add(...args)
    }) as typeof signal.addEventListener
    signal.removeEventListener = ((...args: Parameters<typeof remove>) => {
      listeners -= 1
      remove(...args)
    }) as typeof signal.removeEventListener
    await call(GET, [json({}, 503), json({})], {}, { signal }).answer
    expect(listeners).toBe(0)
  })
})

describe('retries', () => {
  it.each([500, 502, 503, 504, 599])('a GET is tried again after %s', async (status) => {
    const { answer, sent } = call(GET, [json({}, status), json({}, status), json({ ok: 1 })])
    expect(await answer).toMatchObject({ body: { ok: 1 } })
    expect(sent).toHaveLength(3)
  })

  it('a GET that keeps failing ends as an ApiError that says so', async () => {
    const { answer, sent } = call(GET, [json({}, 500), json({}, 500), json({}, 500)])
    expect(await rejection(answer)).toMatchObject({ code: 'api', status: 500, retryable: true, attempts: 3 })
    expect(sent).toHaveLength(3)
  })

  it.each([500, 502, 503, 504])('a POST is not: after %s its outcome is unknown', async (status) => {
    const { answer, sent } = call(POST, [json({ message: 'x' }, status)])
    const error = await rejection(answer)
    expect(error).toMatchObject({ code: 'outcome_unknown', reason: 'server_error', status, attempts: 1 })
    expect(error.message).toContain(error.howToFindOut)
    expect(sent).toHaveLength(1)
  })

  it('a POST that was answered 429 is tried again: it was not executed', async () => {
    const { answer, sent } = call(POST, [json({}, 429), json({}, 429), json({ ok: 1 })])
    expect(await answer).toMatchObject({ body: { ok: 1 } })
    expect(sent.map(({ body }) => body)).toEqual(['{"a":1}', '{"a":1}', '{"a":1}'])
  })

  it.each([0, 1, 5])('at most maxRetries: %i', async (maxRetries) => {
    const { answer, sent } = call(
      POST,
      Array(9).fill(() => json({}, 429)),
      { maxRetries },
    )
    expect(await rejection(answer)).toMatchObject({ code: 'api', status: 429, retryable: true })
    expect(sent).toHaveLength(maxRetries + 1)
  })

  it.each([400, 401, 403, 404, 405, 406, 409, 422])('nothing is tried again after %s', async (status) => {
    for (const input of [GET, POST]) {
      const { answer, sent } = call(input, [json({}, status)])
      expect(await rejection(answer)).toMatchObject({ code: 'api', status, retryable: false })
      expect(sent).toHaveLength(1)
    }
  })

  it('a network failure: a GET is tried again, a POST is not', async () => {
    const reset = new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code: 'ECONNRESET' }) })
    const get = call(GET, [reset, reset, json({ ok: 1 })])
    expect(await get.answer).toMatchObject({ body: { ok: 1 } })
    const post = call(POST, [reset])
    const error = await rejection(post.answer)
    expect(error).toMatchObject({ code: 'outcome_unknown', reason: 'interrupted' })
    expect(error.cause).toBe(reset)
    expect(post.sent).toHaveLength(1)
  })

  it.each<readonly [string, Error]>([
    ['Node, refused', new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } })],
    [
      'Node, several addresses',
      new TypeError('x', { cause: { errors: [{ code: 'ECONNREFUSED' }, { code: 'ENETUNREACH' }] } }),
    ],
    ['Bun, refused', Object.assign(new Error('Unable to connect.'), { code: 'ConnectionRefused' })],
    ['Deno, without the right to the network', Object.assign(new Error('Requires net access'), { name: 'NotCapable' })],
    ['Node, a forbidden port', Object.assign(new Error('fetch failed'), { cause: new Error('bad port') })],
    ['Deno, refused', new TypeError('error sending request for url (x): client error (Connect): tcp connect error')],
    ...[
      'CERT_HAS_EXPIRED',
      'DEPTH_ZERO_SELF_SIGNED_CERT',
      'SELF_SIGNED_CERT_IN_CHAIN',
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      'ERR_TLS_CERT_ALTNAME_INVALID',
    ].map((code) => [`Node, ${code}`, new TypeError('fetch failed', { cause: { code } })] as const),
  ])('a POST that provably never left: %s', async (_name, failure) => {
    const { answer, sent } = call(POST, [failure])
    const error = await rejection(answer)
    expect(error).toMatchObject({ code: 'connection', reason: 'unreachable' })
    expect(error.message).toMatch(/Calling again is safe/)
    expect(sent).toHaveLength(1)
  })

  it('a POST whose failure says two things is not provably unsent', async () => {
    const both = new TypeError('x', { cause: { errors: [{ code: 'ECONNREFUSED' }, { code: 'ECONNRESET' }] } })
    expect(await rejection(call(POST, [both]).answer)).toMatchObject({ code: 'outcome_unknown' })
  })

  it.each([
    'CERT_REQUIRED',
    'CERT_HAS_EXPIRED_LATER',
    'UNABLE_TO_READ_ANSWER',
    'UNABLE_TO_VERIFY_SIGNATURE',
    'ANSWER_SELF_SIGNED_BY',
    'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED',
    'ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED',
    'XECONNREFUSED',
  ])(
    'a POST whose failure has a code that is merely like one of a connection that was never made: %s',
    async (code) => {
      for (const failure of [
        new TypeError('fetch failed', { cause: { code } }),
        Object.assign(new Error('x'), { code }),
        new TypeError('fetch failed', { cause: { code, errors: [{ code: 'ECONNREFUSED' }] } }),
      ]) {
        expect(await rejection(call(POST, [failure]).answer)).toMatchObject({ code: 'outcome_unknown' })
      }
    },
  )

  it('waits for as long as Retry-After says, in seconds or until a date', async () => {
    const delays: number[] = []
    const onRetry = ({ delayMs }: { delayMs: number }) => delays.push(delayMs)
    const past = new Date(0).toUTCString()
    const replies = ['0', past, 'nonsense'].map((value) => json({}, 429, { 'retry-after': value }))
    await call(GET, [...replies, json({})], { onRetry, maxRetries: 3 }).answer
    expect(delays).toEqual([0, 0, 0])
    const controller = new AbortController()
    const asked = json({}, 503, { 'retry-after': '7' })
    const waiting = call(
      GET,
      [asked],
      {
        onRetry: ({ delayMs }) => {
          delays.push(delayMs)
          controller.abort()
        },
      },
      { signal: controller.signal },
    )
    await rejection(waiting.answer)
    expect(delays.at(-1)).toBe(7000)
  })

  it('does not wait for longer than a minute: the caller is told instead', async () => {
    const { answer, sent } = call(POST, [json({}, 429, { 'retry-after': '61' })])
    expect(await rejection(answer)).toMatchObject({ code: 'api', status: 429, retryable: true, retryAfterMs: 61_000 })
    expect(sent).toHaveLength(1)
  })

  it('backs off exponentially, with jitter, up to 8 seconds', async () => {
    const delays: number[] = []
    const reset = () => Promise.reject(new TypeError('x'))
    // A signal that aborts at each wait shows the delay without spending it.
    for (let attempt = 0; attempt < 7; attempt++) {
      const controller = new AbortController()
      let waits = 0
      const { answer } = call(
        GET,
        Array(9).fill(reset),
        {
          maxRetries: 8,
          random: () => (waits === attempt ? 0.999999 : 0),
          onRetry: ({ delayMs }) => {
            if (waits++ !== attempt) return
            delays.push(delayMs)
            controller.abort()
          },
        },
        { signal: controller.signal },
      )
      await rejection(answer)
    }
    expect(delays).toEqual([499, 999, 1999, 3999, 7999, 7999, 7999])
  })
})

describe('the hooks', () => {
  it('are told what happens, and nothing secret', async () => {
    const told: [string, object][] = []
    const note = (name: string) => (info: object) => told.push([name, info])
    await call(POST, [json({}, 429), json({}, 200, { 'x-request-id': 'r-1' })], {
      onRequest: note('request'),
      onResponse: note('response'),
      onRetry: note('retry'),
    }).answer
    const base = { operation: 'request', method: 'POST', path: '/api/v1/thing' }
    const durationMs = expect.any(Number)
    expect(told).toEqual([
      ['request', { ...base, attempt: 1 }],
      ['response', { ...base, attempt: 1, status: 429, durationMs, requestId: undefined }],
      ['retry', { ...base, attempt: 1, delayMs: 0, status: 429 }],
      ['request', { ...base, attempt: 2 }],
      ['response', { ...base, attempt: 2, status: 200, durationMs, requestId: 'r-1' }],
    ])
  })

  it('cannot break a call, whether they throw or reject', async () => {
    const fail = () => {
      throw new Error('hook')
    }
    const reject = () => Promise.reject(new Error('hook'))
    for (const hook of [fail, reject]) {
      const hooks = { onRequest: hook, onResponse: hook, onRetry: hook, onWarning: hook }
      expect(await call(POST, [json({}, 429), json({ ok: 1 })], hooks).answer).toMatchObject({ body: { ok: 1 } })
    }
  })
})

describe('error bodies, whatever their shape', () => {
  const failing = async (body: string | Uint8Array<ArrayBuffer>, status = 400, config: Partial<ClientConfig> = {}) =>
    rejection(call({ ...POST, authentication: 'hmac' }, [new Response(body, { status })], config).answer)

  it.each<[string, unknown, object]>([
    [
      'message and code',
      { message: 'Bad credentials', args: { code: 'S-404' } },
      { apiMessage: 'Bad credentials', apiCode: 'S-404', violations: [] },
    ],
    ['message alone', { message: 'No' }, { apiMessage: 'No', apiCode: undefined, violations: [] }],
    [
      'violations',
      { message: 'Invalid', args: [{ field_name: 'amount', violation: 'must be positive' }] },
      { violations: [{ field_name: 'amount', violation: 'must be positive' }] },
    ],
    [
      'msg as a list',
      { args: [{ field_name: 'a', msg: ['x', 'y'] }] },
      {
        violations: [
          { field_name: 'a', violation: 'x' },
          { field_name: 'a', violation: 'y' },
        ],
      },
    ],
    ['msg as a text', { args: { msg: 'z' } }, { violations: [{ field_name: '', violation: 'z' }] }],
    [
      'msg beside a violation that is no text',
      { args: [5, false, { text: 'x' }].map((violation) => ({ violation, msg: ['z'] })) },
      { violations: Array(3).fill({ field_name: '', violation: 'z' }) },
    ],
    ['args of other types', { message: 5, args: [null, 1, 'x', []] }, { apiMessage: undefined, violations: [] }],
    ['a code that is a number', { args: { code: 5 } }, { apiCode: undefined }],
    ['null', null, { apiMessage: undefined }],
    ['an array', [1], { apiMessage: undefined }],
    ['a text', 'no', { apiMessage: undefined }],
  ])('%s', async (_name, body, expected) => {
    expect(await failing(JSON.stringify(body))).toMatchObject({
      name: 'ApiError',
      code: 'api',
      status: 400,
      ...expected,
    })
  })

  it.each<[string, string | Uint8Array<ArrayBuffer>]>([
    ['HTML', '<html>nginx</html>'],
    ['nothing', ''],
    ['cut off', '{"message":"Inv'],
    ['2 MB', 'x'.repeat(2_000_000)],
    ['not UTF-8', new Uint8Array([0xff, 0xfe])],
  ])('%s', async (_name, body) => {
    for (const status of [400, 401, 404, 406]) {
      expect(await failing(body, status)).toMatchObject({
        name: 'ApiError',
        code: 'api',
        status,
        apiMessage: undefined,
      })
    }
  })

  it('a 401 under the default signer names what to try; under plain or an own signer it does not', async () => {
    const hint = /authentication: "plain".*signer/
    expect((await failing('{}', 401)).message).toMatch(hint)
    expect((await failing('{}', 401, { authentication: 'plain' })).message).not.toMatch(hint)
    expect((await failing('{}', 401, { signer: () => 'x' })).message).not.toMatch(hint)
    expect((await failing('{}', 400)).message).not.toMatch(hint)
  })

  it('P-409 is explained', async () => {
    const error = await failing(JSON.stringify({ message: 'Conflict', args: { code: 'P-409' } }), 409)
    expect(error.message).toMatch(/order_id was already used/)
  })

  it('what the service echoes is redacted', async () => {
    const body = { message: `key ${CONFIG.apiKey}`, args: { code: CONFIG.endpointsKey, msg: ['4242424242424242'] } }
    const error = await failing(JSON.stringify(body))
    expect(JSON.stringify([error.message, error.apiMessage, error.apiCode, error.violations])).not.toMatch(/key-1|4242/)
  })
})

describe('authentication', () => {
  it('a signer is given exactly what is sent', async () => {
    const seen: unknown[] = []
    const signer = (input: unknown) => {
      seen.push(input)
      return Promise.resolve('signature')
    }
    const { answer, sent } = call({ ...POST, authentication: 'hmac', path: '/api/v1/x?y=%D1%97' }, [json({})], {
      signer,
      scheme: 'ABC',
    })
    await answer
    expect(sent[0]?.headers['X-API-AUTH']).toBe('ABC-HMAC-SHA1 api-key-1:signature')
    expect(seen).toEqual([
      {
        method: 'POST',
        path: '/api/v1/x?y=%D1%97',
        body: '{"a":1}',
        apiKey: CONFIG.apiKey,
        apiSecret: CONFIG.apiSecret,
      },
    ])
    expect(sent[0]?.body).toBe('{"a":1}')
  })

  it.each(['', 'a b', 'line\nbreak', 'ї', 5, undefined])(
    'refuses a signature that a header cannot carry: %j',
    async (value) => {
      const { answer, sent } = call({ ...POST, authentication: 'hmac' }, [], { signer: () => value as string })
      expect(await rejection(answer)).toMatchObject({ code: 'config', field: 'signer' })
      expect(sent).toEqual([])
    },
  )

  it('a signer that never answers is given up in time, by its caller too; nothing was sent', async () => {
    const signer = () => new Promise<string>(() => {})
    const late = call({ ...POST, authentication: 'hmac' }, [], { signer, timeoutMs: 5 })
    expect(await rejection(late.answer)).toMatchObject({ code: 'connection', reason: 'timeout', attempts: 0 })
    const controller = new AbortController()
    const given = call({ ...POST, authentication: 'hmac' }, [], { signer }, { signal: controller.signal })
    controller.abort()
    expect(await rejection(given.answer)).toMatchObject({ code: 'connection', reason: 'aborted' })
    expect([...late.sent, ...given.sent]).toEqual([])
  })

  it('a signer that throws is a matter of configuration; its error is the cause', async () => {
    const mine = new Error('vault is closed')
    const signer = () => {
      throw mine
    }
    const { answer, sent } = call({ ...POST, authentication: 'hmac' }, [], { signer })
    expect(await rejection(answer)).toMatchObject({ code: 'config', field: 'signer', cause: mine })
    expect(sent).toEqual([])
  })
})

describe('what surrounds an answer', () => {
  it.each([303, 503])('%i with a body whose cancelling never ends holds nobody up', async (status) => {
    const body = new ReadableStream({ cancel: () => new Promise(() => {}) })
    const reply = new Response(body, { status, headers: { location: 'https://elsewhere.example.com/' } })
    const { answer } = call(POST, [reply], { timeoutMs: 1000 })
    expect(await rejection(answer)).toMatchObject({ code: 'outcome_unknown', status })
  })

  it.each(['-1', '1.5', '5, 5', '1;2', 'soon'])(
    'Retry-After: %s is neither seconds nor a date: the usual pause',
    async (value) => {
      const pauses: number[] = []
      const { answer } = call(GET, [json({}, 503, { 'retry-after': value }), json({})], {
        random: () => 0.02,
        onRetry: ({ delayMs }) => pauses.push(delayMs),
      })
      await answer
      expect(pauses).toEqual([10])
    },
  )

  it.each([undefined, null, '200', '404', true, [404], Number.NaN, 200.5])(
    'a fetch that answers no Response is no answer: a status of %j',
    async (status) => {
      const reply = { status, headers: new Headers(), body: new Response('{}').body }
      const client = createClient({ ...CONFIG, fetch: (async () => reply) as unknown as typeof fetch })
      expect(await rejection(client.request(POST))).toMatchObject({ code: 'outcome_unknown', reason: 'interrupted' })
    },
  )

  it('a request id is passed on without secrets, and not at any length', async () => {
    const ids: unknown[] = []
    const reply = json({}, 200, { 'x-request-id': `${CONFIG.apiSecret}-${'x'.repeat(500)}` })
    await call(GET, [reply], { onResponse: ({ requestId }) => ids.push(requestId) }).answer
    expect(String(ids[0])).not.toContain(CONFIG.apiSecret)
    expect(String(ids[0]).length).toBeLessThanOrEqual(200)
  })

  it('JSON that is cut off shows no card data in the error that holds it', async () => {
    const text = '{"card_cvv":"987","cc_token": "tok-\\"1","exp_year":30,"cc_number":"40000000'
    const error = (await rejection(call(GET, [new Response(text)]).answer)) as unknown as { body: string }
    expect(error.body).not.toMatch(/987|tok-|:30|4000/)
  })

  it('a connection that was lost is not one that was never made', async () => {
    for (const syscall of ['read', 'write']) {
      const lost = { code: 'EHOSTUNREACH', syscall }
      for (const failure of [
        new TypeError('fetch failed', { cause: lost }),
        Object.assign(new Error('a fetch over node:http'), lost),
        new TypeError('fetch failed', { cause: { code: 'EHOSTUNREACH', errors: [lost] } }),
      ]) {
        expect(await rejection(call(POST, [failure]).answer)).toMatchObject({ code: 'outcome_unknown' })
      }
    }
  })
})
