import type { RaisedAlert } from '../options.ts'

const FLAGS: Readonly<Record<string, string>> = {
  amount_mismatch: 'another amount was paid than was asked for',
  currency_mismatch: 'another currency was paid than was asked for',
  over_capture: 'more was charged than was reserved',
  unknown_order: 'the service reports a payment that no link of this shop opened',
  unexpected_shape: 'the service reported it in an unexpected form',
  foreign_pos: 'it was paid to another POS',
  status_conflict: 'the service reported it both as successful and as failed',
  over_refund: 'more was refunded than was paid',
  paid_twice: 'it was paid twice. Refund one of the two payments',
  rebuilt: 'its stored state was lost and rebuilt. Compare it with the merchant portal',
}

/** What happened, and what to do about it, with an address: for the phone of who runs the shop. */
export function textOf(
  alert: RaisedAlert,
  origin: string,
  asked?: { amount: number | null; currency: string | null },
): string {
  const { kind, order_id } = alert
  const sum = asked?.amount ? ` (${asked.amount.toFixed(2)} ${asked.currency})` : ''
  const order = order_id === null ? 'The shop' : `Order ${order_id}${sum}`
  const api = `${origin}/api`
  const at = order_id === null ? `${api}/orders` : `${api}/orders/${encodeURIComponent(order_id)}`
  if (alert.count !== undefined)
    return `${alert.count} alerts "${kind}" within an hour. The log has each of them. See ${at}`
  switch (kind) {
    case 'stray':
      return `A webhook could not be filed under an order (${alert.reason}). Ask the service which order it belongs to. See ${api}/strays/${alert.id}`
    case 'configuration':
      return `The worker is misconfigured (${alert.misconfigured}). Correct wrangler.toml or the secrets, and deploy. See ${origin}/health`
    case 'on_event_given_up':
      return `${order}: onEvent failed ${alert.attempts} times and is not called again. Correct it, then send POST ${api}/events/${alert.event_id}/replay`
    case 'operation_unsettled':
      return `${order}: it is not known how a ${alert.operation} ended. Look it up in the merchant portal, then settle it. See ${at}`
    case 'checkout_open':
      return `${order}: a payment was opened a day ago and has not ended. Look it up in the merchant portal. See ${at}`
    default: {
      const flag = String(kind === 'flag' ? alert.flag : kind)
      return `${order}: ${FLAGS[flag] ?? flag}. Check it before you ship. See ${at}`
    }
  }
}
