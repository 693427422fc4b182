// PUT {api_url}/api/v1/recurring/{recurring_id}/cancel (beyond the API document; source [A]: shown by the vendor's
// other public material)

import type { ClientConfig, ResolvedConfig } from '../config.ts'
import { recordOf } from '../http/body.ts'
import { call, send } from '../http/send.ts'
import type { BodilessCallOptions, CallOptions, ParsedResponse, WireRequest } from '../http/types.ts'
import { pathOf } from '../lib/path.ts'
import { fieldsOf, inputObject, pure, type Schema } from '../schemas/fields.ts'
import { checkInput, pathSegment } from '../schemas/input.ts'
import { type RecurringCancellation, recurringCancellationSchema } from '../schemas/recurring.ts'

/** The input of `cancelRecurring`. */
export interface CancelRecurringInput {
  /** `recurring.id` of the initial purchase; it becomes a part of the path, so that `.` and `..` are rejected. */
  recurring_id: string
}

const inputSchema: Schema<CancelRecurringInput> = /* @__PURE__ */ pure(() =>
  inputObject(fieldsOf<CancelRecurringInput>()({ recurring_id: pathSegment })),
)

function buildRequest(received: CancelRecurringInput): WireRequest {
  const input = checkInput('cancelRecurring', inputSchema, received)
  return {
    operation: 'cancelRecurring',
    method: 'PUT',
    base: 'apiUrl',
    ...pathOf('/api/v1/recurring/{recurring_id}/cancel', input),
    authentication: 'plain',
    endpointsKeyHeader: 'X-API-KEY',
    idempotent: true,
    howToFindOut:
      "Call resendWebhook({ order_id, operation: 'purchase' }) of the initial purchase: its recurring.status is " +
      'canceled when the cancellation was processed. Cancelling again moves no money.',
  }
}

function readResponse(response: ParsedResponse): RecurringCancellation {
  return recordOf<RecurringCancellation>(response, recurringCancellationSchema)
}

async function run(
  config: ResolvedConfig,
  input: CancelRecurringInput,
  options: CallOptions,
): Promise<RecurringCancellation> {
  const request = buildRequest(input)
  return readResponse(await send(config, request, options))
}

/**
 * Ends a subscription: no charge follows. `PUT {api_url}/api/v1/recurring/{recurring_id}/cancel`, without a body.
 * Beyond the API document.
 *
 * Deno sends a request without a body again when its connection drops: a rejection may then belong to the second
 * copy.
 *
 * The address is `apiUrl`, not `baseUrl`. Authenticates plainly with `X-API-KEY`, an assumption: public integrations
 * do so.
 *
 * @param config The configuration, as for `createClient`; it needs `apiUrl`.
 * @param input The subscription.
 * @param options `signal`, `timeoutMs`, `deadlineMs`, `maxRetries`.
 * @throws {InvalidInputError} before anything is sent, naming each field that breaks a rule.
 * @throws {ConfigError} when the configuration is invalid, or has no `apiUrl`.
 * @throws {ConnectionError} when the request provably never left: calling again is safe.
 * @throws {OutcomeUnknownError} when it may have been processed, but no response confirmed it. Cancelling again moves
 *   no money.
 * @throws {ApiError} when the service rejects it (4xx). Its response for a subscription that has ended is not
 *   documented.
 * @see Beyond the API document: the vendor states path and `recurring_status` elsewhere [A].
 * @example
 * import { cancelRecurring, type ClientConfig } from 'edgetill'
 * async function unsubscribe(config: ClientConfig, recurring_id: string): Promise<boolean> {
 *   const { recurring_status } = await cancelRecurring(config, { recurring_id })
 *   return recurring_status === 'canceled'
 * }
 */
export async function cancelRecurring(
  config: ClientConfig,
  input: CancelRecurringInput,
  options: BodilessCallOptions = {},
): Promise<RecurringCancellation> {
  return call('cancelRecurring', run, config, input, options)
}
