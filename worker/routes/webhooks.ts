import type { Context } from 'hono'
import { contextOf, type Deps } from '../context.ts'
import { type Env, linkSecrets, webhookSecrets } from '../env.ts'
import { actionsOf } from '../flows/order-actions.ts'
import { packEvent, receiveUnpackable, receiveUnreadable } from '../flows/process-event.ts'
import { requireBindings } from '../lib/configuration.ts'
import { openExpected } from '../lib/links.ts'
import { describeError, note, report } from '../lib/log.ts'
import {
  isConfigError,
  isWebhookVerificationError,
  readWebhookForm,
  verifyWebhook,
  type WebhookEvent,
  type WebhookForm,
  type WebhookRejection,
  type WebhookVerificationError,
} from '../sdk.ts'
import { StorageError } from '../store/kv.ts'

/** The address that webhooks come from (the API document, "Events", 3). */
const DOCUMENTED_SENDER = '35.187.74.148'
const MAX_BYTES = 65_536

const RESPONSES: Partial<Record<WebhookRejection, [status: number, text: string]>> = {
  content_type: [415, 'Unsupported media type'],
  too_large: [413, 'Too large'],
  missing_field: [400, 'Bad request'],
  duplicate_field: [400, 'Bad request'],
  not_utf8: [400, 'Bad request'],
}

/** `POST /webhooks`: 200 with an empty body when, and only when, the event is durable. */
export function webhooks(deps: Deps): (c: Context<{ Bindings: Env }>) => Promise<Response> {
  return async ({ env, req }) => {
    requireBindings(env, 'webhooks')
    return respond(deps, env, req.raw, req.query('expected'))
  }
}

async function respond(deps: Deps, env: Env, request: Request, expected: string | undefined): Promise<Response> {
  if (!senderMayPass(env, request)) return reject(403, 'Forbidden')
  let form: WebhookForm
  try {
    form = await readWebhookForm(request, { maxBytes: MAX_BYTES })
  } catch (error) {
    if (isConfigError(error)) throw error
    if (isWebhookVerificationError(error)) return rejectFor(error)
    return reject(400, 'Bad request')
  }
  try {
    await receive(deps, env, form, expected)
  } catch (error) {
    if (isWebhookVerificationError(error)) return rejectFor(error)
    if (!(error instanceof StorageError)) throw error
    // The service repeats it.
    report('webhook_not_stored', { too_soon: error.tooSoon, ...describeError(error) })
    return reject(503, 'Try again later')
  }
  return new Response(null, { status: 200 })
}

async function receive(deps: Deps, env: Env, form: WebhookForm, sealed: string | undefined): Promise<void> {
  const context = contextOf(deps, env)
  let event: WebhookEvent
  try {
    event = verifyWebhook(form, webhookSecrets(env))
  } catch (error) {
    if (!isWebhookVerificationError(error) || !error.verified || error.data === undefined) throw error
    return receiveUnreadable(context, error.data, error.reason)
  }
  const packed = packEvent(event, env)
  if (!packed) return receiveUnpackable(context, event, form.data)
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
function rejectFor({ reason, message }: WebhookVerificationError): Response {
  note('webhook_rejected', { reason, detail: message })
  return reject(...(RESPONSES[reason] ?? [401, 'Unauthorized']))
}

function reject(status: number, text: string): Response {
  return new Response(text, { status, headers: { 'content-type': 'text/plain; charset=utf-8' } })
}
