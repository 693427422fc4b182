import type { Client } from '../../client/client-methods.ts'
import { fromMinorUnits, toMinorUnits } from '../../helpers/amount.ts'
import { isFinal } from '../../helpers/status.ts'
import { foldOrder } from '../../orders/fold.ts'
import { lookUpOrder, type OrderLookup } from '../../outcome/look-up.ts'
import type { WebhookEvent } from '../../schemas/event.ts'
import { readEvent } from '../../schemas/read-event.ts'
import type { Project } from './project.ts'
import type { MadeOrder } from './state.ts'

/** Ends the orders of a run: cancels unpaid payments, voids, refunds, and ends subscriptions. */
export async function cleanUp(project: Project, save: () => Promise<void>): Promise<void> {
  for (const made of project.state.made) {
    if (made.now !== undefined && !made.open) continue
    const { now, open } = await undo(made, project)
    Object.assign(made, { now, open: open || undefined })
    await save()
  }
}

/** After which an absence counts, as in `resolveOutcome`. */
const SETTLED_MS = 600_000
const NO_LIST = { listOrderOperations: async () => undefined as never }

type Ending = { now: string; open?: boolean }

/** The end of an order that may have cost money: the amount, the problem, and the calls that return it. */
const stuck = ({ order_id, currency }: MadeOrder, amount: number, why: string): Ending => {
  const ways = `edgetill refund ${order_id}, edgetill void ${order_id}, or the portal, returns it`
  return { now: `${amount} ${currency} may be taken or held: ${why}; ${ways}`, open: true }
}

/** The operations of an order: from the list, or one by one from a service without a list. */
async function look({ client, ask }: Project, order_id: string) {
  const lookUp = (lookup: OrderLookup) =>
    ask((options) => lookUpOrder(lookup, { order_id }, ['capture', 'refund', 'void'], options))
  const found = await lookUp(client)
  return found.verdict === 'rejected' || found.verdict === 'other' ? await lookUp({ ...client, ...NO_LIST }) : found
}

async function undo(made: MadeOrder, project: Project): Promise<Ending> {
  const { order_id, what } = made
  const found = await look(project, order_id)
  if (found.verdict === 'accepted') {
    const operations = found.value?.operations ?? []
    if (operations.length === 0) {
      if (made.sent) return await undoUnread(made, project)
      // A paid order may be shown late; an unpaid checkout that is not there costs nothing.
      if (what === 'checkout' || Date.now() - made.at >= SETTLED_MS) return { now: 'never made' }
      return stuck(made, made.amount, 'the service does not show it; run the command again in ten minutes')
    }
    const money = await undoMoney(made, operations.map(readable), project)
    const subscription = await endSubscription(operations, project)
    return money.open ? money : (subscription ?? money)
  }
  // It cannot be looked at. An unpaid payment can be cancelled in any state.
  return await (what === 'checkout' ? cancel(made, project) : undoUnread(made, project))
}

/** An unreadable payment may have taken money until the service reports its failure: each way to return it is tried. */
async function undoUnread(made: MadeOrder, project: Project): Promise<Ending> {
  const { order_id, currency: order_currency } = made
  const { client } = project
  const calls: [name: string, done: string, call: Call][] = [
    ['cancel', 'cancelled', (options) => client.cancelPayment({ order_id }, options)],
    ['refund', 'refunded', (options) => client.refundPayment({ order_id, order_currency }, options)],
    ['void', 'voided', (options) => client.voidPayment({ order_id, order_currency }, options)],
  ]
  const tried: string[] = []
  for (const [name, done, call] of calls) {
    const { verdict, value, says } = await project.ask<unknown>(call)
    const { status } = (value ?? {}) as { status?: string }
    if (verdict === 'accepted' && (done === 'cancelled' || status?.toLowerCase() === 'success')) return { now: done }
    tried.push(`${name} (${verdict === 'accepted' ? 'with an unknown status' : says.split(': ')[0]})`)
  }
  return stuck(made, made.amount, `tried ${tried.join(', ')}`)
}

/** The end of an order with a pending operation: a second refund could return the money twice. */
function waiting(made: MadeOrder, { totals, operations }: ReturnType<typeof foldOrder>): Ending | undefined {
  const waits = operations.find((one) => ['capture', 'refund', 'void'].includes(one.method) && !isFinal(one.status))
  if (waits === undefined) return undefined
  const left = totals.captured_minor - totals.refunded_minor
  const why = `a ${waits.method} of ${waits.amount ?? made.amount} ${made.currency} is pending: nothing else was tried`
  return stuck(made, left > 0 ? fromMinorUnits(left) : made.amount, why)
}

/** The record with its status in lower case: another spelling takes the money all the same. */
const readable = ({ record }: WebhookEvent): WebhookEvent =>
  readEvent({ ...record, ...(typeof record.status === 'string' && { status: record.status.toLowerCase() }) })

async function undoMoney(made: MadeOrder, operations: readonly WebhookEvent[], project: Project): Promise<Ending> {
  const { order_id, currency: order_currency } = made
  const { client } = project
  const order = foldOrder(operations)
  const { status, method, totals } = order
  const waits = waiting(made, order)
  if (waits) return waits
  const input = { order_id, order_currency }
  const shown = totals.captured_minor - totals.refunded_minor
  if (shown > 0) {
    // The service took at most the amount that was sent: a larger record is in minor units.
    const sent = toMinorUnits(made.amount)
    const refund_amount = fromMinorUnits(shown > sent ? Math.min(Math.round(shown / 100), sent) : shown)
    const call: Call = (options) => client.refundPayment({ ...input, refund_amount }, options)
    return await attempt(project, made, 'refunded', call, refund_amount)
  }
  if (totals.refunded_minor > 0) return { now: 'refunded' }
  if (totals.voided_minor > 0) return { now: 'voided' }
  if (status === 'success' && method === 'auth')
    return await attempt(project, made, 'voided', (options) => client.voidPayment(input, options), made.amount)
  if (status === 'failure') return { now: 'cancelled or declined' }
  return await (made.what === 'checkout' ? cancel(made, project) : undoUnread(made, project))
}

const cancel = (made: MadeOrder, project: Project): Promise<Ending> =>
  attempt(project, made, 'cancelled', (options) => project.client.cancelPayment({ order_id: made.order_id }, options))

/** The problem, if the subscription of a paid order could not be ended. */
async function endSubscription(operations: readonly WebhookEvent[], project: Project): Promise<Ending | undefined> {
  const { client, ask } = project
  const recurringOf = ({ record }: WebhookEvent) => (record.recurring ?? {}) as { id?: string; status?: unknown }
  const { id: recurring_id, status } = operations.map(recurringOf).find(({ id }) => typeof id === 'string') ?? {}
  const isPaid = operations.some(({ record }) => record.status === 'success')
  if (!isPaid || recurring_id === undefined || status === 'canceled') return undefined
  const { verdict, says } = await ask((options) => client.cancelRecurring({ recurring_id }, options))
  const way = 'edgetill recurring-cancel with its recurring.id, or the portal, ends it'
  return verdict === 'accepted' ? undefined : { now: `its subscription goes on: ${says}; ${way}`, open: true }
}

type Call = (options: { signal: AbortSignal }) => ReturnType<Client[keyof Client]>

/** Makes a call, and looks again unless its response confirms it. `amount` is at stake. */
async function attempt(project: Project, made: MadeOrder, done: string, call: Call, amount?: number): Promise<Ending> {
  const { verdict, value, says } = await project.ask<unknown>(call)
  const { status } = (value ?? {}) as { status?: string }
  if (verdict === 'accepted' && (status?.toLowerCase() === 'success' || done === 'cancelled')) return { now: done }
  const found = await look(project, made.order_id)
  const order = foldOrder((found.value?.operations ?? []).map(readable))
  const { voided_minor, refunded_minor, captured_minor } = order.totals
  const isReturned = voided_minor > 0 || (refunded_minor > 0 && refunded_minor >= captured_minor)
  if (amount === undefined ? order.status === 'failure' : isReturned) return { now: done }
  const why = `not ${done}: ${verdict === 'accepted' ? 'it was declined or is pending' : says}`
  return waiting(made, order) ?? (amount === undefined ? { now: why, open: true } : stuck(made, amount, why))
}
