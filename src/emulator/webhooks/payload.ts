import type { Rules } from '../spec/rules.ts'
import type { Operation, Order, Payment } from '../state/state.ts'

type Payload = Record<string, unknown>

export function primaryPayload(rules: Rules, order: Order, payment: Payment): Payload {
  const { primary, receiptMethods } = rules.webhooks
  const known: Payload = { ...customer(order), ...payment }
  if (!receiptMethods.includes(payment.method)) delete known.receipt_url
  const payload: Payload = {}
  for (const name of primary.required) payload[name] = known[name]
  for (const name of primary.optional) {
    // A paid payment always has its fee, which may be null; all other unknown fields are left out.
    const isFinalFee = name === 'fee' && payment.status === 'success'
    if (isFinalFee || (known[name] ?? undefined) !== undefined) payload[name] = known[name]
  }
  if (order.subscription !== undefined) payload.recurring = recurringObject(order)
  return payload
}

export function secondaryPayload({ webhooks }: Rules, operation: Operation): Payload {
  const own = webhooks[operation.method as 'capture' | 'void' | 'auth_increment' | 'refund']
  const known = operation as unknown as Payload
  const payload: Payload = {}
  for (const name of webhooks.secondaryRequired) payload[name] = known[name]
  for (const name of [...webhooks.secondaryOptional, ...own]) {
    if (name === 'fee' || (known[name] ?? undefined) !== undefined) payload[name] = known[name]
  }
  return payload
}

export function recurringObject(order: Order): { id: string; status: string } | undefined {
  return order.subscription && { id: order.subscription.id, status: order.subscription.status }
}

const CUSTOMER = new Set(
  'id ip fname lname patronym email phone country birthday city lang referrer tax_id'
    .split(' ')
    .map((name) => `customer_${name}`),
)

export function customer(order: Order): Payload {
  const entries = Object.entries(order.request)
  return Object.fromEntries(entries.filter(([name, value]) => CUSTOMER.has(name) && typeof value === 'string'))
}
