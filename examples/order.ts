// Prints every operation of an order, and the totals.
//
//   npx node examples/order.ts A-1
//   npx bun examples/order.ts A-1
//   npx deno run --no-prompt --allow-net=HOST --allow-env=NAMES examples/order.ts A-1

import { listOrderOperations } from '../src/index.ts'
import { foldOrder } from '../src/orders/index.ts'
import { run, settings } from './settings.ts'

await run('order.ts ORDER_ID', 1, async (order_id = '') => {
  const order = foldOrder(await listOrderOperations(settings(), { order_id }))
  for (const { created_at, method, status, amount } of order.operations) {
    console.log(`${created_at}  ${method.padEnd(14)} ${status?.padEnd(8)} ${amount?.toFixed(2)}`)
  }
  const { authorized_minor, captured_minor, refunded_minor } = order.totals
  const money = (minor: number) => `${(minor / 100).toFixed(2)} ${order.currency}`
  console.log(
    `${order.status}: ${money(authorized_minor)} authorized, ${money(captured_minor)} captured, ${money(refunded_minor)} refunded`,
  )
})
