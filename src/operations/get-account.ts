// GET {api_url}/api/v1/balances/pos/{pos_id}/accounts/{account_id} (API document, "Balances")

import * as v from 'valibot'
import type { ClientConfig, ResolvedConfig } from '../config.ts'
import { recordOf } from '../http/body.ts'
import { call, send } from '../http/send.ts'
import type { BodilessCallOptions, CallOptions, ParsedResponse, WireRequest } from '../http/types.ts'
import { pathOf } from '../lib/path.ts'
import { type Account, accountSchema } from '../schemas/account.ts'
import { fieldsOf, inputObject, pure, type Schema } from '../schemas/fields.ts'
import { checkInput, uuid } from '../schemas/input.ts'

/** The input of `getAccount`. */
export interface GetAccountInput {
  /** The POS; the configuration's `posId` unless given. */
  pos_id?: string | undefined
  /** The account, a UUID: `listAccounts` and the merchant portal show it. */
  account_id: string
}

const inputSchema: Schema<GetAccountInput> = /* @__PURE__ */ pure(() =>
  inputObject(fieldsOf<GetAccountInput>()({ pos_id: v.optional(uuid), account_id: uuid })),
)

function buildRequest(config: ResolvedConfig, received: GetAccountInput): WireRequest {
  const input = checkInput('getAccount', inputSchema, received)
  return {
    operation: 'getAccount',
    method: 'GET',
    base: 'apiUrl',
    ...pathOf('/api/v1/balances/pos/{pos_id}/accounts/{account_id}', { pos_id: config.posId, ...input }),
    authentication: 'plain',
    howToFindOut: '',
  }
}

function readResponse(response: ParsedResponse): Account {
  return recordOf<Account>(response, accountSchema)
}

async function run(config: ResolvedConfig, input: GetAccountInput, options: CallOptions): Promise<Account> {
  const request = buildRequest(config, input)
  return readResponse(await send(config, request, options))
}

/**
 * Reads one account with its balances. `GET {api_url}/api/v1/balances/pos/{pos_id}/accounts/{account_id}`.
 *
 * Balances have a separate address (`apiUrl`) and take no endpoints key. Retried after a network failure, a
 * 408, a 429 or a 5xx. `rollingReserve` of the response is read as `rolling_reserve`, as `listAccounts` has it.
 *
 * @param config The configuration, as for `createClient`.
 * @param input The account.
 * @param options `signal`, `timeoutMs`, `deadlineMs`, `maxRetries`.
 * @throws {InvalidInputError} before anything is sent, naming each field that breaks a rule.
 * @throws {ConfigError} when the configuration is invalid, or has no `apiUrl`.
 * @throws {ConnectionError} when there was no response, after the retries.
 * @throws {ApiError} 400 invalid data, 401 invalid credentials, 500 unexpected error (after the retries).
 * @throws {UnexpectedResponseError} when the response does not match the documented shape; it is in `body`.
 * @see The API document, "Balances".
 * @example
 * import { type ClientConfig, getAccount } from 'edgetill'
 * async function available(config: ClientConfig, account_id: string): Promise<number> {
 *   const account = await getAccount(config, { account_id })
 *   return account.balances.available
 * }
 */
export async function getAccount(
  config: ClientConfig,
  input: GetAccountInput,
  options: BodilessCallOptions = {},
): Promise<Account> {
  return call('getAccount', run, config, input, options)
}
