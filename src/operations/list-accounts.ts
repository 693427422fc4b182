// GET {api_url}/api/v1/balances/pos/{pos_id}/accounts (document, "Balances")

import * as v from 'valibot'
import { type ClientConfig, type ResolvedConfig, resolveConfig } from '../config.ts'
import { readRecord } from '../http/read-record.ts'
import { send } from '../http/send.ts'
import type { Answer, CallOptions, WireRequest } from '../http/types.ts'
import { type Account, type AccountList, accountListSchema, accountSchema } from '../schemas/account.ts'
import { anInput, define, fieldsOf, objectMessage, type Schema, unknownParameter } from '../schemas/fields.ts'
import { checkInput, uuid } from '../schemas/input.ts'

/** The input of `listAccounts`. */
export interface ListAccountsInput {
  /** The POS; the configuration's `posId` unless given. */
  pos_id?: string | undefined
}

const inputSchema: Schema<ListAccountsInput> = /* @__PURE__ */ define(() =>
  v.pipe(
    anInput,
    v.objectWithRest(fieldsOf<ListAccountsInput>()({ pos_id: v.optional(uuid) }), unknownParameter, objectMessage),
  ),
)

/** Builds the request: pure. */
function buildRequest(config: ResolvedConfig, received: ListAccountsInput): WireRequest {
  const input = checkInput('listAccounts', inputSchema, received)
  return {
    operation: 'listAccounts',
    method: 'GET',
    base: 'apiUrl',
    path: `/api/v1/balances/pos/${input.pos_id ?? config.posId}/accounts`,
    authentication: 'plain',
    howToFindOut: '',
  }
}

function readAnswer(request: WireRequest, answer: Answer): Account[] {
  const { accounts } = readRecord<AccountList>(accountListSchema, request, answer)
  return accounts.map((account) => readRecord<Account>(accountSchema, request, answer, account))
}

/**
 * Reads all accounts of a POS with their balances. `GET {api_url}/api/v1/balances/pos/{pos_id}/accounts`.
 *
 * Balances have an address of their own (`apiUrl`) and take no endpoints key. Tried again after a network failure, a 429
 * or a 5xx.
 *
 * @param config The configuration, or a client's.
 * @param input Another POS, if not the configuration's.
 * @param options `signal`, `timeoutMs`.
 * @throws {InvalidInputError} before anything is sent.
 * @throws {ConfigError} when the configuration cannot work, or has no `apiUrl`.
 * @throws {ConnectionError} when there was no answer, after the retries.
 * @throws {ApiError} 400 invalid data, 401 invalid credentials, 500 unexpected error (after the retries).
 * @throws {UnexpectedResponseError} when the answer has another shape than the document's; it is in `body`.
 * @see The service's document, "Balances".
 * @example
 * import { type ClientConfig, listAccounts } from 'edgetill'
 * async function available(config: ClientConfig): Promise<string[]> {
 *   const accounts = await listAccounts(config)
 *   return accounts.map(({ name, currency, balances }) => `${name}: ${balances.available} ${currency}`)
 * }
 */
export async function listAccounts(
  config: ClientConfig | ResolvedConfig,
  input: ListAccountsInput = {},
  options: CallOptions = {},
): Promise<Account[]> {
  const resolved = resolveConfig(config)
  const request = buildRequest(resolved, input)
  return readAnswer(request, await send(resolved, request, options))
}
