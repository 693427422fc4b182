// POST {base_url}/api/v1/void (beyond the API document; source [A]: shown by the vendor's other public material)

import * as v from 'valibot'
import type { ClientConfig, ResolvedConfig } from '../config.ts'
import { call, send } from '../http/send.ts'
import type { CallOptions, WireRequest } from '../http/types.ts'
import { CAPTURE_ORDER_ID_LENGTH, COMMENT_LENGTH } from '../lib/limits.ts'
import { fieldsOf, inputObject, pure, type Schema } from '../schemas/fields.ts'
import { checkInput, currency, orderId, textUpTo, url, uuid } from '../schemas/input.ts'
import type { Void } from '../schemas/secondary-operation.ts'
import { readSecondary, secondaryRequest } from './secondary-operation.ts'

/** The input of `voidPayment`. */
export interface VoidPaymentInput {
  /** The POS; the configuration's `posId` unless given. */
  pos_id?: string | undefined
  /** The order whose `auth` is voided, 1 to 32 characters. */
  order_id: string
  /** Currency of the original order, ISO 4217. */
  order_currency: string
  /** At most 2048 characters: the limit of a capture's comment, assumed to hold here too. */
  comment?: string | undefined
  /** The address that receives the webhooks of this void. */
  server_url?: string | undefined
}

const inputSchema: Schema<VoidPaymentInput> = /* @__PURE__ */ pure(() =>
  inputObject(
    fieldsOf<VoidPaymentInput>()({
      pos_id: v.optional(uuid),
      order_id: orderId(CAPTURE_ORDER_ID_LENGTH),
      order_currency: currency,
      comment: v.optional(textUpTo(COMMENT_LENGTH)),
      server_url: v.optional(url),
    }),
  ),
)

function buildRequest(config: ResolvedConfig, received: VoidPaymentInput, options: CallOptions): WireRequest {
  const input = checkInput('voidPayment', inputSchema, received)
  const sent = { currency: input.order_currency }
  return secondaryRequest(config, 'voidPayment', '/api/v1/void', input, sent, options)
}

async function run(config: ResolvedConfig, input: VoidPaymentInput, options: CallOptions): Promise<Void> {
  const request = buildRequest(config, input, options)
  return readSecondary<Void>(await send(config, request, options))
}

/**
 * Releases an authorization hold whole. `POST {base_url}/api/v1/void`. Beyond the API document.
 *
 * Only an `auth` with status `success` can be voided, and always the full amount. When the outcome of a void is
 * unknown, call `resolveOutcome`. A declined void is a value with `status: 'failure'`. Authenticates plainly with
 * `X-API-KEY`, an assumption: public integrations do so.
 *
 * @param config The configuration, as for `createClient`.
 * @param input The parameters under their wire names.
 * @param options `signal`, `timeoutMs`, `deadlineMs`, `maxRetries`, and `passThrough` for additional body fields.
 * @throws {InvalidInputError} before anything is sent, naming each field that breaks a rule.
 * @throws {ConfigError} when the configuration is invalid.
 * @throws {ConnectionError} when the request provably never left: calling again is safe.
 * @throws {OutcomeUnknownError} when it may have been processed, but no response confirmed it: call `resolveOutcome`.
 * @throws {ApiError} when the service rejects it (4xx). Its response when nothing can be voided is not documented.
 * @see Beyond the API document: the vendor states path and body elsewhere [A]; the response is assumed to be the
 *   API document's "Secondary operation record".
 * @example
 * import { type ClientConfig, isSuccess, voidPayment } from 'edgetill'
 * async function release(config: ClientConfig): Promise<boolean> {
 *   const operation = await voidPayment(config, { order_id: 'A-1', order_currency: 'UAH' })
 *   return isSuccess(operation)
 * }
 */
export async function voidPayment(
  config: ClientConfig,
  input: VoidPaymentInput,
  options: CallOptions = {},
): Promise<Void> {
  return call('voidPayment', run, config, input, options)
}
