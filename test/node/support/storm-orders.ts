import { expect } from 'vitest'
import type { OrderView, TestCardName } from '../../../src/emulator/index.ts'
import { holdsMoney } from '../../../src/orders/fold.ts'
import { operationKey } from '../../../src/orders/index.ts'
import type { Order } from '../../../src/shop/lib/shown-order.ts'
import { readEvent } from '../../../src/webhooks/index.ts'
import type { Storm } from './storm.ts'

const SECOND = 1000
const HOUR = 3_600_000
const ROUNDS = 14
const CALLERS = 4
const CARDS: readonly TestCardName[] = [
  ...(['success', 'success', 'success', 'success', 'declined', 'fee_null', 'bank_pay'] as const),
  ...(['capture_declined', 'capture_pending', 'refund_declined', 'void_declined', 'payer_changes_amount'] as const),
]

/** A wish of an API's caller that has to happen once. */
interface Wish {
  kind: 'capture' | 'refund' | 'void'
  fields: Record<string, unknown>
  key: string
  /** Set once the caller knows: the operation's id, or that there will be none. */
  ended?: { operation_id: string } | 'rejected'
}

/** A customer and four callers of the API, who all try again until they know. */
class OrderInStorm {
  readonly order_id: string
  readonly method: 'purchase' | 'auth'
  readonly wishes: Wish[] = []
  private link: string | undefined
  private keys = 0
  /** A person's finding in the portal. */
  private byHand: string | undefined
  private readonly storm: Storm

  constructor(storm: Storm, order_id: string) {
    this.storm = storm
    this.order_id = order_id
    this.method = storm.pick(['purchase', 'auth', 'auth'])
  }

  /** Every payment of the order: the first try, and those after it. */
  attempts(): OrderView[] {
    const { orders } = this.storm.emulator
    return orders.list().filter(({ order_id }) => order_id.replace(/~\d+$/, '') === this.order_id)
  }

  private paid(): OrderView | undefined {
    return this.attempts().find(({ status }) => status === 'success')
  }

  /** The simultaneous events of the order in one round. */
  async act(): Promise<void> {
    const { storm } = this
    const paid = this.paid()
    if (!paid) {
      const tabs = storm.random() < 0.3 ? 2 : 1
      await Promise.all(Array.from({ length: tabs }, () => this.visit()))
      return
    }
    if (this.wishes.filter(({ ended }) => !ended).length < CALLERS && storm.random() < 0.6) this.wish()
    const open = this.wishes.filter(({ ended }) => !ended)
    const visits = storm.random() < 0.2 ? [this.visit()] : []
    await Promise.all([...open.map((wish) => this.call(wish, paid.order_id)), ...visits])
  }

  /** A customer who opens the link, and pays what it leads to. */
  private async visit(): Promise<void> {
    const { storm } = this
    this.link ??= await storm.link({ order_id: this.order_id, method: this.method })
    const location = await storm.get(this.link).then(
      ({ headers }) => headers.get('location') ?? '',
      () => '',
    )
    if (location.includes('/return/')) await storm.get(`${location}&look=9`).catch(() => {})
    else if (location !== '' && storm.random() < 0.8) await storm.pay(location, storm.pick(CARDS))
  }

  private wish(): void {
    const { storm, method } = this
    const amount = storm.pick([undefined, 1, 10, 10, 33.33])
    const kinds = method === 'auth' ? (['capture', 'capture', 'refund', 'void'] as const) : (['refund'] as const)
    const kind = storm.pick<Wish['kind']>(kinds)
    const field = kind === 'capture' ? 'charge_amount' : 'refund_amount'
    const fields = kind === 'void' || amount === undefined ? {} : { [field]: amount }
    this.wishes.push({ kind, fields, key: this.newKey() })
  }

  /** The order's own id, unless it means more than this attempt. */
  private idOf(order_id: string): string {
    return order_id === this.order_id && this.attempts().length > 1 ? `${order_id}~1` : order_id
  }

  private newKey(): string {
    return `${this.order_id}-${++this.keys}`
  }

  /** Sends a wish, sometimes twice at once, and learns from the responses. */
  private async call(wish: Wish, order_id: string): Promise<void> {
    const times = this.storm.random() < 0.2 ? 2 : 1
    const init = { method: 'POST', headers: { 'idempotency-key': wish.key }, body: JSON.stringify(wish.fields) }
    const path = `/orders/${encodeURIComponent(this.idOf(order_id))}/${wish.kind}`
    const responses = await Promise.all(
      Array.from({ length: times }, () => this.storm.api(path, init).catch(() => undefined)),
    )
    const ended = responses.flatMap((response) => (response ? (this.endOf(wish, response) ?? []) : []))
    const [first] = ended
    expect(ended, JSON.stringify(responses)).toEqual(ended.map(() => first))
    if (first === 'again') wish.key = this.newKey()
    else if (first) wish.ended = first
  }

  /** The verdict of a response on a wish; undefined when the caller has to send it again under the same key. */
  private endOf(
    { kind }: Wish,
    { status, body }: { status: number; body: Record<string, unknown> },
  ): Wish['ended'] | 'again' {
    if (status === 200) return { operation_id: String(body.operation_id ?? this.byHand) }
    if (body.code === `${kind}_not_executed`) return 'again'
    if ([502, 503].includes(status) || /_(in_progress|unsettled)$/.test(String(body.code))) return undefined
    // The bank declined it: the service has the operation, without any money.
    const { operation_id, status: end } = Object(body.record) as { operation_id?: string; status?: string }
    if (status === 409) {
      expect([body.code, end], JSON.stringify(body)).toEqual(['declined', 'failure'])
      return { operation_id: String(operation_id) }
    }
    expect([status, body.code], JSON.stringify(body)).toEqual([422, 'api'])
    return 'rejected'
  }

  /** Has the service say again what became of each payment: a webhook may have had a status that nobody knows. */
  async resend(): Promise<void> {
    const body = JSON.stringify({ operation: this.method })
    for (const { order_id } of this.attempts()) {
      await this.storm.api(`/orders/${encodeURIComponent(order_id)}/resend`, { method: 'POST', body })
    }
  }

  /**
   * An outcome that stays in doubt is left to a person, who looks into the portal: an attempt was executed when the service
   * has an operation of its kind that nobody else has made.
   */
  async settleByHand(): Promise<number> {
    const paid = this.paid()
    if (!paid) return 0
    const path = `/orders/${encodeURIComponent(this.idOf(paid.order_id))}`
    const { attempts } = (await this.storm.api(path)).body as unknown as Order
    // One at a time: of two attempts that one operation may be, the second is looked at when the first one's caller knows.
    const [attempt] = attempts
    if (!attempt) return 0
    const known = this.wishes.flatMap(({ ended }) => (typeof ended === 'object' ? ended.operation_id : []))
    const [own] = paid.operations.filter(
      ({ method, operation_id }) => method === attempt.kind && !known.includes(operation_id),
    )
    const body = JSON.stringify({ executed: own !== undefined })
    expect((await this.storm.api(`${path}/attempts/${attempt.id}/settle`, { method: 'POST', body })).status).toBe(200)
    this.byHand = own?.operation_id
    return 1
  }

  /** Until every caller knows. The bank decides what it has left open: until then it stands in the way of others. */
  async finish(): Promise<void> {
    const { emulator, random } = this.storm
    for (const { order_id, operations } of this.attempts()) {
      for (const { operation_id, status } of operations) {
        if (status === 'pending') emulator.control.conclude(order_id, random() < 0.5 ? '1000' : '4153', operation_id)
      }
    }
    const paid = this.paid()
    for (const wish of this.wishes) if (!wish.ended && paid) await this.call(wish, paid.order_id)
  }
}

/** The real operations of an order, in minor units. */
function truthOf({ payments, operations }: OrderView): Omit<Order['totals'], 'fee_minor'> {
  const minor = (amount: number) => Math.round(amount * 100)
  const sum = (method: string) =>
    operations
      .filter((operation) => operation.method === method && operation.status === 'success')
      .reduce((total, { amount }) => total + minor(amount), 0)
  const [payment] = payments
  const paid = payment?.status === 'success' ? minor(payment.processed_amount ?? payment.amount) : 0
  const captured = sum('capture') + (payment?.method === 'purchase' ? paid : 0)
  return { authorized_minor: paid, captured_minor: captured, refunded_minor: sum('refund'), voided_minor: sum('void') }
}

/**
 * Plays a storm with so many orders, and compares them with the service in the end.
 *
 * @returns How many attempts a person had to settle.
 */
export async function play(storm: Storm, count: number, name: string): Promise<number> {
  const orders = Array.from({ length: count }, (_, i) => new OrderInStorm(storm, `order-${i}`))
  for (let round = 0; round < ROUNDS; round++) {
    await storm.round(() => Promise.all(orders.map((order) => order.act())), 200 + storm.random() * 40 * SECOND)
  }
  storm.calm()
  // The last webhook comes a day later; meanwhile every caller asks again until it knows.
  let byHand = 0
  for (let hour = 0; hour < 34; hour++) {
    await storm.round(() => Promise.all(orders.map((order) => order.finish())), HOUR)
    if (hour >= 28)
      byHand += (await Promise.all(orders.map((order) => order.settleByHand()))).reduce((a, b) => a + b, 0)
  }
  const { emulator } = storm
  await storm.round(() => Promise.all(orders.map((order) => order.resend())), HOUR)
  await storm.round(async () => {}, HOUR)
  for (const order of orders) {
    const where = `${order.order_id} of ${name}`
    const attempts = order.attempts()
    const made = attempts.flatMap(({ operations }) => operations.map(({ operation_id }) => operation_id))
    const known = order.wishes.flatMap(({ ended }) => (typeof ended === 'object' ? ended.operation_id : []))
    expect(
      order.wishes.filter(({ ended }) => !ended),
      where,
    ).toEqual([])
    expect(known.toSorted(), where).toEqual(made.toSorted())
    const bodies: Order[] = []
    for (const view of attempts) {
      // By its own id: the order's means the attempt that was paid.
      const own = /~\d+$/.test(view.order_id) ? view.order_id : `${view.order_id}~1`
      const { status, body } = await storm.api(`/orders/${encodeURIComponent(own)}`)
      const { fee_minor: fee, expected_fee_minor: expected, ...totals } = (body as unknown as Order).totals
      // A status that the document does not name follows `init` of the same moment.
      const { events } = body as unknown as Order
      const at = (status: string) =>
        events.flatMap((one) => (one.status === status ? (one.processed_at ?? one.created_at ?? []) : []))
      const isTie = at('init').some((time) => at('emulator_unknown').includes(time))
      const isOpen = view.status === 'init' && isTie && body.status === 'emulator_unknown'
      const shown = isOpen ? 'init' : body.status
      expect([status, shown, totals, body.attempts], where).toEqual([200, view.status, truthOf(view), []])
      bodies.push(body as unknown as Order)
    }
    // A second card, or a second try: both may be paid, and then both say so.
    const paid = bodies.filter(({ totals }) => holdsMoney(totals))
    const flagged = bodies.filter(({ flags }) => flags.includes('paid_twice'))
    expect(flagged, where).toEqual(paid.length > 1 ? paid : [])
  }
  for (const { attempts, event, id } of emulator.deliveries) {
    expect([id, attempts.some((attempt) => attempt.status === 200)]).toEqual([id, true])
    expect([id, storm.wasHandled(operationKey(readEvent(event)))]).toEqual([id, true])
  }
  // It was a storm.
  expect(storm.kills).toBeGreaterThan(0)
  return byHand
}
