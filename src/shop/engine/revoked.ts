import { nonceOf } from '../../checkout-link/seal.ts'
import { readOrder } from '../../till/store.ts'
import type { Scope } from '../scope.ts'
import { query, queryAll } from '../tables.ts'
import { linkAct } from './record-link.ts'

const MINUTE_MS = 60_000

/**
 * Revokes one link of an order.
 *
 * @param link `cancels`: the payment that was opened with it is cancelled, by the cron if the caller does not do it.
 * @returns Whether anything is known of the order: a link that was opened, or an event.
 */
export async function revokeLink(
  scope: Scope,
  order_id: string,
  { id, nonce, expiresAt, cancels }: { id: string; nonce: string; expiresAt: number; cancels: boolean },
): Promise<{ opened: boolean }> {
  const now = scope.now()
  const next_at = cancels ? now + MINUTE_MS : null
  await queryAll(scope, [
    [
      `INSERT INTO edgetill_revoked (nonce, order_id, expires_at, at, next_at) VALUES (?, ?, ?, ?, ?) ON CONFLICT (nonce) DO UPDATE
        SET next_at = coalesce(excluded.next_at, edgetill_revoked.next_at)`,
      [nonce, order_id, expiresAt, now, next_at],
    ],
    [
      'UPDATE edgetill_link SET revoked_at = ? WHERE order_id = ? AND id = ? AND revoked_at IS NULL',
      [now, order_id, id],
    ],
    linkAct(scope, 'revoke_link', order_id),
  ])
  return { opened: (await readOrder(scope.till, order_id)).state.order.isKnown }
}

/** Whether the link with this path was revoked: its token begins with 16 characters that no other link has. */
export async function isRevoked(scope: Scope, path: string): Promise<boolean> {
  const nonce = nonceOf(path.slice(path.lastIndexOf('/') + 1))
  const sql = 'SELECT nonce FROM edgetill_revoked WHERE nonce = ? AND expires_at > ?'
  return (await query(scope, sql, nonce, scope.now())).length > 0
}
