import * as fc from 'fast-check'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { isConfigError, isFinal, isSuccess, snapshotOrder } from '../../src/index.ts'
import { eventKey, foldOrder, operationKey, summarizeEvent } from '../../src/orders/index.ts'
import { webhookEventSchema } from '../../src/schemas/index.ts'
import { readEvent, signWebhook, verifyWebhook, type WebhookEvent } from '../../src/webhooks/index.ts'
import { check, SEED } from '../support/property.ts'
import { payment, secondary } from '../worker/support/events.ts'

const host = globalThis as { process?: { getBuiltinModule?: (id: string) => Record<string, unknown> } }
type V8 = { serialize(value: unknown): Uint8Array; deserialize(bytes: Uint8Array): unknown }
const v8 = host.process?.getBuiltinModule?.('v8') as V8 | undefined

const COPIES: Record<string, (event: WebhookEvent) => unknown> = {
  json: (event) => JSON.parse(JSON.stringify(event)),
  record: (event) => readEvent(event).record,
  'json of record': (event) => JSON.parse(JSON.stringify(readEvent(event).record)),
  readEvent: (event) => readEvent(JSON.parse(JSON.stringify(event))),
  structuredClone: (event) => structuredClone(event),
  spread: (event) => ({ ...event }),
  v8: (event) => {
    try {
      return v8 ? v8.deserialize(v8.serialize(event)) : event
    } catch {
      return structuredClone(event) // workerd has the module without its functions
    }
  },
  schema: (event) => v.safeParse(webhookEventSchema, JSON.parse(JSON.stringify(event))).output,
}
const FUNCTIONS: Record<string, (event: WebhookEvent) => unknown> = {
  eventKey,
  operationKey,
  foldOrder: (event) => foldOrder([event]),
  summarizeEvent,
  isSuccess,
  isFinal,
  snapshotOrder: (event) => {
    const client = { listOrderOperations: async () => [event], resendWebhook: async () => event }
    return snapshotOrder(client, String(event.order_id))
  },
}

const purchase = payment('A-1', { fee: { amount: '2.5', currency: 'UAH' }, cc_token: 'token' })
const KINDS: object[] = [
  purchase,
  { ...purchase, method: 'auth', amount: '100.50', eci: null },
  secondary('A-1', 'refund', { amount: 10 }),
  { ...purchase, method: 'loyalty', amount: '7.10', nested: [{ amount: '1.0' }] },
  { ...purchase, amount: 'much' },
  { order_id: 'A-1' },
  {},
]
// JSON as a service may send it: also with our own names, with those that an object may not have, and with a number that none can hold.
const HUGE = '1e400'
const PROTO = '--proto--'
const odd = fc.dictionary(
  fc.constantFrom(...'fee payload order_id method kind record issues toJSON constructor x'.split(' '), PROTO),
  fc.oneof(
    fc.jsonValue({ maxDepth: 1 }),
    fc.constantFrom('unknown', 'unexpected', 'purchase', null, [], { deep: [HUGE], huge: HUGE }),
  ),
  { maxKeys: 3, noNullPrototype: true },
)
const received = fc.tuple(fc.constantFrom(...KINDS), odd).map(([kind, more]): WebhookEvent => {
  const secret = 'secret'
  const text = JSON.stringify({ ...kind, ...more })
    .replaceAll(`"${HUGE}"`, HUGE)
    .replaceAll(PROTO, '__proto__')
  return verifyWebhook(signWebhook(text, secret), secret)
})
const copy = fc.constantFrom(...Object.keys(COPIES))
const nameOfFunction = fc.constantFrom(...Object.keys(FUNCTIONS))

describe(`seed ${SEED}: a copy of an event`, () => {
  it('once or twice, of any kind: every function has the result of the event, or says which field is lost', async () => {
    await check(
      fc.asyncProperty(received, copy, copy, nameOfFunction, async (event, first, second, name) => {
        const apply = FUNCTIONS[name] as (event: unknown) => unknown
        const isWhole = !event.issues.some(({ path }) => path === 'order_id' || path === 'method')
        try {
          const copied = await apply(COPIES[second]?.(COPIES[first]?.(event) as WebhookEvent))
          expect(copied).toEqual(await apply(event))
        } catch (error) {
          if (!isConfigError(error) || isWhole) throw error
          expect(error.message).toMatch(/has lost its .*event\.record/)
        }
      }),
      1000,
    )
  })

  it('that has lost what an event should have as a text says so, and what to keep; what is not an event, too', () => {
    const event = readEvent({ method: 'loyalty', order_id: 5 })
    for (const lost of [structuredClone(event), { ...event }, JSON.parse(JSON.stringify({ ...event }))]) {
      expect(() => eventKey(lost)).toThrow(/lost its order_id: keep event.record/)
      expect(v.safeParse(webhookEventSchema, lost).issues?.[0].message).toContain('has lost its order_id')
    }
    expect(eventKey(JSON.parse(JSON.stringify(event)))).toBe(eventKey(event))
    const nameless = readEvent({ method: null, order_id: 'A-1' })
    expect(eventKey(structuredClone(nameless))).toBe(eventKey(nameless))
    for (const none of [undefined, null, 1, 'x', [event]]) {
      expect(() => eventKey(none as never)).toThrow(/^This is not an event/)
      expect(v.is(webhookEventSchema, none)).toBe(false)
    }
  })
})

describe('the key of an operation', () => {
  const keyOf = (record: object) => operationKey(readEvent(record as Record<string, unknown>))
  const key = keyOf(purchase)

  it('is the same for a delivery, a re-sent webhook and a row of the list', () => {
    for (const more of [
      { recurring: { id: 'r', status: 'active' } },
      { fee: null },
      { processed_at: '2026-09-09T10:00:00' },
      { amount: '100.50' },
      { created_at: `${purchase.created_at}00` },
      { created_at: String(purchase.created_at).replace('.000', '') },
      ...[undefined, null, 'other'].map((transaction_id) => ({ transaction_id })),
      { payment_id: String(purchase.payment_id).toUpperCase() },
    ]) {
      expect(keyOf({ ...purchase, ...more })).toBe(key)
    }
    // Without an operation_id, that of its payment.
    const refund = { ...purchase, method: 'refund' }
    expect(keyOf({ ...refund, fee: null })).toBe(keyOf(refund))
  })

  it('is another one for another order, operation, charge or status', () => {
    const refund = secondary('A-1', 'refund')
    const others: object[] = [
      { ...purchase, order_id: 'A-2' },
      { ...purchase, status: 'pending' },
      { ...purchase, created_at: '2026-09-09T10:00:00' },
      { ...purchase, payment_id: 'other' },
      refund,
      { ...refund, operation_id: 'other' },
      { ...refund, method: 'capture' },
      { order_id: 'A-1' },
      { order_id: 'A-1', x: 1 },
    ]
    expect(new Set([key, ...others.map(keyOf)]).size).toBe(others.length + 1)
  })

  it('tells operations apart as the fold does, whatever optional fields a delivery has', async () => {
    const id = (...ids: string[]) => fc.constantFrom(...ids.flatMap((one) => [one, one.toUpperCase()]))
    const delivery = fc.record(
      {
        ...{ status: fc.constantFrom('pending', 'success', 'failure'), payway: fc.constantFrom('card', null) },
        method: fc.constantFrom(...'purchase purchase auth credit p2p lookup capture refund loyalty'.split(' ')),
        payment_id: id('aaaaaaaa-0000-4000-8000-00000000000a', 'bbbbbbbb-0000-4000-8000-00000000000b'),
        operation_id: id('cccccccc-0000-4000-8000-00000000000c', 'dddddddd-0000-4000-8000-00000000000d'),
        transaction_id: fc.option(id('eeeeeeee-0000-4000-8000-00000000000e', 'ffffffff-0000-4000-8000-00000000000f')),
        created_at: fc.constantFrom(
          ...['2026-01-31T10:00:00', '2026-02-28T10:00:00'].flatMap((t) => [t, `${t}.0`, `${t}.5`]),
        ),
        processed_at: fc.option(fc.constantFrom('2026-02-28T10:00:01', '2026-02-28T10:00:01.50')),
        recurring: fc.option(fc.constant({ id: 'r', status: 'active' })),
        fee: fc.option(fc.constant({ amount: 1, currency: 'UAH' })),
      },
      { requiredKeys: ['status', 'method', 'payment_id', 'operation_id', 'created_at'] },
    )
    await check(
      fc.property(delivery, delivery, fc.boolean(), ({ transaction_id, ...one }, more, isSame) => {
        const base = { order_id: 'A-1', amount: 5, currency: 'UAH' }
        const [a, b] = [
          readEvent({ ...base, ...one, transaction_id }),
          // Half of them report what the first one does, in other words.
          readEvent({ ...base, ...(isSame ? { ...more, ...one } : more), status: one.status }),
        ]
        const { operations, flags } = foldOrder([a, b])
        const isOne = operationKey(a) === operationKey(b)
        expect(isOne).toBe(operations.length === 1)
        const named = [a, b].map((event) => (event as { transaction_id?: string | null }).transaction_id?.toLowerCase())
        const areTwo =
          isOne && !/capture|refund|loyalty/.test(a.method ?? '') && new Set(named.filter(Boolean)).size > 1
        expect(flags.includes('status_conflict')).toBe(areTwo)
      }),
      1000,
    )
  })
})
