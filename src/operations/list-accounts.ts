// GET {api_url}/api/v1/balances/pos/{pos_id}/accounts (API document, "Balances")

import * as v from 'valibot'
import type { ClientConfig, ResolvedConfig } from '../config.ts'
import { recordOf } from '../http/body.ts'
import { call, send } from '../http/send.ts'
import type { BodilessCallOptions, CallOptions, ParsedResponse, WireRequest } from '../http/types.ts'
import { pathOf } from '../lib/path.ts'
import { type Account, type AccountList, accountListSchema, accountSchema } from '../schemas/account.ts'
import { fieldsOf, inputObject, pure, type Schema } from '../schemas/fields.ts'
import { checkInput, uuid } from '../schemas/input.ts'

/** The input of `listAccounts`. */
export interface ListAccountsInput {
  /** The POS; the configuration's `posId` unless given. */
  pos_id?: string | undefined
}

const inputSchema: Schema<ListAccountsInput> = /* @__PURE__ */ pure(() =>
  inputObject(fieldsOf<ListAccountsInput>()({ pos_id: v.optional(uuid) })),
)

function buildRequest(config: ResolvedConfig, received: ListAccountsInput): WireRequest {
  const input = checkInput('listAccounts', inputSchema, received)
  return {
    operation: 'listAccounts',
    method: 'GET',
    base: 'apiUrl',
    ...pathOf('/api/v1/balances/pos/{pos_id}/accounts', { pos_id: config.posId, ...input }),
    authentication: 'plain',
    howToFindOut: '',
  }
}

function readResponse(response: ParsedResponse): Account[] {
  const { accounts } = recordOf<AccountList>(response, accountListSchema)
  return accounts.map((account, index) => recordOf<Account>(response, accountSchema, account, `accounts[${index}]`))
}

async function run(config: ResolvedConfig, input: ListAccountsInput, options: CallOptions): Promise<Account[]> {
  const request = buildRequest(config, input)
  return readResponse(await send(config, request, options))
}

/**
 * Reads all accounts of a POS with their balances. `GET {api_url}/api/v1/balances/pos/{pos_id}/accounts`.
 *
 * Balances have a separate address (`apiUrl`) and take no endpoints key. Retried after a network failure, a
 * 408, a 429 or a 5xx.
 *
 * @param config The configuration, as for `createClient`.
 * @param input Another POS, if not the configuration's.
 * @param options `signal`, `timeoutMs`, `deadlineMs`, `maxRetries`.
 * @throws {InvalidInputError} before anything is sent.
 * @throws {ConfigError} when the configuration is invalid, or has no `apiUrl`.
 * @throws {ConnectionError} when there was no response, after the retries.
 * @throws {ApiError} 400 invalid data, 401 invalid credentials, 500 unexpected error (after the retries).
 * @throws {UnexpectedResponseError} when the response does not match the documented shape; it is in `body`.
 * @see The API document, "Balances".
 * @example
 * import { type ClientConfig, listAccounts } from 'edgetill'
 * async function available(config: ClientConfig): Promise<string[]> {
 *   const accounts = await listAccounts(config)
 *   return accounts.map(({ name, currency, balances }) => `${name}: ${balances.available} ${currency}`)
 * }
 */
export async function listAccounts(
  config: ClientConfig,
  input: ListAccountsInput = {},
  options: BodilessCallOptions = {},
): Promise<Account[]> {
  return call('listAccounts', run, config, input, options)
}
