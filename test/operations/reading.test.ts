import { expect, it } from 'vitest'
import { createClient } from '../../src/index.ts'
import { rejectedPaths } from '../support/call.ts'
import { ACCOUNT_ID, CAPTURE_RECORD, PAYMENT_RECORD, REFUND_RECORD, VOID_RECORD } from '../support/inputs.ts'
import { CONFIG, json, rejection, wire } from '../support/mock-fetch.ts'

// The operations that read: listAccounts, getAccount, listOrderOperations and resendWebhook.

const clientOf = (body: unknown) => createClient({ ...CONFIG, fetch: wire(json(body)).fetch })
const accounts = (body: unknown) => clientOf(body).listAccounts()
const account = (body: unknown) => clientOf(body).getAccount({ account_id: ACCOUNT_ID })
const list = (body: unknown) => clientOf(body).listOrderOperations({ order_id: 'A-1' })
const resend = (body: unknown, operation = 'purchase') => clientOf(body).resendWebhook({ order_id: 'A-1', operation })

const ACCOUNT = { id: ACCOUNT_ID, name: 'Main', currency: 'UAH', balances: { available: 10.5, rolling_reserve: 2 } }

it('the accounts, none included', async () => {
  expect(await accounts({ accounts: [] })).toEqual([])
  expect(await accounts({ accounts: [ACCOUNT, ACCOUNT], next: null })).toEqual([ACCOUNT, ACCOUNT])
})

it.each<[string, object, object]>([
  ['as text', { available: '1.50', rollingReserve: '0', x: 1 }, { available: 1.5, rolling_reserve: 0, x: 1 }],
  ['both spellings', { available: -3, rolling_reserve: 0, rollingReserve: 5 }, { available: -3, rolling_reserve: 0 }],
  ['null', { available: 0, rolling_reserve: null }, { available: 0, rolling_reserve: null }],
  ['none', { available: 0 }, { available: 0 }],
])('the reserve has one name, in the list and alone: %s', async (_name, received, balances) => {
  const one = { ...ACCOUNT, balances: received, type: 'x' }
  expect(await accounts({ accounts: [one] })).toEqual([{ ...one, balances }])
  expect(await account(one)).toEqual({ ...one, balances })
})

it('every operation of an order, primary and secondary, each of its type', async () => {
  const auth = { ...PAYMENT_RECORD, method: 'auth' }
  const increment = { ...REFUND_RECORD, method: 'auth_increment' }
  const operations = await list([auth, { ...CAPTURE_RECORD, amount: '100.50' }, VOID_RECORD, REFUND_RECORD, increment])
  expect(operations.map(({ kind }) => kind)).toEqual(['auth', 'capture', 'void', 'refund', 'auth_increment'])
  // The record of a full capture names its currency order_currency.
  expect(operations[1]).toMatchObject({ amount: 100.5, currency: 'UAH' })
  expect(await list([])).toEqual([])
})

it('an odd element of the list never hides the others', async () => {
  const odd = [null, 'text', 5, [], {}, { method: 'refund' }, { ...VOID_RECORD, status: 7 }]
  const operations = await list([...odd, { method: 'loyalty', points: 5 }, REFUND_RECORD])
  expect(operations.map(({ kind }) => kind)).toEqual([...odd.map(() => 'unexpected'), 'unknown', 'refund'])
  expect(operations[0]).toMatchObject({ issues: [{ path: '', received: 'null' }] })
  expect(operations.at(-2)?.record.points).toBe(5)
  expect(operations.at(-1)).toMatchObject({ operation_id: REFUND_RECORD.operation_id })
})

it('a re-sent webhook is an event, of an unknown method or an unexpected shape too', async () => {
  const record = { ...PAYMENT_RECORD, recurring: { id: 'r-1', status: 'active' } }
  expect(await resend({ ...record, amount: '100.50' })).toEqual({ ...record, kind: 'purchase' })
  expect(await resend({ method: 'loyalty', points: 5 })).toMatchObject({ kind: 'unknown', record: { points: 5 } })
  const unexpected = await resend({ order_id: 'A-1', cc_number: '4242424242424242' })
  expect([unexpected.kind, unexpected.record]).toEqual(['unexpected', { order_id: 'A-1' }])
})

it('a record of another order or operation is unexpected, and one of an unknown method is a value', async () => {
  const foreign = { ...PAYMENT_RECORD, order_id: 'OTHER' }
  const methods = ['auth', 'credit', 'p2p', 'lookup', 'capture', 'void', 'auth_increment', 'refund']
  for (const call of [
    ...methods.map((method) => () => resend({ ...CAPTURE_RECORD, currency: 'UAH', method })),
    () => resend(foreign),
    () => resend(PAYMENT_RECORD, 'refund'),
    () => list([PAYMENT_RECORD, foreign]),
  ])
    expect(await rejection(call())).toMatchObject({ code: 'unexpected_response' })
  expect((await resend({ ...PAYMENT_RECORD, method: 'loyalty' })).kind).toBe('unknown')
})

it.each<[string, (body: unknown) => Promise<unknown>, unknown, string]>([
  ['an array for accounts', accounts, [ACCOUNT], ''],
  ['no accounts', accounts, {}, 'accounts'],
  ['an invalid account', accounts, { accounts: [ACCOUNT, null] }, 'accounts[1]'],
  ['an array for an account', account, [ACCOUNT], ''],
  ['a record for a list', list, PAYMENT_RECORD, ''],
  ['null for a list', list, null, ''],
  ['a list for an event', resend, [PAYMENT_RECORD], ''],
  ['a text for an event', resend, 'text', ''],
])('another shape is handed over: %s', async (_name, call, body, path) => {
  const error = await rejection(call(body))
  // All of it but what can be charged.
  const record: unknown = JSON.parse(JSON.stringify(body).replaceAll(PAYMENT_RECORD.cc_token, '[redacted]'))
  expect(error).toMatchObject({ code: 'unexpected_response', status: 200, body: record, issues: [{ path }] })
})

type Reading = 'listAccounts' | 'getAccount' | 'listOrderOperations' | 'resendWebhook'
it.each<[operation: Reading, input: object, path: string, options?: object]>([
  ...[undefined, '', '..', 'x', `${ACCOUNT_ID}/..`, `${ACCOUNT_ID}?a=b`, 5].map(
    (account_id): [Reading, object, string] => ['getAccount', { account_id }, 'account_id'],
  ),
  ['listAccounts', { pos_id: '../x' }, 'pos_id'],
  ['listAccounts', { currency: 'UAH' }, 'currency'],
  ['listAccounts', {}, 'passThrough', { passThrough: { a: 1 } }],
  ['listOrderOperations', { order_id: 'A', operation: 'purchase' }, 'operation'],
  // One transaction belongs to a purchase only.
  ...['auth', 'capture', 'void', 'refund', 'Purchase'].map((operation): [Reading, object, string] => [
    'resendWebhook',
    { order_id: 'A-1', operation, transactionId: 'x' },
    'transactionId',
  ]),
  ['resendWebhook', { order_id: 'A-1' }, 'operation'],
  ['resendWebhook', { order_id: 'A-1', operation: 'void', callback: true }, 'callback'],
])('%s rejects %j', async (operation, input, path, options) => {
  expect(await rejectedPaths((client) => client[operation](input as never, options as never))).toEqual([path])
})
