import { describe, expect, it } from 'vitest'
import { createClient, type ResendWebhookInput, resendWebhook } from '../../src/index.ts'
import { REQUESTS } from '../spec/vectors/request-bodies.ts'
import { PAYMENT_RECORD } from '../support/inputs.ts'
import { CONFIG, json, rejection, wire } from '../support/mock-fetch.ts'
import { AWKWARD_ORDER_IDS, PATH_CHANGING } from '../support/order-ids.ts'
import { rejectedPaths } from '../support/rejected-paths.ts'

const refused = (input: object) => rejectedPaths((client) => client.resendWebhook(input as ResendWebhookInput))
const PATH = `/api/v1/pos/${CONFIG.posId}/orders`

async function urlOf(input: ResendWebhookInput): Promise<string | undefined> {
  const { fetch, sent } = wire(json({ ...PAYMENT_RECORD, order_id: null, method: null }))
  await resendWebhook({ ...CONFIG, fetch }, input)
  return sent[0]?.url
}

describe('on the wire', () => {
  it('a GET that is signed over no body', async () => {
    const { fetch, sent } = wire(json(PAYMENT_RECORD))
    await createClient({ ...CONFIG, fetch }).resendWebhook({ order_id: 'A-1', operation: 'purchase' })
    expect(sent[0]).toMatchObject({
      method: 'GET',
      url: `https://pay.example.com${PATH}/A-1/purchase?callback=true`,
      body: undefined,
    })
    expect(sent[0]?.headers).toEqual({
      Accept: 'application/json',
      'User-Agent': 'edgetill',
      'X-API-AUTH': `SVC-HMAC-SHA1 api-key-1:${REQUESTS.none.signature}`,
      'X-API-KEY': 'endpoints-key-1',
    })
  })

  it('callback first, then one transaction of a recurring purchase', async () => {
    const transactionId = "0b6f6a52 & it's/ї"
    const url = await urlOf({ order_id: 'A-1', operation: 'purchase', transactionId })
    expect(url).toBe(
      `https://pay.example.com${PATH}/A-1/purchase?callback=true&transactionId=0b6f6a52%20%26%20it%27s%2F%D1%97`,
    )
    expect(new URL(url ?? '').searchParams.get('transactionId')).toBe(transactionId)
  })

  it.each(AWKWARD_ORDER_IDS)('order id and operation %j', async (text, encoded) => {
    const url = await urlOf({ order_id: text, operation: text })
    expect(url).toBe(`https://pay.example.com${PATH}/${encoded}/${encoded}?callback=true`)
    expect(new URL(url ?? '').pathname).toBe(`${PATH}/${encoded}/${encoded}`)
  })
})

describe('responses', () => {
  const resend = (body: unknown) => {
    const { fetch } = wire(json(body))
    return resendWebhook({ ...CONFIG, fetch }, { order_id: 'A-1', operation: 'purchase' })
  }

  it('the event of a webhook, with its subscription', async () => {
    const record = { ...PAYMENT_RECORD, recurring: { id: 'r-1', status: 'active' } }
    const event = await resend({ ...record, amount: '100.50' })
    expect(event).toEqual({ ...record, kind: 'purchase' })
    if (event.kind === 'purchase') expect(event.recurring?.status).toBe('active')
  })

  it('a secondary operation', async () => {
    const { fetch } = wire(json({ ...PAYMENT_RECORD, method: 'refund', operation_id: 'o-1' }))
    const event = await resendWebhook({ ...CONFIG, fetch }, { order_id: 'A-1', operation: 'refund' })
    expect(event.kind === 'refund' && event.operation_id).toBe('o-1')
  })

  it('an unknown method and an unexpected shape are values', async () => {
    const unknown = await resend({ method: 'loyalty', points: 5 })
    expect(unknown.kind === 'unknown' && unknown.record.points).toBe(5)
    const unexpected = await resend({ order_id: 'A-1', cc_number: '4242424242424242' })
    expect(unexpected.kind === 'unexpected' && unexpected.record).toEqual({ order_id: 'A-1' })
  })

  it.each([[[PAYMENT_RECORD]], [null], ['text'], [5]])('what is not an object is handed over: %j', async (body) => {
    // Nothing that can be charged is kept in an error.
    const kept = Array.isArray(body) ? [{ ...PAYMENT_RECORD, cc_token: '[redacted]' }] : body
    expect(await rejection(resend(body))).toMatchObject({ code: 'unexpected_response', status: 200, body: kept })
  })

  it('an order that the service does not know', async () => {
    const { fetch } = wire(json({ message: 'Not found' }, 404))
    const error = await rejection(resendWebhook({ ...CONFIG, fetch }, { order_id: 'A-1', operation: 'void' }))
    expect(error).toMatchObject({ code: 'api', status: 404 })
  })
})

describe('rules', () => {
  it.each(PATH_CHANGING)('an order id or an operation that would change the path: %j', async (text) => {
    expect(await refused({ order_id: text, operation: 'void' })).toEqual(['order_id'])
    expect(await refused({ order_id: 'A-1', operation: text })).toEqual(['operation'])
  })

  it('one transaction belongs to a purchase only', async () => {
    for (const operation of ['auth', 'capture', 'void', 'refund', 'Purchase']) {
      expect(await refused({ order_id: 'A-1', operation, transactionId: 'x' })).toEqual(['transactionId'])
    }
    expect(await refused({ order_id: 'A-1', operation: 'purchase', transactionId: '' })).toEqual(['transactionId'])
  })

  it('what is missing and what is too much', async () => {
    expect(await refused({})).toEqual(['order_id', 'operation'])
    expect(await refused({ order_id: 'A-1', operation: 'void', callback: true })).toEqual(['callback'])
  })
})
