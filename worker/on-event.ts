import { needsPerson, paidOf } from 'edgetill/orders'
import type { OnEvent } from 'edgetill/worker'
import type { Env } from './env.ts'
import { sendMessage } from './on-alert.ts'

/**
 * Your code that acts on the events of orders. It runs at least once for each event, so it must be idempotent; when it
 * throws, it is called again later. It sends a message for each payment, if the secret CHAT_URL is set. The example
 * notifies your shop, and needs the secret SHOP_TOKEN: `npx wrangler secret put SHOP_TOKEN --env test`, the same with
 * `--env live`, and a line in `.dev.vars`.
 *
 * @example
 * import { needsPerson, paidOf } from 'edgetill/orders'
 * export const onEvent: OnEvent<Env> = async ({ id, event }, order, env) => {
 *   const paid = paidOf(event)
 *   if (!paid) return
 *   // Throw, to be called again: a person may have checked the order by then. `paid_after_failure` does not stop here.
 *   if (needsPerson(order)) throw new Error(`flags: ${order.flags.join(', ')}`)
 *   const response = await fetch('https://shop.example.com/orders/paid', {
 *     method: 'POST',
 *     // Your shop must check the token: anyone who knows the address could post "paid".
 *     headers: { authorization: `Bearer ${env.SHOP_TOKEN}`, 'idempotency-key': id },
 *     body: JSON.stringify({ order_id: order.replaces ?? order.order_id, ...paid }),
 *     signal: AbortSignal.timeout(10_000),
 *   })
 *   if (!response.ok) throw new Error(`the shop responded with ${response.status}`)
 * }
 */
export const onEvent: OnEvent<Env> = async ({ event }, order, env) => {
  if ((event.kind !== 'purchase' && event.kind !== 'auth') || event.status !== 'success') return
  const { amount, currency } = paidOf(event) ?? event
  const news = `${event.kind === 'auth' ? 'Reserved' : 'Paid'} ${amount.toFixed(2)} ${currency}`
  const advice = needsPerson(order) ? [`look at it before you ship: ${order.flags.join(', ')}`] : []
  await sendMessage(env, [news, `order ${order.order_id}`, ...advice].join(' · '))
}
