import { isWebhookVerificationError } from '../../errors.ts'
import { createWebhookHandler, type WebhookEvent } from '../../webhooks/index.ts'
import { linkSecrets, type ShopEnv, webhookSecrets } from '../env.ts'
import { requireBindings } from '../lib/configuration.ts'
import { unsealExpected } from '../lib/links.ts'
import { describeError, logError, logInfo } from '../lib/log.ts'
import { StorageError } from '../lib/storage-error.ts'
import { act, storeWebhook } from '../order/actions.ts'
import { orderIdOf } from '../order/events.ts'
import { packEvent, storeStray, storeUnpackable } from '../order/store-event.ts'
import { type C, type Deps, type Scope, scopeOf } from '../scope.ts'

/** The address that webhooks come from (the API document, "Events", 3). */
const DOCUMENTED_SENDER = '35.187.74.148'

/** `POST /webhooks`: 200 with an empty body when, and only when, the event is durable. */
export function webhooks(deps: Deps): (c: C) => Promise<Response> | Response {
  return (c) => {
    const { env, req } = c
    requireBindings(env, 'webhooks')
    if (!senderMayPass(env, req.raw)) return new Response('Forbidden', { status: 403 })
    const scope = scopeOf(deps, c)
    const handle = createWebhookHandler({
      secrets: webhookSecrets(env),
      onEvent: (event) => store(scope, event, req.query('expected')),
      onUnreadable: ({ data, reason }) => storeStray(scope, data, reason),
      onRejected: logRejection,
    })
    return handle(req.raw)
  }
}

async function store(scope: Scope, event: WebhookEvent, sealed = ''): Promise<void> {
  const { env } = scope
  // A seal that is missing or cannot be opened never rejects a genuine webhook: the checkout's record counts then.
  const expected = await unsealExpected(sealed, orderIdOf(event), linkSecrets(env))
  const packed = packEvent(event, env, expected)
  return packed ? act(scope, packed, storeWebhook) : storeUnpackable(scope, event)
}

/** A second layer only: outside Cloudflare's edge anybody can send the header. */
function senderMayPass(env: ShopEnv, request: Request): boolean {
  const check = env.SENDER_CHECK || 'off'
  if (check === 'off') return true
  const sender = request.headers.get('cf-connecting-ip')
  if (sender === (env.SENDER_IP || DOCUMENTED_SENDER)) return true
  logInfo('foreign_sender', { sender, rejected: check === 'enforce' })
  return check === 'log'
}

/** The sender learns the status alone; the merchant's log says why. */
function logRejection(error: unknown, status: number): void {
  if (isWebhookVerificationError(error)) {
    logInfo('webhook_rejected', { reason: error.reason, detail: error.message })
  } else if (status !== 400) {
    // The service repeats it. 400: the connection failed while the body was read.
    const tooSoon = error instanceof StorageError && { too_soon: error.tooSoon }
    logError('webhook_not_stored', { ...tooSoon, ...describeError(error) })
  }
}
