import { describe, expect, it } from 'vitest'
import { type Client, createClient } from '../../src/index.ts'
import {
  ACCOUNT_ID,
  CAPTURE,
  CARD,
  DIRECT_SPLIT,
  HOSTED,
  HOSTED_SPLIT,
  REFUND,
  SPLIT_CAPTURE,
  SPLIT_REFUND,
  VOID,
} from '../support/inputs.ts'
import { CONFIG, json, rejection, wire } from '../support/mock-fetch.ts'

// What holds for each operation alike.
const OPERATIONS: [name: string, call: (client: Client) => Promise<unknown>, repeatable: boolean][] = [
  ['createPayment, hosted', (client) => client.createPayment(HOSTED), false],
  ['createPayment, direct', (client) => client.createPayment(CARD), false],
  ['createSplitPurchase, hosted', (client) => client.createSplitPurchase(HOSTED_SPLIT), false],
  ['createSplitPurchase, direct', (client) => client.createSplitPurchase(DIRECT_SPLIT), false],
  ['capturePayment', (client) => client.capturePayment(CAPTURE), false],
  ['cancelPayment', (client) => client.cancelPayment({ order_id: 'A-1' }), false],
  ['listAccounts', (client) => client.listAccounts(), true],
  ['getAccount', (client) => client.getAccount({ account_id: ACCOUNT_ID }), true],
  ['resendWebhook', (client) => client.resendWebhook({ order_id: 'A-1', operation: 'purchase' }), true],
  ['refundPayment', (client) => client.refundPayment(REFUND), false],
  ['voidPayment', (client) => client.voidPayment(VOID), false],
  ['captureSplitPurchase', (client) => client.captureSplitPurchase(SPLIT_CAPTURE), false],
  ['refundSplitPurchase', (client) => client.refundSplitPurchase(SPLIT_REFUND), false],
  ['listOrderOperations', (client) => client.listOrderOperations({ order_id: 'A-1' }), true],
  ['cancelRecurring', (client) => client.cancelRecurring({ recurring_id: 'r-1' }), false],
]

const BODIES: [name: string, body: () => string][] = [
  ['the known shape', () => '{"message":"No","args":{"code":"S-404"}}'],
  ['violations', () => '{"args":[{"field_name":"amount","violation":"bad"}]}'],
  ['messages', () => '{"args":[{"msg":["a","b"]}]}'],
  ['HTML', () => '<html>nginx</html>'],
  ['nothing', () => ''],
  ['cut off', () => '{"message":"N'],
  ['2 MB', () => 'x'.repeat(2_000_000)],
]

describe.each(OPERATIONS)('%s', (_name, call, repeatable) => {
  const run = async (...replies: Parameters<typeof wire>) => {
    const { fetch, sent } = wire(...replies)
    const error = await rejection(call(createClient({ ...CONFIG, fetch, random: () => 0, timeoutMs: 1000 })))
    return { error, sent }
  }

  it.each(BODIES)('is refused with a 4xx and %s', async (_shape, body) => {
    for (const status of [400, 401, 404, 405, 406, 409]) {
      const { error, sent } = await run(new Response(body(), { status, headers: { 'content-type': 'text/plain' } }))
      expect(error).toMatchObject({ name: 'ApiError', code: 'api', status, attempts: 1 })
      expect(sent).toHaveLength(1)
    }
  })

  it.each(BODIES)('meets a 5xx with %s', async (_shape, body) => {
    const reply = () => new Response(body(), { status: 503 })
    const { error, sent } = await run(reply(), reply(), reply())
    expect(error).toMatchObject(
      repeatable ? { code: 'api', status: 503 } : { code: 'outcome_unknown', reason: 'server_error' },
    )
    expect(sent).toHaveLength(repeatable ? 3 : 1)
  })

  it('meets a 2xx that is not JSON', async () => {
    for (const body of ['', '<html>', '{"payment_id":"']) {
      const { error, sent } = await run(new Response(body))
      expect(error.code).toBe(repeatable ? 'unexpected_response' : 'outcome_unknown')
      expect(sent).toHaveLength(1)
    }
  })

  it('meets a redirect to another origin: it is never followed', async () => {
    const location = 'ftp://evil.example.com/'
    const { error, sent } = await run(new Response(null, { status: 307, headers: { location } }))
    expect(error.code).toBe(repeatable ? 'unexpected_response' : 'outcome_unknown')
    expect(sent).toHaveLength(1)
    expect(sent[0]?.init.redirect).toBe('manual')
  })

  it('is tried again after a 429, with the very same request', async () => {
    const limited = () => json({}, 429)
    const { error, sent } = await run(limited(), limited(), limited())
    expect(error).toMatchObject({ code: 'api', status: 429, retryable: true, attempts: 3 })
    expect(sent.map(({ url, headers, body }) => ({ url, headers, body }))).toEqual(
      Array(3).fill({ url: sent[0]?.url, headers: sent[0]?.headers, body: sent[0]?.body }),
    )
  })
})

it('a method of a client needs no this', async () => {
  const { fetch } = wire(json({ accounts: [] }))
  const { listAccounts } = createClient({ ...CONFIG, fetch })
  expect(await listAccounts()).toEqual([])
})
