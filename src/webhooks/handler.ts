import { membersOf } from '../lib/kind.ts'
import { isWebRequest, notARequest } from './errors.ts'
import { createReceiver, requirePost, type WebhookHandlerOptions } from './receiver.ts'
import { readWebhookForm } from './verify.ts'

/**
 * Makes a handler that receives webhooks: it reads and verifies a `Request`, passes the event to `onEvent`, and
 * responds.
 *
 * | status | when |
 * | --- | --- |
 * | 200, an empty body | `onEvent` returned, or `onUnreadable` kept a genuine webhook that cannot be read |
 * | 400, 401, 405, 413, 415 | the request is not a webhook's form, or its signature is wrong |
 * | 408 | the body did not arrive within `timeoutMs` |
 * | 500 | a mistake in the receiver: the body was read already |
 * | 503 | `onEvent`, `onUnreadable` or `secrets` failed or took more than `timeoutMs`: the service sends it again |
 *
 * The body of a response reveals nothing; `onRejected` receives the reason. A webhook can arrive more than once:
 * `onEvent` recognizes a repetition by `eventKey(event)`.
 *
 * @returns A function that never rejects.
 * @throws {ConfigError} at once, for options that cannot work: a secret that is missing, empty or has white space
 *   around it, no `onEvent`, an unknown option, or a `maxBytes` that is not a positive whole number.
 * @see The API document, "Events", for the form. It does not show the statuses that a receiver has to return (7.): ours
 *   are an assumption.
 * @example
 * import { eventKey } from 'edgetill/orders'
 * import { createWebhookHandler, type WebhookEvent } from 'edgetill/webhooks'
 * const events = new Map<string, WebhookEvent>() // in place of a table with a unique key
 * const handle = createWebhookHandler({
 *   secrets: 'your-api-secret',
 *   onEvent: (event) => events.set(eventKey(event), event), // "on conflict do nothing"
 * })
 * export default { fetch: handle } // Bun, `deno serve`, a Worker
 */
export function createWebhookHandler(options: WebhookHandlerOptions): (request: Request) => Promise<Response> {
  const receive = createReceiver(options)
  const { maxBytes } = membersOf(options, ['maxBytes'])
  return async (request) => {
    const { status, headers, text } = await receive(() => {
      if (!isWebRequest(request)) throw notARequest(request)
      requirePost(request.method)
      return readWebhookForm(request, { maxBytes })
    })
    return new Response(text || null, { status, headers })
  }
}
