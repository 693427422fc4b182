import type { Context } from 'hono'
import type { Deps } from '../deps.ts'
import { type Env, requireBindings, senderCheck, webhookSecrets } from '../env.ts'
import { receiveEvent, receiveUnreadable } from '../flows/process-event.ts'
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
import { openKvStore, StorageError } from '../store/kv.ts'

/** The document's address that webhooks come from ("Events", 3). */
const DOCUMENTED_SENDER = '35.187.74.148'
const MAX_BYTES = 65_536

const ANSWERS: Partial<Record<WebhookRejection, [status: number, text: string]>> = {
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
    if (!senderMayPass(env, req.raw)) return refuse(403, 'Forbidden')
    let form: WebhookForm
    try {
      form = await readWebhookForm(req.raw, { maxBytes: MAX_BYTES })
    } catch (error) {
      if (isConfigError(error)) throw error
      if (isWebhookVerificationError(error)) return refuseFor(error)
      return refuse(400, 'Bad request')
    }
    const state = openKvStore(env.STATE)
    try {
      await receive(deps, env, state, form)
    } catch (error) {
      if (isWebhookVerificationError(error)) return refuseFor(error)
      if (!(error instanceof StorageError)) throw error
      console.error('A genuine webhook was not stored; the service was told to come again.', error)
      return refuse(503, 'Try again later')
    }
    return new Response(null, { status: 200 })
  }
}

async function receive(deps: Deps, env: Env, state: ReturnType<typeof openKvStore>, form: WebhookForm): Promise<void> {
  let event: WebhookEvent
  try {
    event = verifyWebhook(form, webhookSecrets(env))
  } catch (error) {
    if (!isWebhookVerificationError(error) || !error.verified || error.data === undefined) throw error
    await receiveUnreadable(deps, state, error.data, error.reason)
    return
  }
  await receiveEvent(deps, env, state, event, form)
}

/** A second layer only: off Cloudflare's edge anybody can send the header. */
function senderMayPass(env: Env, request: Request): boolean {
  const check = senderCheck(env)
  if (check === 'off') return true
  if (request.headers.get('cf-connecting-ip') === (env.SENDER_IP || DOCUMENTED_SENDER)) return true
  console.warn(`A webhook came from an address that is not SENDER_IP${check === 'log' ? '' : ' and was refused'}.`)
  return check === 'log'
}

/** The sender learns the status alone; the merchant's log says why. */
function refuseFor({ reason, message }: WebhookVerificationError): Response {
  console.warn(`${reason}: ${message}`)
  return refuse(...(ANSWERS[reason] ?? [401, 'Unauthorized']))
}

function refuse(status: number, text: string): Response {
  return new Response(text, { status, headers: { 'content-type': 'text/plain; charset=utf-8' } })
}
