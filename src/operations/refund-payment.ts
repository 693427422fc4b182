// POST {base_url}/api/v1/refund (beyond the API document; source [A]: shown by the vendor's other public material)

import * as v from 'valibot'
import type { ClientConfig, ResolvedConfig } from '../config.ts'
import { call, send } from '../http/send.ts'
import type { CallOptions, WireRequest } from '../http/types.ts'
import { CAPTURE_ORDER_ID_LENGTH, COMMENT_LENGTH } from '../lib/limits.ts'
import { fieldsOf, inputObject, pure, type Schema } from '../schemas/fields.ts'
import { checkInput, currency, orderId, partialAmount, textUpTo, url, uuid } from '../schemas/input.ts'
import type { Refund } from '../schemas/secondary-operation.ts'
import { readSecondary, secondaryRequest } from './secondary-operation.ts'

/** The input of `refundPayment`. */
export interface RefundPaymentInput {
  /** The POS; the configuration's `posId` unless given. */
  pos_id?: string | undefined
  /** The order to refund, 1 to 32 characters. */
  order_id: string
  /** Currency of the original order, ISO 4217. */
  order_currency: string
  /** Positive, in the currency's unit, at most 2 decimals. Left out: everything that is left to refund. */
  refund_amount?: number
  /** At most 2048 characters: the limit of a capture's comment, assumed to hold here too. */
  comment?: string | undefined
  /** The address that receives the webhooks of this refund. */
  server_url?: string | undefined
}

const inputSchema: Schema<RefundPaymentInput> = /* @__PURE__ */ pure(() =>
  inputObject(
    fieldsOf<RefundPaymentInput>()({
      pos_id: v.optional(uuid),
      order_id: orderId(CAPTURE_ORDER_ID_LENGTH),
      order_currency: currency,
      refund_amount: partialAmount('refund'),
      comment: v.optional(textUpTo(COMMENT_LENGTH)),
      server_url: v.optional(url),
    }),
  ),
)

function buildRequest(config: ResolvedConfig, received: RefundPaymentInput, options: CallOptions): WireRequest {
  const input = checkInput('refundPayment', inputSchema, received)
  const sent = { amount: input.refund_amount, currency: input.order_currency }
  return secondaryRequest(config, 'refundPayment', '/api/v1/refund', input, sent, options)
}

async function run(config: ResolvedConfig, input: RefundPaymentInput, options: CallOptions): Promise<Refund> {
  const request = buildRequest(config, input, options)
  return readSecondary<Refund>(await send(config, request, options))
}

/**
 * Refunds a paid order, in full or in part. `POST {base_url}/api/v1/refund`. Beyond the API document.
 *
 * Only a successful purchase or capture can be refunded. Without `refund_amount` everything that is left is refunded.
 * A refund has NO idempotency key: when its outcome is unknown, call `resolveOutcome` before you send another. A
 * declined refund is a value with `status: 'failure'`. Authenticates plainly with `X-API-KEY`, an assumption: public
 * integrations do so.
 *
 * @param config The configuration, as for `createClient`.
 * @param input The parameters under their wire names.
 * @param options `signal`, `timeoutMs`, `deadlineMs`, `maxRetries`, and `passThrough` for additional body fields.
 * @throws {InvalidInputError} before anything is sent, naming each field that breaks a rule.
 * @throws {ConfigError} when the configuration is invalid.
 * @throws {ConnectionError} when the request provably never left: calling again is safe.
 * @throws {OutcomeUnknownError} when it may have been processed, but no response confirmed it: call `resolveOutcome`.
 * @throws {ApiError} when the service rejects it (4xx). Its response when nothing can be refunded is not documented.
 * @see Beyond the API document: the vendor states path and body elsewhere [A]; the response is assumed to be the
 *   API document's "Secondary operation record".
 * @example
 * import { type ClientConfig, isSuccess, refundPayment } from 'edgetill'
 * async function payBack(config: ClientConfig): Promise<boolean> {
 *   const refund = await refundPayment(config, { order_id: 'A-1', order_currency: 'UAH', refund_amount: 20.5 })
 *   return isSuccess(refund)
 * }
 */
export async function refundPayment(
  config: ClientConfig,
  input: RefundPaymentInput,
  options: CallOptions = {},
): Promise<Refund> {
  return call('refundPayment', run, config, input, options)
}
