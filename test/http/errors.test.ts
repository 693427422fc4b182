import { describe, expect, it } from 'vitest'
import { type ClientConfig, createClient } from '../../src/index.ts'
import { call, GET, HOSTED, POST } from '../support/call.ts'
import { CONFIG, json, redirect, rejection } from '../support/mock-fetch.ts'

describe('error bodies, whatever their shape', () => {
  const failing = async (body: BodyInit, status = 400, config: Partial<ClientConfig> = {}) =>
    rejection(call({ ...POST, authentication: 'hmac' }, [new Response(body, { status })], config).answer)

  const violation = (field_name: string, text: string) => ({ field_name, violation: text })
  const NONE = { apiMessage: undefined, apiCode: undefined, violations: [] }
  const odd = [5, false, { text: 'x' }].map((value) => ({ violation: value, msg: ['z'] }))

  it.each<[string, unknown, object]>([
    ['message and code', { message: 'No', args: { code: 'S-4' } }, { ...NONE, apiMessage: 'No', apiCode: 'S-4' }],
    ['message alone', { message: 'No' }, { ...NONE, apiMessage: 'No' }],
    ['violations', { args: [violation('amount', 'bad')] }, { violations: [violation('amount', 'bad')] }],
    ['msg as a list', { args: { msg: ['x', 'y'] } }, { violations: ['x', 'y'].map((text) => violation('', text)) }],
    ['msg as a text', { args: { msg: 'z' } }, { violations: [violation('', 'z')] }],
    ['msg beside a violation that is not a text', { args: odd }, { violations: Array(3).fill(violation('', 'z')) }],
    ['args of other types', { message: 5, args: [null, 1, 'x', []] }, NONE],
    ['a code that is a number', { args: { code: 5 } }, NONE],
    ['an array', [1], NONE],
    ['a text', 'no', NONE],
    ['not UTF-8', new Uint8Array([0xff, 0xfe]), NONE],
  ])('%s', async (_name, body, expected) => {
    const error = await failing(body instanceof Uint8Array ? (body as BodyInit) : JSON.stringify(body))
    expect(error).toMatchObject({ name: 'ApiError', code: 'api', status: 400, ...expected })
  })

  it('a 401 under the default signer names what to try; under plain or an own signer it does not', async () => {
    const hint = /authentication: "plain".*signer/
    expect((await failing('{}', 401)).message).toMatch(hint)
    expect((await failing('{}', 401, { authentication: 'plain' })).message).not.toMatch(hint)
    expect((await failing('{}', 401, { signer: () => 'x' })).message).not.toMatch(hint)
    expect((await failing('{}', 400)).message).not.toMatch(hint)
    expect((await failing('{"message":"unknown pos_id"}', 401)).message).not.toMatch(hint)
  })

  it('a 404 names the address that was not found, without secrets', async () => {
    const error = await failing(JSON.stringify({ message: 'No such path' }), 404)
    expect(error.message).toContain('at https://pay.example.com/api/v1/thing')
    const path = `/api/v1/thing/${CONFIG.apiSecret}`
    const secret = await rejection(call({ ...POST, path }, [new Response('', { status: 404 })]).answer)
    expect(secret.message).toContain('/api/v1/thing/[redacted]')
  })

  it.each([400, 500])('keeps a body of any shape, out of sight: %i', async (status) => {
    for (const [body, shown] of [
      ['{"error":"over the limit"}', { error: 'over the limit' }],
      ['try again, ticket 7', 'try again, ticket 7'],
      ['', undefined],
    ] as const) {
      const error = await rejection(call(POST, [new Response(body, { status })]).answer)
      expect(error.body).toEqual(shown)
      expect(Object.keys(error)).not.toContain('body')
    }
  })

  it('what the service echoes is redacted', async () => {
    const body = { message: `key ${CONFIG.apiKey}`, args: { code: CONFIG.endpointsKey, msg: ['4242424242424242'] } }
    const error = await failing(JSON.stringify(body))
    expect(JSON.stringify([error.message, error.apiMessage, error.apiCode, error.violations])).not.toMatch(/key-1|4242/)
  })
})

describe('the whole message', () => {
  const reported = async (input: typeof POST, reply: Response) =>
    (await rejection(call(input, [reply], { maxRetries: 0 }).answer)).message
  const LEFT = 'Nothing is left.'
  const left = [{ field_name: 'a', violation: LEFT }]
  const args = [...'abcdef'].map((field_name) => ({ field_name, violation: 'bad' }))
  const AT = 'at https://pay.example.com/api/v1/thing'
  it.each<[string, typeof POST, Response, string]>([
    ['a meaning', POST, json({}, 409), 'was rejected with 409.'],
    ['no meaning', GET, json({}, 500), 'was rejected with 500.'],
    ['a code', POST, json({ message: 'Bad', args: { code: 'S-1' } }, 404), `was rejected with 404 ${AT}: Bad, S-1.`],
    ['five of six', POST, json({ args }, 400), 'was rejected with 400. a: bad; b: bad; c: bad; d: bad; e: bad.'],
    ['a sentence, repeated', POST, json({ message: LEFT, args: left }, 409), `was rejected with 409: ${LEFT}`],
    ['a sentence', POST, json({ message: 'Bad', args: left }, 409), `was rejected with 409: Bad. a: ${LEFT}`],
  ])('%s', async (_name, input, reply, message) => {
    expect(await reported(input, reply)).toBe(`rawRequest ${message}`)
  })

  it('names the fields of a response that does not fit, and none where none is wrong', async () => {
    const client = createClient({ ...CONFIG, fetch: async () => json([]) })
    const error = await rejection(client.getAccount({ account_id: '3f1c2c1e-6a5c-4b8e-9d53-0a4c1c7d2b11' }))
    expect(error.message).toMatch(/documented shape: the whole value: must be an object \(received: array\)\.$/)
    const empty = createClient({ ...CONFIG, fetch: async () => new Response('') })
    expect((await rejection(empty.listAccounts())).message).toBe('listAccounts got 200, but its body is empty.')
    expect(await reported(HOSTED, redirect('x:y'))).toMatch(/^rawRequest got 303 without a usable Location\. Whether/)
  })

  it('says whether calling again is safe', async () => {
    const refused = Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNREFUSED' } })
    const config = { maxRetries: 0 }
    const lost = async (input: typeof POST) => (await rejection(call(input, [refused], config).answer)).message
    expect(await lost(POST)).toBe(
      'rawRequest could not reach the service (https://pay.example.com, attempt 1); nothing was processed. Calling again is safe.',
    )
    expect(await lost(GET)).toMatch(/ \(https:\/\/pay\.example\.com, attempt 1\)\. Calling again is safe\.$/)
  })

  it('keeps three causes below one that goes on for ever', async () => {
    const endless: Error & { cause?: unknown } = new TypeError('fetch failed')
    endless.cause = endless
    let depth = 0
    let error: unknown = await rejection(call(GET, [endless], { maxRetries: 0 }).answer)
    while (error instanceof Error) {
      error = error.cause
      depth++
    }
    expect(depth).toBe(5)
  })

  it('a limit keeps exactly what it says', async () => {
    const failing = async (body: unknown, status = 400) => rejection(call(POST, [json(body, status)]).answer)
    const text = (length: number) => 'x'.repeat(length)
    for (const more of [0, 1]) {
      const args = { code: text(200 + more) }
      const error = await failing({ message: text(1000 + more), args })
      expect([error.apiMessage, error.apiCode]).toEqual([text(1000), text(200)])
      const entry = { field_name: text(200 + more), violation: text(200 + more) }
      const { violations } = await failing({ args: Array(50 + more).fill(entry) })
      expect(violations).toEqual(Array(50).fill({ field_name: text(200), violation: text(200) }))
      const { violations: listed } = await failing({ args: { msg: Array(50 + more).fill('x') } })
      expect(listed).toHaveLength(50)
      expect((await failing(text(65_536 + more))).body).toBe(text(65_536))
      expect((await failing(text(65_536 + more), 500)).body).toBe(text(65_536))
      const to = (length: number) => `https://a.example/${text(length - 18)}`
      expect((await rejection(call(POST, [redirect(to(2048 + more))]).answer)).location).toBe(to(2048))
    }
  })
})
