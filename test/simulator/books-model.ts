// A shop's lists by plain arrays: each message, wish, note and act with its time.

import type { Payload } from '../worker/support/events.ts'

/** A webhook that was taken. */
export interface Heard {
  at: number
  payload: Payload
}

/** A link that was made through the API. */
export interface Link {
  at: number
  id: string
  url: string
  order_id: string
  amount: number
  description: string | null
  customer_name: string | null
  expires: number
  revoked?: true
  erased?: true
}

/** The facts of an order that a list has beside its events. */
export interface Known {
  id: string
  since: number
  email?: string
  description?: string
  name?: string
}

/** An operation that succeeded, in minor units. */
export interface Money {
  at: number
  day: string
  order_id: string
  kind: 'paid' | 'authorized' | 'captured' | 'refunded' | 'voided'
  method: string
  amount: number
  /** The amount that it adds to the takings of the shop. */
  taken: number
  currency: string
  fee: number
}

const KINDS = { purchase: 'paid', auth: 'authorized', capture: 'captured', refund: 'refunded', void: 'voided' } as const
const minor = (amount: unknown): number => Math.round(Number(amount ?? 0) * 100)
/** No attempt has the number one: `x~1` is an order of another program. */
export const baseOf = (order_id: string): string => order_id.replace(/~(?!1$)\d+$/, '')

export class BooksModel {
  readonly heard: Heard[] = []
  readonly orders: Known[] = []
  readonly links: Link[] = []
  /** The acts through the API that were written down. */
  readonly did: { at: number; order_id: string; action: string; text?: string }[] = []
  readonly strays: number[] = []
  /** The entries that a person has looked at, and how much was known of them then. */
  readonly done = new Map<string, number>()
  /** Events whose last call of `onEvent` failed. */
  readonly failing = new Map<string, { order_id: string; failures: number; at: number; received: number }>()
  readonly zone: string
  private readonly date: Intl.DateTimeFormat

  constructor(zone: string) {
    this.zone = zone
    this.date = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short' })
  }

  /** The day of a moment where the shop is. */
  day(at: number): string {
    return this.date.format(at)
  }

  know(order_id: string, at: number): Known {
    const id = baseOf(order_id)
    const known = this.orders.find((one) => one.id === id) ?? { id, since: at }
    if (!this.orders.includes(known)) this.orders.push(known)
    return known
  }

  hear(payload: Payload, at: number): void {
    this.know(payload.order_id, at)
    if (!this.heard.some((one) => one.payload === payload)) this.heard.push({ payload, at })
  }

  /** The attempts at paying an order, in their order. */
  attempts(id: string): string[] {
    const ids = this.heard.map(({ payload }) => payload.order_id).filter((one) => baseOf(one) === id)
    return [...new Set([id, ...ids])].sort((a, b) => a.length - b.length || (a < b ? -1 : 1))
  }

  /** The operations of an attempt: what was heard of each, the oldest first. */
  private operations(attempt: string): Heard[][] {
    const groups = new Map<string, Heard[]>()
    for (const one of this.heard.filter(({ payload }) => payload.order_id === attempt)) {
      const { method, operation_id, payment_id, created_at } = one.payload
      const key = String(operation_id ? [method, operation_id] : [payment_id, created_at])
      groups.set(key, [...(groups.get(key) ?? []), one])
    }
    const time = ({ payload }: Heard) => String(payload.processed_at ?? payload.created_at)
    return [...groups.values()].map((group) => group.sort((a, b) => (time(a) < time(b) ? -1 : 1)))
  }

  /** Events that count as money, the oldest first. Those that the service took back do not. */
  money(): Money[] {
    const rows: Money[] = []
    for (const attempt of new Set(this.heard.map(({ payload }) => payload.order_id))) {
      const own = this.heard.filter(({ payload }) => payload.order_id === attempt)
      const payways = own.filter(({ payload }) => payload.method !== 'refund' && payload.payway)
      for (const group of this.operations(attempt)) {
        const successes = group.filter(({ payload }) => payload.status === 'success')
        const final = group.filter(({ payload }) => /success|failure/.test(payload.status)).at(-1)
        const last = successes.at(-1)?.payload
        if (!last || final?.payload.status !== 'success') continue
        const at = Math.min(...successes.map((one) => one.at))
        const { currency, fee } = last as { currency?: string; fee?: { amount: number; currency: string } }
        const kind: Money['kind'] = KINDS[last.method as keyof typeof KINDS]
        const amount = minor(last.amount)
        const isTaken = kind === 'paid' || kind === 'captured'
        const isBack = kind === 'refunded' || (kind === 'voided' && this.isPurchase(attempt))
        rows.push({
          ...{ kind, amount, taken: isTaken ? amount : isBack ? -amount : 0 },
          ...{ at, day: this.day(at), order_id: attempt, currency: String(currency) },
          method: String(payways.at(-1)?.payload.payway ?? 'unknown'),
          // A hold's fee is not taken: its captures name their own.
          fee: (isTaken || isBack) && fee?.currency === currency ? minor(fee?.amount) : 0,
        })
      }
    }
    return rows.sort((a, b) => a.at - b.at)
  }

  /** An attempt of ours, as the service has it. */
  total(attempt: string, kind: Money['kind']): number {
    const own = this.money().filter((one) => one.order_id === attempt && one.kind === kind)
    return own.reduce((sum, { amount }) => sum + amount, 0)
  }

  /** Whether an attempt is paid at once: its first payment that succeeded is a purchase. A void takes that back. */
  private isPurchase(attempt: string): boolean {
    const own = this.heard.filter(({ payload }) => payload.order_id === attempt && /purchase|auth/.test(payload.method))
    const sorted = own.sort((a, b) => (String(a.payload.created_at) < String(b.payload.created_at) ? -1 : 1))
    return (sorted.find(({ payload }) => payload.status === 'success') ?? sorted[0])?.payload.method === 'purchase'
  }

  /** The amount of an attempt that can be given back, or is reserved by it. */
  holds(attempt: string): number {
    const [paid = 0, authorized = 0, captured = 0, refunded = 0, voided = 0] = (
      ['paid', 'authorized', 'captured', 'refunded', 'voided'] as const
    ).map((kind) => this.total(attempt, kind))
    return paid + Math.max(captured, authorized) - refunded - voided
  }

  /** The attempt that an order is shown by: the one that holds money, else the newest. */
  shown(id: string): string {
    const attempts = this.attempts(id)
    return (attempts.find((attempt) => this.holds(attempt) > 0) ?? attempts.at(-1)) as string
  }

  /** The takings, by day, currency and way of payment. */
  days(from: string, to: string): object[] {
    const rows = this.money().filter(({ day }) => day >= from && day <= to)
    const keys = [...new Set(rows.map((row) => JSON.stringify([row.day, row.currency, row.method])))].sort()
    return keys.map((key) => {
      const own = rows.filter((row) => JSON.stringify([row.day, row.currency, row.method]) === key)
      const sum = (kind?: Money['kind']) =>
        own.filter((row) => row.kind === kind).reduce((all, { amount }) => all + amount, 0)
      const [authorized, paid, captured] = [sum('authorized'), sum('paid'), sum('captured')]
      const [refunded, voided] = [sum('refunded'), sum('voided')]
      const [day, currency, method] = JSON.parse(key)
      const fee = own.reduce((all, row) => all + row.fee, 0)
      const taken = own.reduce((all, row) => all + row.taken, 0)
      return { day, currency, method, authorized, paid, captured, refunded, voided, taken, fee, count: own.length }
    })
  }

  /** The last digits of the card that the shown attempt was paid with. */
  lastFour(id: string): string | undefined {
    const own = this.heard.filter(({ payload }) => payload.order_id === this.shown(id) && payload.method !== 'refund')
    return own.map(({ payload }) => String(payload.cc_mask ?? '').slice(-4)).findLast(Boolean)
  }

  /** The goods of an operation, and their buyer. */
  bought(order_id: string): Record<'description' | 'customer_name' | 'last_four', string | null> {
    const { id, description = null, name: customer_name = null } = this.know(order_id, 0)
    return { description, customer_name, last_four: this.lastFour(id) ?? null }
  }

  stateOf(link: Link, now: number, status: unknown): string {
    const isOpened = this.orders.some(({ id }) => id === link.order_id)
    if (isOpened && status === 'success') return 'paid'
    if (link.revoked) return 'revoked'
    if (now >= link.expires) return 'expired'
    return isOpened ? 'opened' : 'sent'
  }

  /** How much is known of a flag of an order: a refund or a void is no news of any but one. */
  newsOf(attempt: string, flag: string): number {
    const own = this.heard.filter(({ payload }) => payload.order_id === attempt)
    return own.filter(({ payload }) => flag === 'over_refund' || !/refund|void/.test(payload.method)).length
  }

  /** Removes what leads to a person. */
  erase(id: string): void {
    const known = this.know(id, 0)
    delete known.email
    delete known.description
    delete known.name
    for (const { payload } of this.heard) if (baseOf(payload.order_id) === id) delete payload.cc_mask
    for (const link of this.links) if (link.order_id === id) link.erased = true
    for (const entry of this.did) if (entry.order_id === id && entry.action === 'note') delete entry.text
  }
}
