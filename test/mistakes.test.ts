import { expect, it } from 'vitest'
import { createEmulator } from '../src/emulator/index.ts'
import { type Client, createClient, fromMinorUnits } from '../src/index.ts'
import { pay } from '../src/testing/index.ts'
import { createWebhookHandler, verifyWebhook } from '../src/webhooks/index.ts'
import { CAPTURE, CARD, DIRECT_AUTH, HOSTED, REFUND } from './support/inputs.ts'
import { rejection } from './support/mock-fetch.ts'
import { listed, PURCHASE_FORMS } from './support/purchase-forms.ts'

// The typical mistakes of a user, each with what it is said to be: the field, and the rule or the cure.

const emulator = createEmulator()
const { credentials, fetch } = emulator
const client = createClient({ ...credentials, fetch, onWarning() {} })
const any = (value: unknown) => value as never
const MONTHLY = { interval_unit: 'month', interval_count: 1 }
const TO = {
  configuration: (change: object) => createClient(any({ ...credentials, ...change })),
  hosted: (change: object) => client.createPayment(any({ ...HOSTED, ...change })),
  card: (change: object) => client.createPayment(any({ ...CARD, ...change })),
  monthly: (change: object) => TO.hosted({ init_recurring: { ...MONTHLY, ...change } }),
  capture: (change: object) => client.capturePayment(any({ ...CAPTURE, ...change })),
  refund: (change: object) => client.refundPayment(any({ ...REFUND, ...change })),
  handler: (change: object) => createWebhookHandler(any({ secrets: 'secret', onEvent() {}, ...change })),
}

/** The message of a call that is expected to fail. */
const messageOf = async (run: () => unknown) => (await rejection(Promise.resolve().then(run))).message

it.each<[to: keyof typeof TO, field: string, value: unknown, says: string]>([
  ['configuration', 'baseUrl', 'https://pay.example.com/api/v1', 'must be without /api/v1 and what follows'],
  ['configuration', 'baseUrl', 'http://pay.example.com', '(http:// on loopback only, or with allowInsecureHttp)'],
  ['configuration', 'baseUrl', 'https://pay.example.com/?a=b', 'must be without user, password, query or fragment'],
  [
    'configuration',
    'apiKey',
    'key\n',
    'must be visible ASCII without white space around it, often a copied line break',
  ],
  ['configuration', 'timeout', 5, 'is not an option; did you mean timeoutMs?'],
  ['configuration', 'secret', 'x', 'is not an option; did you mean apiSecret?'],
  ['configuration', 'colour', 5, 'is not an option; the options are '],
  ['configuration', 'timeoutMs', -1, 'must be a whole number from 1 to 2147483647'],
  ['configuration', 'scheme', 'S V', 'must be one word, as in X-API-AUTH, without its -HMAC-SHA1'],
  ['hosted', 'amount', 0.1 + 0.2, 'with at most 2 decimals: round it, or calculate in hundredths (toMinorUnits)'],
  ['hosted', 'currency', 'uah', 'must be a currency code of three capital letters (ISO 4217)'],
  ['hosted', 'order_id', 7, 'must be a string of 1 to 256 characters'],
  ['hosted', 'mode', 'redirect', 'must be one of: hosted, direct'],
  ['hosted', 'server_url', '/webhooks', 'must be an absolute http(s) URL'],
  ['hosted', 'customer_birthday', '31.01.1990', 'must be a real date as YYYY-MM-DD'],
  ['hosted', 'cc_number', '4', 'cc_number: is not a parameter of createPayment: '],
  ['card', 'cc_number', '4111111111111112', 'must be a card number of 12 to 19 digits with a correct check digit'],
  ['card', 'exp_year', 20, 'the card has expired'],
  ['card', 'cc_token', 'token', 'must be left out when cc_token is sent'],
  ['card', 'cc_number', undefined, 'send all card data or cc_token'],
  ['card', 'browser_fingerprint', { browserColorDepth: 24 }, 'browserColorDepth: must be a string'],
  ['monthly', 'interval_unit', 'fortnight', 'must be one of: day, week, month, quarter, year'],
  ['monthly', 'time', '10:00', 'must be a time as HH:MM:SS'],
  ['capture', 'charge_amount', undefined, 'leave it out to capture everything'],
  ['refund', 'refund_amount', undefined, 'leave it out to refund everything'],
  ['refund', 'amount', 5, 'amount: is not a parameter of refundPayment; did you mean refund_amount?'],
  ['refund', 'currency', 5, 'currency: is not a parameter of refundPayment; did you mean order_currency?'],
  ['refund', 'orderId', 5, 'orderId: is not a parameter of refundPayment; did you mean order_id?'],
  ['refund', 'refund_amout', 5, 'refund_amout: is not a parameter of refundPayment; did you mean refund_amount?'],
  ['refund', 'split', [], 'split: is not a parameter of refundPayment: split belongs'],
  ['refund', 'wholly_new_thing', 1, 'passThrough'],
  ['handler', 'onevent', () => {}, 'is not an option; the options are secrets, onEvent'],
  ['handler', 'secrets', undefined, 'secret is missing: pass the API secret, or a list of several'],
  ['handler', 'secrets', 'secret\n', 'has white space around it, often a copied line break'],
  ['handler', 'onEvent', undefined, 'must be a function'],
])('to %s: %s is %j', async (to, field, value, says) => {
  const message = await messageOf(() => TO[to]({ [field]: value }))
  expect(message).toContain(field === 'secrets' ? 'secret' : field)
  expect(message).toContain(says)
})

it('what any table lists is not recommended to be passed through', async () => {
  for (const name of new Set(PURCHASE_FORMS.flatMap(listed)))
    expect(await messageOf(() => TO.refund({ [name]: {} }))).not.toContain('passThrough')
  // @ts-expect-error undefined is not an amount
  const input: Parameters<Client['refundPayment']>[0] = { ...REFUND, refund_amount: undefined }
  expect(input).toBeDefined()
})

const HERE = { ...credentials, apiUrl: credentials.baseUrl, fetch: async () => new Response('{}', { status: 404 }) }
const twice = async () => {
  for (const order_id of ['used', 'used']) await client.createPayment({ ...DIRECT_AUTH, order_id })
}
const split = (parts: object[]) => () => client.createSplitPurchase(any({ ...HOSTED, split: parts }))
const refundInSplit = () => client.refundSplitPurchase(any({ order_currency: 'UAH' }))
const page = { url: 'https://pay.example.com', checkout_id: '1' }

it.each<[mistake: string, run: () => unknown, field: string, says: string]>([
  ['balances at no apiUrl', () => createClient({ ...HERE, apiUrl: undefined }).listAccounts(), 'apiUrl', 'separate'],
  ['balances at baseUrl', () => createClient(HERE).listAccounts(), 'apiUrl', 'is a separate address, not that of base'],
  ['a duration as a number', () => emulator.clock.advance(any(30)), 'duration', 'is an object such as { days: 1 }'],
  ['a unit in the singular', () => emulator.clock.advance(any({ day: 1 })), 'day', 'Did you mean "days"?'],
  ['a fault as a text', () => emulator.faults.next(any('reset')), 'fault', "is an object such as { kind: 'reset' }"],
  ['an unknown kind of fault', () => emulator.faults.next(any({ kind: 'rest' })), 'kind', 'Did you mean "reset"?'],
  ['an unknown test card', () => emulator.pay(page.url, { card: any('paid') }), 'card', 'Expected one of'],
  ['an order for order_id', () => emulator.deliveries.next(any({ order: 'A-1' })), 'order', 'Did you mean "order_id"?'],
  ['the order_id alone', () => client.capturePayment(any('A-1')), 'value', 'must be an object'],
  ['a number for hundredths', () => fromMinorUnits(10.5), 'minor', 'must be a whole number of hundredths'],
  ['order_currency in a split refund', refundInSplit, 'order_currency', 'did you mean currency?'],
  ['a split without parts', split([]), 'split', 'must be an array with at least one entry'],
  ['an order_id that was used', twice, 'order_id', 'look the order up. Use another order_id only if that one failed'],
  ['the raw body', () => verifyWebhook(any('data=a&signature=b'), 'secret'), 'verifyWebhook', '(received: string of '],
  ['the checkout in pay', () => pay(any(page), { fetch }), 'address', 'of a page; pass checkout.url'],
])('%s', async (_, run, field, says) => {
  const message = await messageOf(run)
  expect(message).toContain(field)
  expect(message).toContain(says)
})
