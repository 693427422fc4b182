import type { Context } from 'hono'
import { type Env, requireBindings } from '../env.ts'
import { ProblemError } from '../problem.ts'
import { readOrder } from '../store/read-order.ts'
import { openState } from '../store/state.ts'

/** `GET /api/orders/:order_id` */
export async function getOrder(c: Context<{ Bindings: Env }>): Promise<Response> {
  requireBindings(c.env, 'orders')
  const order_id = c.req.param('order_id') ?? ''
  const { order, facts, checkout } = await readOrder(openState(c.env.STATE), order_id)
  if (facts.length === 0 && !checkout) throw new ProblemError(404, 'not_found', 'No such order.')
  return c.json(order)
}
