import { describe, expect, it, vi } from 'vitest'
import {
  type ClientConfig,
  createClient,
  type OrderLookup,
  type ResolveOutcomeOptions,
  resolveOutcome,
  snapshotOrder,
  type UnresolvedCall,
} from '../../src/index.ts'
import { readEvent } from '../../src/webhooks/index.ts'
import { CAPTURE, CAPTURE_RECORD, HOSTED, PAYMENT_RECORD, REFUND_RECORD, VOID_RECORD } from '../support/inputs.ts'
import { CONFIG, json, rejection, type Sent, wire } from '../support/mock-fetch.ts'

const SENT_AT = '2026-01-31T10:00:00.000Z'
const SOON = Date.parse(SENT_AT) + 599_999
const LATER = Date.parse(SENT_AT) + 600_000

const PURCHASE = { ...PAYMENT_RECORD, status: 'success', status_code: '1000' }
const AUTH = { ...PURCHASE, method: 'auth' }
const capture = (operation_id: string, amount = 80.25) => ({
  ...CAPTURE_RECORD,
  order_currency: undefined,
  currency: 'UAH',
  operation_id,
  amount,
})
const refund = (operation_id: string, amount = 20.5) => ({ ...REFUND_RECORD, operation_id, amount })
const increment = (operation_id: string, amount: number) => ({
  ...refund(operation_id, amount),
  method: 'auth_increment',
})
const release = (operation_id: string) => ({ ...VOID_RECORD, operation_id })

const CALL = { order_id: 'A-1', currency: 'UAH', sent_at: SENT_AT }
const CREATION: UnresolvedCall = { ...CALL, operation: 'createPayment', amount: 100.5 }
const CAPTURED: UnresolvedCall = { ...CALL, operation: 'capturePayment', amount: 80.25 }
const CAPTURED_WHOLE: UnresolvedCall = { ...CALL, operation: 'capturePayment' }
const REFUNDED: UnresolvedCall = { ...CALL, operation: 'refundPayment', amount: 20.5 }
const REFUNDED_WHOLE: UnresolvedCall = { ...CALL, operation: 'refundPayment' }
const VOIDED: UnresolvedCall = { ...CALL, operation: 'voidPayment' }
const CANCELLED: UnresolvedCall = { order_id: 'A-1', sent_at: SENT_AT, operation: 'cancelPayment' }

const NOT_FOUND = () => json({ message: 'Not found' }, 404)

/** Resolves a call against the responses to the look-ups, in their order. Nothing but GETs may travel. */
async function resolve(call: UnresolvedCall, replies: Parameters<typeof wire>, options: ResolveOutcomeOptions = {}) {
  const { fetch, sent } = wire(...replies)
  const client = createClient({ ...CONFIG, fetch, maxRetries: 0 })
  const resolved = await resolveOutcome(client, call, { now: () => LATER, ...options })
  expect(sent.map(({ method }) => method)).toEqual(replies.map(() => 'GET'))
  return { resolved, sent }
}

type Expected = 'not_executed' | 'unknown' | { executed: string }

/** What is expected of a list of operations: at once, and after the time that an absence needs. */
async function expectOf(
  call: UnresolvedCall,
  operations: unknown[],
  options: ResolveOutcomeOptions,
  expected: Expected,
): Promise<void> {
  const { resolved } = await resolve(call, [json(operations)], options)
  if (typeof expected !== 'string') {
    expect(resolved).toMatchObject({ outcome: 'executed', record: { operation_id: expected.executed } })
    return
  }
  expect(resolved.outcome).toBe(expected)
  if (resolved.outcome === 'unknown') expect(resolved.why).toMatch(/\w{3}.*[.]$/)
}

describe('a payment', () => {
  it('is found under its order_id, whatever its status', async () => {
    for (const status of ['init', 'pending', 'success', 'failure']) {
      const { resolved } = await resolve(CREATION, [json([{ ...PURCHASE, status }])], { now: () => SOON })
      expect(resolved).toMatchObject({ outcome: 'executed', record: { payment_id: PURCHASE.payment_id, status } })
    }
  })

  it('of another amount or currency is not taken for it', async () => {
    for (const change of [{ amount: 7 }, { currency: 'USD' }]) {
      const { resolved } = await resolve(CREATION, [json([{ ...PURCHASE, ...change }])])
      expect(resolved).toMatchObject({ outcome: 'unknown', why: expect.stringContaining('not what was asked for') })
    }
  })

  it('that is absent counts as not executed after the stated time, and not before', async () => {
    for (const replies of [[json([])], [NOT_FOUND(), NOT_FOUND(), NOT_FOUND()]]) {
      const [soon, later] = [replies.map((one) => one.clone()), replies]
      expect((await resolve(CREATION, soon, { now: () => SOON })).resolved.outcome).toBe('unknown')
      expect((await resolve(CREATION, later)).resolved).toEqual({ outcome: 'not_executed' })
    }
    const settleAfterMs = 1000
    const now = () => Date.parse(SENT_AT) + settleAfterMs
    expect((await resolve(CREATION, [json([])], { settleAfterMs, now })).resolved.outcome).toBe('not_executed')
  })

  it('that was there before, or cannot be read, is not taken for it', async () => {
    const known = [PURCHASE.payment_id]
    expect((await resolve(CREATION, [json([PURCHASE])], { known })).resolved.outcome).toBe('not_executed')
    expect((await resolve(CREATION, [json([{ ...PURCHASE, status: 5 }])])).resolved.outcome).toBe('unknown')
  })

  it('of a subscription is its first charge', async () => {
    const later = { ...PURCHASE, payment_id: 'second', created_at: '2026-02-01T10:00:00.000' }
    const { resolved } = await resolve(CREATION, [json([later, PURCHASE])])
    expect(resolved).toMatchObject({ outcome: 'executed', record: { payment_id: PURCHASE.payment_id } })
  })
})

it('a record of another order is never this one’s, whatever the look-up returns', async () => {
  const foreign = { order_id: 'OTHER' }
  const operations = [PURCHASE, { ...refund('r-1'), ...foreign }].map((one) => readEvent(one))
  const lookup = { listOrderOperations: async () => operations, resendWebhook: async () => operations[1] as never }
  const resolved = await resolveOutcome(lookup, REFUNDED, { known: [], now: () => LATER })
  expect(resolved.outcome).toBe('not_executed')
  expect(await snapshotOrder(lookup, 'A-1')).toEqual([PURCHASE.payment_id])
})

it('a snapshot has what `known` needs, with the list and without it', async () => {
  const snapshot = (...replies: Response[]) =>
    snapshotOrder(createClient({ ...CONFIG, fetch: wire(...replies).fetch, maxRetries: 0 }), { order_id: 'A-1' })
  const ids = [PURCHASE.payment_id, 'c-1', 'r-1']
  expect(
    await snapshot(json([PURCHASE, { ...capture('c-1'), payment_id: PURCHASE.payment_id }, refund('r-1')])),
  ).toEqual(expect.arrayContaining(ids))
  const replies = [NOT_FOUND(), json(PURCHASE), json(capture('c-1')), json(refund('r-1')), NOT_FOUND()]
  expect(await snapshot(...replies)).toEqual(expect.arrayContaining(['c-1', 'r-1']))
  expect(await snapshot(NOT_FOUND(), NOT_FOUND(), NOT_FOUND())).toEqual([])
  await expect(snapshot(json({}, 500))).rejects.toMatchObject({ code: 'api' })
})

describe('where the path of the look-up is not known', () => {
  it('a payment is found by its re-sent webhook, purchase or auth', async () => {
    const purchase = await resolve(CREATION, [NOT_FOUND(), json(PURCHASE)])
    expect(purchase.resolved).toMatchObject({ outcome: 'executed', record: { method: 'purchase' } })
    const auth = await resolve(CREATION, [NOT_FOUND(), NOT_FOUND(), json(AUTH)])
    expect(auth.resolved).toMatchObject({ outcome: 'executed', record: { method: 'auth' } })
    const base = `${CONFIG.baseUrl}/api/v1/pos/${CONFIG.posId}/orders/A-1`
    expect(auth.sent.map(({ url }) => url)).toEqual([
      base,
      `${base}/purchase?callback=true`,
      `${base}/auth?callback=true`,
    ])
  })

  const lookUp = (operation: Response) => [NOT_FOUND(), NOT_FOUND(), json(AUTH), operation]
  it.each<[string, UnresolvedCall, () => Response, ResolveOutcomeOptions, Expected]>([
    ['a new one that matches', CAPTURED, () => json(capture('c-1')), { known: ['c-0'] }, { executed: 'c-1' }],
    ['a matching one without known', CAPTURED, () => json(capture('c-1')), {}, 'unknown'],
    ['a known one hides others', CAPTURED, () => json(capture('c-1')), { known: ['c-1'] }, 'unknown'],
    ['another one hides others', CAPTURED, () => json(capture('c-1', 5)), { known: ['c-0'] }, 'unknown'],
    ['none at all', CAPTURED, NOT_FOUND, { known: ['c-0'] }, 'not_executed'],
    ['none at all, too early', CAPTURED, NOT_FOUND, { known: [], now: () => SOON }, 'unknown'],
    ['a whole one, the first', CAPTURED_WHOLE, () => json(capture('c-1', 100.5)), { known: [] }, { executed: 'c-1' }],
    ['a whole one after others', CAPTURED_WHOLE, () => json(capture('c-1', 100.5)), { known: ['c-0'] }, 'unknown'],
  ])('a capture: %s', async (_name, call, operation, options, expected) => {
    const { resolved } = await resolve(call, lookUp(operation()), options)
    if (typeof expected === 'string') expect(resolved.outcome).toBe(expected)
    else expect(resolved).toMatchObject({ outcome: 'executed', record: { operation_id: expected.executed } })
  })

  it('an order that the service does not know has no operation to decide', async () => {
    const { resolved } = await resolve(CAPTURED, [NOT_FOUND(), NOT_FOUND(), NOT_FOUND()], { known: [] })
    expect(resolved.outcome).toBe('unknown')
  })
})

describe('deadlineMs', () => {
  // Each response takes 200 ms of a clock that stands still otherwise.
  async function lookUpIn(options: ResolveOutcomeOptions) {
    const clock = vi.spyOn(Date, 'now')
    try {
      let at = 1000
      clock.mockImplementation(() => at)
      const late = () => {
        at += 200
        return NOT_FOUND()
      }
      const { fetch, sent } = wire(late, late, late)
      const client = createClient({ ...CONFIG, fetch, maxRetries: 0 })
      const given: unknown[] = []
      const noting: OrderLookup = {
        listOrderOperations(input, more) {
          given.push(more?.deadlineMs)
          return client.listOrderOperations(input, more)
        },
        resendWebhook(input, more) {
          given.push(more?.deadlineMs)
          return client.resendWebhook(input, more)
        },
      }
      const resolved = await resolveOutcome(noting, CREATION, { now: () => LATER, ...options })
      return { resolved, given, sent: sent.length }
    } finally {
      clock.mockRestore()
    }
  }

  it('is that of the whole look-up: each request has what is left of it', async () => {
    expect(await lookUpIn({ deadlineMs: 5000 })).toEqual({
      resolved: { outcome: 'not_executed' },
      given: [5000, 4800, 4600],
      sent: 3,
    })
    for (const deadlineMs of [undefined, null]) {
      expect(await lookUpIn({ deadlineMs } as ResolveOutcomeOptions)).toEqual({
        resolved: { outcome: 'not_executed' },
        given: [deadlineMs, deadlineMs, deadlineMs],
        sent: 3,
      })
    }
  })

  it.each([200, 300, 400])('of %d ms is over before the third request, which is not sent', async (deadlineMs) => {
    const { resolved, sent } = await lookUpIn({ deadlineMs })
    expect(resolved).toEqual({ outcome: 'unknown', why: expect.stringMatching(/^The look-up failed\. .*in time.*\.$/) })
    expect(sent).toBe(deadlineMs === 200 ? 1 : 2)
  })
})

describe('a capture, void or refund', () => {
  it.each<[string, UnresolvedCall, unknown[], ResolveOutcomeOptions, Expected]>([
    ['one new one that matches', CAPTURED, [AUTH, capture('c-1')], { known: [] }, { executed: 'c-1' }],
    ['beside known ones', REFUNDED, [PURCHASE, refund('r-0'), refund('r-1')], { known: ['r-0'] }, { executed: 'r-1' }],
    [
      'declined: the service has it',
      REFUNDED,
      [PURCHASE, { ...refund('r-1'), status: 'failure' }],
      { known: [] },
      { executed: 'r-1' },
    ],
    [
      'an amount as a string',
      REFUNDED,
      [PURCHASE, { ...refund('r-1'), amount: '20.50' }],
      { known: [] },
      { executed: 'r-1' },
    ],
    ['listed twice', REFUNDED, [PURCHASE, refund('r-1'), refund('r-1')], { known: [] }, { executed: 'r-1' }],
    ['two new ones', REFUNDED, [PURCHASE, refund('r-1'), refund('r-2')], { known: [] }, 'unknown'],
    ['a match without known', REFUNDED, [PURCHASE, refund('r-1')], {}, 'unknown'],
    ['no match without known', REFUNDED, [PURCHASE, refund('r-1', 5)], {}, 'unknown'],
    ['its actual amount', CAPTURED, [AUTH, capture('c-1', 80)], { known: [] }, 'unknown'],
    [
      'a payment with operation_id',
      REFUNDED,
      [{ ...PURCHASE, operation_id: null }, refund('r-1')],
      { known: [] },
      { executed: 'r-1' },
    ],
    ['the payment itself, with operation_id', CREATION, [{ ...PURCHASE, operation_id: 'x' }], {}, { executed: 'x' }],
    ['another amount', REFUNDED, [PURCHASE, refund('r-1', 5)], { known: [] }, 'unknown'],
    ['another currency', REFUNDED, [PURCHASE, { ...refund('r-1'), currency: 'USD' }], { known: [] }, 'unknown'],
    ['another method', REFUNDED, [AUTH, capture('c-1', 20.5)], { known: [] }, 'not_executed'],
    ['known ones alone', REFUNDED, [PURCHASE, refund('r-0')], { known: ['r-0'] }, 'not_executed'],
    ['none, too early', REFUNDED, [PURCHASE], { known: [], now: () => SOON }, 'unknown'],
    ['no payment', REFUNDED, [], { known: [] }, 'unknown'],
    ['a void', VOIDED, [AUTH, release('v-1')], { known: [] }, { executed: 'v-1' }],
    ['a void without known', VOIDED, [AUTH, release('v-1')], {}, 'unknown'],
    ['two voids', VOIDED, [AUTH, release('v-1'), release('v-2')], { known: [] }, 'unknown'],
    ['no void', VOIDED, [AUTH], {}, 'not_executed'],
  ])('%s', async (_name, call, operations, options, expected) => {
    await expectOf(call, operations, options, expected)
  })

  it.each<[string, UnresolvedCall, unknown[], ResolveOutcomeOptions, Expected]>([
    ['of an auth', CAPTURED_WHOLE, [AUTH, capture('c-1', 100.5)], { known: [] }, { executed: 'c-1' }],
    [
      'of what is left of an auth',
      CAPTURED_WHOLE,
      [AUTH, increment('i-1', 10), capture('c-0', 80.25), capture('c-1', 30.25)],
      { known: ['i-1', 'c-0'] },
      { executed: 'c-1' },
    ],
    ['of a purchase', REFUNDED_WHOLE, [PURCHASE, refund('r-1', 100.5)], { known: [] }, { executed: 'r-1' }],
    [
      'of what the payer paid',
      REFUNDED_WHOLE,
      [{ ...PURCHASE, processed_amount: 90.45 }, refund('r-1', 90.45)],
      { known: [] },
      { executed: 'r-1' },
    ],
    [
      'of what was captured',
      REFUNDED_WHOLE,
      [AUTH, capture('c-0'), refund('r-1', 80.25)],
      { known: ['c-0'] },
      { executed: 'r-1' },
    ],
    ['of another amount than computed', REFUNDED_WHOLE, [PURCHASE, refund('r-1', 20.5)], { known: [] }, 'unknown'],
    [
      'with another new operation',
      CAPTURED_WHOLE,
      [AUTH, increment('i-1', 10), capture('c-1', 110.5)],
      { known: [] },
      'unknown',
    ],
    [
      'after one that is pending',
      REFUNDED_WHOLE,
      [PURCHASE, { ...refund('r-0'), status: 'pending' }, refund('r-1', 80)],
      { known: ['r-0'] },
      'unknown',
    ],
    ['after one that is not listed', REFUNDED_WHOLE, [PURCHASE, refund('r-1', 100.5)], { known: ['r-0'] }, 'unknown'],
    [
      'of several charges',
      REFUNDED_WHOLE,
      [PURCHASE, { ...PURCHASE, payment_id: 'p-2' }, refund('r-1', 100.5)],
      { known: [] },
      'unknown',
    ],
    ['without known', REFUNDED_WHOLE, [PURCHASE, refund('r-1', 100.5)], {}, 'unknown'],
    ['none of its kind', REFUNDED_WHOLE, [PURCHASE], {}, 'not_executed'],
    ['known ones of its kind alone', REFUNDED_WHOLE, [PURCHASE, refund('r-0')], { known: ['r-0'] }, 'not_executed'],
  ])('without an amount: %s', async (_name, call, operations, options, expected) => {
    await expectOf(call, operations, options, expected)
  })

  it('of a split purchase is not excluded by another amount: how it is listed is not shown', async () => {
    const call: UnresolvedCall = { ...REFUNDED, operation: 'refundSplitPurchase' }
    await expectOf(call, [PURCHASE, refund('r-1')], { known: [] }, { executed: 'r-1' })
    await expectOf(call, [PURCHASE, refund('r-1', 10), refund('r-2', 10.5)], { known: [] }, 'unknown')
    await expectOf(call, [PURCHASE, refund('r-1', 10)], { known: ['r-1'] }, 'not_executed')
    await expectOf(
      { ...CAPTURED, operation: 'captureSplitPurchase' },
      [AUTH, capture('c-1')],
      { known: [] },
      { executed: 'c-1' },
    )
  })

  it.each<[string, unknown, Expected]>([
    ['null', null, 'unknown'],
    ['without a method', { ...refund('r-1'), method: undefined }, 'unknown'],
    ['without a status', { ...refund('r-1'), status: undefined }, 'unknown'],
    ['of an unknown method', { ...refund('r-1'), method: 'loyalty' }, 'unknown'],
    ['of another method', { ...capture('c-1'), status: undefined }, 'not_executed'],
    ['from before the call', { ...refund('r-0'), status: undefined }, 'not_executed'],
  ])('an element that cannot be read may be it: %s', async (_name, element, expected) => {
    await expectOf(REFUNDED, [PURCHASE, element], { known: ['r-0'] }, expected)
    if (expected === 'unknown')
      await expectOf(REFUNDED, [PURCHASE, element, refund('r-2')], { known: ['r-0'] }, 'unknown')
  })
})

describe('a cancellation', () => {
  const state = (fields: object) => [{ ...PURCHASE, mode: 'hosted', ...fields }]
  it.each<[string, object, number, string]>([
    ['done', { status: 'failure', status_code: '6007' }, SOON, 'executed'],
    ['paid: it cannot be cancelled any more', { status: 'success' }, SOON, 'not_executed'],
    ['declined', { status: 'failure', status_code: '4153' }, SOON, 'not_executed'],
    ['failed, without a code', { status: 'failure', status_code: null }, LATER, 'unknown'],
    ['still unpaid, too early', { status: 'init' }, SOON, 'unknown'],
    ['still unpaid', { status: 'init' }, LATER, 'not_executed'],
  ])('%s', async (_name, fields, at, outcome) => {
    const { resolved } = await resolve(CANCELLED, [json(state(fields))], { now: () => at })
    expect(resolved.outcome).toBe(outcome)
  })

  it('of a subscription shows in its payment, where the order is known', async () => {
    const call: UnresolvedCall = { operation: 'cancelRecurring', order_id: 'A-1', sent_at: SENT_AT }
    const of = async (payment: object, at = LATER) =>
      (await resolve(call, [json([payment])], { now: () => at })).resolved.outcome
    expect(await of({ ...PURCHASE, recurring: { id: 'r', status: 'canceled' } }, SOON)).toBe('executed')
    expect(await of({ ...PURCHASE, recurring: { id: 'r', status: 'active' } }, SOON)).toBe('unknown')
    expect(await of({ ...PURCHASE, recurring: { id: 'r', status: 'active' } })).toBe('not_executed')
    expect(await of(PURCHASE)).toBe('unknown')
    const { resolved } = await resolve({ operation: 'cancelRecurring', sent_at: SENT_AT }, [])
    expect(resolved).toMatchObject({ outcome: 'unknown', why: expect.stringContaining('order_id') })
  })
})

describe('the call', () => {
  const lost = async (config: Partial<ClientConfig> = {}) => {
    const { fetch } = wire(json({}, 503))
    const client = createClient({ ...CONFIG, ...config, fetch })
    return (await rejection(client.capturePayment({ ...CAPTURE, charge_amount: 80.25 }))) as unknown as UnresolvedCall
  }

  it('is the error itself, or what JSON has kept of it', async () => {
    const error = await lost()
    for (const call of [error, JSON.parse(JSON.stringify(error)) as UnresolvedCall]) {
      const { resolved } = await resolve(call, [json([AUTH, capture('c-1')])], { known: [] })
      expect(resolved).toMatchObject({ outcome: 'executed', record: { operation_id: 'c-1', status: 'success' } })
    }
  })

  it('of a hosted payment without a response', async () => {
    const { fetch } = wire(json({}, 503))
    const error = await rejection(createClient({ ...CONFIG, fetch }).createPayment(HOSTED))
    const { resolved } = await resolve(error as unknown as UnresolvedCall, [json([{ ...PURCHASE, status: 'init' }])])
    expect(resolved).toMatchObject({ outcome: 'executed', record: { status: 'init' } })
  })

  it('is looked up under the POS that it named', async () => {
    const pos_id = 'ffffffff-ffff-4fff-8fff-ffffffffffff'
    const { fetch } = wire(json({}, 503))
    const error = await rejection(createClient({ ...CONFIG, fetch }).capturePayment({ ...CAPTURE, pos_id }))
    const { sent } = await resolve(error as unknown as UnresolvedCall, [json([AUTH])])
    expect(sent.map(({ url }: Sent) => url)).toEqual([`${CONFIG.baseUrl}/api/v1/pos/${pos_id}/orders/A-1`])
  })

  it('has its time as a text with a zone, as milliseconds, or as a Date', async () => {
    const at = Date.parse(SENT_AT)
    for (const sent_at of [SENT_AT, '2026-01-31T12:00:00+02:00', at, new Date(at)]) {
      const call = { ...REFUNDED, sent_at }
      expect((await resolve(call, [json([PURCHASE])], { now: () => SOON })).resolved.outcome).toBe('unknown')
      expect((await resolve(call, [json([PURCHASE])])).resolved.outcome).toBe('not_executed')
    }
  })

  it.each<[string, unknown, string[]]>([
    ['nothing', undefined, ['']],
    ['an error of another kind', new Error('x'), ['operation', 'sent_at']],
    ['a time without a zone', { ...REFUNDED, sent_at: '2026-01-31T10:00:00' }, ['sent_at']],
    ['an invalid time', { ...REFUNDED, sent_at: Number.NaN }, ['sent_at']],
    ['an amount as a string', { ...REFUNDED, amount: '20.5' }, ['amount']],
  ])('is rejected when it is %s', async (_name, call, paths) => {
    const error = await rejection(resolveOutcome(createClient(CONFIG), call as UnresolvedCall))
    expect(error.code).toBe('invalid_input')
    expect((error.issues as { path: string }[]).map(({ path }) => path)).toEqual(paths)
  })

  it.each<[string, unknown]>([
    ['one id', 'c-1'],
    ['operations', [capture('c-1')]],
  ])('is not decided from known operations that are %s in place of a list of ids', async (_name, known) => {
    const call = { ...REFUNDED, operation: 'capturePayment', amount: 80.25 }
    const options = { known: known as string[] }
    const error = await rejection(resolve(call, [json([AUTH, capture('c-1')])], options))
    expect(error).toMatchObject({ code: 'invalid_input', issues: [{ path: 'known' }] })
  })

  it.each<[string, Record<string, unknown>, string]>([
    ['a misspelt option', { settleAftrMs: 5 }, 'settleAftrMs'],
    ['a time that is none', { settleAfterMs: -1 }, 'settleAfterMs'],
    ['a time as a text', { settleAfterMs: '600000' }, 'settleAfterMs'],
    ['a clock that is none', { now: 5 }, 'now'],
  ])('is not looked up with %s', async (_name, options, path) => {
    const { fetch, sent } = wire(json([]))
    const error = await rejection(resolveOutcome(createClient({ ...CONFIG, fetch }), REFUNDED, options))
    expect(error).toMatchObject({ code: 'invalid_input', issues: [{ path }] })
    expect(sent).toEqual([])
  })

  it('counts an absence after the default time where the option is null', async () => {
    const options = { settleAfterMs: null, known: null, now: () => SOON } as never
    expect((await resolve(REFUNDED, [json([PURCHASE])], options)).resolved.outcome).toBe('unknown')
  })

  it('of another function cannot be looked up', async () => {
    const { resolved } = await resolve({ ...REFUNDED, operation: 'request' }, [json([PURCHASE])])
    expect(resolved).toMatchObject({ outcome: 'unknown', why: expect.stringContaining('"request"') })
  })

  it.each<[string, () => Response | Error]>([
    ['401', () => json({}, 401)],
    ['503', () => json({}, 503)],
    ['not an array', () => json({})],
    ['lost', () => new TypeError('fetch failed')],
  ])('stays unknown where the look-up fails: %s', async (_name, reply) => {
    const { resolved } = await resolve(REFUNDED, [reply()], { known: [] })
    expect(resolved).toMatchObject({ outcome: 'unknown', why: expect.stringContaining('The look-up failed.') })
  })

  it('stays unknown where the look-up is aborted', async () => {
    const signal = AbortSignal.abort()
    expect((await resolve(REFUNDED, [], { signal })).resolved.outcome).toBe('unknown')
  })
})

const PAID = PURCHASE.payment_id
const PENDING = { ...PURCHASE, status: 'init' }
const DECLINED = {
  ...PURCHASE,
  payment_id: 'first',
  status: 'failure',
  status_code: '4005',
  created_at: '2026-01-01T09:00:00',
}

describe('what the list shows beyond doubt', () => {
  it.each<[string, UnresolvedCall, unknown[], string[], Expected]>([
    ['a cancellation without a payment', CANCELLED, [], [], 'unknown'],
    [
      'a whole refund beside another new operation',
      REFUNDED_WHOLE,
      [PURCHASE, refund('r', 100.5), capture('c')],
      [PAID],
      'unknown',
    ],
    [
      'a whole refund after one that is not final',
      REFUNDED_WHOLE,
      [PURCHASE, refund('r', 100.5), { ...refund('before', 10), status: 'pending' }],
      [PAID, 'before'],
      'unknown',
    ],
    ['a whole capture of a purchase', CAPTURED_WHOLE, [PURCHASE, capture('c', 100.5)], [PAID], 'unknown'],
    [
      'a whole capture of another processed amount',
      CAPTURED_WHOLE,
      [{ ...AUTH, processed_amount: 90 }, capture('c', 100.5)],
      [PAID],
      'unknown',
    ],
    ['a whole capture after a void', CAPTURED_WHOLE, [AUTH, release('v'), capture('c', 100.5)], [PAID, 'v'], 'unknown'],
    [
      'a capture whose currency was not kept',
      { ...CAPTURED, currency: undefined },
      [AUTH, capture('c')],
      [PAID],
      { executed: 'c' },
    ],
    [
      'a whole refund of what is left of a purchase',
      REFUNDED_WHOLE,
      [PURCHASE, refund('before', 10), refund('r', 90.5)],
      [PAID, 'before'],
      { executed: 'r' },
    ],
    [
      'a whole refund of what is left of a capture',
      REFUNDED_WHOLE,
      [AUTH, capture('c', 90), refund('before', 10), refund('r', 80)],
      [PAID, 'c', 'before'],
      { executed: 'r' },
    ],
  ])('%s', (_name, call, operations, known, expected) => expectOf(call, operations, { known }, expected))

  it('but a payment of which neither amount nor currency was kept is found', async () => {
    const call = { ...CREATION, amount: undefined, currency: undefined }
    expect((await resolve(call, [json([PURCHASE])])).resolved.outcome).toBe('executed')
  })

  it('a cancellation looks at the payment that is not final', async () => {
    const { resolved } = await resolve(CANCELLED, [json([DECLINED, PENDING])], { now: () => SOON })
    expect(resolved.outcome).toBe('unknown')
  })
})
