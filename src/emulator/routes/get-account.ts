import { Problem } from '../http/problem.ts'
import { checkPathIds, type Route } from '../http/request.ts'
import { accountRecord } from './list-accounts.ts'

/** `GET {api_url}/api/v1/balances/pos/{pos_id}/accounts/{account_id}` (API document, "Balances"). */
export const getAccount: Route = (context, { path }) => {
  checkPathIds(context, path)
  const account = context.state.accounts.find(({ id }) => id === path.account_id?.toLowerCase())
  if (account === undefined) {
    // "HTTP codes: 200, 400, 401, 500": there is no 404 among them.
    throw new Problem(context.rules.wire.invalid, 'Account not found', [
      { field_name: 'account_id', violation: 'is not an account of this POS' },
    ])
  }
  const { responses } = context.rules
  return Response.json(accountRecord(responses, account, responses.singleReserve))
}
