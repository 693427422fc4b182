import type { Context } from 'hono'
import { contextOf, type Deps, waitUntilOf } from '../context.ts'
import { clientConfig, type Env } from '../env.ts'
import { eventOf } from '../flows/ask-service.ts'
import { actionsOf, type OrderActions } from '../flows/order-actions.ts'
import { packEvent } from '../flows/process-event.ts'
import { requireBindings } from '../lib/configuration.ts'
import { jsonBody } from '../lib/json-body.ts'
import { type Problem, ProblemError, problemResponse } from '../lib/problem.ts'
import { listAccounts, type ResendWebhookInput, recordOf, resendWebhook } from '../sdk.ts'
import type { OperationKind, RecordedResponse } from '../store/attempts.ts'
import { withoutToken } from './orders.ts'

type C = Context<{ Bindings: Env }>
type Route = (c: C) => Promise<Response>

/** `POST /api/orders/:order_id/capture`, `/refund` and `/void`, with an `Idempotency-Key` and the call's fields as JSON. */
export function operateOnOrder(deps: Deps, kind: OperationKind): Route {
  return async (c) => {
    requireBindings(c.env, 'operations')
    const idempotencyKey = c.req.header('idempotency-key') ?? ''
    if (!/^[\x21-\x7e]{1,255}$/.test(idempotencyKey)) {
      throw new ProblemError(
        400,
        'idempotency_key_missing',
        `A ${kind} needs an Idempotency-Key header of 1 to 255 visible characters.`,
        `Make one up for each ${kind} that you intend, and send the same one when you try that ${kind} again.`,
      )
    }
    const fields = await jsonBody(c.req.raw)
    // What became of it is looked up under the worker's own POS: there another one's is never found.
    if (fields.pos_id !== undefined && String(fields.pos_id).toLowerCase() !== c.env.POS_ID.toLowerCase()) {
      throw new ProblemError(400, 'invalid_input', 'pos_id must be left out: it is the worker’s POS_ID.')
    }
    const order_id = c.req.param('order_id') ?? ''
    return respond(await actions(deps, c).operate({ kind, order_id, idempotencyKey, fields }))
  }
}

/** `POST /api/orders/:order_id/attempts/:attempt_id/settle`, with `{ "executed": true | false }`. */
export function settleAttempt(deps: Deps): Route {
  return async (c) => {
    requireBindings(c.env, 'operations')
    const { executed } = await jsonBody(c.req.raw)
    if (typeof executed !== 'boolean') {
      throw new ProblemError(
        400,
        'invalid_input',
        'executed must be true or false.',
        'Look the operation up in the portal.',
      )
    }
    const { body } = await actions(deps, c).settle({ attempt_id: c.req.param('attempt_id') ?? '', executed })
    return Response.json({ attempt_id: c.req.param('attempt_id'), executed, outcome: body })
  }
}

/** `POST /api/orders/:order_id/cancel` */
export function cancelOrder(deps: Deps): Route {
  return async (c) => {
    requireBindings(c.env, 'operations')
    return Response.json(withoutToken(await actions(deps, c).cancel()))
  }
}

/** `POST /api/orders/:order_id/resend`, with `{ "operation": "purchase" }`; what it returns is stored like the webhook. */
export function resendOrder(deps: Deps): Route {
  return async (c) => {
    requireBindings(c.env, 'operations')
    const fields = await jsonBody(c.req.raw)
    const input = { ...fields, order_id: c.req.param('order_id') ?? '' } as ResendWebhookInput
    const event = await resendWebhook(clientConfig(c.env, deps.fetch), input)
    const [own] = eventOf(input.order_id, event)
    const packed = own && packEvent(own, c.env)
    if (packed) await actions(deps, c).receive({ packed, arrival: {} })
    return Response.json(withoutToken(recordOf(event)))
  }
}

/** `DELETE /api/orders/:order_id/personal-data` */
export function erasePersonalData(deps: Deps): Route {
  return async (c) => {
    requireBindings(c.env, 'orders')
    return Response.json(await actions(deps, c).erase())
  }
}

/** `GET /api/balances` */
export function balances(deps: Deps): Route {
  return async (c) => {
    requireBindings(c.env, 'balances')
    return Response.json({ accounts: await listAccounts(clientConfig(c.env, deps.fetch)) })
  }
}

const actions = (deps: Deps, c: C): OrderActions =>
  actionsOf(contextOf(deps, c.env, waitUntilOf(c)), c.req.param('order_id') ?? '')

/** An outcome that is not known is logged where it comes about, with its attempt; what else failed with the other failures. */
function respond({ status, body }: RecordedResponse): Response {
  if (status === 200) return Response.json(body)
  const problem = body as Problem
  if (status >= 500 && problem.code !== 'outcome_unknown') throw new ProblemError(problem)
  return problemResponse(problem)
}
