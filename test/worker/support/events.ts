/** Webhook payloads as the API document has them. */
let serial = 0
const uuid = (): string => `00000000-0000-4000-8000-${String(++serial).padStart(12, '0')}`

export const at = (seconds: number, fraction = '.000'): string =>
  `${new Date(Date.UTC(2026, 2, 1, 10, 0, seconds)).toISOString().slice(0, 19)}${fraction}`

export interface Payload extends Record<string, unknown> {
  order_id: string
  method: string
  status: string
}

/** A payment's webhook; the ids are new ones unless they are given. */
export function payment(order_id: string, fields: Record<string, unknown> = {}): Payload {
  return {
    ...{ payment_id: uuid(), transaction_id: uuid(), order_id, pos_id: 'ed9e7111-0000-4000-8000-000000000001' },
    ...{ mode: 'hosted', method: 'purchase', amount: 100.5, currency: 'UAH', status: 'success', status_code: '1000' },
    ...{ created_at: at(0), processed_at: at(5), ...fields },
  }
}

/** A capture's, void's, increment's or refund's webhook. */
export function secondary(order_id: string, method: string, fields: Record<string, unknown> = {}): Payload {
  const own = { mode: 'direct', method, operation_id: uuid(), created_at: at(60), processed_at: at(61) }
  return payment(order_id, { ...own, ...fields })
}
