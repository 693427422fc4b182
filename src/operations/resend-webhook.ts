// GET {base_url}/api/v1/pos/{pos_id}/orders/{order_id}/{operation}?callback=true (API document, "Re-send a webhook
// for an operation")

import * as v from 'valibot'
import type { ClientConfig, ResolvedConfig } from '../config.ts'
import type { Issue } from '../errors.ts'
import { unreadableRecord } from '../http/body.ts'
import { compareWithRequest } from '../http/compare.ts'
import { call, send } from '../http/send.ts'
import type { BodilessCallOptions, CallOptions, ParsedResponse, WireRequest } from '../http/types.ts'
import { isObject } from '../lib/kind.ts'
import { pathOf, segment } from '../lib/path.ts'
import type { WebhookEvent } from '../schemas/event.ts'
import { fieldsOf, inputObject, pure, type Schema } from '../schemas/fields.ts'
import { checkInput, issueAt, orderId, pathSegment, uuid } from '../schemas/input.ts'
import { readRecord } from '../schemas/read-event.ts'
import type { LiteralUnion } from '../schemas/values.ts'

/** The input of `resendWebhook`. */
export interface ResendWebhookInput {
  /** The POS; the configuration's `posId` unless given. */
  pos_id?: string | undefined
  /** The order, 1 to 256 characters; it becomes a part of the path, so `.` and `..` are rejected. */
  order_id: string
  /** The operation's name, such as `purchase` or `void`. */
  operation: LiteralUnion<
    'purchase' | 'auth' | 'capture' | 'void' | 'refund' | 'auth_increment' | 'credit' | 'p2p' | 'lookup'
  >
  /**
   * One transaction of a recurring payment; with `operation: 'purchase'` only. Left out: the latest one. (Written as
   * on the wire.)
   */
  transactionId?: string | undefined
}

const inputSchema: Schema<ResendWebhookInput> = /* @__PURE__ */ pure(() =>
  inputObject(
    fieldsOf<ResendWebhookInput>()({
      pos_id: v.optional(uuid),
      order_id: pathSegment,
      operation: pathSegment,
      transactionId: v.optional(orderId()),
    }),
  ),
)

function inputIssues({ operation, transactionId }: ResendWebhookInput): Issue[] {
  if (transactionId === undefined || operation === 'purchase') return []
  return [issueAt('transactionId', 'must be left out unless operation is "purchase"', transactionId)]
}

function buildRequest(config: ResolvedConfig, received: ResendWebhookInput): WireRequest {
  const input = checkInput('resendWebhook', inputSchema, received, inputIssues)
  const { order_id, operation, transactionId } = input
  const query = transactionId === undefined ? '' : `&transactionId=${segment(transactionId)}`
  const { template, path } = pathOf('/api/v1/pos/{pos_id}/orders/{order_id}/{operation}', {
    pos_id: config.posId,
    ...input,
  })
  return {
    operation: 'resendWebhook',
    method: 'GET',
    base: 'baseUrl',
    template,
    path: `${path}?callback=true${query}`,
    authentication: 'hmac',
    endpointsKeyHeader: 'X-API-KEY',
    subject: { order_id },
    methods: [operation],
    howToFindOut: '',
  }
}

function readResponse(response: ParsedResponse): WebhookEvent {
  const { json } = response
  if (!isObject(json)) throw unreadableRecord(response, [issueAt('', 'must be an object', json)])
  const event = readRecord(json)
  // A method that the API document does not name is a value.
  compareWithRequest(response, { ...json, method: event.kind === 'unknown' ? undefined : event.method })
  return event
}

async function run(config: ResolvedConfig, input: ResendWebhookInput, options: CallOptions): Promise<WebhookEvent> {
  const request = buildRequest(config, input)
  return readResponse(await send(config, request, options))
}

/**
 * Has the service send an operation's webhook again, and returns the same data: the way to read an order's state.
 * `GET {base_url}/api/v1/pos/{pos_id}/orders/{order_id}/{operation}?callback=true`.
 *
 * The event has the type of a webhook, with `recurring` if the payment is recurring. It needs no signature: it came
 * over the connection that you opened. Retried after a network failure, a 408, a 429 or a 5xx.
 *
 * @param config The configuration, as for `createClient`.
 * @param input The order, the operation and, of a recurring purchase, the transaction.
 * @param options `signal`, `timeoutMs`, `deadlineMs`, `maxRetries`.
 * @throws {InvalidInputError} before anything is sent, naming each field that breaks a rule.
 * @throws {ConfigError} when the configuration is invalid.
 * @throws {ConnectionError} when there was no response, after the retries.
 * @throws {ApiError} when the service rejects it; a 404 means that it does not know the order or the operation.
 * @throws {UnexpectedResponseError} when the response is not a JSON object; it is in `body`.
 * @see The API document, "Re-send a webhook for an operation".
 * @example
 * import { type ClientConfig, isSuccess, resendWebhook } from 'edgetill'
 * async function isPaid(config: ClientConfig): Promise<boolean> {
 *   const event = await resendWebhook(config, { order_id: 'A-1', operation: 'purchase' })
 *   return event.kind === 'purchase' && isSuccess(event)
 * }
 */
export async function resendWebhook(
  config: ClientConfig,
  input: ResendWebhookInput,
  options: BodilessCallOptions = {},
): Promise<WebhookEvent> {
  return call('resendWebhook', run, config, input, options)
}
