import type { Context } from 'hono'
import { contextOf, type Deps, type Context as WorkerContext, waitUntilOf } from '../context.ts'
import { type Env, linkSecrets, webhookSecrets } from '../env.ts'
import { actionsOf } from '../flows/order-actions.ts'
import { packEvent, receiveUnpackable, receiveUnreadable } from '../flows/process-event.ts'
import { requireBindings } from '../lib/configuration.ts'
import { openExpected } from '../lib/links.ts'
import { describeError, note, report } from '../lib/log.ts'
import { createWebhookHandler, isWebhookVerificationError, type WebhookEvent } from '../sdk.ts'
import { StorageError } from '../store/kv.ts'

/** The address that webhooks come from (the API document, "Events", 3). */
const DOCUMENTED_SENDER = '35.187.74.148'
const MAX_BYTES = 65_536

/** `POST /webhooks`: 200 with an empty body when, and only when, the event is durable. */
export function webhooks(deps: Deps): (c: Context<{ Bindings: Env }>) => Promise<Response> {
  return async (c) => {
    requireBindings(c.env, 'webhooks')
    return respond(contextOf(deps, c.env, waitUntilOf(c)), c.req.raw, c.req.query('expected') ?? '')
  }
}

function respond(context: WorkerContext, request: Request, sealed: string): Promise<Response> | Response {
  const { env } = context
  if (!senderMayPass(env, request)) return forbidden()
  const handle = createWebhookHandler({
    secrets: webhookSecrets(env),
    maxBytes: MAX_BYTES,
    onEvent: (event) => receive(context, event, sealed),
    onUnreadable: ({ data, reason }) => receiveUnreadable(context, data, reason),
    onRejected: logRejection,
  })
  return handle(request)
}

async function receive(context: WorkerContext, event: WebhookEvent, sealed: string): Promise<void> {
  const { env } = context
  const packed = packEvent(event, env)
  if (!packed) return receiveUnpackable(context, event)
  // A seal that is missing or cannot be opened never rejects a genuine webhook: the checkout's record counts then.
  const expected = await openExpected(sealed, packed.order_id, linkSecrets(env))
  await actionsOf(context, packed.order_id).receive({ packed, arrival: { ...(expected && { expected }) } })
}

/** A second layer only: outside Cloudflare's edge anybody can send the header. */
function senderMayPass(env: Env, request: Request): boolean {
  const check = env.SENDER_CHECK || 'off'
  if (check === 'off') return true
  const sender = request.headers.get('cf-connecting-ip')
  if (sender === (env.SENDER_IP || DOCUMENTED_SENDER)) return true
  note('foreign_sender', { sender, rejected: check === 'enforce' })
  return check === 'log'
}

/** The sender learns the status alone; the merchant's log says why. */
function logRejection(error: unknown, status: number): void {
  if (isWebhookVerificationError(error)) {
    note('webhook_rejected', { reason: error.reason, detail: error.message })
  } else if (status >= 500) {
    // The service repeats it.
    const tooSoon = error instanceof StorageError && { too_soon: error.tooSoon }
    report('webhook_not_stored', { ...tooSoon, ...describeError(error) })
  }
}

function forbidden(): Response {
  return new Response('Forbidden', { status: 403, headers: { 'content-type': 'text/plain; charset=utf-8' } })
}
