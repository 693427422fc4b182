// Any verb and path below a base address: the escape hatch for calls that the API document does not show

import * as v from 'valibot'
import type { ClientConfig, ResolvedConfig } from '../config.ts'
import type { Issue } from '../errors.ts'
import { jsonBody } from '../http/body.ts'
import { call, send } from '../http/send.ts'
import type { CallOptions, ParsedResponse, WireRequest } from '../http/types.ts'
import { anObject, fieldsOf, inputObject, pure, type Schema } from '../schemas/fields.ts'
import { checkInput, issueAt, oneOf, pattern } from '../schemas/input.ts'
import { flag } from '../schemas/values.ts'

/** The input of `rawRequest`. */
export interface RawRequestInput {
  /** The HTTP verb. */
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path and query below the base address, encoded, beginning with `/`. */
  path: string
  /** The JSON object to send. Sent as `JSON.stringify` writes it. Not with `GET`. */
  body?: Record<string, unknown> | undefined
  /** `hmac` or `plain`, as in the API document's "Authentication" table. */
  authentication: 'hmac' | 'plain'
  /** `baseUrl` (the default) sends `X-API-KEY` too; `apiUrl`, for balances, does not. */
  base?: 'baseUrl' | 'apiUrl' | undefined
  /** Whether a redirect is a response. Default false: a redirect is then an error. It is never followed. */
  redirectExpected?: boolean | undefined
}

/** The response. */
export interface RawRequestResult {
  /** The HTTP status: 2xx, or 3xx if a redirect was expected. */
  status: number
  /** The parsed JSON, raw card data cut out; undefined for a redirect and for an empty body. */
  body: unknown
  /** The absolute address of an expected redirect. */
  location: string | undefined
}

const inputSchema: Schema<RawRequestInput> = /* @__PURE__ */ pure(() =>
  inputObject(
    fieldsOf<RawRequestInput>()({
      method: oneOf(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
      path: pattern(/^\//, 'be an encoded path that begins with "/"'),
      body: v.optional(anObject),
      authentication: oneOf(['hmac', 'plain']),
      base: v.optional(oneOf(['baseUrl', 'apiUrl'])),
      redirectExpected: v.optional(flag),
    }),
  ),
)

function inputIssues({ method, body }: RawRequestInput): Issue[] {
  return method === 'GET' && body ? [issueAt('body', 'must be left out with GET', body)] : []
}

function buildRequest(received: RawRequestInput, options: CallOptions): WireRequest {
  const input = checkInput('rawRequest', inputSchema, received, inputIssues)
  const { method, path, body, authentication, base = 'baseUrl', redirectExpected = false } = input
  return {
    operation: 'rawRequest',
    method,
    base,
    path,
    body: body && jsonBody('rawRequest', body, options.passThrough),
    authentication,
    endpointsKeyHeader: base === 'baseUrl' ? 'X-API-KEY' : undefined,
    redirectExpected,
    idempotent: method === 'PUT' || method === 'DELETE',
    emptyExpected: true,
    howToFindOut: 'Ask for the state of what it concerns, for example with resendWebhook, before sending it again.',
  }
}

function readResponse({ attempt, json, location }: ParsedResponse): RawRequestResult {
  return { status: attempt.head.status, body: json, location }
}

async function run(config: ResolvedConfig, input: RawRequestInput, options: CallOptions): Promise<RawRequestResult> {
  const request = buildRequest(input, options)
  return readResponse(await send(config, request, options))
}

/**
 * Sends a request that the API document does not show, with the guarantees of every other call: credentials, no
 * followed redirect, no repeated POST, limits, errors.
 *
 * The body and the response are not checked: that is up to the caller. A response without a body is fine. Only a GET,
 * or a request that got a 429, is retried.
 *
 * @param config The configuration, as for `createClient`.
 * @param input Verb, path, body, authentication and base address.
 * @param options `signal`, `timeoutMs`, `deadlineMs`, `maxRetries`, `passThrough`.
 * @throws {InvalidInputError} before anything is sent.
 * @throws {ConfigError} when the configuration is invalid.
 * @throws {ConnectionError} when there was no response and nothing can have changed: calling again is safe.
 * @throws {OutcomeUnknownError} when it may have been processed and no response confirms it.
 * @throws {ApiError} when the service rejects it.
 * @throws {UnexpectedResponseError} when a GET's response is not JSON.
 * @see The API document has no such part: paths, bodies and responses of such requests are assumptions.
 * @example
 * import { type ClientConfig, rawRequest } from 'edgetill'
 * async function refund(config: ClientConfig, pos_id: string): Promise<unknown> {
 *   const { body } = await rawRequest(config, {
 *     method: 'POST', path: '/api/v1/refund', authentication: 'plain',
 *     body: { pos_id, order_id: 'A-1', order_currency: 'UAH', refund_amount: 20 },
 *   })
 *   return body
 * }
 */
export async function rawRequest(
  config: ClientConfig,
  input: RawRequestInput,
  options: CallOptions = {},
): Promise<RawRequestResult> {
  return call('rawRequest', run, config, input, options)
}
