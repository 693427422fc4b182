import { cancelPayment, isApiError } from '../../index.ts'
import { moneyConfig } from '../env.ts'
import type { OrderScope } from '../scope.ts'
import { attemptId, getCheckout, latestAttempt, orderOf } from '../store/checkouts.ts'
import { ignoreOutage } from '../store/kv.ts'
import { getStatus } from '../store/order.ts'
import { closeLinks, putRevocation } from '../store/revocations.ts'

/**
 * Cancels the payment that is open: that of the order's latest attempt. Closes the order's link, also where there is
 * nothing to cancel: the service does not know the order, or the attempt was declined.
 *
 * @param named The order, or an attempt at paying it.
 */
export async function cancelOrder(scope: OrderScope, named: string): Promise<Record<string, unknown>> {
  const { store, env, fetch, now } = scope
  const order_id = await orderOf(store, named)
  const checkout = await getCheckout(store, order_id)
  const first = checkout?.attempts ?? 1
  const latest = await latestAttempt(store, order_id, first)
  const wasOpened = checkout !== undefined || latest > 1
  for (let attempt = latest; ; attempt--) {
    const open_id = attemptId(order_id, attempt)
    // The next attempt was announced, and never created: a visit may still create it.
    const isFollowed = attempt < latest
    try {
      const cancelled = { ...(await cancelPayment(moneyConfig(env, fetch), { order_id: open_id })) }
      const closing = closeLinks(store, order_id, now())
      // Where nothing follows, the payment's webhook says it too: a write that fails here changes nothing for long.
      await (isFollowed ? closing : closing.catch(ignoreOutage))
      return cancelled
    } catch (error) {
      if (!wasOpened || !isApiError(error)) throw error
      if (error.status === 404 && attempt > first) continue
      const { status, cancelled } = (await getStatus(store, open_id)) ?? {}
      if (status === 'success') throw error
      // A cancellation by this worker, not by the shop, is followed by another attempt.
      const leadsOn = !cancelled || isFollowed || checkout?.expired === true
      const isOver = error.status === 404 || (status === 'failure' && leadsOn)
      if (!isOver && !isFollowed) throw error
      // No webhook will say it: without this write the link would still lead to a payment.
      await closeLinks(store, order_id, now())
      if (!isOver) throw error
      await scope.watchlist.remove(open_id).catch(ignoreOutage)
      return { order_id: open_id, link: 'closed' }
    }
  }
}

/** Revokes one link of an order. @returns Whether a link of the order was opened before. */
export async function revokeLink(
  { store, now }: OrderScope,
  order_id: string,
  { nonce, expiresAt }: { nonce: string; expiresAt: number },
): Promise<{ opened: boolean }> {
  await putRevocation(store, nonce, { at: now(), expiresAt })
  return { opened: (await getCheckout(store, order_id)) !== undefined }
}
