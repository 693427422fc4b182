import { expect, it, vi } from 'vitest'
import { call, failure, GET, POST } from '../support/call.ts'
import { CONFIG, json, rejection } from '../support/mock-fetch.ts'

it.each([
  [POST, '{"a":1}'],
  [GET, ''],
])('a signer is given exactly what is sent: %j', async (input, body) => {
  const signer = vi.fn(async (_input: unknown) => 'signature')
  const path = '/api/v1/x?y=%D1%97'
  const { answer, sent } = call({ ...input, authentication: 'hmac', path }, [json({})], { signer, scheme: 'ABC' })
  await answer
  expect(sent[0]?.headers['X-API-AUTH']).toBe('ABC-HMAC-SHA1 api-key-1:signature')
  const { apiKey, apiSecret } = CONFIG
  expect(signer.mock.calls).toEqual([[{ method: input.method, path, body, apiKey, apiSecret }]])
  expect(sent[0]?.body ?? '').toBe(body)
})

it.each(['', 'a b', 'line\nbreak', 'ї', 5, undefined])(
  'rejects a signature that a header cannot carry: %j',
  async (value) => {
    const error = await failure(call({ ...POST, authentication: 'hmac' }, [], { signer: () => value as string }))
    expect(error).toMatchObject({ code: 'config', field: 'signer', requests: 0 })
  },
)

it('a signer that never responds is given up in time, by its caller too; nothing was sent', async () => {
  const signer = () => new Promise<string>(() => {})
  const input = { ...POST, authentication: 'hmac' } as const
  const controller = new AbortController()
  // Nor is a GET tried again that was never sent.
  const late = call({ ...GET, authentication: 'hmac' }, [], { signer, timeoutMs: 5 })
  const given = call(input, [], { signer }, { signal: controller.signal })
  controller.abort()
  const [first, second] = await Promise.all([rejection(late.answer), rejection(given.answer)])
  expect(first).toMatchObject({ code: 'connection', reason: 'timeout', attempts: 0 })
  expect(first.message).toContain('was not signed in time')
  expect(second).toMatchObject({ code: 'connection', reason: 'aborted', attempts: 0 })
  expect(second.message).toContain('was aborted by the caller')
  expect([...late.sent, ...given.sent]).toEqual([])
})

it('each attempt is signed anew, so that a signature may hold a time or a nonce', async () => {
  let count = 0
  const signer = () => `s-${++count}`
  const { answer, sent } = call({ ...POST, authentication: 'hmac' }, [json({}, 429), json({})], { signer })
  await answer
  const signatures = sent.map(({ headers }) => headers['X-API-AUTH'])
  expect(signatures).toEqual(['SVC-HMAC-SHA1 api-key-1:s-1', 'SVC-HMAC-SHA1 api-key-1:s-2'])
})

it('a signer that throws is a matter of configuration; its error is the cause', async () => {
  const mine = new Error('vault is closed')
  const signer = () => {
    throw mine
  }
  const error = await failure(call({ ...POST, authentication: 'hmac' }, [], { signer }))
  expect(error).toMatchObject({ code: 'config', field: 'signer', cause: mine, requests: 0 })
})
