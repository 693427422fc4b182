import { type Context, homeOf, note } from '../context.ts'
import { describeCode, statusOfCode } from '../spec/status-codes.ts'
import { book, toMinor } from '../state/accounts.ts'
import { findCard } from '../state/cards.ts'
import type { Operation, Order, Payment, SplitPart } from '../state/state.ts'
import { timestamp } from '../state/time.ts'
import { secondaryPayload } from '../webhooks/payload.ts'
import { destination, earn, feesOf, limitInfo } from './transitions.ts'

export type SecondaryMethod = 'capture' | 'void' | 'refund' | 'auth_increment'

export interface OperationInput {
  method: SecondaryMethod
  amount: number
  payment?: Payment
  comment?: string | null
  /** The address that receives its webhooks; null: the emulator's `webhookUrl`. */
  server_url: string | null
  split?: SplitPart[]
  status_code?: string | undefined
}

/** Adds a secondary operation to an order, books it and sends its webhook. The caller checks its conditions. */
export function addOperation(context: Context, order: Order, input: OperationInput): Operation {
  const payment = input.payment ?? order.payments[0]
  const now = timestamp(context.scheduler.now())
  const { codes, statuses } = context.rules
  const usual = { capture: codes.success, void: codes.voided, refund: codes.refunded, auth_increment: codes.reserved }
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
    status: statuses.processing,
    status_code: null,
    status_description: null,
    fee: null,
    limit_info: null,
    created_at: now,
    processed_at: now,
    comment: input.comment ?? null,
    receipt_url: null,
    server_url: input.server_url,
    split: input.split ?? null,
  }
  if (input.method === 'refund') {
    operation.receipt_url = `${context.options.origin}${homeOf(context)}/receipts/${operation.operation_id}`
  }
  order.operations.push(operation)
  const card = findCard(order.card ?? '')
  const ofCard = card.operations?.[input.method]
  if (input.status_code === undefined && card.laterLimit !== undefined && ofCard !== undefined) {
    operation.limit_info = limitInfo(context, card.laterLimit)
  }
  concludeOperation(context, order, operation, input.status_code ?? ofCard ?? usual[input.method])
  return operation
}

/** Gives an operation that is not final a status code, books it when it succeeds, and sends its webhook. */
export function concludeOperation(context: Context, order: Order, operation: Operation, code: string): void {
  const { accounts } = context.state
  const { statuses } = context.rules
  operation.status = { success: statuses.paid, failure: statuses.declined, pending: statuses.processing }[
    statusOfCode(code)
  ]
  operation.status_code = code
  operation.status_description = describeCode(code)
  operation.processed_at = timestamp(context.scheduler.now())
  if (statusOfCode(code) === 'success') {
    if (operation.method === 'refund') book(accounts, context.ids, operation.currency, -toMinor(operation.amount))
    if (operation.method === 'capture') {
      if (order.payments[0].fee !== null) operation.fee = feesOf(operation.amount, operation.currency).fee
      earn(context, operation.currency, operation.amount, operation.fee)
    }
  }
  const { method, amount, currency, status } = operation
  note(context, order, `${method} of ${amount.toFixed(2)} ${currency}: ${status} (${code})`)
  context.deliveries.send(
    order.order_id,
    operationDestination(context, operation),
    secondaryPayload(context.rules, operation),
  )
}

export function operationDestination(context: Context, { server_url }: Operation): string | null {
  return context.rules.destinations.operation(server_url, context.options.webhookUrl ?? null)
}

/**
 * The webhook address of an operation beyond the API document: the call's, else the payment's. A capture is different:
 * "(for capture, its `server_url` …)", so the payment's own is not its destination.
 */
export function addressOf(
  context: Context,
  order: Order,
  serverUrl: unknown,
  payment: Payment = order.payments[0],
): string | null {
  const called = typeof serverUrl === 'string' ? serverUrl : null
  return context.rules.destinations.beyond(called, destination(context, order, payment))
}

/** The successful operations of a kind, in minor units; with `pending` the pending operations count as well. */
export function sumOf(order: Order, method: SecondaryMethod, pending = false): number {
  return order.operations
    .filter((operation) => operation.method === method && counts(operation, pending))
    .reduce((sum, { amount }) => sum + toMinor(amount), 0)
}

export function counts({ status }: Operation, pending: boolean): boolean {
  return status === 'success' || (pending && status === 'pending')
}

/** The amount of an auth with its increments, in minor units: the payer's amount, if the payer may choose. */
export function authorizedAmount(order: Order): number {
  const { processed_amount, amount } = order.payments[0]
  return toMinor(processed_amount ?? amount) + sumOf(order, 'auth_increment')
}
