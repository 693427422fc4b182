import type { OnEvent } from 'edgetill/worker'
import type { Env } from './env.ts'

/**
 * Your code for what happens to orders. While it is undefined, events are only stored. It runs at least once for each event,
 * so it must be idempotent; when it throws, it is called again later.
 *
 * @example
 * export const onEvent: OnEvent<Env> = async ({ id, event }, order, env) => {
 *   if (event.kind !== 'purchase' || event.status !== 'success') return
 *   // It is called again: a flag may be gone by then, or a person has looked.
 *   if (order.flags.length > 0) throw new Error(`order ${order.order_id} has flags: ${order.flags}`)
 *   const response = await fetch('https://shop.example.com/paid', {
 *     method: 'POST',
 *     headers: { authorization: `Bearer ${env.SHOP_TOKEN}` },
 *     body: JSON.stringify({ id, order_id: order.replaces ?? order.order_id }),
 *     signal: AbortSignal.timeout(10_000),
 *   })
 *   if (!response.ok) throw new Error(`the shop responded with ${response.status}`)
 * }
 */
export const onEvent: OnEvent<Env> | undefined = undefined
