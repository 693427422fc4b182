import type { RaisedAlert } from '../options.ts'

const FLAGS: Readonly<Record<string, string>> = {
  amount_mismatch: 'another amount was paid than was asked for',
  currency_mismatch: 'another currency was paid than was asked for',
  over_capture: 'more was charged than was reserved',
  unknown_order: 'no link of this shop opened it',
  unexpected_shape: 'it was reported in an unexpected form',
  foreign_pos: 'it was paid to another POS',
  status_conflict: 'it was reported both as successful and as failed',
  over_refund: 'more was refunded than was paid',
  paid_twice: 'another attempt at it was paid too: refund one of them',
}

/** What happened, and what to do about it, with an address: for the phone of who runs the shop. */
export function textOf(
  alert: RaisedAlert,
  origin: string,
  asked?: { amount: number | null; currency: string | null },
): string {
  const { kind, order_id, flag, count } = alert
  const sum = asked?.amount ? ` (${asked.amount.toFixed(2)} ${asked.currency})` : ''
  const order = `Order ${order_id}${sum}: `
  const api = `${origin}/api/`
  const at = order_id === null ? `${api}orders` : `${api}orders/${encodeURIComponent(order_id)}`
  const portal = `Look it up in the merchant portal. See ${at}`
  if (count !== undefined) return `${count} alerts "${kind}" within an hour; the log has each of them. See ${at}`
  switch (kind) {
    case 'stray':
      return `A webhook names no order (${alert.reason}). Ask the service which one is meant. See ${api}strays/${alert.id}`
    case 'configuration':
      return `The worker is misconfigured (${alert.misconfigured}). Correct it and deploy. See ${origin}/health`
    case 'on_event_given_up':
      return `${order}onEvent failed ${alert.attempts} times and is not called again. Correct it, then send POST ${api}events/${alert.event_id}/replay`
    case 'on_event_failing':
      return `${order}onEvent failed ${alert.attempts} times${alert.waiting ? `, and ${alert.waiting} events wait` : ''}. See ${api}events?failing=true, correct it and deploy`
    case 'operation_unsettled':
      return `${order}it is not known how a ${alert.operation} ended. ${portal}`
    case 'checkout_open':
      return `${order}its payment has not ended for a day. ${portal}`
    default: {
      const what = String(flag ?? kind)
      return `${order}${FLAGS[what] ?? what}. Check it before you ship. See ${at}`
    }
  }
}
