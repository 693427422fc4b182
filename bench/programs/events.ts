/** The events that are verified: one shape for each length of `data`, as the service sends them. */
export const EVENT_KINDS = ['0.4 kB', '1.1 kB', '1.1 kB, Cyrillic', '8 kB'] as const
export type EventKind = (typeof EVENT_KINDS)[number]

/** A different event for each `index`: engines cache their results for repeated strings. */
export function eventOf(kind: EventKind, index: number): Record<string, unknown> {
  const serial = String(index).padStart(6, '0')
  const common = {
    payment_id: `3f1c2c1e-6a5c-4b8e-9d53-0a4c1c${serial}`,
    order_id: `mugs-${serial}`,
    pos_id: '0d4f6b7e-5f5e-4c0f-9a51-6f4f3f1c2b11',
    mode: 'hosted',
    amount: 100.5,
    currency: 'UAH',
    status: 'success',
    created_at: '2026-03-01T10:00:00.000',
  }
  if (kind === '0.4 kB') return { method: 'void', operation_id: `9b1deb4d-3b7d-4bad-9bdd-2b0d7b${serial}`, ...common }
  const purchase = {
    method: 'purchase',
    ...common,
    transaction_id: `6ec0bd7f-11c0-43da-975e-2a8ad9${serial}`,
    status_code: '1000',
    status_description: kind === '1.1 kB, Cyrillic' ? 'Оплату успішно проведено' : 'Payment was successful',
    fee: { amount: 2.51, currency: 'UAH' },
    processed_at: '2026-03-01T10:00:05.250',
    gateway_order_id: `4021${serial}`,
    billing_order_id: `billing-${serial}`,
    payway: 'card',
    eci: '05',
    cc_mask: '411111******1111',
    cc_token: `tok-7f8a0c2e5d1b4a6f9e3c-${serial}`,
    cc_token_expiration: '2029-12-31T23:59:59.000',
    customer_id: `customer-${serial}`,
    customer_phone: '+380441234567',
    receipt_url: `https://pay.example.com/receipt/3f1c2c1e-6a5c-4b8e-9d53-0a4c1c${serial}`,
  }
  if (kind !== '8 kB') return purchase
  // The service's limit for a payload is 4,000 characters; the rest are fields that it may add any day.
  const words = 'a line of the order with its article, quantity and price; '
  return { ...purchase, payload: words.repeat(69).slice(0, 4000), added_later: words.repeat(22).slice(0, 1118) }
}
