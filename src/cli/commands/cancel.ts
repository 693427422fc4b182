import type { Command } from 'commander'
import { type ChangeVerb, changeCommand } from '../service/order-command.ts'
import type { Surroundings } from '../service/service.ts'

const CANCEL: ChangeVerb = {
  name: 'cancel',
  description: 'Cancels a hosted payment that is not paid.',
  takesDetails: false,
  call: (client, { order_id }, options) => client.cancelPayment({ order_id }, options),
  // A cancelled payment has failed: 6007 is "payment has been cancelled".
  isDone: ({ status_code }) => status_code === '6007',
}

/** `edgetill cancel ID` */
export const command = (around?: () => Surroundings): Command => changeCommand(CANCEL, around)
