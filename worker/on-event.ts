import type { OnEvent } from 'edgetill/worker'
import type { Env } from './env.ts'

/**
 * Your code for what happens to orders. While it is undefined, events are only stored. It runs at least once for each event,
 * so it must be idempotent; when it throws, it is called again later. The example needs the secret SHOP_TOKEN:
 * `npx wrangler secret put SHOP_TOKEN --env test`, the same with `--env live`, and a line in `.dev.vars`.
 *
 * @example
 * import { isSuccess, needsPerson } from 'edgetill'
 * export const onEvent: OnEvent<Env> = async ({ id, event }, order, env) => {
 *   if (event.kind !== 'purchase' || !isSuccess(event)) return
 *   // Called again later: a flag may be gone by then, or a person has looked at the order. A second try needs no look.
 *   if (needsPerson(order)) throw new Error(`flags: ${order.flags.join(', ')}`)
 *   const response = await fetch('https://shop.example.com/orders/paid', {
 *     method: 'POST',
 *     // Your shop must check the token: anyone who knows the address could post "paid".
 *     headers: { authorization: `Bearer ${env.SHOP_TOKEN}`, 'idempotency-key': id },
 *     body: JSON.stringify({ order_id: order.replaces ?? order.order_id, captured: order.totals.captured }),
 *     signal: AbortSignal.timeout(10_000),
 *   })
 *   if (!response.ok) throw new Error(`the shop responded with ${response.status}`)
 * }
 */
export const onEvent: OnEvent<Env> | undefined = undefined
