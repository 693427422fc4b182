// Creates a hosted payment and prints the link to send to the customer.
//
//   npx node examples/payment-link.ts A-1 100.50 UAH "Two mugs" olena@example.com +380441234567 Ivanivna
//   npx bun examples/payment-link.ts …
//   npx deno run --no-prompt --allow-net=HOST --allow-env=NAMES examples/payment-link.ts …

import { createPayment, newOrderId } from '../src/index.ts'
import { run, settings } from './settings.ts'

const USAGE = 'payment-link.ts ORDER_ID|new AMOUNT CURRENCY DESCRIPTION EMAIL PHONE PATRONYMIC'

await run(USAGE, 7, async (id = '', amount, currency = '', description = '', email, phone, patronymic) => {
  const order_id = id === 'new' ? newOrderId('link-') : id
  // Before the call: after a failure it is the only way to find the payment.
  if (id === 'new') console.error(`order_id ${order_id}`)
  const checkout = await createPayment(settings(), {
    mode: 'hosted',
    method: 'purchase',
    order_id,
    amount: Number(amount),
    currency,
    description,
    order_3ds_bypass: 'supported',
    customer_email: email,
    customer_phone: phone,
    customer_patronym: patronymic,
  })
  console.log(checkout.url)
})
