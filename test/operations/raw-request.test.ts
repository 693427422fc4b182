import { describe, expect, it } from 'vitest'
import { createClient, type RawRequestInput, rawRequest } from '../../src/index.ts'
import { call, failure, rejectedPaths } from '../support/call.ts'
import { CONFIG, json, wire } from '../support/mock-fetch.ts'

const VOID: RawRequestInput = {
  method: 'POST',
  path: '/api/v1/void',
  authentication: 'plain',
  body: { pos_id: CONFIG.posId, order_id: 'A-1', order_currency: 'UAH' },
}

const headers = { Accept: 'application/json', 'User-Agent': 'edgetill' }

describe('on the wire', () => {
  it('a POST with plain credentials and the endpoints key', async () => {
    const { fetch, sent } = wire(json({ method: 'void' }))
    const result = await createClient({ ...CONFIG, fetch }).rawRequest(VOID)
    expect(result).toEqual({ status: 200, body: { method: 'void' }, location: undefined })
    const body = '{"pos_id":"3f1c2c1e-6a5c-4b8e-9d53-0a4c1c7d2b11","order_id":"A-1","order_currency":"UAH"}'
    expect(sent[0]).toMatchObject({ method: 'POST', url: 'https://pay.example.com/api/v1/void', body })
    const auth = { 'X-API-AUTH': 'SVC api-key-1:api-secret-1', 'X-API-KEY': 'endpoints-key-1' }
    expect(sent[0]?.headers).toEqual({ ...headers, ...auth, 'Content-Type': 'application/json' })
  })

  it('a PUT below the balances address, signed, without the endpoints key', async () => {
    const { fetch, sent } = wire(json({ recurring_status: 'canceled' }))
    const path = '/api/v1/recurring/r-1/cancel'
    const input = { method: 'PUT', path, authentication: 'hmac', base: 'apiUrl' } as const
    await rawRequest({ ...CONFIG, fetch, signer: ({ method }) => method }, input)
    expect(sent[0]).toMatchObject({ method: 'PUT', url: `https://api.example.com${path}`, body: '' })
    expect(sent[0]?.headers).toEqual({ ...headers, 'X-API-AUTH': 'SVC-HMAC-SHA1 api-key-1:PUT' })
  })

  it('a PUT, PATCH or DELETE is guarded as a POST is', async () => {
    for (const method of ['PUT', 'PATCH', 'DELETE'] as const) {
      const error = await failure(call({ ...VOID, method }, [json({}, 500)]))
      expect(error).toMatchObject({ code: 'outcome_unknown', reason: 'server_error', requests: 1 })
    }
  })
})

describe('the body is sent as JSON.stringify writes it', () => {
  const sentBody = async (body: object, passThrough?: Record<string, unknown>) => {
    const { fetch, sent } = wire(json({}))
    await rawRequest({ ...CONFIG, fetch }, { ...VOID, body: body as Record<string, unknown> }, { passThrough })
    return sent[0]?.body
  }
  class Money {
    get amount() {
      return 5
    }
    toJSON() {
      return { amount: this.amount, currency: 'UAH' }
    }
  }

  it('an instance of a class, with its toJSON and getters', async () => {
    expect(await sentBody(new Money())).toBe('{"amount":5,"currency":"UAH"}')
    expect(await sentBody(new Money(), { note: 'x' })).toBe('{"amount":5,"currency":"UAH","note":"x"}')
  })

  it.each<[string, object, Record<string, unknown>, string]>([
    ['what is sent already', { a: { b: 1 } }, { a: { c: 2 } }, 'passThrough.a'],
    ['a documented field', { a: 1 }, { charge_amount: 2 }, 'passThrough.charge_amount'],
    ['NaN, which JSON would turn into null', {}, { deep: [{ amount: Number.NaN }] }, 'amount'],
  ])('rejects %s', async (_name, body, passThrough, path) => {
    const input = { ...VOID, body: body as Record<string, unknown> }
    expect(await rejectedPaths((client) => client.rawRequest(input, { passThrough }))).toEqual([path])
  })
})

it.each<[string, object, string[]]>([
  ['an invalid verb', { method: 'TRACE' }, ['method']],
  ['a path without a slash', { path: 'api/v1' }, ['path']],
  ['a body with GET', { method: 'GET' }, ['body']],
  ['a body that is not an object', { body: [1] }, ['body']],
  ['no authentication', { authentication: undefined }, ['authentication']],
  ['another base', { base: 'https://evil.example.com' }, ['base']],
  ['a typo', { querry: 'x' }, ['querry']],
])('rejects %s', async (_name, change, paths) => {
  expect(await rejectedPaths((client) => client.rawRequest({ ...VOID, ...change } as RawRequestInput))).toEqual(paths)
})
