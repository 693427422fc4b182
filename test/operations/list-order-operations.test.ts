import { describe, expect, it } from 'vitest'
import { createClient, listOrderOperations } from '../../src/index.ts'
import { CAPTURE_RECORD, PAYMENT_RECORD, REFUND_RECORD, VOID_RECORD } from '../support/inputs.ts'
import { CONFIG, json, rejection, wire } from '../support/mock-fetch.ts'
import { AWKWARD_ORDER_IDS, PATH_CHANGING } from '../support/order-ids.ts'
import { rejectedPaths } from '../support/rejected-paths.ts'

const list = (body: unknown) => {
  const { fetch } = wire(json(body))
  return listOrderOperations({ ...CONFIG, fetch }, { order_id: 'A-1' })
}

describe('on the wire', () => {
  it('a GET with plain credentials and the endpoints key', async () => {
    const { fetch, sent } = wire(json([]))
    await createClient({ ...CONFIG, fetch }).listOrderOperations({ order_id: 'A-1' })
    expect(sent[0]).toMatchObject({
      method: 'GET',
      url: `https://pay.example.com/api/v1/pos/${CONFIG.posId}/orders/A-1`,
      body: undefined,
    })
    expect(sent[0]?.headers).toEqual({
      Accept: 'application/json',
      'User-Agent': 'edgetill',
      'X-API-AUTH': 'SVC api-key-1:api-secret-1',
      'X-API-KEY': 'endpoints-key-1',
    })
  })

  it.each(AWKWARD_ORDER_IDS)('order id %j', async (order_id, encoded) => {
    const { fetch, sent } = wire(json([]))
    await listOrderOperations({ ...CONFIG, fetch }, { order_id })
    expect(sent[0]?.url).toBe(`${CONFIG.baseUrl}/api/v1/pos/${CONFIG.posId}/orders/${encoded}`)
  })

  it('another POS', async () => {
    const { fetch, sent } = wire(json([]))
    const pos_id = 'ffffffff-ffff-4fff-8fff-ffffffffffff'
    await listOrderOperations({ ...CONFIG, fetch }, { order_id: 'A-1', pos_id })
    expect(sent[0]?.url).toContain(`/pos/${pos_id}/orders/`)
  })
})

describe('responses', () => {
  it('every operation, primary and secondary, each of its type', async () => {
    const increment = { ...REFUND_RECORD, method: 'auth_increment' }
    const operations = await list([
      { ...PAYMENT_RECORD, method: 'auth' },
      { ...CAPTURE_RECORD, amount: '100.50' },
      VOID_RECORD,
      REFUND_RECORD,
      increment,
    ])
    expect(operations.map((one) => one.method)).toEqual(['auth', 'capture', 'void', 'refund', 'auth_increment'])
    // The record of a full capture names its currency order_currency.
    expect(operations[1]).toMatchObject({ amount: 100.5, currency: 'UAH' })
    for (const one of operations) {
      if (one.kind === 'refund') expect(one.receipt_url).toBe(REFUND_RECORD.receipt_url)
      if (one.kind === 'auth') expect(one.cc_mask).toBe(PAYMENT_RECORD.cc_mask)
    }
  })

  it('an odd element never hides the others', async () => {
    const odd = [null, 'text', 5, [], {}, { method: 'refund' }, { ...VOID_RECORD, status: 7 }]
    const operations = await list([...odd, { method: 'loyalty', points: 5 }, REFUND_RECORD])
    expect(operations).toHaveLength(odd.length + 2)
    expect(operations.slice(0, odd.length).every((one) => one.kind === 'unexpected')).toBe(true)
    const first = operations[0]
    expect(first?.kind === 'unexpected' && first.issues).toMatchObject([{ path: '', received: 'null' }])
    const unknown = operations.at(-2)
    expect(unknown?.kind === 'unknown' && unknown.record.points).toBe(5)
    expect(operations.at(-1)).toMatchObject({ method: 'refund', operation_id: REFUND_RECORD.operation_id })
  })

  it('card data is cut out', async () => {
    expect(JSON.stringify(await list([{ ...PAYMENT_RECORD, cc_number: '4242424242424242' }]))).not.toContain(
      '4242424242',
    )
  })

  it('an order without operations', async () => {
    expect(await list([])).toEqual([])
  })

  it.each([[PAYMENT_RECORD], [null], ['text'], [5]])('what is not an array is handed over: %j', async (body) => {
    // Nothing that can be charged is kept in an error.
    const kept = JSON.parse(JSON.stringify(body).replaceAll(PAYMENT_RECORD.cc_token, '[redacted]')) as unknown
    expect(await rejection(list(body))).toMatchObject({ code: 'unexpected_response', status: 200, body: kept })
  })

  it('an order that the service does not know', async () => {
    const { fetch } = wire(json({ message: 'Not found' }, 404))
    const error = await rejection(listOrderOperations({ ...CONFIG, fetch }, { order_id: 'A-1' }))
    expect(error).toMatchObject({ code: 'api', status: 404 })
  })
})

describe('rules', () => {
  it.each(PATH_CHANGING)('an order id that would change the path: %j', async (order_id) => {
    expect(await rejectedPaths((client) => client.listOrderOperations({ order_id }))).toEqual(['order_id'])
  })

  it('256 characters are possible, one more is not', async () => {
    const { fetch } = wire(json([]))
    await listOrderOperations({ ...CONFIG, fetch }, { order_id: '😀'.repeat(256) })
    const order_id = '😀'.repeat(257)
    expect(await rejectedPaths((client) => client.listOrderOperations({ order_id }))).toEqual(['order_id'])
  })

  it('no other parameter', async () => {
    const input = { order_id: 'A', operation: 'purchase' }
    expect(await rejectedPaths((client) => client.listOrderOperations(input as never))).toEqual(['operation'])
  })
})
