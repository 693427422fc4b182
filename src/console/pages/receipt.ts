import { html } from 'hono/html'
import { notice, page } from '../layout.ts'
import { sumOf } from '../lib/amount.ts'
import { timeOf } from '../lib/time.ts'
import { at, orderPath, type SignedVisit, shownId } from '../visit.ts'
import { readOrder, reasonOf } from './order.ts'

/** `/orders/:order_id/receipt/:operation_id`: one operation as the order shows it, on a page that prints. */
export async function showReceipt(visit: SignedVisit, [id = '', operation = '']: string[]): Promise<Response> {
  const order = await readOrder(visit, id)
  if (order instanceof Response) return order
  const { words, c } = visit
  const { receipt } = words
  const made = order.operations.find((one) => one.id === operation)
  if (!made) return notice(visit, 404, receipt.absent)
  const { method, status, status_code, amount, created_at, processed_at } = made
  const isEnded = status === 'success' || status === 'failure'
  const state = status === 'success' ? 'done' : isEnded ? 'failed' : 'waiting'
  return page(visit, {
    title: receipt[state](words.methods[method] ?? method),
    body: html`<p class="sum">${amount === null ? '' : sumOf(words, Math.round(amount * 100), order.currency)}</p>
<p>${receipt[`${state}Body`]} ${status === 'failure' ? reasonOf(words, status_code) : ''}</p>
<dl><dt>${receipt.order}</dt><dd><bdi>${shownId(order.order_id)}</bdi></dd>
<dt>${receipt.id}</dt><dd><bdi>${made.id}</bdi></dd>
<dt>${receipt.at}</dt><dd>${timeOf(words, processed_at ?? created_at, c.env.SHOP_TZ)}</dd></dl>
<p><a href="${at(visit, orderPath(id))}">${words.back}</a></p>`,
  })
}
