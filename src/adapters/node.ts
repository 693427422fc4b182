import type { WebhookHandlerOptions } from '../webhooks/receiver.ts'
import { createIncomingHandler, type IncomingRequest, type OutgoingResponse } from './incoming.ts'

export type { IncomingRequest, OutgoingResponse, WebhookHandlerOptions }

const CURE =
  'Call webhookHandler before anything reads the request, or set request.body to what was read: the text, its bytes, ' +
  'or a URLSearchParams. In Koa: ctx.req.body = ctx.request.body.'

/**
 * Makes a request listener for node:http that receives webhooks, with the options and the responses of
 * {@link createWebhookHandler}. It does not look at the path.
 *
 * It reads the body itself. Where something has read it before, it takes `request.body`: the text, its bytes, or the
 * fields.
 *
 * @throws {ConfigError} at once, for options that cannot work. Where the body was read and there is no `request.body`,
 *   the response is 500 and `onRejected` receives a ConfigError that names the cure.
 * @see The API document, "Events". The statuses are an assumption: it does not show the response that a receiver has to
 *   return.
 * @example
 * import { eventKey } from 'edgetill/orders'
 * import type { WebhookEvent } from 'edgetill/webhooks'
 * import { webhookHandler } from 'edgetill/node'
 * const events = new Map<string, WebhookEvent>() // in place of a table with a unique key
 * export const receive = webhookHandler({
 *   secrets: 'your-api-secret',
 *   onEvent: (event) => events.set(eventKey(event), event),
 * })
 * // createServer((request, response) => (request.url === '/webhooks' ? receive : shop)(request, response))
 */
export function webhookHandler(
  options: WebhookHandlerOptions,
): (request: IncomingRequest, response: OutgoingResponse) => Promise<void> {
  return createIncomingHandler(options, CURE)
}
