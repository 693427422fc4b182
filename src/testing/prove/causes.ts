import type { Player } from './run.ts'
import { type Failure, races } from './shrink.ts'
import type { Action, Sending, Story, Way } from './story.ts'

/** What is wrong with a receiver, as far as its failures say, and what to do about it. */
export const CAUSES = {
  ships_copies:
    'Each copy of a webhook ships again. Store the webhook under eventKey(event) before you act, and act once.',
  adds_up_copies: 'A copy of a webhook is added up again. Add up operations, not webhooks: foldOrder(events) does.',
  not_atomic:
    'Two copies at the same moment are both handled. Let the database decide: a unique key, INSERT … ON CONFLICT.',
  dedupes_by_body:
    'A webhook with other optional fields is taken for another payment. Compare eventKey(event), not the body.',
  dedupes_by_order:
    'After the first webhook of an order all others are ignored. One order has many: use eventKey(event).',
  dedupes_by_transaction:
    'After the first webhook of a transaction all others are ignored: its pending hides its success. Use eventKey(event).',
  newest_wins: 'The webhook that arrives last decides. They arrive in any order: use foldOrder(events).',
  pending_overwrites:
    'A pending that arrives late undoes a success. success and failure are final: use foldOrder(events).',
  order_matters: 'The result depends on the order in which webhooks arrive. Store them all and use foldOrder(events).',
  stores_after_answer: 'It answers 200 before the webhook is stored: what is lost then is not sent again. Store first.',
  no_signature_check:
    'The signature is not checked, or not on the raw data. Use createWebhookHandler or verifyWebhook.',
  trusts_amount: 'The amount of a payment is not compared with what was asked. Compare it before you ship.',
  forgets_currency: 'The currency of a payment is not compared with what was asked. Compare it before you ship.',
} as const

export type Cause = keyof typeof CAUSES

/** Why a shrunk story fails. Where it does not say, a few more orders are played. */
export async function causeOf({ story, played }: Failure, player: Player): Promise<Cause> {
  const { difference } = played
  const ways = new Set(story.sendings.flatMap((one): Way[] => ('way' in one ? [one.way] : [])))
  const isMore = difference?.endsWith('_more') ?? false
  if (isMore && isForged(story)) return 'no_signature_check'
  if (story.mismatch === 'amount') return 'trusts_amount'
  if (story.mismatch === 'currency') return 'forgets_currency'
  if (ways.has('killed')) return 'stores_after_answer'
  // A race does not fail each time, so that more than it needs may be left in its story.
  if (races(story)) return 'not_atomic'
  if (ways.has('other_fields')) return 'dedupes_by_body'
  if (isMore && hasCopies(story)) return difference === 'shipped_more' ? 'ships_copies' : 'adds_up_copies'
  if (isMore) return 'order_matters'
  const fails = async (probe: Story): Promise<boolean> => (await player.play(probe))?.difference !== undefined
  if (await fails(PENDING_FIRST)) return (await fails(THEN_REFUND)) ? 'dedupes_by_order' : 'dedupes_by_transaction'
  if (await fails(LATE_PENDING)) return (await fails(LATE_FAILURE)) ? 'newest_wins' : 'pending_overwrites'
  return 'order_matters'
}

/** A forgery that is not needed, in a story that could not be made smaller because it does not fail each time, says nothing. */
const isForged = (story: Story): boolean => !races(story) && story.sendings.some((one) => 'intrusion' in one)

const hasCopies = ({ sendings }: Story): boolean => {
  const genuine = sendings.map((one) => JSON.stringify(one))
  return new Set(genuine).size < genuine.length || sendings.some((one) => 'way' in one && one.way === 'lost_answer')
}

const plain = (action: number, nth: number): Sending => ({ action, nth, way: 'plain' })
const probe = (actions: Action[], ...sendings: Sending[]): Story => ({ asked: 10_050, late: false, actions, sendings })

/** The order that has to work before anything else is tried. */
export const FIRST_STORY: Story = probe([{ do: 'pay' }], plain(0, 0))
const PENDING_FIRST = probe([{ do: 'three_d_secure' }], plain(0, 0), plain(0, 1))
const LATE_PENDING = probe([{ do: 'three_d_secure' }], plain(0, 1), plain(0, 0))
const LATE_FAILURE = probe([{ do: 'decline_then_pay' }], plain(0, 1), plain(0, 0))
const THEN_REFUND = probe([{ do: 'pay' }, { do: 'refund', minor: 2_000 }], plain(0, 0), plain(1, 0))
