const KEY = 'order_id, method, operation_id (or else payment_id, transaction_id and created_at) and status'

/** The advice that several causes share. */
const REMEDIES: Readonly<Record<string, string>> = {
  key: KEY,
  once: `INSERT INTO webhooks (…) ON CONFLICT DO NOTHING, with a unique key over ${KEY}`,
  all: 'Store every webhook, and compute the order from all of them: of each operation a success or failure stands, whenever it came.',
  press: 'Store a row with a unique key for each press first; if a press finds its row open, ask the service.',
  look: 'Store it before the call; after a crash or a lost response ask the service, and store what it says.',
  ask: 'After a lost response ask the service what became of it, and let the next press do so too.',
}

/** The fault of a receiver, and its remedy; after `|` what edgetill has for it. */
export const CAUSES = {
  ships_copies: 'A copy of a webhook ships again. Act only when this inserted a row: {once}. | eventKey, operationKey',
  ships_parts: 'Each capture or charge ships again. Note with the order that it was shipped.',
  adds_up_copies: 'A copy is added up again. Store each once ({once}), and SUM(amount). | eventKey, foldOrder',
  not_atomic: 'Two copies at one moment are both handled. Act only when this inserted a row: {once}. | eventKey',
  lost_update: 'Of two webhooks at once one overwrites the other. Insert rows, or SELECT … FOR UPDATE. | foldOrder',
  mixes_orders: 'Orders at one moment are mixed up. Keep the order in hand in a local variable, not in a shared one.',
  confuses_order_ids: 'Two order ids are taken for one. Compare all 256 bytes: utf8mb4_bin, =, not LIKE. | orderKey',
  dedupes_by_body: 'The same event with other fields is taken for another. Compare {key}, not the body. | eventKey',
  dedupes_by_order: 'After the first webhook of an order the others are ignored. Compare {key}. | eventKey',
  dedupes_by_transaction: 'The pending of a transaction hides its success. Compare {key}. | eventKey',
  dedupes_by_method: 'Of several captures, refunds or charges one alone counts. Compare {key}. | operationKey',
  overwrites_sums: 'A later capture or refund replaces the sum. Keep a row per operation_id, SUM(amount). | foldOrder',
  newest_wins: 'The webhook that arrives last decides. They arrive in any order. {all} | foldOrder',
  pending_overwrites: 'A pending that arrives late undoes a success: success and failure are final. {all} | foldOrder',
  order_matters: 'The same webhooks give the right result in their natural order alone. {all} | foldOrder',
  failure_sticks: 'After a declined card an order is never paid. A success counts, whatever failed before. | foldOrder',
  ignores_status: "What is pending or failed is taken for done. Act on status = 'success' alone. | isSuccess",
  ignores_method:
    "A webhook of another method is taken for a payment or a refund. What pays is method 'purchase' or 'capture', what pays back is 'refund'; auth, auth_increment, void, credit, p2p and lookup do neither. | foldOrder",
  part_taken_for_whole: "A part is taken for the whole. Count the webhook's amount, not the order's price. | foldOrder",
  rounds: 'Amounts lose a cent. Use round(amount * 100), not int, floor or intval, or NUMERIC(12,2). | toMinorUnits',
  overflows: 'Large amounts are wrong. Count cents in 64 bits (BIGINT) or NUMERIC(12,2), never from a formatted text.',
  not_handled: 'Orders of this kind are not counted at all. Handle them, or leave them out with --kinds. | foldOrder',
  rejects: 'A genuine webhook is rejected each time, so it comes again. Respond 2xx, also to what you do not use.',
  rejects_copies: 'A copy is rejected each time, so it comes again and again. Respond 2xx to what you have already.',
  breaks_on_texts: 'Letters beyond ASCII fail. Decode data as UTF-8, and store it in utf8mb4. | verifyWebhook',
  breaks_on_nulls: 'An optional field that is null fails. Take null for a field that is not there. | verifyWebhook',
  breaks_on_unknown_fields: 'An unknown field fails. Ignore it: the service may add some. | verifyWebhook',
  reads_base64: 'data is read as base64. It is base64url: put + for - and / for _ first. | verifyWebhook',
  rejects_late: 'A webhook that comes days late is rejected or ignored. Take it at any age.',
  stores_after_answer: 'It answers 200 before it has stored the webhook. COMMIT first. | createWebhookHandler',
  keeps_in_memory: 'What it knew is gone after a restart. Store it in a database or a file.',
  remembers_in_memory: 'What it remembers of copies is gone after a restart. Keep it: {once}. | eventKey',
  acts_before_storing: 'It acts, then stores: killed in between, it acts again. Store first, or use an outbox.',
  marks_before_acting: 'It notes a webhook as handled before it has handled it. Do both in one transaction.',
  no_signature_check:
    'The signature is not checked, or not in whole, or not on the data that is used. Read data and signature once, compute base64url(sha1(secret + data + secret, raw)), compare all of it in constant time, and reject anything else. | createWebhookHandler, verifyWebhook',
  trusts_amount: 'The amount is not compared with what was asked, to the cent. Compare it before you ship. | foldOrder',
  forgets_currency: 'The currency is not compared with what was asked. Compare it before you ship. | foldOrder',
  ignores_processed_amount: 'What the payer changed is ignored. Compare processed_amount and _currency. | foldOrder',
  refunds_twice: 'A refund that was pressed again was made again. {press} | createTill',
  loses_refunds: 'A refund was made, and the shop does not know. {look} | createTill, resolveOutcome',
  never_ends: 'A refund was neither made nor given up. {ask} | createTill, resolveOutcome',
  captures_twice: 'A capture that was pressed again was made again. {press} | createTill',
  loses_captures: 'A capture was made, and the shop does not know. {look} | createTill, resolveOutcome',
  capture_never_ends: 'A capture was neither made nor given up. {ask} | createTill, resolveOutcome',
  unknown: 'The cause is unknown: none of the usual mistakes explains this story.',
} as const

/** Why `prove` judged a story to be wrong. */
export type Cause = keyof typeof CAUSES

/** The advice, with what edgetill has for it where the receiver uses edgetill. */
export function adviceOf(cause: Cause, usesEdgetill: boolean | undefined): string {
  const [says = '', sdk] = CAUSES[cause].split(' | ')
  const advice = says.replaceAll(/\{(\w+)\}/g, (_, name: string) => REMEDIES[name] ?? '')
  return usesEdgetill && sdk ? `${advice} In edgetill: ${sdk}.` : advice
}
