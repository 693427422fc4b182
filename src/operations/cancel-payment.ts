// POST {base_url}/api/v1/pos/{pos_id}/order/{order_id}/cancel (document, "Cancel a created, unpaid payment")

import * as v from 'valibot'
import { type ClientConfig, type ResolvedConfig, resolveConfig } from '../config.ts'
import { readRecord, unexpected } from '../http/read-record.ts'
import { send } from '../http/send.ts'
import type { Answer, CallOptions, WireRequest } from '../http/types.ts'
import { kindOf } from '../lib/kind.ts'
import { segment } from '../lib/path.ts'
import { anInput, define, fieldsOf, objectMessage, type Schema, unknownParameter } from '../schemas/fields.ts'
import { checkInput, pathSegment, uuid } from '../schemas/input.ts'
import { type CancelledPayment, cancelledPaymentSchema } from '../schemas/payment.ts'

/** The input of `cancelPayment`. */
export interface CancelPaymentInput {
  /** The POS; the configuration's `posId` unless given. */
  pos_id?: string | undefined
  /** The order to cancel, 1 to 256 characters; it becomes a part of the path, so that `.` and `..` are refused. */
  order_id: string
}

const inputSchema: Schema<CancelPaymentInput> = /* @__PURE__ */ define(() =>
  v.pipe(
    anInput,
    v.objectWithRest(
      fieldsOf<CancelPaymentInput>()({ pos_id: v.optional(uuid), order_id: pathSegment }),
      unknownParameter,
      objectMessage,
    ),
  ),
)

/** Builds the request: pure. */
function buildRequest(config: ResolvedConfig, received: CancelPaymentInput): WireRequest {
  const input = checkInput('cancelPayment', inputSchema, received)
  return {
    operation: 'cancelPayment',
    method: 'POST',
    base: 'baseUrl',
    path: `/api/v1/pos/${input.pos_id ?? config.posId}/order/${segment(input.order_id)}/cancel`,
    authentication: 'plain',
    endpointsKeyHeader: 'X-API-Key',
    subject: { order_id: input.order_id },
    howToFindOut:
      `Ask with resendWebhook({ order_id, operation: 'purchase' }) (or 'auth'), where order_id is ${JSON.stringify(input.order_id)}: ` +
      'a cancelled payment has status_code 6007. Cancelling again moves no money.',
  }
}

function readAnswer(request: WireRequest, answer: Answer): CancelledPayment {
  const records = answer.json
  if (Array.isArray(records) && records.length === 1) {
    return readRecord<CancelledPayment>(cancelledPaymentSchema, request, answer, records[0])
  }
  const received = Array.isArray(records) ? `array of ${records.length}` : kindOf(records)
  throw unexpected(request, answer, [{ path: '', message: 'must be an array of one payment record', received }])
}

/**
 * Cancels a payment that was created and not paid. `POST {base_url}/api/v1/pos/{pos_id}/order/{order_id}/cancel`, without
 * a body.
 *
 * Applies to a hosted `purchase` (split ones included) or `auth` with status `init`. The record that comes back has
 * status `failure` and status_code `6007`; what the service does not know is null.
 *
 * @param config The configuration, or a client's.
 * @param input The order.
 * @param options `signal`, `timeoutMs`.
 * @throws {InvalidInputError} before anything is sent, naming each field that breaks a rule.
 * @throws {ConfigError} when the configuration cannot work.
 * @throws {ConnectionError} when the request provably never left: calling again is safe.
 * @throws {OutcomeUnknownError} when it may have been executed and no answer tells: ask with `resendWebhook` first.
 * @throws {ApiError} when the service refuses it (4xx). What it answers for a paid payment is not shown.
 * @throws {UnexpectedResponseError} when the answer is not an array of exactly one record; it is in `body`.
 * @see The service's document, "Cancel a created, unpaid payment".
 * @example
 * import { cancelPayment, type ClientConfig } from 'edgetill'
 * async function giveUp(config: ClientConfig): Promise<boolean> {
 *   const payment = await cancelPayment(config, { order_id: 'A-1' })
 *   return payment.status_code === '6007'
 * }
 */
export async function cancelPayment(
  config: ClientConfig | ResolvedConfig,
  input: CancelPaymentInput,
  options: CallOptions = {},
): Promise<CancelledPayment> {
  const resolved = resolveConfig(config)
  const request = buildRequest(resolved, input)
  return readAnswer(request, await send(resolved, request, options))
}
