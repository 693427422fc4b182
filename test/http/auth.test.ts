import { describe, expect, it } from 'vitest'
import { call, GET, POST } from '../support/call.ts'
import { CONFIG, json, rejection } from '../support/mock-fetch.ts'

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

  it('a request without a body is signed with an empty text', async () => {
    const bodies: string[] = []
    const signer = ({ body }: { body: string }) => {
      bodies.push(body)
      return 'signature'
    }
    await call({ ...GET, authentication: 'hmac' }, [json({})], { signer }).answer
    expect(bodies).toEqual([''])
  })

  it.each(['', 'a b', 'line\nbreak', 'ї', 5, undefined])(
    'rejects a signature that a header cannot carry: %j',
    async (value) => {
      const { answer, sent } = call({ ...POST, authentication: 'hmac' }, [], { signer: () => value as string })
      expect(await rejection(answer)).toMatchObject({ code: 'config', field: 'signer' })
      expect(sent).toEqual([])
    },
  )

  it('a signer that never responds is given up in time, by its caller too; nothing was sent', async () => {
    const signer = () => new Promise<string>(() => {})
    const late = call({ ...POST, authentication: 'hmac' }, [], { signer, timeoutMs: 5 })
    expect(await rejection(late.answer)).toMatchObject({
      code: 'connection',
      reason: 'timeout',
      attempts: 0,
      message: expect.stringContaining('was not signed in time'),
    })
    const controller = new AbortController()
    const given = call({ ...POST, authentication: 'hmac' }, [], { signer }, { signal: controller.signal })
    controller.abort()
    expect(await rejection(given.answer)).toMatchObject({
      code: 'connection',
      reason: 'aborted',
      message: expect.stringContaining('was aborted by the caller'),
    })
    expect([...late.sent, ...given.sent]).toEqual([])
  })

  it('each attempt is signed anew, so that a signature may hold a time or a nonce', async () => {
    let count = 0
    const signer = () => `signature-${++count}`
    const { answer, sent } = call({ ...POST, authentication: 'hmac' }, [json({}, 429), json({})], { signer })
    await answer
    expect(sent.map(({ headers }) => headers['X-API-AUTH'])).toEqual([
      'SVC-HMAC-SHA1 api-key-1:signature-1',
      'SVC-HMAC-SHA1 api-key-1:signature-2',
    ])
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
