import { amountOf, minorOf } from './judge.ts'
import { FIRST_STORY, nameOf, type Played, type Player } from './run.ts'
import { failing, PASSES, type Pass, passed } from './shrink.ts'
import type { Payload } from './story.ts'
import { type Action, isGenuine, priced, type Sending, type Story, type Way } from './story.ts'

/** What is wrong with a receiver, and what to do about it. */
export const CAUSES = {
  ships_copies:
    'Each copy of a webhook ships again. Act only when this inserted a row: INSERT INTO webhooks (…) ON CONFLICT DO NOTHING, with a unique key over order_id, method, operation_id (or else payment_id, transaction_id and created_at) and status.',
  ships_parts:
    'Each capture or charge ships again, though the order was shipped. Note with the order that it was shipped, and ship once.',
  adds_up_copies:
    'A copy of a webhook is added up again. Store each once (INSERT INTO webhooks (…) ON CONFLICT DO NOTHING, with a unique key over order_id, method, operation_id (or else payment_id, transaction_id and created_at) and status), and SUM(amount) over the operations.',
  not_atomic:
    'Two copies at the same moment are both handled: both looked before either wrote. Let the database decide: INSERT INTO webhooks (…) ON CONFLICT DO NOTHING, with a unique key over order_id, method, operation_id (or else payment_id, transaction_id and created_at) and status, and act only when a row was inserted.',
  lost_update:
    'Two webhooks of one order at the same moment: one overwrites what the other wrote. Insert a row for each in place of reading, changing and writing the order, or lock it: SELECT … FOR UPDATE.',
  mixes_orders:
    'Webhooks of several orders at the same moment are mixed up. Keep the order in hand in a local variable, not in one of the module, the class or the session.',
  confuses_order_ids:
    'Two order ids are taken for one. Compare them byte for byte (COLLATE BINARY or utf8mb4_bin, = rather than LIKE) in a column of 256 characters.',
  dedupes_by_body:
    'The same event with other optional fields is taken for another one. Compare order_id, method, operation_id (or else payment_id, transaction_id and created_at) and status, not the body.',
  dedupes_by_order:
    'After the first webhook of an order or payment all others are ignored. One order has many: compare order_id, method, operation_id (or else payment_id, transaction_id and created_at) and status.',
  dedupes_by_transaction:
    'After the first webhook of a transaction all others are ignored: its pending hides its success. Compare order_id, method, operation_id (or else payment_id, transaction_id and created_at) and status.',
  dedupes_by_method:
    'Of several captures, refunds or charges of an order one alone counts. Each has an operation_id or transaction_id of its own: make it part of the key.',
  overwrites_sums:
    'A later capture or refund takes the place of the sum of all. Store one row for each operation_id, and SUM(amount).',
  newest_wins:
    'The webhook that arrives last decides. They arrive in any order. Store every webhook, and compute the order from all of them: of each operation a success or failure stands, whenever it came.',
  pending_overwrites:
    'A pending that arrives late undoes a success: success and failure are final. Store every webhook, and compute the order from all of them: of each operation a success or failure stands, whenever it came.',
  order_matters:
    'The same webhooks in their natural order give the right result, in another order not. Store every webhook, and compute the order from all of them: of each operation a success or failure stands, whenever it came.',
  failure_sticks:
    'An order whose first card was declined never becomes paid. A success counts, whatever failed before it.',
  ignores_status: "What is pending or failed is taken for done. Act when status = 'success', and at nothing else.",
  ignores_method:
    "A webhook of another method is taken for a payment or a refund. What pays is method 'purchase' or 'capture', what pays back is 'refund'; auth, auth_increment, void, credit, p2p and lookup do neither.",
  part_taken_for_whole: "A part is taken for the whole. Count the webhook's own amount, not the order's price.",
  rounds: 'Amounts lose a cent. Use round(amount * 100) rather than a cut-off (int, floor, intval), or NUMERIC(12,2).',
  overflows: 'Large amounts are wrong. Count cents in 64 bits (BIGINT), or in NUMERIC(12,2).',
  not_handled:
    'Orders of this kind are not counted at all, with each webhook once and in order. Handle them, or leave the kind out with --kinds.',
  rejects:
    'A genuine webhook is refused each time, so that the service goes on sending it. Respond 2xx, also to what you do not use.',
  breaks_on_texts: 'Webhooks with letters beyond ASCII fail. Decode data as UTF-8, and store it in utf8mb4.',
  breaks_on_nulls: 'An optional field that is null fails. Take null for a field that is not there.',
  breaks_on_unknown_fields: 'A field that is not known fails. Ignore it: the service may add some at any time.',
  reads_base64: 'data is read as base64. It is base64url: put + for - and / for _ before you decode it.',
  rejects_late:
    'A webhook that comes days late is refused or ignored. The service repeats what was not accepted: take it at any age.',
  stores_after_answer:
    'It answers 200 before the webhook is stored: what is lost then is not sent again. COMMIT first.',
  keeps_in_memory: 'What it knew is gone after a restart. Store it in a database or a file.',
  remembers_in_memory:
    'What it remembers of copies is gone after a restart. Keep it in the database: INSERT INTO webhooks (…) ON CONFLICT DO NOTHING, with a unique key over order_id, method, operation_id (or else payment_id, transaction_id and created_at) and status.',
  acts_before_storing:
    'It acts before it has stored that it did, and is killed between the two: then it acts again. Store first, in one transaction with what follows, or put what follows into an outbox.',
  marks_before_acting:
    'It notes a webhook as handled before it has handled it. What stopped it in between is never made up for. Do both in one transaction.',
  no_signature_check:
    'The signature is not checked, or not in whole, or not on the data that is used. Read data and signature once, compute base64url(sha1(secret + data + secret, raw)), compare all of it in constant time, and reject anything else.',
  trusts_amount:
    'The amount of a payment is not compared with what was asked, to the cent. Compare it before you ship.',
  forgets_currency: 'The currency of a payment is not compared with what was asked. Compare it before you ship.',
  ignores_processed_amount:
    'The payer may change what is paid: then processed_amount and processed_currency say what came, amount does not. Compare them where they are there.',
  refunds_twice:
    'A refund that was pressed again was made again. Store a row with a unique key for each press before you call the service; if a press finds its row without an end, ask the service what became of it.',
  loses_refunds:
    'A refund was made, and the shop does not know. Store it before the call; after a crash or a lost response ask the service, and store what it says.',
  never_ends:
    'A refund was neither made nor given up. After a lost response ask the service what became of it, and let the next press do so too.',
  unknown: 'The cause is unknown: none of the usual mistakes explains this story.',
} as const

/** Why `prove` judged a story to be wrong. */
export type Cause = keyof typeof CAUSES

/** What edgetill has for them. */
const SDK: Readonly<Record<string, string>> = {
  'eventKey, operationKey': 'ships_copies',
  'eventKey, foldOrder': 'adds_up_copies lost_update',
  eventKey: 'not_atomic dedupes_by_body dedupes_by_order dedupes_by_transaction remembers_in_memory',
  orderKey: 'confuses_order_ids',
  operationKey: 'dedupes_by_method',
  foldOrder:
    'overwrites_sums newest_wins pending_overwrites order_matters failure_sticks ignores_method part_taken_for_whole not_handled trusts_amount forgets_currency ignores_processed_amount',
  isSuccess: 'ignores_status',
  toMinorUnits: 'rounds',
  verifyWebhook: 'breaks_on_texts breaks_on_nulls breaks_on_unknown_fields reads_base64',
  createWebhookHandler: 'stores_after_answer',
  'createWebhookHandler, verifyWebhook': 'no_signature_check',
  createTill: 'refunds_twice',
  'createTill, resolveOutcome': 'loses_refunds never_ends',
}

/** The advice, with what edgetill has for it where the receiver uses edgetill. */
export function adviceOf(cause: Cause, usesEdgetill: boolean | undefined): string {
  const [sdk] = Object.entries(SDK).find(([, causes]) => causes.split(' ').includes(cause)) ?? []
  return usesEdgetill && sdk ? `${CAUSES[cause]} In edgetill: ${sdk}.` : CAUSES[cause]
}

const OF_FIELDS = {
  texts: 'breaks_on_texts',
  nulls: 'breaks_on_nulls',
  bare: 'breaks_on_nulls',
  unknown: 'breaks_on_unknown_fields',
  base64url: 'reads_base64',
} as const

/** Why a shrunk story fails, by the passes after which it no longer does, and a few more stories where they do not say. */
export async function causeOf(story: Story, played: Played, player: Player): Promise<Cause> {
  const { difference } = played
  const isMore = difference?.endsWith('_more') ?? false
  const decides = async (pass: Pass): Promise<boolean> => {
    const changed = passed(story, pass)
    return changed !== undefined && (await failing(player, changed)) === undefined
  }
  const fails = async (probe: Story): Promise<boolean> => (await player.play(probe))?.difference !== undefined
  const passes: Pass[] = []
  for (const pass of Object.keys(PASSES) as Pass[]) if (await decides(pass)) passes.push(pass)
  const has = (...wanted: Pass[]): boolean => wanted.some((pass) => passes.includes(pass))

  if (has('forged')) return 'no_signature_check'
  if (story.mismatch !== undefined) {
    const plainly = story.mismatch.endsWith('currency') ? 'currency' : 'amount'
    const isPlain = !story.mismatch.startsWith('processed') || (await fails({ ...story, mismatch: plainly }))
    return isPlain ? (plainly === 'currency' ? 'forgets_currency' : 'trusts_amount') : 'ignores_processed_amount'
  }
  const isOneCent = Math.abs(gapOf(played)) < 100
  if (has('crowd')) {
    // The orders of a crowd differ in their prices too.
    const { crowd: _, ...alone } = priced(story, played.story.asked)
    return (await fails(alone)) ? (isOneCent ? 'rounds' : 'overflows') : 'mixes_orders'
  }
  if (has('twin')) return 'confuses_order_ids'
  if (has('fields') && story.fields) {
    // Letters beyond ASCII make data with - and _ too.
    const isBase64 = story.fields === 'texts' && (await fails({ ...story, fields: 'base64url' }))
    return OF_FIELDS[isBase64 ? 'base64url' : story.fields]
  }
  if (has('late')) return 'rejects_late'
  if (difference === 'refused') return (await fails({ ...story, fields: 'bare' })) ? 'rejects' : 'breaks_on_nulls'
  if (has('amount')) return isOneCent ? 'rounds' : 'overflows'
  if (has('restart')) return ofRestart(story, isMore, fails)
  if (has('moment', 'hang_up')) {
    const isOne = new Set(story.sendings.filter(isGenuine).map(({ action, nth }) => `${action} ${nth}`)).size === 1
    if (has('moment')) return isOne || isMore ? 'not_atomic' : 'lost_update'
    return isMore ? 'not_atomic' : 'marks_before_acting'
  }
  if (has('other_fields')) return 'dedupes_by_body'
  if (has('copies')) return difference === 'shipped_more' ? 'ships_copies' : 'adds_up_copies'
  if (has('order')) {
    if (await fails(PENDING_FIRST)) return (await fails(THEN_REFUND)) ? 'dedupes_by_order' : 'dedupes_by_transaction'
    if (!(await fails(LATE_PENDING))) return 'order_matters'
    return (await fails(LATE_FAILURE)) ? 'newest_wins' : 'pending_overwrites'
  }
  return await ofPlain(story, played, fails)
}

async function ofRestart(story: Story, isMore: boolean, fails: (probe: Story) => Promise<boolean>): Promise<Cause> {
  const ways = story.sendings.flatMap((one) => (isGenuine(one) ? [one.way] : []))
  if (isMore) {
    const twice = (one: Sending): Sending[] =>
      isGenuine(one) && one.way === 'killed_before'
        ? [
            { ...one, way: 'killed_later' },
            { ...one, way: 'plain' },
          ]
        : [one]
    return (await fails({ ...story, sendings: story.sendings.flatMap(twice) }))
      ? 'remembers_in_memory'
      : 'acts_before_storing'
  }
  const by = (way: Way): Story => {
    const kill = (one: Sending): Sending => (isGenuine(one) && one.way.startsWith('killed') ? { ...one, way } : one)
    return { ...story, sendings: story.sendings.map(kill) }
  }
  if (await fails(by('killed_later'))) return 'keeps_in_memory'
  return ways.includes('killed') || (await fails(by('killed'))) ? 'stores_after_answer' : 'marks_before_acting'
}

/** A story of webhooks that come once, in their natural order, as plain as they can be. */
async function ofPlain(story: Story, played: Played, fails: (probe: Story) => Promise<boolean>): Promise<Cause> {
  const { difference, sent, expected, seen } = played
  const gap = Math.abs(gapOf(played))
  if (difference?.endsWith('_more')) {
    const [open, whole] = [sent.filter(({ status }) => status !== 'success'), expected.paid || story.asked]
    const isWhole = difference === 'paid_more' ? minorOf(seen?.paid) === story.asked : minorOf(seen?.refunded) === whole
    const moved = difference === 'refunded_more' ? expected.refunded : expected.paid
    if (open.length > 0 && (moved === 0 || explains(open, gap))) return 'ignores_status'
    if (difference !== 'shipped_more' && moved > 0 && isWhole) return 'part_taken_for_whole'
    if (difference === 'shipped_more' && moved > 0) return 'ships_parts'
    if (sent.some(({ method }) => !/^(purchase|capture|refund)$/.test(String(method)))) return 'ignores_method'
    return gap > 0 && gap < 100 ? 'rounds' : 'unknown'
  }
  if (gap > 0 && gap < 3) return 'rounds'
  const moves = sent.filter(({ method, status }) => status === 'success' && method !== 'auth')
  const kind = difference === 'refunded_less' ? 'refund' : moves.at(-1)?.method
  const same = moves.filter(({ method }) => method === kind)
  const now = difference === 'refunded_less' ? minorOf(seen?.refunded ?? 0) : minorOf(seen?.paid ?? 0)
  const first = story.actions[0]?.do
  if (await fails(PENDING_FIRST)) return (await fails(THEN_REFUND)) ? 'dedupes_by_order' : 'dedupes_by_transaction'
  if (first === 'decline_then_pay') return 'failure_sticks'
  if (same.length > 1 && now > 0)
    return now === amountOf(same.at(-1) as Payload) && now !== amountOf(same[0] as Payload)
      ? 'overwrites_sums'
      : 'dedupes_by_method'
  return difference?.endsWith('_less') ? 'not_handled' : 'unknown'
}

const explains = (open: readonly Payload[], gap: number): boolean =>
  gap === 0 || open.some((event) => amountOf(event) === gap)

/** How much too much a shop counts, in minor units. */
function gapOf({ difference, expected, seen }: Played): number {
  if (difference?.startsWith('paid')) return minorOf(seen?.paid ?? 0) - expected.paid
  return difference?.startsWith('refunded') ? minorOf(seen?.refunded ?? 0) - expected.refunded : 0
}

/** What a refused webhook has and those that were accepted do not. */
export function refusalOf({ refused, sent }: Played): string {
  if (refused === undefined) return ''
  const others = sent.filter((one) => one !== refused.payload)
  const [other] = others
  const apart = Object.keys(refused.payload).filter((name) =>
    other === undefined
      ? false
      : JSON.stringify(other[name]) !== JSON.stringify(refused.payload[name]) && !/_id$|_at$|^fee$/.test(name),
  )
  const differs = apart.length > 0 ? `, which differs from one that was accepted in ${apart.join(', ')}` : ''
  return `It responds ${refused.answer} to ${nameOf(refused.payload)}${differs}.`
}

const plain = (action: number, nth: number): Sending => ({ action, nth, way: 'plain' })
const probe = (actions: Action[], ...sendings: Sending[]): Story => ({ ...FIRST_STORY, actions, sendings })
const PENDING_FIRST = probe([{ do: 'three_d_secure' }], plain(0, 0), plain(0, 1))
const LATE_PENDING = probe([{ do: 'three_d_secure' }], plain(0, 1), plain(0, 0))
const LATE_FAILURE = probe([{ do: 'decline_then_pay' }], plain(0, 1), plain(0, 0))
const THEN_REFUND = probe([{ do: 'pay' }, { do: 'refund', minor: 2_000 }], plain(0, 0), plain(1, 0))
