import type { Context } from 'hono'
import { contextOf, type Deps } from '../context.ts'
import { clientConfig, type Env } from '../env.ts'
import { actionsOf, type OrderActions } from '../flows/order-actions.ts'
import { packEvent } from '../flows/process-event.ts'
import { requireBindings } from '../lib/configuration.ts'
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
    const order_id = c.req.param('order_id') ?? ''
    const server_url = await webhookUrl(c, fields, actions(deps, c))
    return respond(await actions(deps, c).operate({ kind, order_id, idempotencyKey, fields, server_url }))
  }
}

/**
 * Where the webhooks of a capture go: PUBLIC_ORIGIN, else the origin that the order's link was made for. Never the
 * request's Host: a service binding calls by any name.
 */
async function webhookUrl(c: C, fields: Record<string, unknown>, order: OrderActions): Promise<string> {
  if (typeof fields.server_url === 'string') return fields.server_url
  const origin = c.env.PUBLIC_ORIGIN || (await order.page()).origin
  if (origin) return `${origin}/webhooks`
  throw new ProblemError(
    409,
    'no_server_url',
    'It is not known where the webhooks of this operation should go.',
    'Set PUBLIC_ORIGIN, or send a server_url.',
  )
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
    const packed = packEvent(event, c.env)
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

/** `GET /api/orders/:order_id/waiting`: the events of an order that `onEvent` has not handled. */
export function waitingEvents(deps: Deps): Route {
  return async (c) => {
    requireBindings(c.env, 'orders')
    return Response.json({ events: await actions(deps, c).waiting() })
  }
}

/** `POST /api/orders/:order_id/events/:event_id/replay`: calls `onEvent` now for an event that is waiting or given up. */
export function replayEvent(deps: Deps): Route {
  return async (c) => {
    requireBindings(c.env, 'orders')
    const handled = await actions(deps, c).replay(c.req.param('event_id') ?? '')
    return Response.json({ handled }, { status: handled ? 200 : 502 })
  }
}

/** `GET /api/balances` */
export function balances(deps: Deps): Route {
  return async (c) => {
    requireBindings(c.env, 'balances')
    return Response.json({ accounts: await listAccounts(clientConfig(c.env, deps.fetch)) })
  }
}

const actions = (deps: Deps, { env, req }: C): OrderActions =>
  actionsOf(contextOf(deps, env), req.param('order_id') ?? '')

function respond({ status, body }: RecordedResponse): Response {
  return status === 200 ? Response.json(body) : problemResponse(body as Problem)
}

const MAX_BYTES = 65_536

/** The body as a JSON object; an empty body counts as an empty one. */
async function jsonBody(request: Request): Promise<Record<string, unknown>> {
  const tooLong = Number(request.headers.get('content-length')) > MAX_BYTES
  const text = tooLong ? undefined : await request.text()
  if (text === '') return {}
  try {
    const value: unknown = text === undefined || text.length > MAX_BYTES ? undefined : JSON.parse(text)
    if (value !== null && typeof value === 'object' && !Array.isArray(value)) return value as Record<string, unknown>
  } catch {}
  throw new ProblemError(400, 'invalid_json', 'The body must be a JSON object of at most 64 KiB.')
}
