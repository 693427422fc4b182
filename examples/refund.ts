// Refunds a paid order, in full or in part.
//
//   npx node examples/refund.ts A-1 UAH            everything that is left
//   npx bun examples/refund.ts A-1 UAH 20.25       a part
//   npx deno run --no-prompt --allow-net=HOST --allow-env=NAMES examples/refund.ts …

import process from 'node:process'
import { describeStatusCode, isSuccess, refundPayment } from '../src/index.ts'
import { run, settings } from './settings.ts'

await run('refund.ts ORDER_ID CURRENCY [AMOUNT]', 2, async (order_id = '', order_currency = '', amount) => {
  // Left out, not undefined: without it everything is refunded.
  const part = amount === undefined ? {} : { refund_amount: Number(amount) }
  const refund = await refundPayment(settings(), { order_id, order_currency, ...part })
  const meaning = describeStatusCode(refund.status_code)?.meaning ?? refund.status_description ?? ''
  console.log(`${refund.status}: ${refund.amount.toFixed(2)} ${refund.currency} (${meaning})`)
  // A decline is a value, not an exception.
  if (!isSuccess(refund)) process.exitCode = 1
})
