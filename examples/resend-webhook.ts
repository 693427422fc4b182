// Asks the service to send an operation's webhook again, and prints its state.
//
//   npx node examples/resend-webhook.ts A-1 purchase
//   npx bun examples/resend-webhook.ts A-1 purchase TRANSACTION_ID      one charge of a subscription
//   npx deno run --no-prompt --allow-net=HOST --allow-env=NAMES examples/resend-webhook.ts …

import { resendWebhook } from '../src/index.ts'
import { run, settings } from './settings.ts'

const USAGE = 'resend-webhook.ts ORDER_ID OPERATION [TRANSACTION_ID]'

await run(USAGE, 2, async (order_id = '', operation = '', transactionId) => {
  const event = await resendWebhook(settings(), { order_id, operation, transactionId })
  if (event.kind === 'unexpected') console.log(`An unexpected shape: ${JSON.stringify(event.record)}`)
  else if (event.kind === 'unknown') console.log(`An unknown operation: ${event.method}`)
  else console.log(`${event.method} of ${event.order_id}: ${event.status}, ${event.amount} ${event.currency}`)
})
