import { isWebhookVerificationError } from '../../errors.ts'
import { createWebhookHandler, type WebhookEvent } from '../../webhooks/index.ts'
import { orderIdOf, receiveEvent, storeStray } from '../engine/receive.ts'
import { linkSecrets, type ShopEnv, webhookSecrets } from '../env.ts'
import { requireBindings } from '../lib/configuration.ts'
import { unsealExpected } from '../lib/links.ts'
import { describeError, logError, logInfo } from '../lib/log.ts'
import { StorageError } from '../lib/storage-error.ts'
import { hostOf, scopeOf, withoutIn } from '../open-scope.ts'
import type { C, Deps, Scope } from '../scope.ts'

/** The address that webhooks come from (the API document, "Events", 3). */
const DOCUMENTED_SENDER = '35.187.74.148'

/** `POST /webhooks`: 200 with an empty body when, and only when, the event is durable. */
export function webhooks(deps: Deps): (c: C) => Promise<Response> | Response {
  return (c) => {
    const { env, req } = c
    requireBindings(env, 'webhooks', withoutIn(deps))
    if (!senderMayPass(env, hostOf(deps).addressOf(req.raw))) return new Response('Forbidden', { status: 403 })
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
  return receiveEvent(scope, event, { expected })
}

/** Only a second layer: outside Cloudflare's edge any client can send the header. */
function senderMayPass(env: ShopEnv, sender: string | undefined): boolean {
  const check = env.SENDER_CHECK || 'off'
  if (check === 'off') return true
  if (sender === (env.SENDER_IP || DOCUMENTED_SENDER)) return true
  logInfo('foreign_sender', { sender: sender ?? null, rejected: check === 'enforce' })
  return check === 'log'
}

/** The sender gets only the status; the merchant's log has the reason. */
function logRejection(error: unknown, status: number): void {
  if (isWebhookVerificationError(error)) {
    logInfo('webhook_rejected', { reason: error.reason, detail: error.message })
  } else if (status !== 400) {
    // The service repeats it. 400: the connection failed while the body was read.
    const tooSoon = error instanceof StorageError && { too_soon: error.tooSoon }
    logError('webhook_not_stored', { ...tooSoon, ...describeError(error) })
  }
}
