// POST {base_url}/api/v1/capture (API document, "Capture a reserve")

import * as v from 'valibot'
import type { ClientConfig, ResolvedConfig } from '../config.ts'
import { call, send } from '../http/send.ts'
import type { CallOptions, WireRequest } from '../http/types.ts'
import { CAPTURE_ORDER_ID_LENGTH, COMMENT_LENGTH } from '../lib/limits.ts'
import type { Capture } from '../schemas/capture.ts'
import { fieldsOf, inputObject, pure, type Schema } from '../schemas/fields.ts'
import { checkInput, currency, oneOf, orderId, partialAmount, products, textUpTo, url, uuid } from '../schemas/input.ts'
import type { Product } from '../schemas/split.ts'
import { readSecondary, secondaryRequest } from './secondary-operation.ts'

/** How a fiscal receipt reaches the customer. */
export type ReceiptDelivery = 'email' | 'sms' | 'viber' | 'none'

/** The input of `capturePayment`. */
export interface CapturePaymentInput {
  /** The POS; the configuration's `posId` unless given. */
  pos_id?: string | undefined
  /** The order whose `auth` is captured, 1 to 32 characters. */
  order_id: string
  /** Currency of the original order, ISO 4217. */
  order_currency: string
  /**
   * Positive, in the currency's unit, at most 2 decimals. Left out: the whole hold. Less: a partial capture.
   * More: beyond the hold, up to the percentage of the project's settings.
   */
  charge_amount?: number
  /** Their structure depends on whether fiscalization is used: they are sent as they are. */
  products?: readonly Product[] | undefined
  /** At most 2048 characters. */
  comment?: string | undefined
  /** The address that receives the webhooks of this capture. */
  server_url?: string | undefined
  /** How the fiscal receipt reaches the customer. */
  f_receipt_delivery?: ReceiptDelivery | undefined
}

const inputSchema: Schema<CapturePaymentInput> = /* @__PURE__ */ pure(() =>
  inputObject(
    fieldsOf<CapturePaymentInput>()({
      pos_id: v.optional(uuid),
      order_id: orderId(CAPTURE_ORDER_ID_LENGTH),
      order_currency: currency,
      charge_amount: partialAmount('capture'),
      products: v.optional(products),
      comment: v.optional(textUpTo(COMMENT_LENGTH)),
      server_url: v.optional(url),
      f_receipt_delivery: v.optional(oneOf(['email', 'sms', 'viber', 'none'])),
    }),
  ),
)

function buildRequest(config: ResolvedConfig, received: CapturePaymentInput, options: CallOptions): WireRequest {
  const input = checkInput('capturePayment', inputSchema, received)
  const sent = { amount: input.charge_amount, currency: input.order_currency }
  return secondaryRequest(config, 'capturePayment', '/api/v1/capture', input, sent, options)
}

async function run(config: ResolvedConfig, input: CapturePaymentInput, options: CallOptions): Promise<Capture> {
  const request = buildRequest(config, input, options)
  return readSecondary<Capture>(await send(config, request, options))
}

/**
 * Captures an authorization hold: in full, in part, or beyond it. `POST {base_url}/api/v1/capture`.
 *
 * Only an `auth` with status `success` can be captured. Without `charge_amount` the whole hold is charged. A capture
 * has NO idempotency key: never repeat a capture whose outcome is unknown before you have looked it up. A declined
 * capture is a value with `status: 'failure'`.
 *
 * @param config The configuration, as for `createClient`.
 * @param input The documented parameters under their wire names.
 * @param options `signal`, `timeoutMs`, `deadlineMs`, `maxRetries`, and `passThrough` for fields that the API
 *   document does not show.
 * @throws {InvalidInputError} before anything is sent, naming each field that breaks a rule.
 * @throws {ConfigError} when the configuration is invalid.
 * @throws {ConnectionError} when the request provably never left: calling again is safe.
 * @throws {OutcomeUnknownError} when it may have been processed, but no response confirmed it: call `resolveOutcome`.
 * @throws {ApiError} when the service rejects it (4xx). Its response when nothing can be captured is not documented.
 * @see The API document, "Capture a reserve".
 * @example
 * import { capturePayment, type ClientConfig, isSuccess } from 'edgetill'
 * async function ship(config: ClientConfig): Promise<boolean> {
 *   const capture = await capturePayment(config, { order_id: 'A-1', order_currency: 'UAH', charge_amount: 80.25 })
 *   return isSuccess(capture)
 * }
 */
export async function capturePayment(
  config: ClientConfig,
  input: CapturePaymentInput,
  options: CallOptions = {},
): Promise<Capture> {
  return call('capturePayment', run, config, input, options)
}
