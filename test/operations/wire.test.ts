import { describe, expect, it } from 'vitest'
import * as sdk from '../../src/index.ts'
import ids from '../corpus/order-ids.json' with { type: 'json' }
import { REQUESTS, type RequestVector } from '../spec/vectors/request-bodies.ts'
import { rejectedPaths } from '../support/call.ts'
import * as inputs from '../support/inputs.ts'
import { CONFIG, json, redirect, wire } from '../support/mock-fetch.ts'
import { recordOf } from '../support/operations.ts'

// The request of each operation: verb, address, headers with their capitals, and body, by the document's "Authentication" table.

const { CAPTURE, DIRECT_OPTIONAL, HOSTED, HOSTED_OPTIONAL, REFUND, SPLIT_CAPTURE, SPLIT_REFUND } = inputs
const { ACCOUNT_ID, DIRECT_AUTH, DIRECT_SPLIT, HOSTED_SPLIT, SUB_MERCHANTS, TOKEN, VOID } = inputs

type Operation = Exclude<keyof sdk.Client, 'rawRequest'>

const POS = '3f1c2c1e-6a5c-4b8e-9d53-0a4c1c7d2b11'
const PAY = 'https://pay.example.com/api/v1'
const ACCOUNTS = `https://api.example.com/api/v1/balances/pos/${POS}/accounts`
const ORDER = `{"pos_id":"${POS}","order_id":"A-1","order_currency":"UAH"`
const SPLIT =
  `"split":[{"amount":90.45,"sub_merchant_id":"${SUB_MERCHANTS[0]}","products":[{"name":"Cup","qty":2}]},` +
  `{"amount":10.05,"sub_merchant_id":"${SUB_MERCHANTS[1]}"}]}`
const SPLIT_REFUNDED = `{"pos_id":"${POS}","order_id":"A-1","currency":"UAH","refund_amount":100.5,${SPLIT}`
const EVERYTHING = {
  ...{ interval_unit: 'month', interval_count: 1, retry_attempts: 3, retry_interval_hours: 24 },
  ...{ start_date: '2026-02-01', expiry_date: '2027-02-01', time: '10:30:00' },
  ...{ notification_url: 'https://shop.example.com/recurring', amount: 50 },
}
const HOSTED_EVERYTHING = {
  ...{ ...HOSTED, ...HOSTED_OPTIONAL, customer_referrer: 'https://shop.example.com/cart' },
  init_recurring: EVERYTHING,
}
const DIRECT_EVERYTHING = { ...DIRECT_AUTH, ...DIRECT_OPTIONAL }
const SPLIT_EVERYTHING = { ...DIRECT_SPLIT, ...DIRECT_OPTIONAL }

const PLAIN = { 'X-API-AUTH': 'SVC api-key-1:api-secret-1' }
const KEY = { ...PLAIN, 'X-API-KEY': 'endpoints-key-1' }
// As the API document spells it for a cancellation.
const OTHER_KEY = { ...PLAIN, 'X-API-Key': 'endpoints-key-1' }
const BODY = { ...KEY, 'Content-Type': 'application/json' }
const signed = (headers: object, { signature }: RequestVector) => {
  return { ...headers, 'X-API-AUTH': `SVC-HMAC-SHA1 api-key-1:${signature}` }
}
type Row = [operation: Operation, input: object, request: string, body: string | undefined, headers: object]
const purchase = (name: Operation, input: object, path: string, vector: RequestVector): Row => {
  return [name, input, `POST ${PAY}/${path}`, vector.body, signed(BODY, vector)]
}

const operation = 'purchase'
const ROWS: Row[] = [
  purchase('createPayment', HOSTED, 'payment', REQUESTS.hosted),
  purchase('createPayment', HOSTED_EVERYTHING, 'payment', REQUESTS.hostedWithEverything),
  purchase('createPayment', TOKEN, 'payment', REQUESTS.token),
  purchase('createPayment', DIRECT_EVERYTHING, 'payment', REQUESTS.directAuthWithEverything),
  purchase('createSplitPurchase', HOSTED_SPLIT, 'split/purchase', REQUESTS.hostedSplit),
  purchase('createSplitPurchase', SPLIT_EVERYTHING, 'split/purchase', REQUESTS.directSplitWithEverything),
  ['capturePayment', CAPTURE, `POST ${PAY}/capture`, `${ORDER}}`, BODY],
  ['captureSplitPurchase', SPLIT_CAPTURE, `POST ${PAY}/split/capture`, `${ORDER},${SPLIT}`, BODY],
  ['refundPayment', REFUND, `POST ${PAY}/refund`, `${ORDER}}`, BODY],
  ['refundSplitPurchase', SPLIT_REFUND, `POST ${PAY}/split/refund`, SPLIT_REFUNDED, BODY],
  ['voidPayment', VOID, `POST ${PAY}/void`, `${ORDER}}`, BODY],
  ['cancelPayment', { order_id: 'A-1' }, `POST ${PAY}/pos/${POS}/order/A-1/cancel`, '', OTHER_KEY],
  ['cancelRecurring', { recurring_id: 'r-1' }, 'PUT https://api.example.com/api/v1/recurring/r-1/cancel', '', KEY],
  ['listAccounts', {}, `GET ${ACCOUNTS}`, undefined, PLAIN],
  ['getAccount', { account_id: ACCOUNT_ID }, `GET ${ACCOUNTS}/${ACCOUNT_ID}`, undefined, PLAIN],
  ['listOrderOperations', { order_id: 'A-1' }, `GET ${PAY}/pos/${POS}/orders/A-1`, undefined, KEY],
  [
    ...(['resendWebhook', { order_id: 'A-1', operation }] as const),
    ...([`GET ${PAY}/pos/${POS}/orders/A-1/purchase?callback=true`, undefined, signed(KEY, REQUESTS.none)] as const),
  ],
]

type Call = (config: sdk.ClientConfig, input: object) => Promise<unknown>
const FUNCTIONS = { ...sdk } as unknown as Record<Operation, Call>

/** The request of an operation, by the client's method or by the function. */
async function sentBy(name: Operation, input: object, how: 'method' | 'function' = 'method', change = {}) {
  const { record, wrap } = recordOf(name)
  const asked = 'operation' in input ? null : record.method
  const { mode, order_id = 'A-1', method = asked } = input as Partial<typeof HOSTED>
  const { fetch, sent } = wire(mode === 'hosted' ? redirect() : json(wrap({ ...record, order_id, method })))
  const config = { ...CONFIG, fetch, onWarning: () => {}, ...change }
  const client = sdk.createClient(config) as unknown as Record<Operation, (input: object) => Promise<unknown>>
  // A method of a client needs no `this`.
  const { [name]: bound } = client
  await (how === 'method' ? bound(input) : FUNCTIONS[name](config, input))
  expect(sent).toHaveLength(1)
  return sent[0] as (typeof sent)[0]
}

it.each(ROWS)('%s of %j: %s', async (name, input, request, body, headers) => {
  for (const how of ['method', 'function'] as const) {
    const sent = await sentBy(name, input, how)
    expect([`${sent.method} ${sent.url}`, sent.body]).toEqual([request, body])
    expect(sent.headers).toEqual({ Accept: 'application/json', 'User-Agent': 'edgetill', ...headers })
  }
})

it('authentication: plain sends the secret itself instead of a signature', async () => {
  const { headers } = await sentBy('createPayment', HOSTED, 'method', { authentication: 'plain', scheme: 'PAY' })
  expect(headers).toMatchObject({ ...KEY, 'X-API-AUTH': 'PAY api-key-1:api-secret-1' })
})

it.each(ROWS.filter(([name]) => name !== 'cancelRecurring'))('%s of %j for another POS', async (name, input) => {
  const pos_id = 'ffffffff-ffff-4fff-8fff-ffffffffffff'
  const { url, body } = await sentBy(name, { ...input, pos_id })
  expect(`${url}${body}`).toContain(pos_id)
  expect(`${url}${body}`).not.toContain(POS)
})

const TEXTS: [name: Operation, parameter: string, input: object, path: string][] = [
  ['cancelPayment', 'order_id', {}, `/api/v1/pos/${POS}/order/{}/cancel`],
  ['cancelRecurring', 'recurring_id', {}, '/api/v1/recurring/{}/cancel'],
  ['listOrderOperations', 'order_id', {}, `/api/v1/pos/${POS}/orders/{}`],
  ['resendWebhook', 'order_id', { operation }, `/api/v1/pos/${POS}/orders/{}/purchase?callback=true`],
  ['resendWebhook', 'operation', { order_id: 'A-1' }, `/api/v1/pos/${POS}/orders/A-1/{}?callback=true`],
  [
    ...(['resendWebhook', 'transactionId', { order_id: 'A-1', operation }] as const),
    `/api/v1/pos/${POS}/orders/A-1/purchase?callback=true&transactionId={}`,
  ],
]

/** A text that is legal and awkward, and how it stands in a path; test/lib/path.test.ts has every character. */
const AWKWARD = "a/../b?c=d#e%2F o'\n№🍵"
const ENCODED = 'a%2F..%2Fb%3Fc%3Dd%23e%252F%20o%27%0A%E2%84%96%F0%9F%8D%B5'

/** JSON holds no half of a surrogate pair. */
const HALVES = ['\ud800', 'a\udfff']

describe.each(TEXTS)('in the path of %s, %s', (name, parameter, input, path) => {
  const rejected = (value: string) =>
    rejectedPaths((client) => (client[name] as (input: object) => Promise<unknown>)({ ...input, [parameter]: value }))

  it('an awkward text stays what it is', async () => {
    const { url } = await sentBy(name, { ...input, [parameter]: AWKWARD })
    const { origin, pathname, search } = new URL(url)
    expect(pathname + search).toBe(path.replace('{}', ENCODED))
    expect(origin + pathname + search).toBe(url)
  })

  it('has up to 256 characters, none of which changes the path', async () => {
    await sentBy(name, { ...input, [parameter]: '😀'.repeat(256) })
    const changing = parameter === 'transactionId' ? ['', ...HALVES] : [...ids.path, ...HALVES]
    for (const text of ['😀'.repeat(257), 'x'.repeat(257), ...changing]) {
      expect(await rejected(text), JSON.stringify(text)).toEqual([parameter])
    }
  })
})

it.each<[Operation, object]>([
  ['listAccounts', {}],
  ['getAccount', { account_id: ACCOUNT_ID }],
  ['cancelRecurring', { recurring_id: 'r-1' }],
])('%s needs apiUrl', async (name, input) => {
  const { fetch, sent } = wire()
  const { apiUrl: _, ...config } = CONFIG
  for (const without of [config, { ...config, apiUrl: undefined }]) {
    const message = expect.stringContaining(`${name} needs apiUrl`)
    const expected = { code: 'config', field: 'apiUrl', message }
    await expect(FUNCTIONS[name]({ ...without, fetch }, input)).rejects.toMatchObject(expected)
  }
  expect(sent).toEqual([])
})
