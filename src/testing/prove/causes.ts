const KEY = 'order_id, method, operation_id (or else payment_id, transaction_id and created_at) and status'

/** Advice that several causes share. */
const REMEDIES: Readonly<Record<string, string>> = {
  key: KEY,
  verify: 'Read both once, and compare all of base64url(sha1(secret + data + secret, raw)) in constant time.',
  kinds: "Only 'purchase' and 'capture' pay, and only 'refund' pays back. Any other method does neither.",
  once: `INSERT INTO webhooks (…) ON CONFLICT DO NOTHING, with a unique key over ${KEY}`,
  all: 'Store every webhook, and compute the order from all of them: success and failure are final.',
  store: 'Act and store in one transaction, and respond 2xx to a stored webhook.',
  press: 'Store a row with a unique key for each press first. If a press finds its row open, ask the service.',
  look: 'Store it before the call. After a crash or a lost response ask the service, and store its response.',
  ask: 'After a lost response ask the service for the outcome. Let the next press do so too.',
}

/** The fault of a receiver, and its remedy; after `|` the functions of edgetill for it. */
export const CAUSES = {
  hangs: 'It stops responding. Look for a lock that is not released, or two locks that are taken in either order.',
  comes_and_goes: 'The same story ends differently each time. Look at the work behind the response: queue, threads.',
  not_examined: 'There was no time to look for the cause. Pass more --max-seconds, or --story FILE.',
  forgets_copies: 'A later copy is taken for new: copies are remembered too briefly. Keep them: {once}. | eventKey',
  no_signature_check: 'The signature is not checked, or not that of the used data. {verify} | createWebhookHandler',
  ships_unknown_orders: 'It ships an order that it never made. Ship only orders of your own database, at their price.',
  ignores_processed_amount: 'It ignores a change by the payer. Compare processed_amount and _currency. | foldOrder',
  forgets_currency: 'The currency is not compared with the price. Compare it before you ship. | foldOrder',
  compares_texts: 'Amounts are compared as texts: "99" > "100", "1000" ≠ "1000.00". Compare cents. | toMinorUnits',
  trusts_amount: 'The amount is not compared with the price, to the cent. Compare it before you ship. | foldOrder',
  mixes_orders: 'Simultaneous orders are mixed up. Keep the order in a local variable, not in a shared one.',
  rounds: 'Amounts lose a cent. Use round(amount * 100), not int, floor or intval, or NUMERIC(12,2). | toMinorUnits',
  overflows: 'Large amounts are wrong. Count cents in 64 bits (BIGINT) or NUMERIC(12,2), never from a formatted text.',
  confuses_order_ids: 'Two order ids are taken for one. Compare all bytes: utf8mb4_bin, =, not LIKE or ==. | orderKey',
  reads_base64: 'data is read as base64. It is base64url: put + for - and / for _ first. | verifyWebhook',
  breaks_on_texts: 'Letters beyond ASCII fail. Decode data as UTF-8, and store it in utf8mb4. | verifyWebhook',
  breaks_on_unknown_fields: 'An unknown field fails. Ignore it: the service may add some. | verifyWebhook',
  breaks_on_nulls: 'A null or missing optional field fails. Treat null as missing, and allow both. | verifyWebhook',
  rejects_late: 'A webhook that comes days late is rejected or ignored. Accept it at any age.',
  rejects_copies: 'A copy is rejected each time, so it comes again and again. Respond 2xx to a webhook that you have.',
  rejects: 'A genuine webhook is rejected each time, so it comes again. Respond 2xx even if you do not use it.',
  remembers_in_memory: 'Its list of handled webhooks is gone after a restart. Keep it: {once}. | eventKey',
  acts_before_storing: 'It acts, then stores: killed in between, it acts again. Store first, or use an outbox.',
  keeps_in_memory: 'Its orders are gone after a restart. Store them in a database or a file.',
  stores_after_answer: 'It responds 2xx before it has stored the webhook. COMMIT first. | createWebhookHandler',
  marks_before_acting: 'It notes a webhook as handled before it has handled it. Do both in one transaction.',
  acts_before_answering: 'It acts, then responds with an error, so it acts again when the webhook comes again. {store}',
  not_atomic: 'Two simultaneous copies are both handled. Act only if this inserted a row: {once}. | eventKey',
  lost_update: 'Of two simultaneous webhooks one is lost. Insert rows, or SELECT … FOR UPDATE. | foldOrder',
  dedupes_by_body: 'The same event with other fields is taken for another. Compare {key}, not the body. | eventKey',
  ships_copies: 'A copy of a webhook or its job ships again. Act only if this inserted a row: {once}. | eventKey',
  adds_up_copies: 'A copy of a webhook or its job is added up. Store each once ({once}), and SUM(amount). | foldOrder',
  ignores_status: "A pending or failed operation is taken for done. Act only on status = 'success'. | isSuccess",
  ignores_method: 'A webhook of another method is taken for a payment or a refund. {kinds} | foldOrder',
  part_taken_for_whole: "A part is taken for the whole. Count the webhook's amount, not the order's price. | foldOrder",
  ships_parts: 'Each capture or charge ships again. Note with the order that it was shipped.',
  unknown: 'The cause is unknown: none of the usual mistakes explains this story.',
  subtracts_fees: 'The fee is taken off the amount. Compare and count amount; the fee is between you and the service.',
  dedupes_by_order: 'After the first webhook of an order the others are ignored. Compare {key}. | eventKey',
  dedupes_by_transaction: 'The pending of a transaction hides its success. Compare {key}. | eventKey',
  newest_wins: 'The webhook that arrives last decides. They arrive in any order. {all} | foldOrder',
  pending_overwrites: 'A pending that arrives late undoes a success: success and failure are final. {all} | foldOrder',
  order_matters: 'The same webhooks only give the right result in their natural order. {all} | foldOrder',
  failure_sticks: 'After a declined or abandoned payment an order is never paid. A success always counts. | foldOrder',
  dedupes_by_amount: 'Of two refunds or captures of the same amount only one counts. Compare {key}. | operationKey',
  overwrites_sums: 'A later capture or refund replaces the sum. Keep a row per operation_id, SUM(amount). | foldOrder',
  dedupes_by_method: 'Of several captures, refunds or charges only one counts. Compare {key}. | operationKey',
  never_ships: 'It is counted as paid, and never shipped. Ship when paid reaches the price.',
  not_handled: 'Orders of this kind are not counted at all. Handle them, or leave them out with --kinds. | foldOrder',
  refunds_twice: 'A refund that was pressed again was made again. {press} | createTill',
  refunds_other_amount: 'The refund has another amount than the form. Send the amount of the form. | createTill',
  loses_refunds: 'A refund was made, and the shop does not know. {look} | createTill, resolveOutcome',
  never_ends: 'A refund was neither made nor given up. {ask} | createTill, resolveOutcome',
  captures_twice: 'A capture that was pressed again was made again. {press} | createTill',
  captures_other_amount: 'The capture has another amount than the form. Send the amount of the form. | createTill',
  loses_captures: 'A capture was made, and the shop does not know. {look} | createTill, resolveOutcome',
  capture_never_ends: 'A capture was neither made nor given up. {ask} | createTill, resolveOutcome',
} as const

/** Why `prove` judged a story to be wrong. */
export type Cause = keyof typeof CAUSES

/** The advice, with edgetill's functions for it if the receiver uses edgetill. */
export function adviceOf(cause: Cause, usesEdgetill?: boolean): string {
  const [says = '', sdk] = CAUSES[cause].split(' | ')
  const advice = says.replaceAll(/\{(\w+)\}/g, (_, name: string) => REMEDIES[name] ?? '')
  return usesEdgetill && sdk ? `${advice} In edgetill: ${sdk}.` : advice
}
