import type { ResolvedConfig } from '../config.ts'
import { jsonBody, recordOf } from '../http/body.ts'
import { compareWithRequest } from '../http/compare.ts'
import type { CallOptions, ParsedResponse, WireRequest } from '../http/types.ts'
import { type Capture, captureSchema } from '../schemas/capture.ts'
import type { Refund, Void } from '../schemas/secondary-operation.ts'
import { warnAboutPort } from './warnings.ts'

/**
 * The `method` of a secondary operation's record, by the function that makes it; undefined for any other function.
 */
export const methodOf = (operation: string): 'capture' | 'void' | 'refund' | undefined =>
  /^(capture|void|refund)(Payment|SplitPurchase)$/.exec(operation)?.[1] as 'capture' | 'void' | 'refund' | undefined

/** The fields that the requests of all secondary operations share. */
interface SecondaryInput {
  order_id: string
  pos_id?: string | undefined
  server_url?: string | undefined
}

/** Builds the request of a checked capture, void or refund. `amount` and `currency` are those that were sent. */
export function secondaryRequest(
  config: ResolvedConfig,
  operation: string,
  path: string,
  input: SecondaryInput,
  { amount, currency }: { amount?: number | undefined; currency: string },
  { passThrough }: CallOptions,
): WireRequest {
  const { order_id, pos_id, server_url } = input
  warnAboutPort(config, operation, 'server_url', server_url)
  return {
    operation,
    method: 'POST',
    base: 'baseUrl',
    path,
    body: jsonBody(operation, { pos_id: config.posId, ...input }, passThrough),
    authentication: 'plain',
    endpointsKeyHeader: 'X-API-KEY',
    subject: { order_id, pos_id, amount, currency },
    methods: [methodOf(operation) as string],
    howToFindOut:
      `${operation} has no idempotency key: a second call can move the money again. ` +
      'First call resolveOutcome(client, error, { known }), or compare ' +
      `listOrderOperations({ order_id: ${JSON.stringify(order_id)} }) with the operations from before the call.`,
  }
}

/** Reads the record of a capture, void or refund. */
export function readSecondary<T extends Capture | Refund | Void>(response: ParsedResponse): T {
  return compareWithRequest(response, recordOf<Capture>(response, captureSchema)) as T
}
