import { note, type World } from '../context.ts'
import { describeCode } from '../spec/status-codes.ts'
import { book, toMinorUnits } from '../state/accounts.ts'
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
export function addOperation(world: World, order: Order, input: OperationInput): Operation {
  const payment = order.payments[0]
  const now = timestamp(world.agenda.now())
  const { codes, statuses } = world.rules
  const grows = input.method === 'capture' || input.method === 'auth_increment'
  const limit = grows ? findCard(order.card ?? '').laterLimit : undefined
  const costs = input.method === 'capture' && payment.fee !== null && limit === undefined
  const usual = { capture: codes.success, void: codes.voided, refund: codes.refunded, auth_increment: codes.reserved }[
    input.method
  ]
  const code = limit === undefined ? usual : '4010'
  const operation: Operation = {
    operation_id: world.ids.uuid(),
    payment_id: payment.payment_id,
    order_id: order.order_id,
    transaction_id: world.ids.uuid(),
    pos_id: payment.pos_id,
    mode: statuses.operationMode,
    method: input.method,
    amount: input.amount,
    currency: payment.currency,
    status: limit === undefined ? statuses.paid : statuses.declined,
    status_code: code,
    status_description: describeCode(code),
    fee: costs ? feesOf(input.amount, payment.currency).fee : null,
    limit_info: limit === undefined ? null : limitInfo(world, limit),
    created_at: now,
    processed_at: now,
    comment: input.comment ?? null,
    receipt_url: null,
    server_url: input.server_url ?? null,
  }
  if (input.method === 'refund') {
    operation.receipt_url = `${world.options.origin}/_emulator/receipts/${operation.operation_id}`
    book(world.state.accounts, world.ids, payment.currency, -toMinorUnits(input.amount))
  }
  if (input.method === 'capture' && limit === undefined) earn(world, payment.currency, input.amount, operation.fee)
  order.operations.push(operation)
  note(world, order, `${input.method} of ${input.amount} ${payment.currency}: ${operation.status} (${code})`)
  world.deliveries.send(order.order_id, operationDestination(world, operation), secondaryPayload(world, operation))
  return operation
}

/** "(for capture, its `server_url` …)": the primary's own is not a capture's destination. */
export function operationDestination(world: World, { server_url }: Operation): string | null {
  return world.rules.destinations.operation(server_url, world.options.webhookUrl ?? null)
}

/** The successful operations of one kind, in minor units. */
export function sumOf(order: Order, method: SecondaryMethod): number {
  const successful = order.operations.filter(
    (operation) => operation.method === method && operation.status === 'success',
  )
  return successful.reduce((sum, { amount }) => sum + toMinorUnits(amount), 0)
}

/** The reserve of an auth with its increments, in minor units. */
export function reserveOf(order: Order): number {
  return toMinorUnits(order.payments[0].amount) + sumOf(order, 'auth_increment')
}
