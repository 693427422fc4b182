import type { ProveState } from './options.ts'
import type { Payload } from './service.ts'
import { decimals, type Story } from './story.ts'

/** What an order has to be, in minor units. */
export interface Expected {
  paid: number
  refunded: number
  /** What was authorized and neither captured nor voided may be shipped or not. */
  authorized: boolean
}

/** How a shop's state differs from the service's. */
export type Difference = 'paid_more' | 'paid_less' | 'refunded_more' | 'refunded_less' | 'shipped_more' | 'shipped_less'

const minorOf = (value: unknown): number => Math.round(Number(value) * 100)

/** What the genuine webhooks that were sent say together, in any order. */
export function expectedOf(events: readonly Payload[]): Expected {
  const done = new Map<string, Payload>()
  let authorized = false
  for (const event of events) {
    if (event.status !== 'success') continue
    if (event.method === 'auth') authorized = true
    const id = String(event.operation_id ?? `${event.payment_id} ${event.transaction_id} ${event.created_at}`)
    done.set(`${event.method} ${id}`, event)
  }
  const sum = (...methods: string[]): number =>
    [...done.values()]
      .filter(({ method }) => methods.includes(String(method)))
      .reduce((total, { amount }) => total + minorOf(amount), 0)
  return { paid: sum('purchase', 'capture'), refunded: sum('refund'), authorized }
}

/** The first difference that matters; undefined when the shop is right. */
export function compare(story: Story, expected: Expected, seen: ProveState | undefined): Difference | undefined {
  const paid = minorOf(seen?.paid ?? 0)
  const refunded = minorOf(seen?.refunded ?? 0)
  const shipped = seen?.shipped
  if (story.mismatch !== undefined) {
    // A shop may count what came or not. It may not take it for what was asked.
    const counted = story.mismatch === 'currency' && seen?.currency === undefined ? 0 : expected.paid
    if (paid !== 0 && paid !== counted) return 'paid_more'
    if (paid !== 0 && story.mismatch === 'currency' && !isCurrencyOf(story, seen)) return 'paid_more'
    return shipped !== undefined && shipped > 0 ? 'shipped_more' : undefined
  }
  if (paid !== expected.paid) return paid > expected.paid ? 'paid_more' : 'paid_less'
  if (refunded !== expected.refunded) return refunded > expected.refunded ? 'refunded_more' : 'refunded_less'
  if (shipped === undefined) return undefined
  const charges = Math.max(1, Math.round(expected.paid / story.asked))
  const isRecurring = story.actions[0]?.do === 'subscribe'
  const most = expected.paid === 0 && !expected.authorized ? 0 : isRecurring ? charges : 1
  if (shipped > most) return 'shipped_more'
  // What is captured in part, or paid back, may have been shipped or not.
  return expected.paid >= story.asked && expected.refunded === 0 && shipped === 0 ? 'shipped_less' : undefined
}

const isCurrencyOf = (story: Story, seen: ProveState | undefined): boolean =>
  story.mismatch !== 'currency' || seen?.currency === 'USD'

/** What happened to money, in a few words. */
export function verdictOf(
  story: Story,
  difference: Difference,
  expected: Expected,
  seen: ProveState | undefined,
): string {
  if (story.mismatch === 'amount') return 'another amount was taken for the price'
  if (story.mismatch === 'currency') return 'another currency was taken for the price'
  switch (difference) {
    case 'paid_more':
      return expected.paid === 0 ? 'shipped but not paid' : 'paid counted twice'
    case 'paid_less':
      return minorOf(seen?.paid ?? 0) === 0 ? 'paid but not shipped' : 'a payment was lost'
    case 'refunded_more':
      return 'refund counted twice'
    case 'refunded_less':
      return 'refund lost'
    case 'shipped_more':
      return expected.paid === 0 ? 'shipped but not paid' : 'shipped twice'
    case 'shipped_less':
      return 'paid but not shipped'
  }
}

/** In the units of the wire. What was not asked for counts for nothing. */
export const expectedState = ({ mismatch }: Story, { paid, refunded }: Expected): ProveState => ({
  paid: mismatch === undefined ? decimals(paid) : 0,
  refunded: decimals(refunded),
})
