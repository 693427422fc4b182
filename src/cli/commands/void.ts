import type { Command } from 'commander'
import { type ChangeVerb, changeCommand } from '../service/order-command.ts'
import type { Surroundings } from '../service/service.ts'

const VOID: ChangeVerb = {
  name: 'void',
  description: 'Releases a whole authorization that is not captured.',
  takesDetails: true,
  call: (client, { order_id, currency, flags: { comment, serverUrl } }, options) =>
    client.voidPayment({ order_id, order_currency: currency, comment, server_url: serverUrl }, options),
}

/** `edgetill void ID` */
export const command = (around?: () => Surroundings): Command => changeCommand(VOID, around)
