// POST {base_url}/api/v1/pos/{pos_id}/order/{order_id}/cancel (API document, "Cancel a created, unpaid payment")

import * as v from 'valibot'
import type { ClientConfig, ResolvedConfig } from '../config.ts'
import { recordOf, unreadableRecord } from '../http/body.ts'
import { compareWithRequest } from '../http/compare.ts'
import { call, send } from '../http/send.ts'
import type { BodilessCallOptions, CallOptions, ParsedResponse, WireRequest } from '../http/types.ts'
import { kindOf } from '../lib/kind.ts'
import { pathOf } from '../lib/path.ts'
import { fieldsOf, inputObject, pure, type Schema } from '../schemas/fields.ts'
import { checkInput, pathSegment, uuid } from '../schemas/input.ts'
import { type CancelledPayment, cancelledPaymentSchema } from '../schemas/payment.ts'

/** The input of `cancelPayment`. */
export interface CancelPaymentInput {
  /** The POS; the configuration's `posId` unless given. */
  pos_id?: string | undefined
  /** The order to cancel, 1 to 256 characters; it becomes a part of the path, so `.` and `..` are rejected. */
  order_id: string
}

const inputSchema: Schema<CancelPaymentInput> = /* @__PURE__ */ pure(() =>
  inputObject(fieldsOf<CancelPaymentInput>()({ pos_id: v.optional(uuid), order_id: pathSegment })),
)

function buildRequest(config: ResolvedConfig, received: CancelPaymentInput): WireRequest {
  const input = checkInput('cancelPayment', inputSchema, received)
  return {
    operation: 'cancelPayment',
    method: 'POST',
    base: 'baseUrl',
    ...pathOf('/api/v1/pos/{pos_id}/order/{order_id}/cancel', { pos_id: config.posId, ...input }),
    authentication: 'plain',
    endpointsKeyHeader: 'X-API-Key',
    idempotent: true,
    subject: input,
    methods: ['purchase', 'auth'],
    howToFindOut:
      `Call resolveOutcome(client, error), or resendWebhook({ order_id: ${JSON.stringify(input.order_id)}, ` +
      `operation: 'purchase' }) (or 'auth'): ` +
      'a cancelled payment has status_code 6007. Cancelling again moves no money.',
  }
}

function readResponse(response: ParsedResponse): CancelledPayment {
  const records = response.json
  if (Array.isArray(records) && records.length === 1)
    return compareWithRequest(response, recordOf<CancelledPayment>(response, cancelledPaymentSchema, records[0]))
  const received = Array.isArray(records) ? `array of ${records.length}` : kindOf(records)
  throw unreadableRecord(response, [{ path: '', message: 'must be an array of one payment record', received }])
}

async function run(config: ResolvedConfig, input: CancelPaymentInput, options: CallOptions): Promise<CancelledPayment> {
  const request = buildRequest(config, input)
  return readResponse(await send(config, request, options))
}

/**
 * Cancels a payment that was created and not paid. `POST {base_url}/api/v1/pos/{pos_id}/order/{order_id}/cancel`,
 * without a body.
 *
 * Applies to a hosted `purchase` (split ones included) or `auth` with status `init`. The record that comes back has
 * status `failure` and status_code `6007`; fields that the service does not know are null. Deno sends a request
 * without a body again when its connection drops: a rejection may then belong to the second copy.
 *
 * @param config The configuration, as for `createClient`.
 * @param input The order.
 * @param options `signal`, `timeoutMs`, `deadlineMs`, `maxRetries`.
 * @throws {InvalidInputError} before anything is sent, naming each field that breaks a rule.
 * @throws {ConfigError} when the configuration is invalid.
 * @throws {ConnectionError} when the request provably never left: calling again is safe.
 * @throws {OutcomeUnknownError} when it may have been processed, but no response confirmed it: call `resolveOutcome`.
 * @throws {ApiError} when the service rejects it (4xx). Its response for a paid payment is not documented.
 * @see The API document, "Cancel a created, unpaid payment".
 * @example
 * import { cancelPayment, type ClientConfig } from 'edgetill'
 * async function giveUp(config: ClientConfig): Promise<boolean> {
 *   const payment = await cancelPayment(config, { order_id: 'A-1' })
 *   return payment.status_code === '6007'
 * }
 */
export async function cancelPayment(
  config: ClientConfig,
  input: CancelPaymentInput,
  options: BodilessCallOptions = {},
): Promise<CancelledPayment> {
  return call('cancelPayment', run, config, input, options)
}
