import { describe, expect, it, vi } from 'vitest'
import { createClient, resolveOutcome, snapshotOrder, type UnresolvedCall } from '../../src/index.ts'
import { readEvent } from '../../src/webhooks/index.ts'
import { CONFIG, json, wire } from '../support/mock-fetch.ts'
import * as records from './support/records.ts'

// How an order is looked up: by its list and, where the service does not know that path, by re-sent webhooks.

const { AUTH, capture, CAPTURE_ALL, CAPTURED, CREATION, inShort, LATER } = records
const { NOT_FOUND, PURCHASE, refund, REFUNDED, release, SOON, resolve } = records

it('a record of another order is never this one’s, and nothing is concluded from what is absent beside it', async () => {
  const operations = [PURCHASE, { ...refund('r-1'), order_id: 'OTHER' }].map((one) => readEvent(one))
  const lookup = { listOrderOperations: async () => operations, resendWebhook: async () => operations[1] as never }
  const resolved = await resolveOutcome(lookup, REFUNDED, { known: [], now: () => LATER })
  expect(resolved).toEqual({ outcome: 'unknown', why: expect.stringContaining('records of another order') })
  expect(await snapshotOrder(lookup, 'A-1')).toEqual([PURCHASE.payment_id])
})

it('a snapshot has what `known` needs, with the list and without it', async () => {
  const snapshot = (...replies: Response[]) =>
    snapshotOrder(createClient({ ...CONFIG, fetch: wire(...replies).fetch, maxRetries: 0 }), { order_id: 'A-1' })
  const one = { ...capture('c-1'), payment_id: PURCHASE.payment_id }
  const ids = [PURCHASE.payment_id, 'c-1', 'r-1']
  expect(await snapshot(json([PURCHASE, one, refund('r-1')]))).toEqual(expect.arrayContaining(ids))
  const replies = [NOT_FOUND(), json(PURCHASE), json(capture('c-1')), json(refund('r-1')), json(release('v-1'))]
  expect(await snapshot(...replies)).toEqual(expect.arrayContaining(['c-1', 'r-1', 'v-1']))
  expect(await snapshot(NOT_FOUND(), NOT_FOUND(), NOT_FOUND())).toEqual([])
  await expect(snapshot(json({}, 500))).rejects.toMatchObject({ code: 'api' })
})

describe('where the path of the list is not known', () => {
  it.each([400, 403, 404, 405, 501])('which a %d says, too', async (status) => {
    const { resolved } = await resolve(CREATION, [json({}, status), json(PURCHASE)])
    expect(resolved).toMatchObject({ outcome: 'executed' })
  })

  it('a payment is found by its re-sent webhook, purchase or auth', async () => {
    const purchase = await resolve(CREATION, [NOT_FOUND(), json(PURCHASE)])
    expect(purchase.resolved).toMatchObject({ outcome: 'executed', record: { method: 'purchase' } })
    const auth = await resolve(CREATION, [NOT_FOUND(), NOT_FOUND(), json(AUTH)])
    expect(auth.resolved).toMatchObject({ outcome: 'executed', record: { method: 'auth' } })
    const base = `${CONFIG.baseUrl}/api/v1/pos/${CONFIG.posId}/orders/A-1`
    const urls = [base, `${base}/purchase?callback=true`, `${base}/auth?callback=true`]
    expect(auth.sent.map(({ url }) => url)).toEqual(urls)
  })

  it('an order that the service does not know has no payment, and no operation to decide', async () => {
    const nothing = () => [NOT_FOUND(), NOT_FOUND(), NOT_FOUND()]
    expect((await resolve(CREATION, nothing())).resolved).toEqual({ outcome: 'not_executed' })
    expect((await resolve(CREATION, nothing(), { now: () => SOON })).resolved.outcome).toBe('unknown')
    expect((await resolve(CAPTURED, nothing(), { known: [] })).resolved.outcome).toBe('unknown')
  })

  it('a cancellation may be of an auth beside a purchase', async () => {
    const call = { ...CREATION, operation: 'cancelPayment' }
    const cancelled = { ...AUTH, status: 'failure', status_code: '6007' }
    const { resolved } = await resolve(call, [NOT_FOUND(), json(PURCHASE), json(cancelled)])
    expect(resolved).toMatchObject({ outcome: 'executed', record: { method: 'auth' } })
    expect((await resolve(call, [NOT_FOUND(), json(PURCHASE), NOT_FOUND()])).resolved.outcome).toBe('not_executed')
  })

  it.each<[string, UnresolvedCall, object | undefined, string, (readonly string[])?, number?]>([
    ['a new one that matches', CAPTURED, capture('c-1'), 'c-1', ['c-0']],
    ['a matching one without known', CAPTURED, capture('c-1'), 'unknown'],
    ['a known one hides others', CAPTURED, capture('c-1'), 'unknown', ['c-1']],
    ['a known one that cannot be read hides others', CAPTURED, { ...capture('c-1'), amount: null }, 'unknown', ['c-1']],
    ['another one hides others', CAPTURED, capture('c-1', 5), 'unknown', ['c-0']],
    ['none at all', CAPTURED, undefined, 'not_executed', ['c-0']],
    ['a whole one, the first', CAPTURE_ALL, capture('c-1', 100.5), 'c-1', []],
    ['a whole one after others', CAPTURE_ALL, capture('c-1', 100.5), 'unknown', ['c-0']],
  ])('a capture: %s', async (_name, call, operation, expected, known, at = LATER) => {
    const replies = [NOT_FOUND(), NOT_FOUND(), json(AUTH), operation ? json(operation) : NOT_FOUND()]
    expect(inShort((await resolve(call, replies, { known, now: () => at })).resolved)).toBe(expected)
  })
})

describe('deadlineMs', () => {
  // Each response takes 200 ms of a clock that stands still otherwise.
  async function lookUpIn(deadlineMs: number | null | undefined) {
    let at = 1000
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => at)
    const late = () => {
      at += 200
      return NOT_FOUND()
    }
    const { fetch, sent } = wire(late, late, late)
    const client = createClient({ ...CONFIG, fetch, maxRetries: 0 })
    const lookUps = [vi.spyOn(client, 'listOrderOperations'), vi.spyOn(client, 'resendWebhook')]
    const resolved = await resolveOutcome(client, CREATION, { now: () => LATER, deadlineMs } as never)
    clock.mockRestore()
    const given = lookUps.flatMap(({ mock }) => mock.calls.map(([, more]) => more?.deadlineMs))
    return { resolved, given, sent: sent.length }
  }

  it.each([
    [5000, [5000, 4800, 4600]],
    [undefined, Array(3).fill(undefined)],
    [null, [null, null, null]],
  ])('of %s is that of the whole look-up: each request has what is left of it', async (deadlineMs, given) => {
    const found = await lookUpIn(deadlineMs)
    expect(found).toEqual({ resolved: { outcome: 'not_executed' }, given, sent: 3 })
  })

  it.each([200, 400])('of %d ms is over before the third request, which is not sent', async (deadlineMs) => {
    const { resolved, sent } = await lookUpIn(deadlineMs)
    expect(resolved).toEqual({ outcome: 'unknown', why: expect.stringMatching(/^The look-up failed\. .*in time.*\.$/) })
    expect(sent).toBe(deadlineMs === 200 ? 1 : 2)
  })
})
