import { describe, expect, it, vi } from 'vitest'
import { call, GET, POST } from '../support/call.ts'
import { json, rejection } from '../support/mock-fetch.ts'

describe('retries', () => {
  it.each([408, 500, 502, 503, 504, 599])('a GET is tried again after %s', async (status) => {
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

  it('a POST with a 429 as response is sent again: it was not executed', async () => {
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

  it.each([
    400, 401, 403, 404, 405, 406, 409, 410, 411, 412, 413, 414, 415, 416, 417, 418, 421, 422, 425, 426, 428, 431,
  ])('nothing is tried again after %s', async (status) => {
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
    expect(error.cause).toMatchObject({ name: 'TypeError', message: 'fetch failed', cause: { code: 'ECONNRESET' } })
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
    ['Deno, a forbidden port', new TypeError('Fetch failed: Requests to port 6666 are blocked')],
    ['Deno, refused', new TypeError('error sending request for url (x): client error (Connect): tcp connect error')],
    ...[
      { code: 'ENOTFOUND', syscall: 'getaddrinfo' },
      { code: 'EAI_AGAIN', syscall: 'getaddrinfo' },
      { code: 'EHOSTUNREACH', syscall: 'connect' },
      { code: 'UND_ERR_CONNECT_TIMEOUT', name: 'ConnectTimeoutError' },
    ].map((cause) => [`Node, ${cause.code}`, new TypeError('fetch failed', { cause })] as const),
    ...[
      'CERT_HAS_EXPIRED',
      'DEPTH_ZERO_SELF_SIGNED_CERT',
      'SELF_SIGNED_CERT_IN_CHAIN',
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      'ERR_TLS_CERT_ALTNAME_INVALID',
      'ERR_SSL_WRONG_VERSION_NUMBER',
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

  it('does not wait for longer than a minute: the caller gets the error instead', async () => {
    const { answer, sent } = call(POST, [json({}, 429, { 'retry-after': '61' })])
    expect(await rejection(answer)).toMatchObject({ code: 'api', status: 429, retryable: true, retryAfterMs: 61_000 })
    expect(sent).toHaveLength(1)
  })

  it('a Retry-After of 60 seconds is waited for', async () => {
    const controller = new AbortController()
    const pauses: number[] = []
    const onRetry = ({ delayMs }: { delayMs: number }) => {
      pauses.push(delayMs)
      controller.abort()
    }
    const { signal } = controller
    await rejection(call(POST, [json({}, 429, { 'retry-after': '60' })], { onRetry }, { signal }).answer)
    expect(pauses).toEqual([60_000])
  })

  it('a Retry-After that is a date 60,001 milliseconds away is not', async () => {
    const clock = vi.spyOn(Date, 'now').mockReturnValue(999)
    try {
      const { answer } = call(POST, [json({}, 429, { 'retry-after': 'Thu, 01 Jan 1970 00:01:01 GMT' })])
      expect(await rejection(answer)).toMatchObject({ code: 'api', status: 429, retryAfterMs: 60_001 })
    } finally {
      clock.mockRestore()
    }
  })

  it('a call with time left under its deadlineMs is tried again', async () => {
    const { answer, sent } = call(POST, [json({}, 429), json({ ok: 1 })], { random: () => 0 }, { deadlineMs: 60_000 })
    expect(await answer).toMatchObject({ body: { ok: 1 } })
    expect(sent).toHaveLength(2)
  })

  it('a pause that would end at the very end of deadlineMs is not begun', async () => {
    const clock = vi.spyOn(Date, 'now').mockReturnValue(0)
    try {
      const reply = json({}, 429, { 'retry-after': '1' })
      const { answer, sent } = call(POST, [reply], {}, { deadlineMs: 1000 })
      expect(await rejection(answer)).toMatchObject({ code: 'api', status: 429, retryAfterMs: 1000 })
      expect(sent).toHaveLength(1)
    } finally {
      clock.mockRestore()
    }
  })

  it('the last status that is not a rejection is 399', async () => {
    const post = call(POST, [new Response(null, { status: 399 })])
    expect(await rejection(post.answer)).toMatchObject({ reason: 'unexpected_redirect', status: 399 })
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
})
