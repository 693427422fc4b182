import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import * as express from '../src/adapters/express.ts'
import * as fastify from '../src/adapters/fastify.ts'
import * as node from '../src/adapters/node.ts'
import * as card from '../src/card/index.ts'
import * as links from '../src/checkout-link/index.ts'
import * as emulators from '../src/emulator/index.ts'
import * as sdk from '../src/index.ts'
import * as orders from '../src/orders/index.ts'
import * as engine from '../src/shop/index.ts'
import * as testing from '../src/testing/index.ts'
import * as webhooks from '../src/webhooks/index.ts'
import { DIRECT_AUTH, HOSTED, PAYMENT_RECORD } from './support/inputs.ts'
import { CONFIG, json } from './support/mock-fetch.ts'
import { OPERATIONS } from './support/operations.ts'

// Whatever is passed to a public function: it returns a value, or throws an error of the package, which has a code and a guard.

const ODD: readonly unknown[] = [
  ...[undefined, null, true, 42, -0, Number.NaN, 10n, '', ' ', 'x', '\ud800', Symbol('s'), [], [null], {}],
  ...[() => {}, new Date(Number.NaN), new Map(), Object.create(null), new Proxy({}, {})],
]

const secret = 'a secret of at least 32 characters, as it should be'
const signed = webhooks.signWebhook({ ...PAYMENT_RECORD }, secret)
const event = webhooks.verifyWebhook(signed, secret)
const fetch = async () => json({})
const config: sdk.ClientConfig = { ...CONFIG, fetch, maxRetries: 0, timeoutMs: 50, onWarning: () => {} }
const { pos_id: _, ...order } = { pos_id: '', ...HOSTED }
const link = {
  ...{ origin: 'https://pay.example.com', linkSecret: secret, order },
  ...{ reference: 'r', customerEmail: 'a@b.example' },
}
const headers = { 'content-type': 'application/x-www-form-urlencoded' }
const request = () => new Request('https://shop.example.com', { method: 'POST', headers, body: signed.body })
const handler = { secrets: secret, onEvent: () => {}, onUnreadable: () => {}, onRejected: () => {}, maxBytes: 9999 }
const parsers = { hasContentTypeParser: () => false, addContentTypeParser: () => {} }
const app = Object.assign(new Map(), { ...parsers, all: () => {} })
const lost = { operation: 'refundPayment', order_id: 'A-1', amount: 1, currency: 'UAH', sent_at: 0 }
const receiver = { url: 'http://127.0.0.1:9/w', state: 'http://127.0.0.1:9/{order_id}', orders: 1, timeoutMs: 1 }
const kv = { now: () => 0, random: () => 0, lagMs: 0, failures: 0, emptyPages: 0 }
const shop = { onEvent: () => {}, onAlert: () => {}, pages: {} }

const refused = () => Promise.reject(new TypeError('refused'))
// Where an odd value stands for `fetch` or an address, the default ones are used: the network of the machine.
beforeEach(() => vi.stubGlobal('fetch', refused))
afterEach(() => vi.unstubAllGlobals())

/** Good arguments of every public function: each of them, and each member of those that are objects, is replaced by odd ones. */
const ARGUMENTS: Record<string, () => unknown[]> = {
  ...Object.fromEntries(
    Object.keys(OPERATIONS).map((name) => [name, () => [config, { order_id: 'A-1' }, { timeoutMs: 50 }]]),
  ),
  createPayment: () => [config, HOSTED, { passThrough: { x: 1 }, signal: undefined }],
  createClient: () => [config],
  configFromEnv: () => [{ EDGETILL_BASE_URL: 'x', EDGETILL_AUTHENTICATION: 'plain' }],
  compareTimestamps: () => ['2026-01-01T10:00:00', '2026-01-01T10:00:00'],
  timestampToDate: () => ['2026-01-01T10:00:00', 'UTC'],
  customerActionUrl: () => [{ user_action_required: true, user_action_url: 'x' }],
  describeStatusCode: () => ['1000'],
  eventKey: () => [{ ...event }],
  operationKey: () => [{ ...event }],
  paidOf: () => [{ ...event }],
  needsPerson: () => [{ flags: [] }],
  orderKey: () => ['A-1'],
  summarizeEvent: () => [{ ...event }],
  foldOrder: () => [[event], { amount: 1, currency: 'UAH', pos_id: CONFIG.posId, recurring_amount: 1 }],
  isDocumentedEvent: () => [event],
  isCheckout: () => [{ url: 'x', checkout_id: 'x' }],
  isFinal: () => ['success'],
  isSuccess: () => [event],
  fromMinorUnits: () => [100],
  toMinorUnits: () => [1],
  splitAmount: () => [1, [1, 2]],
  newOrderId: () => ['x'],
  resolveOutcome: () => [sdk.createClient(config), lost, { known: [], settleAfterMs: 1, now: () => 1 }],
  snapshotOrder: () => [sdk.createClient(config), { order_id: 'A-1', pos_id: CONFIG.posId }, { timeoutMs: 50 }],
  signWebhook: () => [{ order_id: 'A-1' }, secret],
  signData: () => ['data', secret],
  verifySignature: () => [signed.data, signed.signature, secret],
  verifyWebhook: () => [{ ...signed }, [secret]],
  readEvent: () => [{ ...event }],
  readWebhook: () => [request(), secret, { maxBytes: 9999 }],
  readWebhookForm: () => [request(), { maxBytes: 9999 }],
  createWebhookHandler: () => [handler],
  webhookHandler: () => [handler],
  'fastify webhookHandler': () => [app, handler],
  browserFingerprint: () => [request(), { ...DIRECT_AUTH.browser_fingerprint }, '203.0.113.7'],
  isCardNumber: () => ['4242424242424242'],
  isCvv: () => ['123'],
  isExpiry: () => [12, 30, 0],
  maskCardNumber: () => ['4242424242424242'],
  createCheckoutLink: () => [link],
  openCheckoutLink: () => ['token', [secret], Date.now],
  checkoutLinkId: () => ['https://pay.example.com/checkout/token', secret],
  createEmulator: () => [{ seed: 1, clock: { now: () => 0 }, fetch }],
  testCard: () => ['success'],
  createD1Double: () => [''],
  createKvDouble: () => [{ ...kv }],
  createTestShop: () => [{ ...shop, env: {}, seed: 1, clock: { now: () => 0 } }],
  createEmulatorShop: () => [{ baseUrl: 'https://pay.example.com', fetch, seed: 1, name: 'a' }],
  pay: () => ['https://pay.example.com/x', { card: 'success', threeDSecure: 'pass', fetch }],
  testEvent: () => ['purchase', { order_id: 'A-1' }, { secret }],
  next: () => [{ baseUrl: 'https://pay.example.com', fetch, timeoutMs: 1, order_id: 'A-1' }],
  assertNothingRejected: () => [{ requests: () => [] }],
  prove: () => [{ ...receiver, fetch: refused }],
  reportText: () => [{ seed: 1, orders: 1, requests: 1, leftOut: [], findings: [] }],
  createShop: () => [{ ...shop, now: () => 0, fetch }],
}

/** Errors that are not about an argument, by their text: the page or the emulator is not there. */
const DOCUMENTED: Record<string, RegExp> = {
  pay: /^pay: (the page cannot be paid on|no emulator listens|the card was not accepted)/,
  createEmulatorShop: /^createEmulatorShop: /,
  prove: /^(prove option must be|It must be|url is required|\w+: must be|The receiver does not respond)/,
  next: /^deliveries\.next: no emulator responds/,
}

type Row = [name: string, fn: (...args: unknown[]) => unknown]
const isClass = (fn: unknown) => /^class/.test(String(fn))
const functionsOf = (module: object, prefix = ''): Row[] =>
  Object.entries(module)
    .filter(([, fn]) => typeof fn === 'function' && !isClass(fn))
    .map(([name, fn]) => [prefix + name, fn])
const SUBPATHS: Row[] = [
  ...[sdk, webhooks, card, orders, links].flatMap((one) => functionsOf(one)),
  ...[express, node, emulators, testing, testing.deliveries, engine].flatMap((one) => functionsOf(one)),
  ...functionsOf(fastify, 'fastify '),
]

/** The ends of calls with odd arguments, other than a value or an error of the package. */
async function strayErrors([name, fn]: Row, good: () => unknown[]): Promise<string[]> {
  const documented = DOCUMENTED[name]
  const stray = new Set<string>()
  const run = async (what: string, args: unknown[]) => {
    try {
      await fn(...args)
    } catch (error) {
      const { name, message } = error as Error
      const guard = ({ ...sdk, ...webhooks } as Record<string, unknown>)[`is${name}`] as
        | ((error: unknown) => boolean)
        | undefined
      if (!guard?.(error) && !documented?.test(message)) stray.add(`${what}: ${name}: ${message}`)
    }
  }
  for (const [index, argument] of good().entries()) {
    const isPlain = argument instanceof Object && Object.getPrototypeOf(argument) === Object.prototype
    for (const odd of ODD) {
      await run(`argument ${index}`, good().with(index, odd))
      for (const member of isPlain ? Object.keys(argument) : []) {
        // Not an odd input, but a broken fetch.
        if (member === 'fetch' && typeof odd === 'function') continue
        await run(member, good().with(index, { ...(good()[index] as object), [member]: odd }))
      }
    }
  }
  return [...stray]
}

it.each(SUBPATHS)('%s', async (...row) => {
  const [name] = row
  vi.spyOn(console, 'warn').mockImplementation(() => {})
  vi.spyOn(console, 'error').mockImplementation(() => {})
  // A guard takes any value.
  const good = /^is\w+Error$/.test(name) ? () => [1] : ARGUMENTS[name]
  expect(await strayErrors(row, good as () => unknown[])).toEqual([])
})
