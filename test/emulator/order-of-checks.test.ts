import { expect, it } from 'vitest'
import { createBench, hosted, plain } from './call.ts'

/** Path 404, verb 405, content type 406, credentials 401, body 400: a request that is wrong in several ways learns of the first. */
it('checks path, verb, content type, credentials and body, in this order', async () => {
  const { emulator } = createBench()
  const { baseUrl } = emulator.credentials
  const json = { 'content-type': 'application/json' }
  const steps: [status: number, path: string, method: string, headers: Record<string, string>, body: unknown][] = [
    [404, '/api/v1/payments', 'PUT', { 'content-type': 'text/plain' }, '{'],
    [405, '/api/v1/payment', 'PUT', { 'content-type': 'text/plain' }, '{'],
    [406, '/api/v1/payment', 'POST', { 'content-type': 'text/plain' }, '{'],
    [401, '/api/v1/payment', 'POST', json, '{'],
    [400, '/api/v1/payment', 'POST', { ...json, ...plain(emulator) }, '{'],
    [400, '/api/v1/payment', 'POST', { ...json, ...plain(emulator) }, hosted(emulator, { amount: 0 })],
    [303, '/api/v1/payment', 'POST', { ...json, ...plain(emulator) }, hosted(emulator)],
  ]
  for (const [status, path, method, headers, body] of steps) {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const response = await emulator.fetch(baseUrl + path, { method, headers, body: text, redirect: 'manual' })
    expect([path, method, response.status]).toEqual([path, method, status])
  }
})
