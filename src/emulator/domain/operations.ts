import { type Context, note } from '../context.ts'
import { describeCode } from '../spec/status-codes.ts'
import { book, toMinor } from '../state/accounts.ts'
import { findCard } from '../state/cards.ts'
import type { Operation, Order } from '../state/state.ts'
import { timestamp } from '../state/time.ts'
import { secondaryPayload } from '../webhooks/payload.ts'
import { earn, feesOf, limitInfo } from './transitions.ts'

export type SecondaryMethod = 'capture' | 'void' | 'refund' | 'auth_increment'

export interface OperationInput {
  method: SecondaryMethod
  /** In units of the order's currency. */
  amount: number
  comment?: string | null
  server_url?: string | null
}

/**
 * Adds a secondary operation to an order, books it and sends its webhook. Its conditions are the caller's to check; it fails
 * only for a test card whose captures and increments are declined.
 */
export function addOperation(context: Context, order: Order, input: OperationInput): Operation {
  const payment = order.payments[0]
  const now = timestamp(context.scheduler.now())
  const { codes, statuses } = context.rules
  const grows = input.method === 'capture' || input.method === 'auth_increment'
  const limit = grows ? findCard(order.card ?? '').laterLimit : undefined
  const costs = input.method === 'capture' && payment.fee !== null && limit === undefined
  const usual = { capture: codes.success, void: codes.voided, refund: codes.refunded, auth_increment: codes.reserved }[
    input.method
  ]
  const code = limit === undefined ? usual : '4010'
  const operation: Operation = {
    operation_id: context.ids.uuid(),
    payment_id: payment.payment_id,
    order_id: order.order_id,
    transaction_id: context.ids.uuid(),
    pos_id: payment.pos_id,
    mode: statuses.operationMode,
    method: input.method,
    amount: input.amount,
    currency: payment.currency,
    status: limit === undefined ? statuses.paid : statuses.declined,
    status_code: code,
    status_description: describeCode(code),
    fee: costs ? feesOf(input.amount, payment.currency).fee : null,
    limit_info: limit === undefined ? null : limitInfo(context, limit),
    created_at: now,
    processed_at: now,
    comment: input.comment ?? null,
    receipt_url: null,
    server_url: input.server_url ?? null,
  }
  if (input.method === 'refund') {
    operation.receipt_url = `${context.options.origin}/_emulator/receipts/${operation.operation_id}`
    book(context.state.accounts, context.ids, payment.currency, -toMinor(input.amount))
  }
  if (input.method === 'capture' && limit === undefined) earn(context, payment.currency, input.amount, operation.fee)
  order.operations.push(operation)
  note(context, order, `${input.method} of ${input.amount} ${payment.currency}: ${operation.status} (${code})`)
  context.deliveries.send(
    order.order_id,
    operationDestination(context, operation),
    secondaryPayload(context.rules, operation),
  )
  return operation
}

/** "(for capture, its `server_url` …)": the primary's own is not a capture's destination. */
export function operationDestination(context: Context, { server_url }: Operation): string | null {
  return context.rules.destinations.operation(server_url, context.options.webhookUrl ?? null)
}

/** The successful operations of one kind, in minor units. */
export function sumOf(order: Order, method: SecondaryMethod): number {
  const successful = order.operations.filter(
    (operation) => operation.method === method && operation.status === 'success',
  )
  return successful.reduce((sum, { amount }) => sum + toMinor(amount), 0)
}

/** The amount of an auth with its increments, in minor units. */
export function authorizedAmount(order: Order): number {
  return toMinor(order.payments[0].amount) + sumOf(order, 'auth_increment')
}
