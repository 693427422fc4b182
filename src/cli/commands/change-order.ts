import { CANCEL_OPTIONS, cancelSubscription } from '../service/cancel-subscription.ts'
import { type Change, changeVerb } from '../service/change-order.ts'
import { defineVerb, type Verb } from '../terminal/verb.ts'

const detailsOf = ({ order_id, currency, flags: { comment, serverUrl } }: Change) => {
  return { order_id, order_currency: currency, comment, server_url: serverUrl }
}

export const capture: Verb = changeVerb({
  name: 'capture',
  summary: 'capture an authorization, in full or in part',
  description: 'Captures an authorization: in full, in part, or beyond it.',
  examples: ['capture A-2 --amount 80.25', 'capture A-2 --yes --resolve --json'],
  whole: 'the whole authorization is captured',
  takesDetails: true,
  call: (client, change, options) =>
    client.capturePayment(
      { ...detailsOf(change), ...(change.flags.amount && { charge_amount: change.flags.amount }) },
      options,
    ),
})

export const refund: Verb = changeVerb({
  name: 'refund',
  summary: 'refund a paid order, in full or in part',
  description: 'Refunds a paid order, in full or in part.',
  examples: ['refund A-1 --amount 20 --dry-run', 'refund A-1 --amount 20 --yes --resolve --json'],
  whole: 'everything that is left is refunded',
  takesDetails: true,
  call: (client, change, options) =>
    client.refundPayment(
      { ...detailsOf(change), ...(change.flags.amount && { refund_amount: change.flags.amount }) },
      options,
    ),
})

export const voidVerb: Verb = changeVerb({
  name: 'void',
  summary: 'release an authorization',
  description: 'Releases a whole authorization that is not captured.',
  examples: ['void A-2 --dry-run', 'void A-2 --yes --json'],
  takesDetails: true,
  call: (client, change, options) => client.voidPayment(detailsOf(change), options),
})

export const cancel: Verb = changeVerb({
  name: 'cancel',
  summary: 'cancel a hosted payment that is not paid',
  description: 'Cancels a hosted payment that is not paid.',
  examples: ['cancel A-1', 'cancel A-1 --yes --json'],
  takesDetails: false,
  call: (client, { order_id }, options) => client.cancelPayment({ order_id }, options),
  // A cancelled payment has failed: 6007 is "payment has been cancelled".
  isDone: ({ status_code }) => status_code === '6007',
})

export const recurringCancel: Verb = defineVerb({
  name: 'recurring-cancel',
  heading: 'Payments',
  summary: 'end a subscription',
  description: 'Ends a subscription: no further charge is made. Shows what will be sent, and asks.',
  examples: ['recurring-cancel RECURRING_ID --dry-run', 'recurring-cancel RECURRING_ID --yes --resolve --order A-1'],
  argument: { name: '<ID>', says: "recurring.id of the subscription's first payment" },
  options: CANCEL_OPTIONS,
  run: cancelSubscription,
})
