import { describe, expect, it } from 'vitest'
import { listOrderOperations } from '../../src/index.ts'
import { CAPTURE_RECORD, PAYMENT_RECORD, REFUND_RECORD, VOID_RECORD } from '../support/inputs.ts'
import { CONFIG, json, rejection, wire } from '../support/mock-fetch.ts'
import { rejectedPaths } from '../support/rejected-paths.ts'

const list = (body: unknown) => listOrderOperations({ ...CONFIG, fetch: wire(json(body)).fetch }, { order_id: 'A-1' })

describe('responses', () => {
  it('every operation, primary and secondary, each of its type', async () => {
    const operations = await list([
      { ...PAYMENT_RECORD, method: 'auth' },
      { ...CAPTURE_RECORD, amount: '100.50' },
      VOID_RECORD,
      REFUND_RECORD,
      { ...REFUND_RECORD, method: 'auth_increment' },
    ])
    expect(operations.map((one) => one.method)).toEqual(['auth', 'capture', 'void', 'refund', 'auth_increment'])
    // The record of a full capture names its currency order_currency.
    expect(operations[1]).toMatchObject({ amount: 100.5, currency: 'UAH' })
  })

  it('an odd element never hides the others', async () => {
    const odd = [null, 'text', 5, [], {}, { method: 'refund' }, { ...VOID_RECORD, status: 7 }]
    expect(await list([])).toEqual([])
    const operations = await list([...odd, { method: 'loyalty', points: 5 }, REFUND_RECORD])
    expect(operations.map(({ kind }) => kind)).toEqual([...odd.map(() => 'unexpected'), 'unknown', 'refund'])
    expect(operations[0]).toMatchObject({ issues: [{ path: '', received: 'null' }] })
    expect(operations.at(-2)?.record.points).toBe(5)
    expect(operations.at(-1)).toMatchObject({ operation_id: REFUND_RECORD.operation_id })
  })

  it.each([[PAYMENT_RECORD], [null], ['text'], [5]])('what is not an array is handed over: %j', async (body) => {
    // Nothing that can be charged is kept in an error.
    const kept = JSON.parse(JSON.stringify(body).replaceAll(PAYMENT_RECORD.cc_token, '[redacted]')) as unknown
    expect(await rejection(list(body))).toMatchObject({ code: 'unexpected_response', status: 200, body: kept })
  })
})

it('takes no other parameter', async () => {
  const input = { order_id: 'A', operation: 'purchase' }
  expect(await rejectedPaths((client) => client.listOrderOperations(input as never))).toEqual(['operation'])
})
