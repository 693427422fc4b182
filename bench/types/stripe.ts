// The same tasks with stripe, as far as it supports them.

import Stripe from 'stripe'

const stripe = new Stripe('key')

export async function everyOperation(): Promise<string[]> {
  const checkout = await stripe.checkout.sessions.create({
    mode: 'payment',
    line_items: [{ price: 'price_1', quantity: 2 }],
    success_url: 'https://shop.example.com/thanks',
  })
  const split = await stripe.paymentIntents.create({
    amount: 10_050,
    currency: 'uah',
    transfer_data: { destination: 'acct_1' },
  })
  const capture = await stripe.paymentIntents.capture('pi_1', { amount_to_capture: 6000 })
  const payment = await stripe.paymentIntents.cancel('pi_1')
  const balance = await stripe.balance.retrieve()
  const account = await stripe.accounts.retrieve('acct_1')
  const again = await stripe.events.retrieve('evt_1')
  const event = await stripe.webhooks.constructEventAsync('{}', 'signature', 'secret')
  const results = [checkout.url ?? '', split.status, capture.status, payment.status, account.id, again.type]
  switch (event.type) {
    case 'charge.refunded':
      return [...results, event.data.object.id, event.data.object.receipt_url ?? '']
    case 'payment_intent.succeeded':
      return [...results, event.data.object.id]
    default:
      return [...results, String(balance.livemode)]
  }
}
