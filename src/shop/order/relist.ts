import { checkoutLinkId } from '../../checkout-link/index.ts'
import { hundredths } from '../../lib/decimal.ts'
import { actShop } from '../books/actions.ts'
import { type LinkRow, statusesOfMonth } from '../books/links.ts'
import { keepOrder } from '../books/orders.ts'
import { monthOf } from '../books/tables.ts'
import { baseOrderId } from '../lib/attempt-id.ts'
import { newShort } from '../lib/links.ts'
import { getCheckout, isRevoked } from './checkouts.ts'
import { publishDue } from './publish.ts'
import { type Published, touch } from './published.ts'
import { takeStock } from './rebuild.ts'
import { recordOf } from './record.ts'
import type { OrderScope } from './scope.ts'

/** The months in which something of the order came. */
const MONTHS = `SELECT DISTINCT strftime('%Y-%m', at / 1000, 'unixepoch') AS month FROM
  (SELECT since AS at FROM published UNION ALL SELECT received_at FROM event UNION ALL SELECT at FROM record)`

/**
 * Publishes an order once more, as a whole: the storage of one of the shop's objects may have been lost.
 *
 * @returns Whether it was: the order was listed, and its list did not know it.
 */
export async function relist(scope: OrderScope, named: string): Promise<boolean> {
  const { store, now } = scope
  const order_id = baseOrderId(named)
  await takeStock(scope, order_id)
  const [published] = store.all<Published>('SELECT * FROM published WHERE order_id = ?', order_id)
  if (!published) return false
  const listed = await actShop(scope, monthOf(published.since), statusesOfMonth, [order_id])
  const wasListed = published.written_at > 0 && published.next_at === null
  await store.writeDue(now(), () => touch(store, order_id, { create: false, atOnce: true }))
  await publishDue(scope)
  const months = store.all<{ month: string }>(MONTHS).map(({ month }) => month)
  const isNew = await actShop(scope, undefined, keepOrder, { months, link: await linkOf(scope, order_id) })
  return isNew || (wasListed && Object.keys(listed).length === 0)
}

/** The link that an order was opened by, where POST /api/links made it: its short address is a new one. */
async function linkOf({ store, env, now }: OrderScope, order_id: string): Promise<LinkRow | undefined> {
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
    short: await newShort(env.LINK_SECRET),
    amount: hundredths(amount),
    token: link.slice(link.lastIndexOf('/') + 1),
    created_at: made.at,
    revoked_at: isRevoked(store, link) ? now() : null,
    by: made.entry.by,
  }
}
