import { expect, it } from 'vitest'
import { createClient, type Issue, resolveOutcome } from '../../src/index.ts'
import { eventKey, foldOrder, operationKey, summarizeEvent } from '../../src/orders/index.ts'
import { readEvent, signWebhook, verifyWebhook } from '../../src/webhooks/index.ts'
import { CAPTURE_RECORD, PAYMENT_RECORD, REFUND_RECORD, VOID_RECORD } from '../support/inputs.ts'
import { CONFIG, json } from '../support/mock-fetch.ts'
import { RECORD_CASES, recordOf } from '../support/operations.ts'

// A field that is null is a field that is not there: in every webhook and every response, also in the objects in them, and also
// where it decides.

type Json = Record<string, unknown>

const FEE = { amount: 1.5, currency: 'UAH' }
const MORE = {
  recurring: { id: 'r-1', status: 'active' },
  fee: FEE,
  fixed_fee: FEE,
  percent_fee: FEE,
  limit_info: { retry_after: '2026-01-02T10:00:00', description: 'Too many' },
  bank_pay: { sender_mfo: '300001', sender_iban: 'UA1', description: 'Mugs' },
  processed_amount: 99.5,
  processed_currency: 'UAH',
  gateway_order_id: 'g-1',
  payway: 'card',
  split: [{ amount: 1, sub_merchant_id: 's-1', products: [{ name: 'Cup' }] }],
  order_currency: 'UAH',
  browser_fingerprint: { browserLanguage: 'uk' },
  a_new_field: { deep: 1 },
}
const whole = (record: object): Json => ({ ...record, ...MORE })
const PURCHASE = whole({ ...PAYMENT_RECORD, status: 'success' })
const CAPTURE = whole({ ...CAPTURE_RECORD, currency: 'UAH' })
const INCREMENT = { ...CAPTURE, method: 'auth_increment' }

const WEBHOOKS: Json[] = [
  ...['purchase', 'auth', 'credit', 'p2p', 'lookup'].map((method) => ({ ...PURCHASE, method })),
  CAPTURE,
  INCREMENT,
  whole(VOID_RECORD),
  whole(REFUND_RECORD),
  { ...PURCHASE, method: 'loyalty' },
  { ...PURCHASE, amount: 'much' },
]

/** The path of every field, those of inner objects included. */
function pathsOf(value: Json, before: string[] = []): string[][] {
  return Object.entries(value).flatMap(([name, inner]) => {
    const path = [...before, name]
    const isObject = typeof inner === 'object' && inner !== null && !Array.isArray(inner)
    return [path, ...(isObject ? pathsOf(inner as Json, path) : [])]
  })
}

/** A copy whose field is null, or is not there. */
function change(value: Json, [name = '', ...rest]: string[], how: 'null' | 'absent'): Json {
  const { [name]: inner, ...others } = value
  if (rest.length > 0) return { ...value, [name]: change(inner as Json, rest, how) }
  return how === 'null' ? { ...value, [name]: null } : others
}

/** The values that a reader who writes `field ?? undefined` sees. An issue says which of the two it was. */
const seen = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (name, inner) => (name === 'issues' ? pathsOfIssues(inner) : (inner ?? undefined)))
const pathsOfIssues = (issues: readonly Issue[] = []) => issues.map(({ path }) => path)

async function outcomeOf(run: () => unknown): Promise<unknown> {
  try {
    const value = await run()
    const records = [value].flat() as { issues?: Issue[] }[]
    return [seen(records), records.map(({ issues }) => pathsOfIssues(issues))]
  } catch (error) {
    const { code, issues } = error as { code: string; issues?: Issue[] }
    return [code, pathsOfIssues(issues)]
  }
}

/** The result is one for each field of a record, whether it is null or absent. */
async function isOne(value: Json, resultOf: (changed: Json) => unknown): Promise<void> {
  const outcomes = (how: 'null' | 'absent') =>
    pathsOf(value).map(async (path) => [path.join('.'), await outcomeOf(() => resultOf(change(value, path, how)))])
  expect(await Promise.all(outcomes('null'))).toEqual(await Promise.all(outcomes('absent')))
}

it.each(WEBHOOKS)('in the webhook of $method $amount', async (payload) => {
  const other = readEvent({ ...payload, amount: 1 })
  const functions: ((record: Json) => unknown)[] = [
    (record) => verifyWebhook(signWebhook(record, 's'), 's'),
    (record) => readEvent(record),
    (record) => [eventKey, operationKey, summarizeEvent].map((one) => one(readEvent(record))),
    (record) => foldOrder([other, readEvent(record)]),
  ]
  for (const one of functions) await isOne(payload, one)
})

it.each(RECORD_CASES)('in the response to %s', async (name, { call }) => {
  const { record, wrap } = recordOf(name)
  const fetchOf = (changed: Json) => async () => json(wrap(changed))
  const clientOf = (changed: Json) => createClient({ ...CONFIG, fetch: fetchOf(changed), onWarning: () => {} })
  const full = /ccount/.test(name) ? record : whole(record)
  await isOne(full, (changed) => call(clientOf(changed)))
})

it.each([
  ['createPayment', [PURCHASE], 100.5],
  ['cancelPayment', [{ ...PURCHASE, status: 'failure', status_code: '6007' }], undefined],
  ['cancelRecurring', [{ ...PURCHASE, recurring: { id: 'r', status: 'canceled' } }], undefined],
  ['capturePayment', [CAPTURE, { ...PURCHASE, method: 'auth' }, INCREMENT], undefined],
  ['voidPayment', [whole(VOID_RECORD), { ...PURCHASE, method: 'auth' }], undefined],
  ['refundPayment', [whole(REFUND_RECORD), PURCHASE], 100.5],
] as const)('in what the outcome of %s is decided by', async (operation, rows, amount) => {
  const call = { operation, order_id: 'A-1', amount, currency: 'UAH', sent_at: 0 }
  const known = [PAYMENT_RECORD.payment_id]
  const resolve = (list: Json[]) =>
    resolveOutcome(createClient({ ...CONFIG, fetch: async () => json(list) }), call, { known })
  for (const row of rows) {
    await isOne(row, (changed) => resolve(rows.map((one) => (one === row ? changed : one))))
  }
})
