import { describe, expect, it } from 'vitest'
import { type CallDetails, createClient, type RequestInfo } from '../src/index.ts'
import { call, GET, POST } from './support/call.ts'
import { CONFIG, json, rejection, wire } from './support/mock-fetch.ts'

const LIMITED = () => [json({}, 429), json({}, 200, { 'x-request-id': 'r-1' })]

describe('the hooks', () => {
  it('receive what happens, nothing secret, and each a copy: none can change what another sees, or what is sent', async () => {
    const reported: [string, object][] = []
    const note = (name: string) => (info: object) => {
      reported.push([name, { ...info }])
      for (const key of Object.keys(info)) Object.assign(info, { [key]: 'spoilt' })
    }
    const hooks = { onRequest: note('request'), onResponse: note('response'), onRetry: note('retry') }
    const { answer, sent } = call(POST, LIMITED(), hooks)
    await answer
    const [, { callId }] = reported[0] as [string, RequestInfo]
    expect(callId).toMatch(/^[\da-f]{8}-[\da-f-]{27}$/)
    const path = '/api/v1/thing'
    const base = { operation: 'rawRequest', callId, method: 'POST', path, template: path }
    const durationMs = expect.any(Number)
    expect(reported).toEqual([
      ['request', { ...base, attempt: 1 }],
      ['response', { ...base, attempt: 1, status: 429, durationMs, requestId: undefined }],
      ['retry', { ...base, attempt: 1, delayMs: 0, status: 429 }],
      ['request', { ...base, attempt: 2 }],
      ['response', { ...base, attempt: 2, status: 200, durationMs, requestId: 'r-1' }],
    ])
    expect(sent.map(({ method }) => method)).toEqual(['POST', 'POST'])
  })

  it('each call has its own id, which its error has too, and its path as a template', async () => {
    const seen: RequestInfo[] = []
    const { fetch } = wire(...Array(9).fill(() => json({}, 404)))
    const client = createClient({ ...CONFIG, fetch, onRequest: (info) => seen.push(info) })
    const order_id = 'A/1'
    const errors = [
      await rejection(client.cancelPayment({ order_id })),
      await rejection(client.resendWebhook({ order_id, operation: 'void' })),
      await rejection(client.getAccount({ account_id: CONFIG.posId })),
    ]
    const ids = seen.map(({ callId }) => callId)
    expect(errors.map((error) => (error as unknown as CallDetails).callId)).toEqual(ids)
    expect(new Set(ids).size).toBe(3)
    expect(seen.map(({ template }) => template)).toEqual([
      '/api/v1/pos/{pos_id}/order/{order_id}/cancel',
      '/api/v1/pos/{pos_id}/orders/{order_id}/{operation}',
      '/api/v1/balances/pos/{pos_id}/accounts/{account_id}',
    ])
    expect(seen[1]?.path).toBe(`/api/v1/pos/${CONFIG.posId}/orders/A%2F1/void?callback=true`)
  })

  it('cannot break a call, whether they throw or reject', async () => {
    const fail = () => {
      throw new Error('hook')
    }
    const reject = () => Promise.reject(new Error('hook'))
    // A promise of another realm is such a thing.
    const thenable = () => ({
      // biome-ignore lint/suspicious/noThenProperty: it is what is tested
      then: (_: unknown, rejected: (error: Error) => void) => rejected(new Error('hook')),
    })
    for (const hook of [fail, reject, thenable]) {
      const hooks = { onRequest: hook, onResponse: hook, onRetry: hook, onWarning: hook, onError: hook }
      expect(await call(POST, [json({}, 429), json({ ok: 1 })], hooks).answer).toMatchObject({ body: { ok: 1 } })
    }
  })

  it('onError gets what the call throws, once and after the retries, whatever it is', async () => {
    const seen: { operation: string; error: unknown }[] = []
    const onError = (info: { operation: string; error: unknown }) => seen.push(info)
    const errors = [
      await rejection(call(POST, [json({}, 503)], { onError }).answer),
      await rejection(call(GET, [json({}, 503), json({}, 503), json({}, 503)], { onError }).answer),
      await rejection(call({ ...GET, path: 'nonsense' }, [], { onError }).answer),
    ]
    await call(POST, [json({})], { onError }).answer
    expect(seen).toEqual(errors.map((error) => ({ operation: 'rawRequest', error })))
    expect(errors.map(({ code }) => code)).toEqual(['outcome_unknown', 'api', 'invalid_input'])
  })

  it('a request id is passed on without secrets, and at most 200 characters of it', async () => {
    const ids: unknown[] = []
    for (const id of [`${CONFIG.apiSecret}-${'x'.repeat(500)}`, 'x'.repeat(200), 'x'.repeat(201)]) {
      const onResponse = ({ requestId, durationMs }: { requestId: string | undefined; durationMs: number }) => {
        ids.push(requestId)
        expect(durationMs).toBeLessThan(60_000)
      }
      await call(GET, [json({}, 200, { 'x-request-id': id })], { onResponse }).answer
    }
    expect(ids).toEqual([`[redacted]-${'x'.repeat(189)}`, 'x'.repeat(200), 'x'.repeat(200)])
  })
})
