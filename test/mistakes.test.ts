import { expect, it } from 'vitest'
import { createEmulator } from '../src/emulator/index.ts'
import { createClient, createWebhookHandler, fromMinorUnits, verifyWebhook } from '../src/index.ts'
import { pay } from '../src/testing/index.ts'
import { CARD, DIRECT_AUTH, HOSTED } from './support/inputs.ts'

// The typical mistakes of a user, each with what it is said to be: the field, and the rule or the cure.

const emulator = createEmulator()
const { credentials, fetch } = emulator
const client = createClient({ ...credentials, fetch, onWarning() {} })
const any = (value: unknown) => value as never
const config = (change: object) => () => createClient(any({ ...credentials, ...change }))
const hosted = (change: object) => () => client.createPayment(any({ ...HOSTED, ...change }))
const card = (change: object) => () => client.createPayment(any({ ...CARD, ...change }))
const monthly = (change: object) => hosted({ init_recurring: { interval_unit: 'month', interval_count: 1, ...change } })
const capture = (change: object) => () =>
  client.capturePayment(any({ order_id: 'A-1', order_currency: 'UAH', ...change }))
const handler = (change: object) => () => createWebhookHandler(any({ secrets: 'secret', onEvent() {}, ...change }))

const MISTAKES: [mistake: string, run: () => unknown, field: string, says: string][] = [
  ['no baseUrl', config({ baseUrl: undefined }), 'baseUrl', 'is required'],
  [
    'baseUrl with /api/v1',
    config({ baseUrl: 'https://pay.example.com/api/v1' }),
    'baseUrl',
    'must be without /api/v1 and what follows, which every call adds',
  ],
  [
    'baseUrl copied with a path of the document',
    config({ baseUrl: 'https://pay.example.com/api/v1/payment' }),
    'baseUrl',
    'must be without /api/v1 and what follows, which every call adds',
  ],
  [
    'baseUrl over http',
    config({ baseUrl: 'http://pay.example.com' }),
    'baseUrl',
    'must be https:// (http:// on loopback only, or with allowInsecureHttp): credentials travel',
  ],
  [
    'baseUrl without a scheme',
    config({ baseUrl: 'pay.example.com' }),
    'baseUrl',
    'must be an absolute URL such as https://pay.example.com',
  ],
  [
    'baseUrl with a query',
    config({ baseUrl: 'https://pay.example.com/?a=b' }),
    'baseUrl',
    'must be without user, password, query or fragment',
  ],
  ['posId that is not a UUID', config({ posId: 'shop' }), 'posId', 'must be a UUID'],
  [
    'an apiKey with a line break',
    config({ apiKey: 'key\n' }),
    'apiKey',
    'must be visible ASCII without white space around it, often a copied line break',
  ],
  [
    'an empty apiSecret',
    config({ apiSecret: '' }),
    'apiSecret',
    'must be visible ASCII without white space around it, often a copied line break',
  ],
  ['no endpointsKey', config({ endpointsKey: undefined }), 'endpointsKey', 'is required'],
  ['timeout for timeoutMs', config({ timeout: 5 }), 'timeout', 'is not an option; the options are '],
  ['timeoutMs below zero', config({ timeoutMs: -1 }), 'timeoutMs', 'must be a whole number from 1 to 2147483647'],
  ['maxRetries as text', config({ maxRetries: '2' }), 'maxRetries', 'must be a whole number from 0 to 10'],
  [
    'an unknown authentication',
    config({ authentication: 'basic' }),
    'authentication',
    'must be one of: per-endpoint, plain',
  ],
  ['two words in the scheme', config({ scheme: 'S V' }), 'scheme', 'must be one word, as in X-API-AUTH'],
  [
    'balances without apiUrl',
    () => createClient({ ...credentials, apiUrl: undefined, fetch }).listAccounts(),
    'apiUrl',
    'which is a separate address',
  ],
  [
    'balances at baseUrl',
    () => {
      const apiUrl = credentials.baseUrl
      return createClient({
        ...credentials,
        apiUrl,
        fetch: async () => new Response('{}', { status: 404 }),
      }).listAccounts()
    },
    'apiUrl',
    'is a separate address, not that of baseUrl',
  ],
  ['a duration as a number', () => emulator.clock.advance(any(30)), 'duration', 'is an object such as { days: 1 }'],
  ['a fault as a text', () => emulator.faults.next(any('reset')), 'fault', "is an object such as { kind: 'reset' }"],
  [
    'an unknown test card',
    () => emulator.pay('https://pay.example.com', { card: any('paid') }),
    'card',
    'Expected one of',
  ],
  ['an unknown kind of fault', () => emulator.faults.next(any({ kind: 'rest' })), 'kind', 'Did you mean "reset"?'],
  ['a unit in the singular', () => emulator.clock.advance(any({ day: 1 })), 'day', 'Did you mean "days"?'],
  ['an order for order_id', () => emulator.deliveries.next(any({ order: 'A-1' })), 'order', 'Did you mean "order_id"?'],
  [
    'an option in other letters',
    handler({ onevent() {} }),
    'onevent',
    'is not an option; the options are secrets, onEvent',
  ],
  ['the order_id alone', () => client.capturePayment(any('A-1')), 'value', 'must be an object'],
  ['a number for hundredths', () => fromMinorUnits(10.5), 'minor', 'must be a whole number of hundredths'],
  [
    'order_currency in a split refund',
    () => client.refundSplitPurchase(any({ order_currency: 'UAH' })),
    'order_currency',
    'did you mean currency?',
  ],
  ['an amount as text', hosted({ amount: '100.50' }), 'amount', 'must be a number, not a string'],
  [
    'three decimals',
    hosted({ amount: 10.001 }),
    'amount',
    'must be a number with at most 2 decimals: round it, or calculate in hundredths (toMinorUni',
  ],
  [
    '0.1 + 0.2',
    hosted({ amount: 0.1 + 0.2 }),
    'amount',
    'must be a number with at most 2 decimals: round it, or calculate in hundredths (toMinorUni',
  ],
  ['zero', hosted({ amount: 0 }), 'amount', 'must be more than zero'],
  ['a negative amount', hosted({ amount: -5 }), 'amount', 'must be positive, not negative'],
  ['NaN', hosted({ amount: Number.NaN }), 'amount', 'must be a number, not NaN'],
  ['an infinite amount', hosted({ amount: Number.POSITIVE_INFINITY }), 'amount', 'must be finite'],
  ['no amount', hosted({ amount: undefined }), 'amount', 'is required'],
  [
    'a currency in small letters',
    hosted({ currency: 'uah' }),
    'currency',
    'must be a currency code of three capital letters (ISO 4217)',
  ],
  [
    "a currency's sign",
    hosted({ currency: '₴' }),
    'currency',
    'must be a currency code of three capital letters (ISO 4217)',
  ],
  ['no order_id', hosted({ order_id: undefined }), 'order_id', 'is required'],
  ['an order_id as a number', hosted({ order_id: 7 }), 'order_id', 'must be a string of 1 to 256 characters'],
  ['an empty order_id', hosted({ order_id: '' }), 'order_id', 'must be a string of 1 to 256 characters'],
  [
    'an order_id of 257 characters',
    hosted({ order_id: 'x'.repeat(257) }),
    'order_id',
    'must be a string of 1 to 256 characters',
  ],
  ['no description', hosted({ description: undefined }), 'description', 'is required'],
  ['a mode that does not exist', hosted({ mode: 'redirect' }), 'mode', 'must be one of: hosted, direct'],
  ['a method that does not exist', hosted({ method: 'pay' }), 'method', 'must be one of: purchase, auth'],
  [
    'order_3ds_bypass as a boolean',
    hosted({ order_3ds_bypass: true }),
    'order_3ds_bypass',
    'must be a non-empty string such as supported, always or never',
  ],
  ['a relative server_url', hosted({ server_url: '/webhooks' }), 'server_url', 'must be an absolute http(s) URL'],
  ['a relative result_url', hosted({ result_url: 'thanks' }), 'result_url', 'must be an absolute http(s) URL'],
  [
    'a payload of 4001 characters',
    hosted({ payload: 'x'.repeat(4001) }),
    'payload',
    'must be a string of at most 4000 characters',
  ],
  ['a payload as an object', hosted({ payload: { a: 1 } }), 'payload', 'must be a string of at most 4000 characters'],
  ['card data in hosted mode', hosted({ cc_number: '4111111111111111' }), 'cc_number', 'parameter'],
  [
    'a birthday in another order',
    hosted({ customer_birthday: '31.01.1990' }),
    'customer_birthday',
    'must be a real date as YYYY-MM-DD',
  ],
  [
    'a country by name',
    hosted({ customer_country: 'Ukraine' }),
    'customer_country',
    'must be a country code of two capital letters (ISO 3166-1 alpha-2)',
  ],
  [
    'a card number with a typo',
    card({ cc_number: '4111111111111112' }),
    'cc_number',
    'must be a card number of 12 to 19 digits with a correct check digit',
  ],
  ['a card that has expired', card({ exp_month: 1, exp_year: 20 }), 'exp_year', 'the card has expired'],
  ['month 13', card({ exp_month: 13 }), 'exp_month', 'must be a whole number from 1 to 12'],
  ['a month as text', card({ exp_month: '12' }), 'exp_month', 'must be a whole number from 1 to 12'],
  ['a CVV as a number', card({ card_cvv: 123 }), 'card_cvv', 'must be three or four digits'],
  ['a CVV of two digits', card({ card_cvv: '12' }), 'card_cvv', 'must be three or four digits'],
  ['a card and a token', card({ cc_token: 'token' }), 'cc_token', 'must be left out when cc_token is sent'],
  [
    'neither a card nor a token',
    card({ cc_number: undefined, exp_month: undefined, exp_year: undefined, card_cvv: undefined }),
    'cc_token',
    'cc_number',
  ],
  ['no browser_fingerprint', card({ browser_fingerprint: undefined }), 'browser_fingerprint', 'must be an object'],
  [
    'a fingerprint with a number',
    card({ browser_fingerprint: { browserColorDepth: 24 } }),
    'browserColorDepth',
    'must be a string',
  ],
  [
    'a fortnight as an interval',
    monthly({ interval_unit: 'fortnight' }),
    'interval_unit',
    'must be one of: day, week, month, quarter, year',
  ],
  ['31 intervals', monthly({ interval_count: 31 }), 'interval_count', 'must be a whole number from 1 to 30'],
  ['eight retries', monthly({ retry_attempts: 8 }), 'retry_attempts', 'must be a whole number from 0 to 7'],
  [
    '73 hours between retries',
    monthly({ retry_interval_hours: 73 }),
    'retry_interval_hours',
    'must be a whole number from 0 to 72',
  ],
  [
    'a start_date with a time',
    monthly({ start_date: '2026-01-31T10:00:00Z' }),
    'start_date',
    'must be a real date as YYYY-MM-DD',
  ],
  ['a time without seconds', monthly({ time: '10:00' }), 'time', 'must be a time as HH:MM:SS'],
  ['no order_currency', capture({ order_currency: undefined }), 'order_currency', 'is required'],
  [
    "a capture's order_id of 33 characters",
    capture({ order_id: 'x'.repeat(33) }),
    'order_id',
    'must be a string of 1 to 32 characters',
  ],
  [
    'a comment of 2049 characters',
    capture({ comment: 'x'.repeat(2049) }),
    'comment',
    'must be a string of at most 2048 characters',
  ],
  [
    'refund_amount below zero',
    () => client.refundPayment({ order_id: 'A-1', order_currency: 'UAH', refund_amount: -1 }),
    'refund_amount',
    'must be positive, not negative',
  ],
  [
    'a split without parts',
    () => client.createSplitPurchase(any({ ...HOSTED, split: [] })),
    'split',
    'must be an array with at least one entry',
  ],
  [
    'a sub_merchant_id that is not a UUID',
    () => client.createSplitPurchase(any({ ...HOSTED, split: [{ amount: 1, sub_merchant_id: 'seller' }] })),
    'sub_merchant_id',
    'must be a UUID',
  ],
  ['an account_id that is not a UUID', () => client.getAccount({ account_id: 'main' }), 'account_id', 'must be a UUID'],
  [
    'an order_id that was used',
    async () => {
      await client.createPayment({ ...DIRECT_AUTH, order_id: 'used' })
      await client.createPayment({ ...DIRECT_AUTH, order_id: 'used' })
    },
    'order_id',
    'make another, newOrderId(), or look it up',
  ],
  [
    'secret for secrets',
    () => createWebhookHandler(any({ secret: 'secret', onEvent() {} })),
    'secret',
    'is not an option; the options are secrets',
  ],
  [
    'an unset secret',
    handler({ secrets: undefined }),
    'secret',
    'is missing: pass the API secret, or a list of several',
  ],
  [
    'a secret with a line break',
    handler({ secrets: 'secret\n' }),
    'secret',
    'has white space around it, often a copied line break',
  ],
  ['no onEvent', handler({ onEvent: undefined }), 'onEvent', 'must be a function'],
  [
    'the raw body in verifyWebhook',
    () => verifyWebhook(any('data=a&signature=b'), 'secret'),
    'verifyWebhook',
    '(received: string of ',
  ],
  [
    'the checkout in pay',
    () => pay(any({ url: 'https://pay.example.com', checkout_id: '1' }), { fetch }),
    'address',
    'of a page; pass checkout.url',
  ],
]

it.each(MISTAKES)('%s', async (_, run, field, says) => {
  const error = await Promise.resolve()
    .then(run)
    .then(
      () => undefined,
      (reason: unknown) => reason,
    )
  expect(error).toBeInstanceOf(Error)
  const { message } = error as Error
  expect(message).toContain(field)
  expect(message).toContain(says)
})

/** What nothing can notice, with the reason. */
const UNNOTICED = {
  'an amount in hundredths: 10050': 'is a valid amount of 10,050.00',
  'a missing await in JavaScript': 'a promise that is not awaited is not an error; the types report its use',
  'another order_id for the same purchase': 'two orders of the same amount are usual',
  'the test project’s credentials in production':
    'both projects have the same form of credentials; doctor shows the address',
  'a server_url of another shop': 'any address may be a receiver',
}

it('71 mistakes and more are listed, each that is not noticed with its reason', () => {
  expect(MISTAKES.length + Object.keys(UNNOTICED).length).toBeGreaterThanOrEqual(71)
  expect(MISTAKES.filter(([, , field, says]) => field === '' || says === '')).toEqual([])
  expect(Object.values(UNNOTICED).filter((reason) => reason.length < 20)).toEqual([])
})
