import type { Context } from 'hono'
import type { Deps } from '../deps.ts'
import { clientConfig, type Env, requireBindings } from '../env.ts'
import { capture } from '../flows/capture.ts'
import { receiveResent } from '../flows/process-event.ts'
import { ProblemError, problemResponse } from '../lib/problem.ts'
import { cancelPayment, listAccounts, type ResendWebhookInput, recordOf, resendWebhook } from '../sdk.ts'
import { openKvStore } from '../store/kv.ts'
import { withoutToken } from './orders.ts'

type Route = (c: Context<{ Bindings: Env }>) => Promise<Response>

/** `POST /api/orders/:order_id/capture`, with an `Idempotency-Key` and the fields of a capture as JSON. */
export function captureOrder(deps: Deps): Route {
  return async (c) => {
    requireBindings(c.env, 'operations')
    const idempotencyKey = c.req.header('idempotency-key') ?? ''
    if (!/^[\x21-\x7e]{1,255}$/.test(idempotencyKey)) {
      throw new ProblemError(
        400,
        'idempotency_key_missing',
        'A capture needs an Idempotency-Key header of 1 to 255 visible characters.',
        'Make one up for each capture that you mean, and send the same one when you try that capture again.',
      )
    }
    const fields = await jsonBody(c.req.raw)
    const order_id = c.req.param('order_id') ?? ''
    const server_url = new URL('/webhooks', c.req.url).href
    const request = { order_id, idempotencyKey, fields, server_url }
    const { status, body } = await capture(deps, c.env, openKvStore(c.env.STATE), request)
    if (status === 200) return Response.json(body)
    return problemResponse(body as Parameters<typeof problemResponse>[0])
  }
}

/** `POST /api/orders/:order_id/cancel` */
export function cancelOrder(deps: Deps): Route {
  return async (c) => {
    requireBindings(c.env, 'operations')
    const order_id = c.req.param('order_id') ?? ''
    const payment = await cancelPayment(clientConfig(c.env, deps.fetch), { order_id })
    return Response.json(withoutToken(payment))
  }
}

/** `POST /api/orders/:order_id/resend`, with `{ "operation": "purchase" }`; what it answers is stored like the webhook. */
export function resendOrder(deps: Deps): Route {
  return async (c) => {
    requireBindings(c.env, 'operations')
    const fields = await jsonBody(c.req.raw)
    const input = { ...fields, order_id: c.req.param('order_id') ?? '' } as ResendWebhookInput
    const event = await resendWebhook(clientConfig(c.env, deps.fetch), input)
    await receiveResent(deps, c.env, openKvStore(c.env.STATE), event)
    return Response.json(withoutToken(recordOf(event)))
  }
}

/** `GET /api/balances` */
export function balances(deps: Deps): Route {
  return async (c) => {
    requireBindings(c.env, 'balances')
    return Response.json({ accounts: await listAccounts(clientConfig(c.env, deps.fetch)) })
  }
}

const MAX_CHARACTERS = 65_536

/** The body as a JSON object; an empty body counts as an empty one. */
async function jsonBody(request: Request): Promise<Record<string, unknown>> {
  const text = await request.text()
  if (text === '') return {}
  try {
    const value: unknown = text.length > MAX_CHARACTERS ? undefined : JSON.parse(text)
    if (value !== null && typeof value === 'object' && !Array.isArray(value)) return value as Record<string, unknown>
  } catch {}
  throw new ProblemError(400, 'invalid_json', 'The body must be a JSON object of at most 64 KiB.')
}
