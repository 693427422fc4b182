import type { Command } from 'commander'
import { type ChangeVerb, changeCommand } from '../service/order-command.ts'
import type { Surroundings } from '../service/service.ts'

const CAPTURE: ChangeVerb = {
  name: 'capture',
  description: 'Captures an authorization: in full, in part, or beyond it.',
  whole: 'the whole authorization is captured',
  takesDetails: true,
  call: (client, { order_id, currency, flags: { amount, comment, serverUrl } }, options) =>
    client.capturePayment(
      { order_id, order_currency: currency, comment, server_url: serverUrl, ...(amount && { charge_amount: amount }) },
      options,
    ),
}

/** `edgetill capture ID` */
export const command = (around?: () => Surroundings): Command => changeCommand(CAPTURE, around)
