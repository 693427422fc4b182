import { adviceOf } from './causes.ts'
import { causeOf, refusalOf } from './diagnose.ts'
import { compare, expectedState, minorOf, verdictOf } from './judge.ts'
import { ProveError, type ProveOptions, type Resolved, resolveProveOptions } from './options.ts'
import { attacks, attacksOf, createPlan, type Possible } from './plan.ts'
import { proveButtons } from './refund.ts'
import type { ProveFinding, ProveReport } from './report.ts'
import { createPlayer, type Played, type Player } from './run.ts'
import { createService } from './service.ts'
import { openShop, type Shop } from './shop.ts'
import { shrink } from './shrink.ts'
import { isRace, type Story, storyOf } from './story.ts'
import { readStory } from './story-file.ts'

/** So many failures, of so many kinds, say enough of a receiver; so many orders that changed later are played again in vain. */
const [MAX_FAILURES, MAX_GROUPS, MAX_VAIN] = [60, 10, 5]

/** Failures that look alike, and the smallest of them. */
type Group = { story: Story; played: Played; orders: number }
type Run = { options: Resolved; shop: Shop; player: Player; report: ProveReport }

/**
 * Attacks the receiver of a shop, in any language, and judges it by money: it plays orders with signed webhooks that come twice, at
 * once, in any order, late, with other fields, forged or damaged, whose answers are lost or whose receiver is killed, and compares
 * what the shop says of each order with what the service did. Never point it at a live shop: its orders look like paid ones.
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
  const { seed, kinds, url, create, restart } = resolved
  const id = crypto.getRandomValues(new Uint32Array(1))[0] as number
  const shop = openShop(resolved)
  const player = createPlayer(resolved, createService(resolved, id), shop, id.toString(36))
  const report: ProveReport = { url, seed, orders: 0, requests: 0, tried: {}, leftOut: [], findings: [] }
  const run: Run = { options: resolved, shop, player, report }
  if (resolved.story !== undefined) {
    const story = readStory(resolved.story)
    await judge(run, await playOrders(run, 1, () => story))
    return report
  }
  const first = await playFirst(run)
  const possible: Possible = { kinds, create: !!create, restart: !!restart, anyIds: !player.learnt.ownIds }
  await judge(run, representative(await playOrders(run, resolved.orders, createPlan(seed, possible))))
  for (const finding of await proveButtons(resolved, shop, id)) addFinding(report, finding)
  report.leftOut = leftOutOf(run, possible, first)
  return report
}

const sizeOf = ({ sendings, actions }: Story): number => sendings.length + actions.length

/** The smallest of each difference and of each mismatch first, then the next ones: each mistake gets its turn. */
function representative(groups: readonly Group[]): Group[] {
  const kindOf = ({ story, played }: Group) => `${played.difference} ${story.mismatch?.replace('processed_', '')}`
  const sorted = [...groups].sort((a, b) => sizeOf(a.story) - sizeOf(b.story))
  const turnOf = (group: Group) => sorted.filter((one) => kindOf(one) === kindOf(group)).indexOf(group)
  return [...sorted].sort((a, b) => turnOf(a) - turnOf(b)).slice(0, MAX_GROUPS)
}

/** Plays orders and groups those that fail: failures of one group mostly have one cause. */
async function playOrders(run: Run, orders: number, plan: (n: number) => Story): Promise<Group[]> {
  const { player, shop, report, options } = run
  const groups = new Map<string, Group>()
  const right: [Story, Played][] = []
  let failures = 0
  const take = (story: Story, played: Played | undefined): void => {
    // A shop that names its own prices may have one too small for the story's parts.
    if (played === undefined) return
    if (played.difference === undefined) return void right.push([story, played])
    failures++
    const known = groups.get(groupOf(story, played))
    const smallest = known && sizeOf(known.story) <= sizeOf(story) ? known : { story, played }
    groups.set(groupOf(story, played), { ...smallest, orders: (known?.orders ?? 0) + 1 })
  }
  for (let n = 0; n < orders && failures < MAX_FAILURES; n++) {
    const story = plan(n)
    let played = await player.play(story)
    for (let i = 0; i < 2 && played && !played.difference && isRace(story); i++) played = await player.play(story)
    if (!played && !player.learnt.ownIds) throw new Error(`The emulator does not allow ${JSON.stringify(story)}.`)
    take(story, played)
    report.orders++
    for (const attack of attacksOf(story)) report.tried[attack] = (report.tried[attack] ?? 0) + 1
    options.onProgress?.(n + 1, orders)
  }
  report.requests = player.learnt.requests
  // A queue may have worked later. A value that a restart took away is right again each time.
  const before = right.length
  for (const [story, played] of [...right]) {
    if (story.twin || !compare({ ...played, seen: await shop.state(played.order_id) })) continue
    if (right.length < before + MAX_VAIN)
      take({ ...story, lingers: true }, await player.play({ ...story, lingers: true }))
  }
  return [...groups.values()]
}

function groupOf({ mismatch, sendings, fields, twin, crowd, late, actions }: Story, { difference }: Played): string {
  const ways = sendings.map((one) => ('intrusion' in one ? 'forged' : one.way === 'plain' ? '' : one.way))
  const deeds = actions.map(({ do: deed, ends = '' }) => deed + ends)
  return [difference, deeds, mismatch, fields, twin && 'twin', crowd && 'crowd', late, ...new Set(ways)].join()
}

/** A finding for each group: its smallest story, what happened to money in it, and why. */
async function judge({ player, report, options }: Run, groups: readonly Group[]): Promise<void> {
  for (const { orders, ...group } of groups) {
    const { story, played } = await shrink(player, group)
    const { expected, seen, steps, order_id } = played
    const cause = await causeOf(story, played, player)
    const verdict = cause === 'no_signature_check' ? 'a forgery was believed' : verdictOf(played)
    const advice = [refusalOf(played), adviceOf(cause, options.usesEdgetill)].filter(Boolean).join(' ')
    const state = { expected: expectedState(story, expected), seen: seen ?? null }
    const file: ProveFinding['file'] = { edgetill_story: 1, found: { verdict, cause }, story }
    addFinding(report, { verdict, cause, advice, orders, order_id, ...state, story: steps, file })
  }
}

/** Two groups may come down to the same. */
function addFinding({ findings }: ProveReport, finding: ProveFinding): void {
  const same = findings.find(({ verdict, cause }) => verdict === finding.verdict && cause === finding.cause)
  if (same === undefined) findings.push(finding)
  else same.orders += finding.orders
}

const holding = (rows: readonly [boolean, string][]): string[] => rows.filter(([is]) => is).map(([, says]) => says)

/** One paid order, one webhook. @throws {ProveError} when not even that works: then nothing else would say anything. */
async function playFirst({ player, options: { url, settleMs, create } }: Run): Promise<Played> {
  const played = await player.play(storyOf('pay'))
  if (played === undefined) throw new Error('The emulator does not allow a payment.')
  const { steps, seen, difference, expected, order_id } = played
  if (difference === undefined) return played
  const answer = Number(steps.at(-1)?.answers.at(-1))
  const paid = expected.paid / 100
  const state = seen === undefined ? 'knows no such order' : `says paid ${seen.paid}, refunded ${seen.refunded}`
  const right = `s the state read from the right place, and is it right within ${settleMs} ms?`
  const location = player.learnt.location ?? 'nowhere'
  const [hint] = holding([
    [answer === 401 || answer === 403, 'Does the receiver verify with the same API secret?'],
    [answer >= 300 && answer < 400, `It redirects to ${location}: pass that address as the URL.`],
    [answer >= 300, 'A receiver of webhooks responds 2xx to a form with the fields data and signature.'],
    [seen?.paid === minorOf(paid), 'Amounts are decimals: 100.5, not 10050; for minor units pass --units minor.'],
    [!create, `If the shop has to have an order before it is paid, pass --create. Else: i${right}`],
    [true, `I${right}`],
  ])
  const what = `Order ${order_id} was paid ${paid} with one webhook, to which ${url} responded ${answer}; its state ${state}`
  throw new ProveError(`${what}. ${hint}`)
}

/** The attacks that were not tried, in a line for each reason. */
function leftOutOf({ player, report, options }: Run, possible: Possible, { seen }: Played): string[] {
  const { tried, orders } = report
  const undrawn = [...attacks(possible)].filter((attack) => tried[attack] === undefined)
  for (const attack of attacks()) tried[attack] ??= 0
  const ids = [...player.learnt.unknownTwins]
  return holding([
    [!possible.create, 'payments of another amount or currency: the shop cannot know what was asked (--create).'],
    [!possible.restart, 'a receiver that is killed: it cannot be restarted (--restart-command).'],
    [!possible.anyIds, 'order ids that are easily confused: the shop makes its own.'],
    [ids.length > 0, `order ids that the shop does not take: ${ids.join(', ')}.`],
    [seen?.shipped === undefined, 'whether it ships twice: the state has no count `shipped`.'],
    [undrawn.length > 0, `in only ${orders} orders: ${undrawn.join(', ')} (--orders).`],
    [orders < options.orders, `${options.orders - orders} orders: ${MAX_FAILURES} had failed already.`],
  ])
}
