// POST {base_url}/api/v1/split/capture (beyond the API document; source [A]: shown by the vendor's other public
// material)

import * as v from 'valibot'
import type { ClientConfig, ResolvedConfig } from '../config.ts'
import { call, send } from '../http/send.ts'
import type { CallOptions, WireRequest } from '../http/types.ts'
import { CAPTURE_ORDER_ID_LENGTH, COMMENT_LENGTH } from '../lib/limits.ts'
import type { Capture } from '../schemas/capture.ts'
import { fieldsOf, inputObject, pure, type Schema } from '../schemas/fields.ts'
import { checkInput, currency, orderId, partialAmount, textUpTo, url, uuid } from '../schemas/input.ts'
import { type Split, splitListSchema } from '../schemas/split.ts'
import { readSecondary, secondaryRequest } from './secondary-operation.ts'
import { warnAboutSplitSum } from './warnings.ts'

/** The input of `captureSplitPurchase`. */
export interface CaptureSplitPurchaseInput {
  /** The POS; the configuration's `posId` unless given. */
  pos_id?: string | undefined
  /** The order whose `auth` is captured, 1 to 32 characters. */
  order_id: string
  /** Currency of the original order, ISO 4217. */
  order_currency: string
  /**
   * Positive, in the currency's unit, at most 2 decimals. Left out: everything that was authorized, an assumption.
   * All public material sends it, so that the emulator rejects a capture without it.
   */
  charge_amount?: number
  /**
   * At least one entry: how the captured amount is divided. In every public example the parts add up to the amount
   * exactly; a mismatch with `charge_amount` triggers `onWarning`.
   */
  split: readonly Split[]
  /** At most 2048 characters: the limit of a capture's comment, assumed to hold here too. */
  comment?: string | undefined
  /** The address that receives the webhooks of this capture. */
  server_url?: string | undefined
}

const OPERATION = 'captureSplitPurchase'

const inputSchema: Schema<CaptureSplitPurchaseInput> = /* @__PURE__ */ pure(() =>
  inputObject(
    fieldsOf<CaptureSplitPurchaseInput>()({
      pos_id: v.optional(uuid),
      order_id: orderId(CAPTURE_ORDER_ID_LENGTH),
      order_currency: currency,
      charge_amount: partialAmount('capture'),
      split: splitListSchema,
      comment: v.optional(textUpTo(COMMENT_LENGTH)),
      server_url: v.optional(url),
    }),
  ),
)

function buildRequest(config: ResolvedConfig, received: CaptureSplitPurchaseInput, options: CallOptions): WireRequest {
  const input = checkInput(OPERATION, inputSchema, received)
  warnAboutSplitSum(config, OPERATION, input.split, 'charge_amount', input.charge_amount)
  const sent = { amount: input.charge_amount, currency: input.order_currency }
  return secondaryRequest(config, OPERATION, '/api/v1/split/capture', input, sent, options)
}

async function run(config: ResolvedConfig, input: CaptureSplitPurchaseInput, options: CallOptions): Promise<Capture> {
  const request = buildRequest(config, input, options)
  return readSecondary<Capture>(await send(config, request, options))
}

/**
 * Captures an authorized payment and divides it between sub-merchants. `POST {base_url}/api/v1/split/capture`. Beyond
 * the API document.
 *
 * Only an `auth` with status `success` can be captured. A capture has NO idempotency key: when its outcome is
 * unknown, call `resolveOutcome` before you send another. A declined capture is a value with `status: 'failure'`.
 * Authenticates plainly with `X-API-KEY`, an assumption: public integrations do so.
 *
 * @param config The configuration, as for `createClient`.
 * @param input The parameters under their wire names.
 * @param options `signal`, `timeoutMs`, `deadlineMs`, `maxRetries`, and `passThrough` for additional body fields.
 * @throws {InvalidInputError} before anything is sent, naming each field that breaks a rule.
 * @throws {ConfigError} when the configuration is invalid.
 * @throws {ConnectionError} when the request provably never left: calling again is safe.
 * @throws {OutcomeUnknownError} when it may have been processed, but no response confirmed it: call `resolveOutcome`.
 * @throws {ApiError} when the service rejects it (4xx). Its response when nothing can be captured is not documented.
 * @see Beyond the API document: the vendor states path and body elsewhere [A]; the response is assumed to be the
 *   API document's "Secondary operation record".
 * @example
 * import { captureSplitPurchase, type ClientConfig, isSuccess } from 'edgetill'
 * async function ship(config: ClientConfig, sub_merchant_id: string): Promise<boolean> {
 *   const capture = await captureSplitPurchase(config, {
 *     order_id: 'A-1', order_currency: 'UAH', charge_amount: 80.25, split: [{ amount: 80.25, sub_merchant_id }],
 *   })
 *   return isSuccess(capture)
 * }
 */
export async function captureSplitPurchase(
  config: ClientConfig,
  input: CaptureSplitPurchaseInput,
  options: CallOptions = {},
): Promise<Capture> {
  return call('captureSplitPurchase', run, config, input, options)
}
