import { describe, expect, it } from 'vitest'
import { type CallDetails, createClient, type RequestInfo } from '../src/index.ts'
import { call, GET, POST } from './support/call.ts'
import { CONFIG, json, wire } from './support/mock-fetch.ts'

describe('the hooks', () => {
  it('receive what happens, and nothing secret', async () => {
    const told: [string, object][] = []
    const note = (name: string) => (info: object) => told.push([name, info])
    await call(POST, [json({}, 429), json({}, 200, { 'x-request-id': 'r-1' })], {
      onRequest: note('request'),
      onResponse: note('response'),
      onRetry: note('retry'),
    }).answer
    const [, { callId }] = told[0] as [string, RequestInfo]
    expect(callId).toMatch(/^[\da-f]{8}-[\da-f-]{27}$/)
    const path = '/api/v1/thing'
    const base = { operation: 'rawRequest', callId, method: 'POST', path, template: path }
    const durationMs = expect.any(Number)
    expect(told).toEqual([
      ['request', { ...base, attempt: 1 }],
      ['response', { ...base, attempt: 1, status: 429, durationMs, requestId: undefined }],
      ['retry', { ...base, attempt: 1, delayMs: 0, status: 429 }],
      ['request', { ...base, attempt: 2 }],
      ['response', { ...base, attempt: 2, status: 200, durationMs, requestId: 'r-1' }],
    ])
  })

  it('each call has its own id, which its error has too, and its path as a template', async () => {
    const seen: RequestInfo[] = []
    const client = createClient({
      ...CONFIG,
      fetch: wire(...Array(9).fill(() => json({}, 404))).fetch,
      onRequest: (info) => seen.push(info),
    })
    const order_id = 'A/1'
    const errors = [
      await client.cancelPayment({ order_id }).catch((error: unknown) => error),
      await client.resendWebhook({ order_id, operation: 'void' }).catch((error: unknown) => error),
      await client.getAccount({ account_id: CONFIG.posId }).catch((error: unknown) => error),
    ]
    expect(errors.map((error) => (error as CallDetails).callId)).toEqual(seen.map(({ callId }) => callId))
    expect(new Set(seen.map(({ callId }) => callId)).size).toBe(3)
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
    for (const hook of [fail, reject]) {
      const hooks = { onRequest: hook, onResponse: hook, onRetry: hook, onWarning: hook, onError: hook }
      expect(await call(POST, [json({}, 429), json({ ok: 1 })], hooks).answer).toMatchObject({ body: { ok: 1 } })
    }
  })

  it('each gets a copy of its own: none can change what another sees, or what is sent', async () => {
    const seen: object[] = []
    const spoil = (info: object) => {
      seen.push({ ...info })
      for (const key of Object.keys(info)) Object.assign(info, { [key]: 'spoilt' })
    }
    const hooks = { onRequest: spoil, onResponse: spoil, onRetry: spoil }
    await call(POST, [json({}, 429), json({})], hooks).answer
    expect(seen).toHaveLength(5)
    expect(JSON.stringify(seen)).not.toContain('spoilt')
  })

  it('onError gets what the call throws, once and after the retries, whatever it is', async () => {
    const seen: { operation: string; error: unknown }[] = []
    const onError = (info: { operation: string; error: unknown }) => seen.push(info)
    const errors = [
      await call(POST, [json({}, 503)], { onError }).answer.catch((error: unknown) => error),
      await call(GET, [json({}, 503), json({}, 503), json({}, 503)], { onError }).answer.catch((e: unknown) => e),
      await call({ ...GET, path: 'nonsense' }, [], { onError }).answer.catch((error: unknown) => error),
    ]
    expect(seen).toEqual(errors.map((error) => ({ operation: 'rawRequest', error })))
    expect(seen.map(({ error }) => (error as { code: string }).code)).toEqual([
      'outcome_unknown',
      'api',
      'invalid_input',
    ])
    await call(POST, [json({})], { onError }).answer
    expect(seen).toHaveLength(3)
  })

  it('a request id is passed on without secrets, and not at any length', async () => {
    const ids: unknown[] = []
    const reply = json({}, 200, { 'x-request-id': `${CONFIG.apiSecret}-${'x'.repeat(500)}` })
    await call(GET, [reply], { onResponse: ({ requestId }) => ids.push(requestId) }).answer
    expect(String(ids[0])).not.toContain(CONFIG.apiSecret)
    expect(String(ids[0]).length).toBeLessThanOrEqual(200)
  })
})
