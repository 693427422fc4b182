// GET {base_url}/api/v1/pos/{pos_id}/orders/{order_id}/{operation}?callback=true (document, "Re-send a webhook for an operation")

import * as v from 'valibot'
import { type ClientConfig, type ResolvedConfig, resolveConfig } from '../config.ts'
import type { Issue } from '../errors.ts'
import { unexpected } from '../http/read-record.ts'
import { send } from '../http/send.ts'
import type { Answer, CallOptions, WireRequest } from '../http/types.ts'
import { isObject } from '../lib/kind.ts'
import { segment } from '../lib/path.ts'
import type { WebhookEvent } from '../schemas/event.ts'
import { anInput, define, fieldsOf, objectMessage, type Schema, unknownParameter } from '../schemas/fields.ts'
import { checkInput, issueAt, orderId, pathSegment, uuid } from '../schemas/input.ts'
import { readEvent } from '../schemas/read-event.ts'
import type { LiteralUnion } from '../schemas/values.ts'

/** The input of `resendWebhook`. */
export interface ResendWebhookInput {
  /** The POS; the configuration's `posId` unless given. */
  pos_id?: string | undefined
  /** The order, 1 to 256 characters; it becomes a part of the path, so that `.` and `..` are refused. */
  order_id: string
  /** The operation's name, such as `purchase` or `void`. */
  operation: LiteralUnion<
    'purchase' | 'auth' | 'capture' | 'void' | 'refund' | 'auth_increment' | 'credit' | 'p2p' | 'lookup'
  >
  /**
   * One transaction of a recurring payment; with `operation: 'purchase'` only. Left out: the latest one. (Written as on
   * the wire.)
   */
  transactionId?: string | undefined
}

const inputSchema: Schema<ResendWebhookInput> = /* @__PURE__ */ define(() =>
  v.pipe(
    anInput,
    v.objectWithRest(
      fieldsOf<ResendWebhookInput>()({
        pos_id: v.optional(uuid),
        order_id: pathSegment,
        operation: pathSegment,
        transactionId: v.optional(orderId()),
      }),
      unknownParameter,
      objectMessage,
    ),
  ),
)

function inputIssues({ operation, transactionId }: ResendWebhookInput): Issue[] {
  if (transactionId === undefined || operation === 'purchase') return []
  return [issueAt('transactionId', 'must be left out unless operation is "purchase"', transactionId)]
}

/** Builds the request: pure. */
function buildRequest(config: ResolvedConfig, received: ResendWebhookInput): WireRequest {
  const input = checkInput('resendWebhook', inputSchema, received, inputIssues)
  const { pos_id = config.posId, order_id, operation, transactionId } = input
  const query = transactionId === undefined ? '' : `&transactionId=${segment(transactionId)}`
  return {
    operation: 'resendWebhook',
    method: 'GET',
    base: 'baseUrl',
    path: `/api/v1/pos/${pos_id}/orders/${segment(order_id)}/${segment(operation)}?callback=true${query}`,
    authentication: 'hmac',
    endpointsKeyHeader: 'X-API-KEY',
    howToFindOut: '',
  }
}

function readAnswer(request: WireRequest, answer: Answer): WebhookEvent {
  if (!isObject(answer.json)) throw unexpected(request, answer, [issueAt('', 'must be an object', answer.json)])
  return readEvent(answer.json)
}

/**
 * Has the service send an operation's webhook again, and answers the same data: the way to learn the state of an order.
 * `GET {base_url}/api/v1/pos/{pos_id}/orders/{order_id}/{operation}?callback=true`.
 *
 * The event has the type of a webhook, with `recurring` where the payment is a recurring one. It needs no signature: it
 * came over the connection that you opened. Tried again after a network failure, a 429 or a 5xx.
 *
 * @param config The configuration, or a client's.
 * @param input The order, the operation and, of a recurring purchase, the transaction.
 * @param options `signal`, `timeoutMs`.
 * @throws {InvalidInputError} before anything is sent, naming each field that breaks a rule.
 * @throws {ConfigError} when the configuration cannot work.
 * @throws {ConnectionError} when there was no answer, after the retries.
 * @throws {ApiError} when the service refuses it; a 404 means that it does not know the order or the operation.
 * @throws {UnexpectedResponseError} when the answer is not a JSON object; it is in `body`.
 * @see The service's document, "Re-send a webhook for an operation".
 * @example
 * import { type ClientConfig, resendWebhook } from 'edgetill'
 * async function isPaid(config: ClientConfig): Promise<boolean> {
 *   const event = await resendWebhook(config, { order_id: 'A-1', operation: 'purchase' })
 *   return event.kind === 'purchase' && event.status === 'success'
 * }
 */
export async function resendWebhook(
  config: ClientConfig | ResolvedConfig,
  input: ResendWebhookInput,
  options: CallOptions = {},
): Promise<WebhookEvent> {
  const resolved = resolveConfig(config)
  const request = buildRequest(resolved, input)
  return readAnswer(request, await send(resolved, request, options))
}
