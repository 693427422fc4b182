import type { ProveState } from '../tested-shop.ts'
import type { Payload } from './bodies.ts'
import { decimals, otherCurrency, type Story } from './story.ts'

/** The right state of an order, in minor units, whether something was authorized, and how many payments succeeded. */
export type Expected = { paid: number; refunded: number; authorized: boolean; payments: number }

/** A story, its right state, and the shop's state. */
type Seen = { story: Story; expected: Expected; seen: ProveState | undefined }
/** With the genuine webhooks that were sent, and the difference. */
export type Judged = Seen & { sent: Payload[]; difference?: Difference | undefined }

/** How a shop's state differs from the service's; `refused`: a genuine webhook was never accepted. */
export type Difference = `${'paid' | 'refunded' | 'shipped'}_${'more' | 'less'}` | 'refused'
export const minorOf = (value: unknown): number => Math.round(Number(value ?? 0) * 100)

/** The amount that an event moved, as the payer may have changed it. */
export const amountOf = ({ amount, processed_amount }: Payload): number => minorOf(processed_amount ?? amount)
const operationOf = ({ method, operation_id, payment_id, transaction_id, created_at }: Payload): string =>
  `${method} ${operation_id ?? `${payment_id} ${transaction_id} ${created_at}`}`

/** The state by all genuine webhooks that were sent, in any order. */
export function expectedOf(events: readonly Payload[]): Expected {
  const done = new Map(events.filter(({ status }) => status === 'success').map((one) => [operationOf(one), one]))
  const ofKind = (...methods: string[]) => [...done.values()].filter(({ method }) => methods.includes(String(method)))
  const sum = (...methods: string[]): number => ofKind(...methods).reduce((total, event) => total + amountOf(event), 0)
  const [authorized, payments] = [ofKind('auth').length > 0, ofKind('purchase').length]
  return { paid: sum('purchase', 'capture'), refunded: sum('refund'), authorized, payments }
}

/** The first difference that matters. Before the last webhook a missing amount may still come. */
export function compare({ story, expected, seen }: Seen, isEarly = false): Difference | undefined {
  const { asked, mismatch, actions, stranger } = story
  const [paid, refunded, shipped] = [minorOf(seen?.paid), minorOf(seen?.refunded), seen?.shipped]
  // A shop may or may not store a payment that it did not request. It has nothing to ship.
  if (stranger) return (shipped ?? 0) > 0 ? 'shipped_more' : undefined
  if (mismatch !== undefined) {
    if (isEarly) return undefined
    // A shop may or may not count another amount, but must not take it for the price. A cent too much counts as paid.
    const isKnown = !mismatch.endsWith('currency') || seen?.currency === otherCurrency(story)
    if (paid !== 0 && !(paid === expected.paid && isKnown)) return 'paid_more'
    return mismatch !== 'cent_more' && (shipped ?? 0) > 0 ? 'shipped_more' : undefined
  }
  // The shop may ship an authorized order, and each charge of a subscription, or not.
  const isRecurring = actions[0]?.do === 'subscribe'
  const most = expected.paid === 0 && !expected.authorized ? 0 : isRecurring ? Math.max(1, expected.payments) : 1
  // A shop may withhold an order that was captured beyond its price, until a person has looked at it.
  const isWithheld = expected.paid > asked && !isRecurring && paid === 0 && !shipped
  const differences: [boolean, Difference][] = [
    [paid > expected.paid, 'paid_more'],
    [paid < expected.paid && !isWithheld, 'paid_less'],
    [refunded > expected.refunded, 'refunded_more'],
    [refunded < expected.refunded, 'refunded_less'],
    [(shipped ?? 0) > most, 'shipped_more'],
    // An order that is captured in part or beyond its price, or refunded, may have been shipped or not.
    [expected.paid === asked && expected.refunded === 0 && shipped === 0, 'shipped_less'],
  ]
  return differences.find(([is, name]) => is && !(isEarly && name.endsWith('_less')))?.[1]
}

/** The fate of the money in this story, in a few words. */
export function verdictOf({ story, difference = 'refused', expected, seen, sent }: Judged): string {
  const { mismatch, stranger } = story
  if (stranger) return 'shipped but never ordered'
  const other = mismatch?.endsWith('currency') ? 'currency' : 'amount'
  if (mismatch && difference !== 'refused') return `another ${other} was taken for the price`
  const isCopy = (more: number, ...methods: string[]): boolean =>
    sent.some((one) => methods.includes(String(one.method)) && one.status === 'success' && amountOf(one) === more)
  const [paid, refunded, isUnpaid] = [minorOf(seen?.paid), minorOf(seen?.refunded), expected.paid === 0]
  const isTwice = isCopy(paid - expected.paid, 'purchase', 'capture')
  const isAgain = isCopy(refunded - expected.refunded, 'refund')
  const verdicts: Readonly<Record<Difference, string>> = {
    paid_more: isTwice ? 'paid counted twice' : 'more was counted as paid than came',
    paid_less: paid === 0 && !seen?.shipped ? 'paid but not shipped' : 'a payment was lost',
    refunded_more: isAgain ? 'refund counted twice' : 'more was refunded than came',
    refunded_less: 'refund lost',
    shipped_more: 'shipped twice',
    shipped_less: 'paid but not shipped',
    refused: 'rejected permanently',
  }
  if (!isUnpaid || !/^(paid|shipped)_more$/.test(difference)) return verdicts[difference]
  return seen?.shipped === 0 ? 'counted as paid but not paid' : 'shipped but not paid'
}

/** In the units of the wire. A payment of another amount counts as nothing. */
export const expectedState = ({ mismatch, currency }: Story, { paid, refunded }: Expected): ProveState => {
  return { paid: mismatch ? 0 : decimals(paid), refunded: decimals(refunded), ...(currency && { currency }) }
}
