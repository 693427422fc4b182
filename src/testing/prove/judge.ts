import type { ProveState } from './options.ts'
import type { Payload } from './story.ts'
import { currencyOf, decimals, otherCurrency, type Story } from './story.ts'

/** What an order has to be, in minor units. */
export interface Expected {
  paid: number
  refunded: number
  /** What was authorized and neither captured nor voided may be shipped or not. */
  authorized: boolean
  /** How many payments succeeded: each charge of a subscription may be shipped. */
  payments: number
}

/** How a shop's state differs from the service's; `refused`: a genuine webhook was never accepted. */
export type Difference =
  | 'paid_more'
  | 'paid_less'
  | 'refunded_more'
  | 'refunded_less'
  | 'shipped_more'
  | 'shipped_less'
  | 'refused'

export const minorOf = (value: unknown): number => Math.round(Number(value) * 100)

/** What an event moved: what the payer may change counts as it was changed. */
export const amountOf = ({ amount, processed_amount }: Payload): number => minorOf(processed_amount ?? amount)

/** What the genuine webhooks that were sent say together, in any order. */
export function expectedOf(events: readonly Payload[]): Expected {
  const done = new Map<string, Payload>()
  for (const event of events) {
    if (event.status !== 'success') continue
    const id = String(event.operation_id ?? `${event.payment_id} ${event.transaction_id} ${event.created_at}`)
    done.set(`${event.method} ${id}`, event)
  }
  const of = (...methods: string[]) => [...done.values()].filter(({ method }) => methods.includes(String(method)))
  const sum = (...methods: string[]): number => of(...methods).reduce((total, event) => total + amountOf(event), 0)
  return {
    paid: sum('purchase', 'capture'),
    refunded: sum('refund'),
    authorized: of('auth').length > 0,
    payments: of('purchase').length,
  }
}

/** The first difference that matters; undefined when the shop is right. */
export function compare(story: Story, expected: Expected, seen: ProveState | undefined): Difference | undefined {
  const paid = minorOf(seen?.paid ?? 0)
  const refunded = minorOf(seen?.refunded ?? 0)
  const shipped = seen?.shipped
  if (story.mismatch !== undefined) return compareMismatch(story, expected, seen)
  if (paid !== expected.paid) return paid > expected.paid ? 'paid_more' : 'paid_less'
  if (refunded !== expected.refunded) return refunded > expected.refunded ? 'refunded_more' : 'refunded_less'
  if (shipped === undefined) return undefined
  if (shipped > mostShipped(story, expected)) return 'shipped_more'
  // What is captured in part, or paid back, may have been shipped or not.
  return expected.paid >= story.asked && expected.refunded === 0 && shipped === 0 ? 'shipped_less' : undefined
}

/** What is too much before the last webhook, and stays so whatever follows. What is missing may still come. */
export function compareEarly(story: Story, expected: Expected, seen: ProveState | undefined): Difference | undefined {
  if (seen === undefined || story.mismatch !== undefined) return undefined
  if (minorOf(seen.paid) > expected.paid) return 'paid_more'
  if (minorOf(seen.refunded) > expected.refunded) return 'refunded_more'
  return (seen.shipped ?? 0) > mostShipped(story, expected) ? 'shipped_more' : undefined
}

function mostShipped({ actions, events }: Story, { paid, authorized, payments }: Expected): number {
  if (paid === 0 && !authorized) return 0
  const isRecurring = actions[0]?.do === 'subscribe' || events?.flat().some(({ recurring }) => Boolean(recurring))
  return isRecurring ? Math.max(1, payments) : 1
}

/** A shop may count what came or not. It may not take it for what was asked. */
function compareMismatch(story: Story, expected: Expected, seen: ProveState | undefined): Difference | undefined {
  const { mismatch } = story
  const paid = minorOf(seen?.paid ?? 0)
  const ofCurrency = mismatch === 'currency' || mismatch === 'processed_currency'
  const isCounted = paid === expected.paid && (!ofCurrency || seen?.currency === otherCurrency(story))
  if (paid !== 0 && !isCounted) return 'paid_more'
  // Who pays a cent too much has paid.
  return mismatch !== 'cent_more' && (seen?.shipped ?? 0) > 0 ? 'shipped_more' : undefined
}

/** What happened to money, in a few words that are true of just this story. */
export function verdictOf(
  story: Story,
  difference: Difference,
  { paid, refunded }: Expected,
  seen: ProveState | undefined,
  sent: readonly Payload[],
): string {
  if (difference === 'refused') return 'refused for ever'
  if (story.mismatch?.endsWith('currency')) return 'another currency was taken for the price'
  if (story.mismatch !== undefined) return 'another amount was taken for the price'
  const twice = (more: number, ...methods: string[]): boolean =>
    sent.some(
      (event) => methods.includes(String(event.method)) && event.status === 'success' && amountOf(event) === more,
    )
  const isShipped = seen?.shipped === undefined || seen.shipped > 0
  switch (difference) {
    case 'paid_more':
      if (paid === 0) return isShipped ? 'shipped but not paid' : 'counted as paid but not paid'
      return twice(minorOf(seen?.paid) - paid, 'purchase', 'capture')
        ? 'paid counted twice'
        : 'more was counted as paid than came'
    case 'paid_less':
      return minorOf(seen?.paid ?? 0) === 0 && !(seen?.shipped && seen.shipped > 0)
        ? 'paid but not shipped'
        : 'a payment was lost'
    case 'refunded_more':
      return twice(minorOf(seen?.refunded) - refunded, 'refund')
        ? 'refund counted twice'
        : 'more was refunded than came'
    case 'refunded_less':
      return 'refund lost'
    case 'shipped_more':
      return paid === 0 ? 'shipped but not paid' : 'shipped twice'
    case 'shipped_less':
      return 'paid but not shipped'
  }
}

/** In the units of the wire. What was not asked for counts for nothing. */
export const expectedState = (story: Story, { paid, refunded }: Expected): ProveState => ({
  paid: story.mismatch === undefined ? decimals(paid) : 0,
  refunded: decimals(refunded),
  ...(story.currency !== undefined && { currency: currencyOf(story) }),
})
