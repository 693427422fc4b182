import { CAUSES, type Cause, causeOf, FIRST_STORY } from './causes.ts'
import { expectedState, verdictOf } from './judge.ts'
import { ProveError, type ProveOptions, type ProveState, type Resolved, resolveProveOptions } from './options.ts'
import { type Possible, planStory } from './plan.ts'
import { createPlayer, type Played, type Player, type StoryStep } from './run.ts'
import { createService } from './service.ts'
import { openShop } from './shop.ts'
import { type Failure, shrink } from './shrink.ts'
import type { Story } from './story.ts'

/** Something wrong with a receiver: what it does to money, and the smallest story that shows it. */
export interface ProveFinding {
  /** What happened to money: "shipped twice", "paid but not shipped", "refund lost", "a forgery was believed", … */
  verdict: string
  /** What is wrong with the receiver, in a word. */
  cause: Cause
  /** The same in a sentence, and what to do about it. */
  advice: string
  /** How many of the orders failed in this way, about. */
  orders: number
  /** The order of the story below, to be looked up in the shop. */
  order_id: string
  /** What it should be, in units of the currency. */
  expected: ProveState
  /** What the shop says; null when it knows no such order. */
  seen: ProveState | null
  story: StoryStep[]
}

/** The result of {@link prove}. */
export interface ProveReport {
  seed: number
  /** Orders that were played, without those of shrinking. */
  orders: number
  /** Requests that the receiver got for them. */
  requests: number
  /** What could not be tried, and why. */
  leftOut: string[]
  /** Nothing found: empty. */
  findings: ProveFinding[]
}

/** A receiver that fails so often is known well enough. */
const MAX_FAILURES = 25

/**
 * Attacks the receiver of a shop, in any language, and judges it by money: it plays orders (paid, declined, declined then paid,
 * 3-D Secure, captured in parts, voided, refunded, recurring, cancelled) with signed webhooks that come twice, at once, in any
 * order, late, with other fields, forged or damaged, whose answers are lost or whose receiver is killed, and compares what the
 * shop says of each order with what the service did. Never point it at a live shop: its orders look like paid ones.
 *
 * @param options Where the receiver is, and how the shop's state is read.
 * @returns What was found, each with the smallest story that shows it.
 * @throws {ProveError} when it could not be run: the receiver, its state or an option is not usable.
 * @see The API document, "Events" and "States and transitions"; the order of webhooks and their repetition are assumptions.
 * @example
 * import { prove } from 'edgetill/testing'
 * const { findings } = await prove({
 *   url: 'http://127.0.0.1:3000/webhooks',
 *   state: 'http://127.0.0.1:3000/orders/{order_id}', // { "paid": 100.5, "refunded": 0, "shipped": 1 }
 *   orders: 200,
 * })
 * for (const { verdict, advice, story } of findings) console.log(verdict, advice, story)
 */
export async function prove(options: ProveOptions): Promise<ProveReport> {
  const resolved = resolveProveOptions(options)
  const { seed, orders, kinds } = resolved
  const run = crypto.getRandomValues(new Uint32Array(1))[0] as number
  const shop = openShop(resolved)
  const player = createPlayer(resolved, createService(resolved, run), shop, run.toString(36))
  const first = await playFirst(player, resolved)
  const possible: Possible = {
    kinds,
    create: resolved.create !== undefined,
    restart: resolved.restart !== undefined,
  }
  const report: ProveReport = { seed, orders: 0, requests: 0, leftOut: leftOutOf(possible, first), findings: [] }
  const groups = new Map<string, { failure: Failure; orders: number }>()
  let failures = 0
  for (let n = 0; n < orders && failures < MAX_FAILURES; n++) {
    const story = planStory(seed, n, possible)
    const played = await player.play(story)
    if (played === undefined) throw new Error(`The emulator does not allow the story ${JSON.stringify(story)}.`)
    report.orders++
    report.requests += played.requests
    resolved.onProgress?.(n + 1, orders)
    if (played.difference === undefined) continue
    failures++
    const key = groupOf(story, played)
    const group = groups.get(key) ?? { failure: { story, played }, orders: 0 }
    group.orders++
    groups.set(key, group)
  }
  if (report.orders < orders) report.leftOut.push(`${orders - report.orders} orders: ${failures} had failed already.`)
  for (const group of groups.values()) addFinding(report, await findingOf(player, group))
  return report
}

/** Failures of one group mostly have one cause. The others are found by their own stories. */
function groupOf({ mismatch, sendings }: Story, { difference }: Played): string {
  const forged = sendings.some((one) => 'intrusion' in one) && difference?.endsWith('_more')
  const killed = sendings.some((one) => 'way' in one && one.way === 'killed')
  return [difference, mismatch, forged, killed].join()
}

async function findingOf(player: Player, group: { failure: Failure; orders: number }): Promise<ProveFinding> {
  const smallest = await shrink(player, group.failure)
  const { story, played } = smallest
  const { difference, expected, seen, steps, order_id } = played
  const cause = await causeOf(smallest, player)
  return {
    verdict:
      cause === 'no_signature_check'
        ? 'a forgery was believed'
        : // biome-ignore lint/style/noNonNullAssertion: it has failed
          verdictOf(story, difference!, expected, seen),
    cause,
    advice: CAUSES[cause],
    orders: group.orders,
    order_id,
    expected: expectedState(story, expected),
    seen: seen ?? null,
    story: steps,
  }
}

/** Two groups may come down to the same. */
function addFinding({ findings }: ProveReport, finding: ProveFinding): void {
  const same = findings.find(({ verdict, cause }) => verdict === finding.verdict && cause === finding.cause)
  if (same === undefined) findings.push(finding)
  else same.orders += finding.orders
}

/** One paid order, one webhook. @throws {ProveError} when not even that works: then nothing else would say anything. */
async function playFirst(player: Player, { url, settleMs }: Resolved): Promise<Played> {
  const played = await player.play(FIRST_STORY)
  if (played === undefined) throw new Error('The emulator does not allow a payment.')
  const { steps, seen, difference, expected, order_id } = played
  const answer = steps.at(-1)?.answers.at(-1)
  if (difference === undefined) return played
  const paid = expected.paid / 100
  const said = seen === undefined ? 'knows no such order' : `says paid ${seen.paid}, refunded ${seen.refunded}`
  const what = `Order ${order_id} was paid ${paid} with one webhook, to which ${url} responded ${answer}; its state ${said}`
  throw new ProveError(`${what}. ${hintFor(answer as number, seen, paid, settleMs)}`)
}

function hintFor(answer: number, seen: ProveState | undefined, paid: number, settleMs: number): string {
  if (answer === 401 || answer === 403) return 'Does the receiver verify with the same API secret?'
  if (answer >= 300) return 'A receiver of webhooks responds 2xx to a form with the fields data and signature.'
  if (seen?.paid === paid * 100) return 'Amounts are decimals: 100.5, not 10050; for minor units pass --units minor.'
  return `Is the state read from the right place, and is it right within ${settleMs} ms?`
}

function leftOutOf({ create, restart }: Possible, { seen }: Played): string[] {
  return [
    ...(create
      ? []
      : ['payments of another amount or currency than asked: the shop is not told what was asked (--create).']),
    ...(restart ? [] : ['a receiver that is killed after its 200: it cannot be restarted (--restart-command).']),
    ...(seen?.shipped === undefined ? ['whether it ships twice: the state has no count `shipped`.'] : []),
  ]
}
