// GET {api_url}/api/v1/balances/pos/{pos_id}/accounts/{account_id} (document, "Balances")

import * as v from 'valibot'
import { type ClientConfig, type ResolvedConfig, resolveConfig } from '../config.ts'
import { readRecord } from '../http/read-record.ts'
import { send } from '../http/send.ts'
import type { Answer, CallOptions, WireRequest } from '../http/types.ts'
import { type Account, accountSchema } from '../schemas/account.ts'
import { anInput, define, fieldsOf, objectMessage, type Schema, unknownParameter } from '../schemas/fields.ts'
import { checkInput, uuid } from '../schemas/input.ts'

/** The input of `getAccount`. */
export interface GetAccountInput {
  /** The POS; the configuration's `posId` unless given. */
  pos_id?: string | undefined
  /** The account, a UUID: `listAccounts` and the merchant portal tell it. */
  account_id: string
}

const inputSchema: Schema<GetAccountInput> = /* @__PURE__ */ define(() =>
  v.pipe(
    anInput,
    v.objectWithRest(
      fieldsOf<GetAccountInput>()({ pos_id: v.optional(uuid), account_id: uuid }),
      unknownParameter,
      objectMessage,
    ),
  ),
)

/** Builds the request: pure. */
function buildRequest(config: ResolvedConfig, received: GetAccountInput): WireRequest {
  const input = checkInput('getAccount', inputSchema, received)
  return {
    operation: 'getAccount',
    method: 'GET',
    base: 'apiUrl',
    path: `/api/v1/balances/pos/${input.pos_id ?? config.posId}/accounts/${input.account_id}`,
    authentication: 'plain',
    howToFindOut: '',
  }
}

function readAnswer(request: WireRequest, answer: Answer): Account {
  return readRecord(accountSchema, request, answer)
}

/**
 * Reads one account with its balances. `GET {api_url}/api/v1/balances/pos/{pos_id}/accounts/{account_id}`.
 *
 * Balances have an address of their own (`apiUrl`) and take no endpoints key. Tried again after a network failure, a 429
 * or a 5xx. The answer's `rollingReserve` is read as `rolling_reserve`, as `listAccounts` has it.
 *
 * @param config The configuration, or a client's.
 * @param input The account.
 * @param options `signal`, `timeoutMs`.
 * @throws {InvalidInputError} before anything is sent, naming each field that breaks a rule.
 * @throws {ConfigError} when the configuration cannot work, or has no `apiUrl`.
 * @throws {ConnectionError} when there was no answer, after the retries.
 * @throws {ApiError} 400 invalid data, 401 invalid credentials, 500 unexpected error (after the retries).
 * @throws {UnexpectedResponseError} when the answer has another shape than the document's; it is in `body`.
 * @see The service's document, "Balances".
 * @example
 * import { type ClientConfig, getAccount } from 'edgetill'
 * async function available(config: ClientConfig, account_id: string): Promise<number> {
 *   const account = await getAccount(config, { account_id })
 *   return account.balances.available
 * }
 */
export async function getAccount(
  config: ClientConfig | ResolvedConfig,
  input: GetAccountInput,
  options: CallOptions = {},
): Promise<Account> {
  const resolved = resolveConfig(config)
  const request = buildRequest(resolved, input)
  return readAnswer(request, await send(resolved, request, options))
}
