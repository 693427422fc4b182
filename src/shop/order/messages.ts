import { pauseAfter } from '../../money/queue.ts'
import type { ShopEnv } from '../env.ts'
import { logError } from '../lib/log.ts'
import { wordingsOf } from '../pages/language.ts'
import { money } from '../pages/money.ts'
import { chatOf, post } from './chat.ts'
import { getCheckout } from './checkouts.ts'
import { readOrder } from './order.ts'
import type { OrderScope } from './scope.ts'
import type { OrderStore } from './tables.ts'

// A message at each payment, without code: a row of `task` of the kind `chat`, beside `onEvent`'s queue.

/** How often a message is tried: about two days. */
const MAX_TRIES = 20
/** Messages of one alarm. */
const BATCH = 20

/** Notes a message about a payment, in the step that stores its event: it is due at once. */
export function noteMessage(store: OrderStore, env: ShopEnv, order_id: string, event_id: string): void {
  if (chatOf(env) === undefined) return
  const write = "INSERT OR IGNORE INTO task (kind, order_id, id, next_at, task) VALUES ('chat', ?, ?, ?, '0')"
  store.all(write, order_id, event_id, store.now())
}

/**
 * Sends the messages that are due. A try is counted, and the next one set, before it is made: at least one arrives, and one that
 * was accepted is not sent again.
 */
export async function sendMessages(scope: OrderScope): Promise<void> {
  const { store, env } = scope
  const due = "SELECT order_id, id, task FROM task WHERE kind = 'chat' AND next_at <= ? ORDER BY next_at LIMIT ?"
  type Due = { order_id: string; id: string; task: string }
  for (const { order_id, id, task } of store.all<Due>(due, store.now(), BATCH)) {
    const tries = Number(task) + 1
    const url = chatOf(env)
    const row = "WHERE kind = 'chat' AND order_id = ? AND id = ?"
    const next = store.now() + pauseAfter(tries)
    await store.writeDue(next, () => {
      store.all(`UPDATE task SET next_at = ?, task = ? ${row}`, next, String(tries), order_id, id)
    })
    await store.flush()
    const isSent = url !== undefined && (await post(scope, url, messageOf(scope, order_id)))
    if (!isSent && tries < MAX_TRIES && url !== undefined) continue
    if (!isSent) logError('chat_given_up', { order_id, attempts: tries })
    store.all(`DELETE FROM task ${row}`, order_id, id)
  }
}

const WORDS = {
  en: { paid: 'Paid', reserved: 'Reserved', order: 'order' },
  uk: { paid: 'Сплачено', reserved: 'Заблоковано', order: 'замовлення' },
}

/** In the language of the shop's first texts. Without what names a customer, unless the shop wants it. */
function messageOf(scope: OrderScope, order_id: string): string {
  const { env, pages, chat, store } = scope
  const [wording] = wordingsOf(pages)
  const words = wording.lang === 'uk' ? WORDS.uk : WORDS.en
  const { amount, currency, method } = readOrder(scope, order_id).order
  const { description, customer_name } = getCheckout(store, order_id) ?? {}
  const sum = money(wording, amount ?? 0, currency ?? '')
  const paid = `${method === 'auth' ? words.reserved : words.paid} ${sum}`
  const says = [env.SHOP_NAME, paid, description, chat?.personal && customer_name, `${words.order} ${order_id}`]
  return says.filter(Boolean).join(' · ')
}
