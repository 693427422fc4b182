import { describe, expect, it } from 'vitest'
import { call, GET, POST } from './support/call.ts'
import { CONFIG, json } from './support/mock-fetch.ts'

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

  it('a request id is passed on without secrets, and not at any length', async () => {
    const ids: unknown[] = []
    const reply = json({}, 200, { 'x-request-id': `${CONFIG.apiSecret}-${'x'.repeat(500)}` })
    await call(GET, [reply], { onResponse: ({ requestId }) => ids.push(requestId) }).answer
    expect(String(ids[0])).not.toContain(CONFIG.apiSecret)
    expect(String(ids[0]).length).toBeLessThanOrEqual(200)
  })
})
