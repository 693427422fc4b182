// GET {base_url}/api/v1/pos/{pos_id}/orders/{order_id} (beyond the API document; source [A]: shown by the vendor's
// other public material)

import * as v from 'valibot'
import type { ClientConfig, ResolvedConfig } from '../config.ts'
import { unreadableRecord } from '../http/body.ts'
import { compareWithRequest } from '../http/compare.ts'
import { call, send } from '../http/send.ts'
import type { BodilessCallOptions, CallOptions, ParsedResponse, WireRequest } from '../http/types.ts'
import { isObject, kindOf } from '../lib/kind.ts'
import { pathOf } from '../lib/path.ts'
import type { WebhookEvent } from '../schemas/event.ts'
import { fieldsOf, inputObject, pure, type Schema } from '../schemas/fields.ts'
import { checkInput, pathSegment, uuid } from '../schemas/input.ts'
import { readRecord, undocumented } from '../schemas/read-event.ts'

/** The input of `listOrderOperations`. */
export interface ListOrderOperationsInput {
  /** The POS; the configuration's `posId` unless given. */
  pos_id?: string | undefined
  /** The order, 1 to 256 characters; it becomes a part of the path, so that `.` and `..` are rejected. */
  order_id: string
}

const inputSchema: Schema<ListOrderOperationsInput> = /* @__PURE__ */ pure(() =>
  inputObject(fieldsOf<ListOrderOperationsInput>()({ pos_id: v.optional(uuid), order_id: pathSegment })),
)

function buildRequest(config: ResolvedConfig, received: ListOrderOperationsInput): WireRequest {
  const input = checkInput('listOrderOperations', inputSchema, received)
  return {
    operation: 'listOrderOperations',
    method: 'GET',
    base: 'baseUrl',
    ...pathOf('/api/v1/pos/{pos_id}/orders/{order_id}', { pos_id: config.posId, ...input }),
    authentication: 'plain',
    endpointsKeyHeader: 'X-API-KEY',
    subject: { order_id: input.order_id },
    howToFindOut: '',
  }
}

function readResponse(response: ParsedResponse): WebhookEvent[] {
  const { json } = response
  if (Array.isArray(json)) {
    for (const element of json) if (isObject(element)) compareWithRequest(response, element)
    return json.map(readElement)
  }
  throw unreadableRecord(response, [{ path: '', message: 'must be an array of operations', received: kindOf(json) }])
}

// Read separately: an element of an odd shape must not hide the others.
function readElement(element: unknown): WebhookEvent {
  if (!isObject(element)) {
    const issues = [{ path: '', message: 'must be an object', received: kindOf(element) }]
    return undocumented('unexpected', { element }, issues)
  }
  // A full capture's record names its currency order_currency (the API document, "Secondary operation record").
  const { currency, order_currency } = element
  return readRecord(currency == null && order_currency != null ? { ...element, currency: order_currency } : element)
}

async function run(
  config: ResolvedConfig,
  input: ListOrderOperationsInput,
  options: CallOptions,
): Promise<WebhookEvent[]> {
  const request = buildRequest(config, input)
  return readResponse(await send(config, request, options))
}

/**
 * Lists every operation of an order, the primary payment and all captures, voids, increments and refunds.
 * `GET {base_url}/api/v1/pos/{pos_id}/orders/{order_id}`. Beyond the API document.
 *
 * Each element has the type of that operation's webhook; `kind` distinguishes them. An element of an unexpected shape
 * becomes an `UnexpectedEvent` and never hides the others. Retried after a network failure, a 408, a 429 or a 5xx.
 * Authenticates plainly with `X-API-KEY`, an assumption: public integrations do so.
 *
 * @param config The configuration, as for `createClient`.
 * @param input The order.
 * @param options `signal`, `timeoutMs`, `deadlineMs`, `maxRetries`.
 * @throws {InvalidInputError} before anything is sent, naming each field that breaks a rule.
 * @throws {ConfigError} when the configuration is invalid.
 * @throws {ConnectionError} when there was no response, after the retries.
 * @throws {ApiError} when the service rejects it; a 404 means that it does not know the order, or not this path.
 * @throws {UnexpectedResponseError} when the response is not an array; it is in `body`.
 * @see Beyond the API document: the vendor states the path, and that it returns an array of operations, elsewhere
 *   [A]; the elements are assumed to have the API document's webhook parameters.
 * @example
 * import { type ClientConfig, isSuccess, listOrderOperations } from 'edgetill'
 * async function refunded(config: ClientConfig): Promise<number> {
 *   const operations = await listOrderOperations(config, { order_id: 'A-1' })
 *   return operations.filter((one) => one.kind === 'refund' && isSuccess(one)).length
 * }
 */
export async function listOrderOperations(
  config: ClientConfig,
  input: ListOrderOperationsInput,
  options: BodilessCallOptions = {},
): Promise<WebhookEvent[]> {
  return call('listOrderOperations', run, config, input, options)
}
