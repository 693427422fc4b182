import type { Command } from 'commander'
import { type ChangeVerb, changeCommand } from '../service/order-command.ts'
import type { Surroundings } from '../service/service.ts'

const REFUND: ChangeVerb = {
  name: 'refund',
  description: 'Refunds a paid order, in full or in part.',
  whole: 'everything that is left is refunded',
  takesDetails: true,
  call: (client, { order_id, currency, flags: { amount, comment, serverUrl } }, options) =>
    client.refundPayment(
      { order_id, order_currency: currency, comment, server_url: serverUrl, ...(amount && { refund_amount: amount }) },
      options,
    ),
}

/** `edgetill refund ID` */
export const command = (around?: () => Surroundings): Command => changeCommand(REFUND, around)
