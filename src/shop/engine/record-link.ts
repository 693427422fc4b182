import type { SqlStatement, SqlValue } from '../../till/database.ts'
import type { Scope } from '../scope.ts'

/** Records an act on a link if a condition holds. */
export function linkAct(
  { now, by = 'api' }: Scope,
  action: 'link' | 'revoke_link' | 'change_link',
  order_id: string,
  condition = '',
  ...values: SqlValue[]
): SqlStatement {
  const sql = `INSERT INTO edgetill_act (id, at, order_id, entry) SELECT CAST(? AS text), CAST(? AS bigint), CAST(? AS text), CAST(? AS text) ${condition}`
  return [sql, [crypto.randomUUID(), now(), order_id, JSON.stringify({ by, action, result: 'done' }), ...values]]
}
