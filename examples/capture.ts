// Charges an authorized payment, in full or in part, for example when the goods are shipped.
//
//   npx node examples/capture.ts A-1 UAH            the whole authorized amount
//   npx bun examples/capture.ts A-1 UAH 80.25       a part
//   npx deno run --no-prompt --allow-net=HOST --allow-env=NAMES examples/capture.ts …

import process from 'node:process'
import { capturePayment, describeStatusCode, isSuccess } from '../src/index.ts'
import { run, settings } from './settings.ts'

await run('capture.ts ORDER_ID CURRENCY [AMOUNT]', 2, async (order_id = '', order_currency = '', amount) => {
  // Left out, not undefined: without it the whole authorization is captured.
  const part = amount === undefined ? {} : { charge_amount: Number(amount) }
  const capture = await capturePayment(settings(), { order_id, order_currency, ...part })
  const meaning = describeStatusCode(capture.status_code)?.meaning ?? capture.status_description ?? ''
  console.log(`${capture.status}: ${capture.amount.toFixed(2)} ${capture.currency} (${meaning})`)
  // A decline is a value, not an exception.
  if (!isSuccess(capture)) process.exitCode = 1
})
