import type { WebhookEvent } from '../../webhooks/index.ts'
import { UsageError } from '../terminal/errors.ts'
import { money } from '../terminal/table.ts'

/** The change that is asked for, and the order as the service shows it; `before` is undefined where it shows nothing. */
export interface Intent {
  verb: string
  order_id: string
  amount: number | undefined
  currency: string | undefined
  before: readonly WebhookEvent[] | undefined
}

type Readable = Extract<WebhookEvent, { amount: number }>

const readable = ({ before = [] }: Intent): Readable[] =>
  before.filter((event): event is Readable => 'amount' in event && 'status' in event)

/** The currency to send: the order's. @throws {UsageError} when another one was given, or when neither is known. */
export function currencyOf(intent: Intent): string {
  const { verb, order_id, currency } = intent
  const own = readable(intent)[0]?.currency
  if (currency !== undefined && own !== undefined && currency !== own) {
    throw new UsageError(`Order ${order_id} is in ${own}, not in ${currency}. Nothing was sent.`)
  }
  const known = currency ?? own
  if (known !== undefined) return known
  const check = `Check the ID with edgetill order ${order_id}; to send the ${verb} all the same, pass --currency.`
  throw new UsageError(`The service does not show an order ${order_id}. Nothing was sent. ${check}`)
}

/** A void and a cancellation are always whole: another amount is a misunderstanding that must not be sent. */
export function checkWhole(intent: Intent): void {
  const { verb, order_id, amount } = intent
  const order = readable(intent)[0]
  if (amount === undefined || order?.amount === amount) return
  const is = order ? `Order ${order_id} is of ${money(order.amount, order.currency)}, and a` : 'A'
  throw new UsageError(`${is} ${verb} is always whole: leave --amount out. Nothing was sent.`)
}

/** A warning where the order already has the same operation: captures and refunds have no idempotency key. */
export function repetition(intent: Intent): string | undefined {
  const { verb, order_id, amount, before } = intent
  if (before === undefined) {
    return 'Warning: the service does not show the operations of this order, so that a repetition cannot be noticed.'
  }
  const isSame = (one: Readable) =>
    one.kind === verb && one.status !== 'failure' && (amount ?? one.amount) === one.amount
  const same = readable(intent).find(isSame)
  if (same === undefined) return undefined
  const state = [same.status, same.created_at].filter(Boolean).join(', ')
  return `Warning: order ${order_id} already has a ${verb} of ${money(same.amount, same.currency)} (${state}). This is another one.`
}
