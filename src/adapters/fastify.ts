import { ConfigError } from '../errors.ts'
import { isObject } from '../lib/kind.ts'
import { tooLarge } from '../webhooks/errors.ts'
import { createReceiver, type WebhookHandlerOptions } from '../webhooks/receiver.ts'
import { checkMaxBytes } from '../webhooks/verify.ts'
import { type IncomingRequest, readIncomingForm, requireForm } from './incoming.ts'

export type { IncomingRequest, WebhookHandlerOptions }

const CURE =
  'A hook or a content type parser read it and left no request.body: register webhookHandler outside of its scope, ' +
  'or let the parser return the text.'

const FORM = 'application/x-www-form-urlencoded'

/** The options of `register`: those of the handler, and Fastify's. */
export interface WebhookPluginOptions extends WebhookHandlerOptions {
  /** The path of the webhooks, such as `/webhooks`. */
  prefix?: string | undefined
  /** Fastify's. */
  logLevel?: unknown
  /** Fastify's. */
  logSerializers?: unknown
}

/** The request of Fastify, as far as the plugin uses it. */
export interface FastifyRequestLike {
  readonly body: unknown
  readonly raw: IncomingRequest
}

/** The reply of Fastify, as far as the plugin uses it. */
export interface FastifyReplyLike {
  code(status: number): unknown
  headers(headers: Record<string, string>): unknown
  send(text: string): unknown
}

/** An instance of Fastify, as far as the plugin uses it. */
export interface FastifyLike {
  hasContentTypeParser(type: string): boolean
  // `never`: no structural type of a parser fits Fastify's overloads.
  addContentTypeParser(type: string, options: { parseAs: 'buffer'; bodyLimit: number }, parser: never): unknown
  all(
    path: string,
    options: {
      bodyLimit: number
      errorHandler: (error: { code?: unknown }, request: FastifyRequestLike, reply: FastifyReplyLike) => unknown
    },
    handler: (request: FastifyRequestLike, reply: FastifyReplyLike) => Promise<unknown>,
  ): unknown
}

/**
 * A plugin for Fastify that receives webhooks under its `prefix`, with the options and the responses of
 * {@link createWebhookHandler}.
 *
 * It brings a parser for the form. In an app with a parser, such as `@fastify/formbody`, it takes that parser's result.
 *
 * @throws {ConfigError} from `app.ready()`, for options that cannot work. Where the body was read and nothing is left
 *   in `request.body`, the response is 500 and `onRejected` receives a ConfigError that names the cure.
 * @see The API document, "Events". The statuses are an assumption: it does not show the response that a receiver has to
 *   return.
 * @example
 * import { eventKey } from 'edgetill/orders'
 * import type { WebhookEvent } from 'edgetill/webhooks'
 * import { webhookHandler, type WebhookPluginOptions } from 'edgetill/fastify'
 * const events = new Map<string, WebhookEvent>() // in place of a table with a unique key
 * export const options: WebhookPluginOptions = {
 *   prefix: '/webhooks',
 *   secrets: 'your-api-secret',
 *   onEvent: (event) => events.set(eventKey(event), event),
 * }
 * export const plugin = webhookHandler // app.register(webhookHandler, options)
 */
export async function webhookHandler(app: FastifyLike, options: WebhookPluginOptions): Promise<void> {
  if (!isObject(options) || typeof app?.hasContentTypeParser !== 'function') {
    throw new ConfigError(
      'options',
      'webhookHandler is a plugin: app.register(webhookHandler, { prefix, secrets, onEvent }).',
    )
  }
  const { prefix: _prefix, logLevel: _logLevel, logSerializers: _logSerializers, ...own } = options
  const receive = createReceiver(own)
  const bodyLimit = checkMaxBytes(own.maxBytes)
  const respond = async (reply: FastifyReplyLike, form: () => unknown): Promise<unknown> => {
    const { status, headers, text } = await receive(form)
    reply.code(status)
    reply.headers(headers)
    reply.send(text)
    return reply
  }
  const readForm = ({ raw, body }: FastifyRequestLike) => readIncomingForm(raw, body, bodyLimit, CURE)

  // Encapsulated: only this plugin's route sees the parser.
  if (!app.hasContentTypeParser(FORM)) {
    const keepBytes = (_request: unknown, body: Uint8Array, done: (error: null, body: Uint8Array) => void) =>
      done(null, body)
    app.addContentTypeParser(FORM, { parseAs: 'buffer', bodyLimit }, keepBytes as never)
  }
  app.all(
    '/',
    {
      bodyLimit,
      // Fastify checks type and size before the handler runs. Errors of the app's hooks stay the app's.
      errorHandler: (error, request, reply) => {
        if (!String(error.code).startsWith('FST_ERR_CTP_')) throw error
        return respond(reply, () => {
          if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') throw tooLarge(bodyLimit)
          requireForm(request.raw)
          throw error
        })
      },
    },
    (request, reply) => respond(reply, () => readForm(request)),
  )
}
