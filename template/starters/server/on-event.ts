import process from 'node:process'
import { needsPerson, paidOf } from 'edgetill/orders'
import type { OnAlert, OnEvent } from 'edgetill/server'

/**
 * Your code for events of orders: ship, mail, book. It runs at least once for each event, occasionally twice, in any
 * order: use `id` as a unique key, and trust `order`. When it throws, it is called again later.
 */
export const onEvent: OnEvent = async ({ event }, order) => {
  const paid = paidOf(event)
  if (!paid) return
  // Called again later: by then a person may have looked at the order.
  if (needsPerson(order)) throw new Error(`look at it before you ship: ${order.flags.join(', ')}`)
  await say(`Paid ${paid.amount.toFixed(2)} ${paid.currency} · order ${order.replaces ?? order.order_id}`)
}

/** Your code that alerts a person: `text` contains the incident and its remedy. */
export const onAlert: OnAlert = ({ text }) => say(text)

/** Posts a text to your chat if CHAT_URL is set, else prints it. */
async function say(text: string): Promise<void> {
  const { CHAT_URL } = process.env
  if (!CHAT_URL) return console.log(text)
  const body = JSON.stringify({ text })
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(CHAT_URL, { method: 'POST', headers, body, signal: AbortSignal.timeout(5000) })
  if (!response.ok) throw new Error(`the chat responded with ${response.status}`)
}
