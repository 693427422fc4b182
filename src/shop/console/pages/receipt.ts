import { html } from 'hono/html'
import { notice, page } from '../layout.ts'
import { timeOf } from '../lib/time.ts'
import { facts, pill } from '../parts.ts'
import { at, orderPath, type SignedVisit, shownId } from '../visit.ts'
import { wordFor } from '../words/language.ts'
import { operationSum, readOrder, reasonOf, statusOf, toneOf } from './order.ts'

/** `/orders/:order_id/receipt/:operation_id`: one operation as the order shows it, on a page that prints. */
export async function showReceipt(visit: SignedVisit, id: string): Promise<Response> {
  const order = await readOrder(visit, id)
  if (order instanceof Response) return order
  const { words, c } = visit
  const { receipt } = words
  const operation = order.operations.find((one) => one.id === c.req.param('operation'))
  if (!operation) return notice(visit, 404, receipt.absent)
  const { method, status, status_code, received_at } = operation
  const [tone, statusText] = [toneOf(status), statusOf(words, status)]
  return page(visit, {
    title: `${wordFor(words.methods, method)}: ${statusText}`,
    body: html`<div class="card narrow"><p>${pill(tone, statusText)}</p>
<p class="sum">${operationSum(words, operation, order.currency)}</p>
<p>${receipt[tone]} ${status === 'failure' ? reasonOf(words, status_code) : ''}</p>
${facts([
  [receipt.order, shownId(order.order_id)],
  [receipt.id, operation.id],
  [receipt.at, timeOf(words, received_at, c.env.SHOP_TZ)],
])}
<a class="main go" href="${at(visit, orderPath(id))}">${words.back}</a></div>`,
  })
}
