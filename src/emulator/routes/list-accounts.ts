import { checkPathIds, pick, type Route } from '../http/request.ts'
import type { AnswerRules } from '../spec/response-fields.ts'
import { type Account, toUnits } from '../state/accounts.ts'

/** `GET {api_url}/api/v1/balances/pos/{pos_id}/accounts` (document, "Balances"). */
export const listAccounts: Route = (world, { path }) => {
  checkPathIds(world, path)
  const { answers } = world.rules
  const accounts = world.state.accounts.map((account) => accountRecord(answers, account, answers.listedReserve))
  return Response.json({ accounts })
}

/** An account as it is answered. The reserve has one name in the list and another in the single answer. */
export function accountRecord(answers: AnswerRules, account: Account, reserve: string): Record<string, unknown> {
  const { id, name, currency, available, rolling_reserve } = account
  const balances = { available: toUnits(available), [reserve]: toUnits(rolling_reserve) }
  return pick({ id, name, currency, balances }, answers.account)
}
