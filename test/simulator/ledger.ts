// An order as the service has it: the truth that engine and till are compared with.

import type { Emulator } from '../../src/emulator/index.ts'
import type { OperationKind } from '../../src/till/protocol.ts'

/** Of each kind of operation, some are declined. */
export const CARDS = ['success', 'success', 'success', 'capture_declined', 'refund_declined', 'void_declined'] as const

/** The captures, refunds and voids of an order, the oldest first. */
export function madeOf(emulator: Emulator, order_id: string, kind?: OperationKind) {
  const operations = emulator.orders.get(order_id)?.operations ?? []
  return operations.filter(({ method }) => kind === undefined || method === kind)
}

/** The captured, refunded and voided amounts of an order, in minor units. */
export function totalsOf(emulator: Emulator, order_id: string): [number, number, number] {
  const sum = (all: readonly { status: string; amount: number }[]) =>
    all.reduce((before, { status, amount }) => before + (status === 'success' ? Math.round(amount * 100) : 0), 0)
  const payments = emulator.orders.get(order_id)?.payments ?? []
  const paid = sum(payments.filter(({ method }) => method === 'purchase'))
  const [captured, refunded, voided] = (['capture', 'refund', 'void'] as const).map((kind) =>
    sum(madeOf(emulator, order_id, kind)),
  ) as [number, number, number]
  return [paid + captured, refunded, voided]
}
