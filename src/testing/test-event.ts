import * as v from 'valibot'
import { fields, oneOf, parseInput } from '../emulator/parse-input.ts'
import { KINDS } from '../emulator/webhooks/next-webhook.ts'
import { ConfigError } from '../errors.ts'
import { describeStatusCode } from '../helpers/status.ts'
import { isObject } from '../lib/kind.ts'
import { type SignedWebhook, signWebhook, verifyWebhook, type WebhookEvent } from '../webhooks/index.ts'

/**
 * The kinds of a webhook: the documented methods, `unknown` (another method) and `unexpected` (without a field that
 * decides).
 */
export type TestEventKind = WebhookEvent['kind']

/** The parameters of a webhook of this kind, under their wire names. */
export type TestEventOverrides<K extends TestEventKind> = K extends 'unknown' | 'unexpected'
  ? Readonly<Record<string, unknown>>
  : Partial<Omit<Extract<WebhookEvent, { kind: K }>, 'kind' | 'method' | 'record' | 'issues'>>

/** A signed webhook, and the event that a receiver reads. */
export interface TestEvent<K extends TestEventKind = TestEventKind> extends SignedWebhook {
  /** The event that `verifyWebhook` returns for it. */
  event: Extract<WebhookEvent, { kind: K }>
  /** The request that the service sends to `url`, new each time. */
  request(url: string | URL): Request
}

/** Options of {@link testEvent}. */
export interface TestEventOptions {
  /** The API secret that signs it. Default `emulator-api-secret`, the emulator's. */
  secret?: string
}

const OPTIONS = fields('testEvent option', { secret: v.optional(v.unknown()) })

/**
 * A complete signed webhook of any kind, as the service sends it after a success: every documented parameter, new ids,
 * the present time. A repetition is the same `request` sent again; a forgery is signed with another `secret`.
 *
 * @param kind The kind; an `unknown` one has the method `loyalty`, an `unexpected` one is a purchase without an amount.
 * @param overrides Parameters to replace or, with `undefined`, to leave out. With another `status`, the parameters that
 *   belong to a success are left out, and the status code fits.
 * @throws {ConfigError} when the overrides make it a webhook of another kind, and for an unknown option.
 * @throws {ConfigError} when the secret is empty or has white space around it.
 * @see The API document, "Events".
 * @example
 * import { createWebhookHandler } from 'edgetill/webhooks'
 * import { testEvent } from 'edgetill/testing'
 * const secret = 'your-api-secret'
 * const receive = createWebhookHandler({ secrets: secret, onEvent: (event) => console.log(event.kind) })
 * const declined = testEvent('purchase', { order_id: 'A-1', status: 'failure' }, { secret })
 * const { status } = await receive(declined.request('https://shop.example.com/webhooks')) // 200
 */
export function testEvent<K extends TestEventKind>(
  kind: K,
  overrides: TestEventOverrides<K> = {} as TestEventOverrides<K>,
  options: TestEventOptions = {},
): TestEvent<K> {
  parseInput(OPTIONS, options)
  parseInput(oneOf('kind', KINDS), kind)
  if (!isObject(overrides)) throw new ConfigError('overrides', 'testEvent: overrides must be an object.')
  const { secret = 'emulator-api-secret' } = options
  const payload = { ...payloadOf(kind, overrides), ...overrides }
  const signed = signWebhook(payload, secret)
  const event = verifyWebhook(signed, secret)
  if (event.kind !== kind) {
    const why = 'issues' in event ? event.issues.map(({ path, message }) => `${path} ${message}`).join('; ') : ''
    throw new ConfigError(
      'overrides',
      `testEvent: with these overrides a ${kind} webhook is read as ${event.kind}${why && ` (${why})`}. ` +
        `Ask for testEvent('${event.kind}', …) if that is meant.`,
    )
  }
  return {
    ...signed,
    event: event as Extract<WebhookEvent, { kind: K }>,
    request: (url) =>
      new Request(url, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: signed.body,
      }),
  }
}

const SECONDARY: readonly TestEventKind[] = ['capture', 'void', 'auth_increment', 'refund']
const WITH_RECEIPT: readonly TestEventKind[] = ['purchase', 'auth', 'credit', 'refund']
const SUCCESS_CODES: Partial<Record<TestEventKind, string>> = { auth: '1002', refund: '1004', void: '1009' }
const OTHER_CODES: Record<string, string | undefined> = { failure: '4153', pending: '2001' }

function payloadOf(kind: TestEventKind, { status = 'success', ...given }: Readonly<Record<string, unknown>>) {
  const isSuccess = status === 'success'
  const now = new Date().toISOString().slice(0, 23)
  const amount = given.amount ?? (kind === 'unexpected' ? null : 100.5)
  const currency = given.currency ?? 'UAH'
  const status_code = isSuccess ? (SUCCESS_CODES[kind] ?? '1000') : OTHER_CODES[String(status)]
  const method = kind === 'unknown' ? 'loyalty' : kind === 'unexpected' ? 'purchase' : kind
  const id = crypto.randomUUID()
  const common = {
    payment_id: crypto.randomUUID(),
    order_id: `test-${id.slice(0, 8)}`,
    transaction_id: crypto.randomUUID(),
    pos_id: 'ed9e7111-0000-4000-8000-000000000001',
    mode: SECONDARY.includes(kind) ? 'direct' : 'hosted',
    method,
    amount,
    currency,
    status,
    status_code,
    status_description: describeStatusCode(status_code)?.meaning,
    created_at: now,
    processed_at: status === 'init' ? undefined : now,
    ...(isSuccess && { fee: { amount: 1.5, currency } }),
    ...(isSuccess && WITH_RECEIPT.includes(kind) && { receipt_url: `https://pay.example.com/receipt/${id}` }),
  }
  if (SECONDARY.includes(kind)) return { operation_id: id, ...common }
  return {
    ...common,
    gateway_order_id: `gateway-${id.slice(0, 8)}`,
    billing_order_id: `billing-${id.slice(0, 8)}`,
    payway: 'card',
    eci: '5',
    cc_mask: '411111******1111',
    customer_id: 'customer-1',
    customer_phone: '+380441234567',
    payload: 'your own data',
    ...(isSuccess && {
      cc_token: `test-token-${id}`,
      cc_token_expiration: `${new Date().getUTCFullYear() + 1}${now.slice(4, 7)}-01T00:00:00.000`,
      fixed_fee: { amount: 0.5, currency },
      percent_fee: { amount: 1, currency },
    }),
  }
}
