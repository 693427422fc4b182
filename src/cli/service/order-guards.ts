import { sha256Base64url } from '../../lib/sha256.ts'
import { foldOrder } from '../../orders/index.ts'
import type { WebhookEvent } from '../../webhooks/index.ts'
import { UsageError } from '../terminal/errors.ts'
import { money } from '../terminal/table.ts'
import { printable } from '../terminal/terminal.ts'

/** The requested change, and the order as the service shows it; `before` is undefined if it shows nothing. */
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

/**
 * The currency to send: the order's. @throws {UsageError} when another currency was given, or when neither is known.
 */
export function currencyOf(intent: Intent): string {
  const { verb, order_id, currency } = intent
  const orderCurrency = readable(intent)[0]?.currency
  if (currency !== undefined && orderCurrency !== undefined && currency !== orderCurrency) {
    throw new UsageError(`Order ${order_id} is in ${orderCurrency}, not in ${currency}. Nothing was sent.`)
  }
  const chosen = currency ?? orderCurrency
  if (chosen !== undefined) return chosen
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

/** The caller's flag for a repetition: `--again`, or `--if-version` with the version that they saw. */
export type Repeated = {
  again?: boolean | undefined
  ifVersion?: string | undefined
  yes?: boolean | undefined
  dryRun?: boolean | undefined
}

/**
 * The money of an order as one text: `edgetill order ID --json` has it as `version`. It changes with every operation.
 */
export function versionOf(order_id: string, events: readonly WebhookEvent[]): string {
  const operations = foldOrder(events).operations.map(({ method, id, status }) => [method, id, status])
  return sha256Base64url(JSON.stringify([order_id, operations])).slice(0, 12)
}

/**
 * The warning for an operation that the order already has: captures and refunds have no idempotency key.
 * @throws {UsageError} if it would be sent unattended, without `--again`, also where the operations cannot be read; and
 *   if the order is not in the version that was seen.
 */
export function repetition(intent: Intent, { again, ifVersion, yes, dryRun }: Repeated = {}): string | undefined {
  const { verb, order_id, amount, before } = intent
  const isUnattended = yes && !dryRun && !again
  if (before === undefined) {
    const blind = 'the service does not show the operations of this order, so a repetition cannot be noticed'
    if (ifVersion === undefined && !isUnattended) return `Warning: ${blind}.`
    const cure = 'Try again later; if you are sure that it was not made before, use --again without --if-version.'
    throw new UsageError(`Nothing was sent: ${blind}. ${cure}`)
  }
  const version = versionOf(order_id, before)
  if (ifVersion !== undefined && ifVersion !== version) {
    throw new UsageError(
      `Order ${order_id} has changed: its version is ${version}, not ${ifVersion}. Nothing was sent. ` +
        `Look at it with edgetill order ${order_id}.`,
    )
  }
  const isSame = (one: Readable) =>
    one.kind === verb && one.status !== 'failure' && (amount ?? one.amount) === one.amount
  const same = readable(intent).find(isSame)
  if (same === undefined) return undefined
  const state = printable([same.status, same.created_at].filter(Boolean).join(', '))
  const has = `order ${order_id} already has a ${verb} of ${money(same.amount, same.currency)} (${state}).`
  if (isUnattended && ifVersion === undefined) {
    const cure = `add --again, or --if-version ${version}, which sends it once`
    throw new UsageError(`Nothing was sent: ${has} If you want another one, ${cure}.`)
  }
  return `Warning: ${has} This is another one.`
}
