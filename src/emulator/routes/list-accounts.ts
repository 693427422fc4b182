import { checkPathIds, pick, type Route } from '../http/request.ts'
import type { ResponseRules } from '../spec/response-fields.ts'
import { type Account, toUnits } from '../state/accounts.ts'

/** `GET {api_url}/api/v1/balances/pos/{pos_id}/accounts` (API document, "Balances"). */
export const listAccounts: Route = (context, { path }) => {
  checkPathIds(context, path)
  const { responses } = context.rules
  const accounts = context.state.accounts.map((account) => accountRecord(responses, account, responses.listedReserve))
  return Response.json({ accounts })
}

/** An account as it is returned. The reserve has one name in the list and another in the single response. */
export function accountRecord(responses: ResponseRules, account: Account, reserve: string): Record<string, unknown> {
  const { id, name, currency, available, rolling_reserve } = account
  const balances = { available: toUnits(available), [reserve]: toUnits(rolling_reserve) }
  return pick({ id, name, currency, balances }, responses.account)
}
