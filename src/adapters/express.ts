import type { WebhookHandlerOptions } from '../webhooks/receiver.ts'
import { createIncomingHandler, type IncomingRequest, type OutgoingResponse } from './incoming.ts'

export type { IncomingRequest, OutgoingResponse, WebhookHandlerOptions }

const CURE =
  'A middleware read it and left no req.body: mount webhookHandler before that middleware, or put ' +
  'express.urlencoded({ extended: false }) before both.'

/**
 * Makes a route handler for Express that receives webhooks, with the options and the responses of
 * {@link createWebhookHandler}.
 *
 * It needs no body parser: it reads the body when nothing has. It also takes the `req.body` of `express.urlencoded`,
 * `express.raw` or `express.text`. A body parser's own limit (100 kB by default) comes before `maxBytes`.
 *
 * @throws {ConfigError} at once, for options that cannot work. Where the body was read and nothing is left in
 *   `req.body`, the response is 500 and `onRejected` receives a ConfigError that names the cure.
 * @see The API document, "Events". The statuses are an assumption: it does not show the response that a receiver has to
 *   return.
 * @example
 * import { eventKey } from 'edgetill/orders'
 * import type { WebhookEvent } from 'edgetill/webhooks'
 * import { webhookHandler } from 'edgetill/express'
 * const events = new Map<string, WebhookEvent>() // in place of a table with a unique key
 * export const receive = webhookHandler({
 *   secrets: 'your-api-secret',
 *   onEvent: (event) => events.set(eventKey(event), event),
 * })
 * // app.post('/webhooks', receive)
 */
export function webhookHandler(
  options: WebhookHandlerOptions,
): (request: IncomingRequest, response: OutgoingResponse) => Promise<void> {
  return createIncomingHandler(options, CURE)
}
