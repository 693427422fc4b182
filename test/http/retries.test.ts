import { describe, expect, it, vi } from 'vitest'
import type { ClientConfig } from '../../src/index.ts'
import { call, failure, GET, POST } from '../support/call.ts'
import { json, rejection } from '../support/mock-fetch.ts'

const limited = (retryAfter: string) => json({}, 429, { 'retry-after': retryAfter })

/** How long the pause after a reply is. Nobody waits for it: the caller gives up when it begins. */
async function pauseAfter(reply: Response | Error, config: Partial<ClientConfig> = {}): Promise<number | undefined> {
  const controller = new AbortController()
  let pause: number | undefined
  const onRetry = ({ delayMs }: { delayMs: number }) => {
    pause = delayMs
    controller.abort()
  }
  await rejection(call(GET, [reply], { onRetry, ...config }, { signal: controller.signal }).answer)
  return pause
}

/** Each says that nothing was processed. */
const REJECTIONS = [
  400, 401, 403, 404, 405, 406, 409, 410, 411, 412, 413, 414, 415, 416, 417, 418, 421, 422, 425, 426, 428, 431,
]

describe('what is tried again', () => {
  it('nothing after a rejection, a GET after what may pass, and a POST whose outcome is unknown never', async () => {
    for (const status of REJECTIONS) {
      for (const input of [GET, POST]) {
        const error = await failure(call(input, [json({}, status)]))
        expect(error).toMatchObject({ code: 'api', status, retryable: false, requests: 1 })
      }
    }
    for (const status of [402, 407, 408, 419, 451, 460, 499, 500, 501, 502, 503, 504, 599]) {
      const lost = { code: 'outcome_unknown', reason: status < 500 ? 'ambiguous_status' : 'server_error', status }
      expect(await rejection(call(POST, [json({}, status)]).answer)).toMatchObject(lost)
      const { answer, sent } = call(GET, [json({}, status), json({}, status), json({ ok: 1 })])
      const passes = status === 408 || status >= 500
      expect(await answer.catch(({ code }) => code)).toEqual(passes ? expect.objectContaining({ status: 200 }) : 'api')
      expect(sent).toHaveLength(passes ? 3 : 1)
    }
  })

  it.each([0, 1, 5])('a POST after a 429, which was not executed, at most maxRetries times: %i', async (maxRetries) => {
    const replies = Array(9).fill(() => json({}, 429))
    const error = await failure(call(POST, replies, { maxRetries }))
    expect(error).toMatchObject({ code: 'api', status: 429, retryable: true, requests: maxRetries + 1 })
  })

  it('a GET after a network failure, not a POST', async () => {
    const reset = new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code: 'ECONNRESET' }) })
    const get = call(GET, [reset, reset, json({ ok: 1 })])
    expect(await get.answer).toMatchObject({ body: { ok: 1 } })
    const error = await failure(call(POST, [reset]))
    expect(error).toMatchObject({ code: 'outcome_unknown', reason: 'interrupted', requests: 1 })
    expect(error.cause).toMatchObject({ name: 'TypeError', message: 'fetch failed', cause: { code: 'ECONNRESET' } })
  })
})

describe('a POST that never left', () => {
  const node = (cause: object): [string, Error] => [`Node, ${JSON.stringify(cause)}`, new TypeError('x', { cause })]
  const connecting = { ENOTFOUND: 'getaddrinfo', EAI_AGAIN: 'getaddrinfo', EHOSTUNREACH: 'connect' }
  const certificates = ['CERT_HAS_EXPIRED', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN']
  const handshakes = ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'ERR_TLS_CERT_ALTNAME_INVALID', 'ERR_SSL_WRONG_VERSION_NUMBER']

  it.each<[string, Error]>([
    ['Bun, refused', Object.assign(new Error('Unable to connect.'), { code: 'ConnectionRefused' })],
    ['Deno, without the right to the network', Object.assign(new Error('Requires net'), { name: 'NotCapable' })],
    ['Deno, a forbidden port', new TypeError('Fetch failed: Requests to port 6666 are blocked')],
    ['Deno, refused', new TypeError('error sending request for url (x): client error (Connect): tcp connect error')],
    ['Node, a forbidden port', new TypeError('fetch failed', { cause: new Error('bad port') })],
    node({ code: 'ECONNREFUSED' }),
    node({ errors: [{ code: 'ECONNREFUSED' }, { code: 'ENETUNREACH' }] }),
    node({ code: 'UND_ERR_CONNECT_TIMEOUT', name: 'ConnectTimeoutError' }),
    ...['EMFILE', 'ENFILE', 'EADDRNOTAVAIL', 'ETIMEDOUT', 'EACCES', 'ENOBUFS', 'EHOSTUNREACH'].map((code) =>
      node({ code, syscall: 'connect' }),
    ),
    node({ code: 'EADDRNOTAVAIL', syscall: 'bind' }),
    node({ code: 'EMFILE', syscall: 'socket' }),
    node({ code: 'EMFILE', errors: ['EMFILE', 'ETIMEDOUT'].map((code) => ({ code, syscall: 'connect' })) }),
    ...Object.entries(connecting).map(([code, syscall]) => node({ code, syscall })),
    ...[...certificates, ...handshakes].map((code) => node({ code })),
  ])('provably: %s', async (_name, thrown) => {
    const error = await failure(call(POST, [thrown]))
    expect(error).toMatchObject({ code: 'connection', reason: 'unreachable', requests: 1 })
    expect(error.message).toMatch(/Calling again is safe/)
  })

  it.each<[string, object]>([
    ['a code that is merely like one', { code: 'CERT_HAS_EXPIRED_LATER' }],
    ['an alert of the server', { code: 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED' }],
    ['a connection that was reset', { code: 'ECONNRESET' }],
    ['a connection lost at a read', { code: 'EHOSTUNREACH', syscall: 'read' }],
    ['a connection lost at a write', { code: 'EHOSTUNREACH', syscall: 'write' }],
    ['a lost connection that was refused before', { code: 'ECONNREFUSED', syscall: 'read' }],
    ['a connection that is shut down', { code: 'ENOTCONN', syscall: 'shutdown' }],
    ['a time limit without a phase', { code: 'ETIMEDOUT' }],
  ])('not with %s', async (_name, lost) => {
    const refused = { code: 'ECONNREFUSED' }
    for (const thrown of [
      new TypeError('fetch failed', { cause: lost }),
      Object.assign(new Error('a fetch over node:http'), lost),
      new TypeError('fetch failed', { cause: { ...lost, errors: [refused] } }),
      new TypeError('fetch failed', { cause: { errors: [refused, lost] } }),
    ]) {
      expect(await rejection(call(POST, [thrown]).answer)).toMatchObject({ code: 'outcome_unknown' })
    }
  })
})

describe('the pause', () => {
  it.each<[string, number]>([
    ['0', 0],
    [new Date(0).toUTCString(), 0],
    // The two older forms of RFC 9110, 5.6.7.
    ['Thursday, 01-Jan-70 00:00:01 GMT', 0],
    ['Thu Jan  1 00:00:01 1970', 0],
    ['7', 7000],
    ['60', 60_000],
    // Neither seconds nor a date: the usual pause.
    ...['nonsense', '-1', '1.5', '5, 5', '1;2', 'soon'].map((value): [string, number] => [value, 10]),
  ])('with Retry-After: %s is %i ms', async (retryAfter, pause) => {
    expect(await pauseAfter(limited(retryAfter), { random: () => 0.02 })).toBe(pause)
  })

  it.each<[string, number, number?]>([
    ['61', 61_000],
    ['Thu, 01 Jan 1970 00:01:01 GMT', 60_001],
    // It would end at the very end of the time that is left.
    ['1', 1000, 1000],
    ['30', 30_000, 20_000],
  ])('Retry-After: %s is not waited for: the caller gets the error', async (retryAfter, retryAfterMs, deadlineMs) => {
    const clock = vi.spyOn(Date, 'now').mockReturnValue(999)
    const made = call(POST, [limited(retryAfter)], {}, { deadlineMs })
    const error = await failure(made).finally(() => clock.mockRestore())
    expect(error).toMatchObject({ code: 'api', status: 429, retryable: true, retryAfterMs, requests: 1 })
  })

  it('grows exponentially, with jitter, up to 8 seconds', async () => {
    const pauses: number[] = []
    for (let attempt = 0; attempt < 7; attempt++) {
      const controller = new AbortController()
      let waits = 0
      const random = () => (waits === attempt ? 0.999999 : 0)
      const onRetry = ({ delayMs }: { delayMs: number }) => {
        if (waits++ !== attempt) return
        pauses.push(delayMs)
        controller.abort()
      }
      const resets = Array(9).fill(() => Promise.reject(new TypeError('x')))
      await rejection(call(GET, resets, { maxRetries: 8, random, onRetry }, { signal: controller.signal }).answer)
    }
    expect(pauses).toEqual([499, 999, 1999, 3999, 7999, 7999, 7999])
  })
})
