// POST {base_url}/api/v1/split/refund (beyond the API document; source [A]: shown by the vendor's other public
// material)

import * as v from 'valibot'
import type { ClientConfig, ResolvedConfig } from '../config.ts'
import { call, send } from '../http/send.ts'
import type { CallOptions, WireRequest } from '../http/types.ts'
import { CAPTURE_ORDER_ID_LENGTH, COMMENT_LENGTH } from '../lib/limits.ts'
import { fieldsOf, inputObject, pure, type Schema } from '../schemas/fields.ts'
import { amount, checkInput, currency, orderId, textUpTo, url, uuid } from '../schemas/input.ts'
import type { Refund } from '../schemas/secondary-operation.ts'
import { type Split, splitListSchema } from '../schemas/split.ts'
import { readSecondary, secondaryRequest } from './secondary-operation.ts'
import { warnAboutSplitSum } from './warnings.ts'

/** The input of `refundSplitPurchase`. */
export interface RefundSplitPurchaseInput {
  /** The POS; the configuration's `posId` unless given. */
  pos_id?: string | undefined
  /** The order to refund, 1 to 32 characters. */
  order_id: string
  /** Currency of the original order, ISO 4217. This call names it `currency`, not `order_currency`. */
  currency: string
  /** Positive, in the currency's unit, at most 2 decimals. */
  refund_amount: number
  /**
   * At least one entry: the amount that each sub-merchant gives back. In every public example the parts add up to the
   * amount exactly; a mismatch with `refund_amount` triggers `onWarning`.
   */
  split: readonly Split[]
  /** At most 2048 characters: the limit of a capture's comment, assumed to hold here too. */
  comment?: string | undefined
  /** The address that receives the webhooks of this refund. */
  server_url?: string | undefined
}

const OPERATION = 'refundSplitPurchase'

const inputSchema: Schema<RefundSplitPurchaseInput> = /* @__PURE__ */ pure(() =>
  inputObject(
    fieldsOf<RefundSplitPurchaseInput>()({
      pos_id: v.optional(uuid),
      order_id: orderId(CAPTURE_ORDER_ID_LENGTH),
      currency: currency,
      refund_amount: amount,
      split: splitListSchema,
      comment: v.optional(textUpTo(COMMENT_LENGTH)),
      server_url: v.optional(url),
    }),
  ),
)

function buildRequest(config: ResolvedConfig, received: RefundSplitPurchaseInput, options: CallOptions): WireRequest {
  const input = checkInput(OPERATION, inputSchema, received)
  warnAboutSplitSum(config, OPERATION, input.split, 'refund_amount', input.refund_amount)
  const sent = { amount: input.refund_amount, currency: input.currency }
  return secondaryRequest(config, OPERATION, '/api/v1/split/refund', input, sent, options)
}

async function run(config: ResolvedConfig, input: RefundSplitPurchaseInput, options: CallOptions): Promise<Refund> {
  const request = buildRequest(config, input, options)
  return readSecondary<Refund>(await send(config, request, options))
}

/**
 * Refunds a split purchase, each sub-merchant its part. `POST {base_url}/api/v1/split/refund`. Beyond the API
 * document.
 *
 * Only a successful purchase or capture can be refunded. A refund has NO idempotency key: when its outcome is
 * unknown, call `resolveOutcome` before you send another. A declined refund is a value with `status: 'failure'`.
 * Authenticates plainly with `X-API-KEY`, an assumption: public integrations do so.
 *
 * @param config The configuration, as for `createClient`.
 * @param input The parameters under their wire names; the currency is `currency` here.
 * @param options `signal`, `timeoutMs`, `deadlineMs`, `maxRetries`, and `passThrough` for additional body fields.
 * @throws {InvalidInputError} before anything is sent, naming each field that breaks a rule.
 * @throws {ConfigError} when the configuration is invalid.
 * @throws {ConnectionError} when the request provably never left: calling again is safe.
 * @throws {OutcomeUnknownError} when it may have been processed, but no response confirmed it: call `resolveOutcome`.
 * @throws {ApiError} when the service rejects it (4xx). Its response when nothing can be refunded is not documented.
 * @see Beyond the API document: the vendor states path and body elsewhere [A]; the response is assumed to be the
 *   API document's "Secondary operation record".
 * @example
 * import { type ClientConfig, isSuccess, refundSplitPurchase } from 'edgetill'
 * async function payBack(config: ClientConfig, sub_merchant_id: string): Promise<boolean> {
 *   const refund = await refundSplitPurchase(config, {
 *     order_id: 'A-2', currency: 'UAH', refund_amount: 10.05, split: [{ amount: 10.05, sub_merchant_id }],
 *   })
 *   return isSuccess(refund)
 * }
 */
export async function refundSplitPurchase(
  config: ClientConfig,
  input: RefundSplitPurchaseInput,
  options: CallOptions = {},
): Promise<Refund> {
  return call('refundSplitPurchase', run, config, input, options)
}
