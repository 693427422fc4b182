import { expect, it } from 'vitest'
import type { UnresolvedCall } from '../../src/index.ts'
import { json } from '../support/mock-fetch.ts'
import * as records from './support/records.ts'

// The outcome of a call, by the list of its order's operations.

const { AUTH, capture, CAPTURE_ALL, CAPTURED, CREATION, inShort, LATER } = records
const { PURCHASE, refund, REFUNDED, release, SENT_AT, SOON, resolve } = records

const REFUND_ALL: UnresolvedCall = { ...REFUNDED, amount: undefined }
const VOIDED: UnresolvedCall = { ...REFUND_ALL, operation: 'voidPayment' }
const CANCELLED: UnresolvedCall = { order_id: 'A-1', sent_at: SENT_AT, operation: 'cancelPayment' }
const UNSUBSCRIBED: UnresolvedCall = { ...CANCELLED, operation: 'cancelRecurring' }
const SPLIT_REFUND: UnresolvedCall = { ...REFUNDED, operation: 'refundSplitPurchase' }
const NOT_KEPT: UnresolvedCall = { ...CREATION, amount: undefined, currency: undefined }

const PAID = PURCHASE.payment_id
const SECOND = { ...PURCHASE, payment_id: 'second', created_at: '2026-02-01T10:00:00.000' }
const EARLIER = { payment_id: 'first', created_at: '2026-01-01T09:00:00', status: 'failure' }
const FIRST = { ...PURCHASE, ...EARLIER, status_code: '4005' }
const increment = (operation_id: string) => ({ ...refund(operation_id, 10), method: 'auth_increment' })
const payment = (status: string, status_code: string | null = '1000') => ({ ...PURCHASE, status, status_code })
const subscribed = (status: string) => ({ ...PURCHASE, recurring: { id: 'r', status } })
const PENDING = payment('init')
/** A refund from before whose outcome is open. */
const OPEN = { ...refund('r-0', 10), status: 'pending' }

type Row = [
  name: string,
  call: UnresolvedCall,
  operations: unknown[],
  /** The identifier of what was executed, or why it is none. */
  expected: string,
  known?: readonly string[] | undefined,
  at?: number,
]
const UNKNOWN = undefined

it.each<Row>([
  ...['init', 'success', 'failure'].map((status): Row => [status, CREATION, [payment(status)], PAID, UNKNOWN, SOON]),
  ['of another amount', CREATION, [{ ...PURCHASE, amount: 7 }], 'unknown', UNKNOWN],
  ['absent, too early', CREATION, [], 'unknown', UNKNOWN, SOON],
  ['absent', CREATION, [], 'not_executed', UNKNOWN],
  ['from before', CREATION, [PURCHASE], 'not_executed', [PAID]],
  ['that cannot be read', CREATION, [{ ...PURCHASE, status: 5 }], 'unknown', UNKNOWN],
  ['of a subscription: the first charge', CREATION, [SECOND, PURCHASE], PAID, UNKNOWN],
  ['with operation_id', CREATION, [{ ...PURCHASE, operation_id: 'x' }], 'x', UNKNOWN],
  ['neither amount nor currency kept', NOT_KEPT, [PURCHASE], PAID, UNKNOWN],
])('a payment, %s', judge)

it.each<Row>([
  ['done', CANCELLED, [payment('failure', '6007')], PAID, UNKNOWN, SOON],
  ['paid: it cannot be cancelled any more', CANCELLED, [PURCHASE], 'not_executed', UNKNOWN, SOON],
  ['declined', CANCELLED, [payment('failure', '4153')], 'not_executed', UNKNOWN, SOON],
  ['of an empty status', CANCELLED, [payment('', null)], 'unknown'],
  ['failed, without a code', CANCELLED, [payment('failure', null)], 'unknown'],
  ['still unpaid', CANCELLED, [PENDING], 'not_executed'],
  ['the payment that is not final counts', CANCELLED, [FIRST, PENDING], 'unknown', UNKNOWN, SOON],
  ['of a subscription', UNSUBSCRIBED, [subscribed('canceled')], PAID, UNKNOWN, SOON],
  ['of a subscription, active', UNSUBSCRIBED, [subscribed('active')], 'not_executed'],
  ['of a subscription that is not shown', UNSUBSCRIBED, [PURCHASE], 'unknown'],
])('a cancellation, %s', judge)

it.each<Row>([
  ['one new one that matches', CAPTURED, [AUTH, capture('c-1')], 'c-1'],
  ['beside known ones', REFUNDED, [PURCHASE, refund('r-0'), refund('r-1')], 'r-1', ['r-0']],
  ['declined: the service has it', REFUNDED, [PURCHASE, { ...refund('r-1'), status: 'failure' }], 'r-1'],
  ['two new ones', REFUNDED, [PURCHASE, refund('r-1'), refund('r-2')], 'unknown'],
  ['a match without known', REFUNDED, [PURCHASE, refund('r-1')], 'unknown', UNKNOWN],
  ['its actual amount', CAPTURED, [AUTH, capture('c-1', 80)], 'unknown'],
  ['a payment with operation_id', REFUNDED, [{ ...PURCHASE, operation_id: null }, refund('r-1')], 'r-1'],
  ['beside a payment of an unknown method', REFUNDED, [PURCHASE, { ...PURCHASE, method: 'x' }, refund('r-1')], 'r-1'],
  ['another amount', REFUNDED, [PURCHASE, refund('r-1', 5)], 'unknown'],
  ['another currency', REFUNDED, [PURCHASE, { ...refund('r-1'), currency: 'USD' }], 'unknown'],
  ['a currency that was not kept', { ...CAPTURED, currency: undefined }, [AUTH, capture('c-1')], 'c-1', [PAID]],
  ['another method', REFUNDED, [AUTH, capture('c-1', 20.5)], 'not_executed'],
  ['known ones alone', REFUNDED, [PURCHASE, refund('r-0')], 'not_executed', ['r-0']],
  ['none, too early', REFUNDED, [PURCHASE], 'unknown', [], SOON],
  ['no payment', REFUNDED, [], 'unknown'],
  ['a void', VOIDED, [AUTH, release('v-1')], 'v-1'],
  ['two voids', VOIDED, [AUTH, release('v-1'), release('v-2')], 'unknown'],
  ['no void', VOIDED, [AUTH], 'not_executed', UNKNOWN],
  // How a split purchase's operation is listed is not shown: another amount does not exclude it.
  ['of a split purchase', SPLIT_REFUND, [PURCHASE, refund('r-1')], 'r-1'],
  ['of a split purchase, its parts', SPLIT_REFUND, [PURCHASE, refund('r-1', 10), refund('r-2', 10.5)], 'unknown'],
])('a capture, void or refund: %s', judge)

const BOTH = [increment('i-1'), capture('c-0')]
it.each<Row>([
  ['the rest of an auth', CAPTURE_ALL, [AUTH, ...BOTH, capture('c-1', 30.25)], 'c-1', ['i-1', 'c-0']],
  ['of what the payer paid', REFUND_ALL, [{ ...PURCHASE, processed_amount: 90.45 }, refund('r-1', 90.45)], 'r-1'],
  ['of what was captured', REFUND_ALL, [AUTH, capture('c-0'), refund('r-1', 80.25)], 'r-1', ['c-0']],
  ['the rest of a purchase', REFUND_ALL, [PURCHASE, refund('r-0', 10), refund('r-1', 90.5)], 'r-1', [PAID, 'r-0']],
  ['the rest of a capture', REFUND_ALL, [AUTH, capture('c', 9), refund('r', 2), refund('r-1', 7)], 'r-1', ['c', 'r']],
  ['after one that failed', REFUND_ALL, [PURCHASE, { ...OPEN, status: 'failure' }, refund('r', 100.5)], 'r', ['r-0']],
  ['of an auth that failed', CAPTURE_ALL, [{ ...AUTH, status: 'failure' }, capture('c', 100.5)], 'unknown'],
  ['of another amount than computed', REFUND_ALL, [PURCHASE, refund('r-1', 20.5)], 'unknown'],
  ['beside another new operation', REFUND_ALL, [PURCHASE, refund('r', 100.5), capture('c')], 'unknown', [PAID]],
  ['after one that is not final', REFUND_ALL, [PURCHASE, OPEN, refund('r-1', 80)], 'unknown', ['r-0']],
  ['beside one that is not final', REFUND_ALL, [PURCHASE, refund('r', 100.5), OPEN], 'unknown', ['r-0']],
  ['after one that is not listed', REFUND_ALL, [PURCHASE, refund('r-1', 100.5)], 'unknown', ['r-0']],
  ['of several charges', REFUND_ALL, [PURCHASE, { ...PURCHASE, payment_id: 'p-2' }, refund('r-1', 100.5)], 'unknown'],
  ['without known', REFUND_ALL, [PURCHASE, refund('r-1', 100.5)], 'unknown', UNKNOWN],
  ['a capture of a purchase', CAPTURE_ALL, [PURCHASE, capture('c', 100.5)], 'unknown', [PAID]],
  ['of another processed amount', CAPTURE_ALL, [{ ...AUTH, processed_amount: 90 }, capture('c', 100.5)], 'unknown'],
  ['after a void', CAPTURE_ALL, [AUTH, release('v'), capture('c', 100.5)], 'unknown', ['v']],
])('without an amount: %s', judge)

it.each<[string, object | null, string]>([
  ['null', null, 'unknown'],
  ...[undefined, null, '', 7, {}].map((method): [string, object, string] => [
    `whose method is ${JSON.stringify(method)}`,
    { ...refund('r-1'), method },
    'unknown',
  ]),
  ['of an unknown method', { ...refund('r-1'), method: 'loyalty' }, 'unknown'],
  ['of another method', { ...capture('c-1'), status: undefined }, 'not_executed'],
  ['from before the call', { ...refund('r-0'), status: undefined }, 'not_executed'],
])('an element that cannot be read may be it: %s', async (name, element, expected) => {
  await judge(name, REFUNDED, [PURCHASE, element], expected, ['r-0'])
  const beside = expected === 'unknown' ? 'unknown' : 'r-2'
  await judge(name, REFUNDED, [PURCHASE, element, refund('r-2')], beside, ['r-0'])
})

it('an absence is concluded from rows that were understood alone, whatever is wrong with one of them', async () => {
  for (const call of [CREATION, CANCELLED, UNSUBSCRIBED, REFUNDED, VOIDED, CAPTURED]) {
    // Each of these orders has nothing of what was asked for.
    const payment = call === CANCELLED ? PENDING : subscribed('active')
    const rows = call === CREATION ? [] : [payment]
    await judge('', call, rows, 'not_executed')
    for (const odd of [null, 'x', {}, { ...PURCHASE, amount: null, method: null }, { ...refund('r'), method: ' void' }])
      await judge('', call, [...rows, odd], 'unknown')
  }
})

/** A sentence stands beside what is unknown. Known is nothing unless given. */
async function judge(...[, call, operations, expected, ...rest]: Row): Promise<void> {
  const [known = rest.length > 0 ? undefined : [], at = LATER] = rest
  const { resolved } = await resolve(call, [json(operations)], { known, now: () => at })
  expect(inShort(resolved)).toBe(expected)
  if (resolved.outcome === 'unknown') expect(resolved.why).toMatch(/\w{3}.*[.]$/)
}
