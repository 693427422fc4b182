import { checkoutLinkId } from '../../checkout-link/index.ts'
import { hundredths } from '../../lib/decimal.ts'
import { actShop } from '../books/actions.ts'
import { askAll, keepLink } from '../books/ask.ts'
import { type LinkRow, linksOfBook, someOfBook } from '../books/links.ts'
import { countIn, tellAgain } from '../books/register.ts'
import { baseOrderId } from '../lib/attempt-id.ts'
import { getCheckout, isRevoked } from './checkouts.ts'
import { publishDue } from './publish.ts'
import { getPublished, touch } from './published.ts'
import { takeStock } from './rebuild.ts'
import { recordOf } from './record.ts'
import type { OrderScope } from './scope.ts'

/**
 * Publishes an order once more, as a whole: the storage of a book may have been lost.
 *
 * @param number The book; the first one is the register, which may have lost what it knew of the order's own book.
 * @returns Whether it was lost: it had listed the order, and does not know it.
 */
export async function relist(scope: OrderScope, named: string, number: number): Promise<boolean> {
  const { store, now } = scope
  const order_id = baseOrderId(named)
  await takeStock(scope, order_id)
  const published = getPublished(store, order_id)
  if (!published || (number > 1 && published.book !== number)) return false
  const { book, since } = published
  const listed = await actShop(scope, book ?? 1, someOfBook, [order_id])
  // Of a further book the register may have lost what it knew.
  if (book !== null && book > 1 && (await actShop(scope, 1, countIn, book, since, 0))) {
    await actShop(scope, book, tellAgain)
  }
  const wasListed = book !== null && published.written_at > 0 && published.next_at === null
  await store.writeDue(now(), () => touch(store, order_id, { create: false, atOnce: true }))
  await publishDue(scope)
  const link = await linkOf(scope, order_id)
  if (link) {
    const known = await askAll(scope, linksOfBook, { limit: 100, order_id })
    if (!known.some(({ id }) => id === link.id)) await keepLink(scope, getPublished(store, order_id)?.book ?? 1, link)
  }
  return wasListed && listed.rows.length === 0
}

/** The link that an order was opened by, where POST /api/links made it: its short address is a new one. */
async function linkOf({ store, env, now }: OrderScope, order_id: string): Promise<Omit<LinkRow, 'short'> | undefined> {
  const checkout = getCheckout(store, order_id)
  const link = checkout?.link
  const made = recordOf(store)
    .filter(({ entry }) => entry.action === 'link')
    .at(-1)
  const id = link && (await checkoutLinkId(link, env.LINK_SECRET).catch(() => undefined))
  if (!made || !checkout || !link || !id) return undefined
  const { amount, currency, description = null, customer_name = null, expires_at } = checkout
  return {
    ...{ id, order_id, currency, description, customer_name, expires_at },
    amount: hundredths(amount),
    token: link.slice(link.lastIndexOf('/') + 1),
    created_at: made.at,
    revoked_at: isRevoked(store, link) ? now() : null,
    by: made.entry.by,
  }
}
