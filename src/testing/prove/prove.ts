import { adviceOf, causeOf, refusalOf } from './causes.ts'
import type { ProveFinding, ProveReport } from './finding.ts'
import { expectedState, minorOf, verdictOf } from './judge.ts'
import { ProveError, type ProveOptions, type ProveState, type Resolved, resolveProveOptions } from './options.ts'
import { ATTACKS, attacksOf, createPlan, type Possible } from './plan.ts'
import { proveButtons } from './refund.ts'
import { createPlayer, FIRST_STORY, type Played, type Player } from './run.ts'
import { createService } from './service.ts'
import { openShop } from './shop.ts'
import { shrink } from './shrink.ts'
import type { Story } from './story.ts'
import { readStory, storyFile } from './story-file.ts'

/** A receiver that fails so often is known well enough. */
const MAX_FAILURES = 60
/** So many kinds of failures are looked into. */
const MAX_GROUPS = 10

interface Group {
  story: Story
  played: Played
  orders: number
}

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
  const { seed, kinds, url } = resolved
  const run = crypto.getRandomValues(new Uint32Array(1))[0] as number
  const shop = openShop(resolved)
  const player = createPlayer(resolved, createService(resolved, run), shop, run.toString(36))
  const report: ProveReport = { url, seed, orders: 0, requests: 0, tried: {}, leftOut: [], findings: [] }
  if (resolved.story !== undefined) {
    const story = readStory(resolved.story)
    const groups = await playOrders(player, 1, () => story, report, resolved)
    for (const group of groups.values()) report.findings.push(await findingOf(player, group, resolved))
    return report
  }
  const first = await playFirst(player, resolved)
  const restart = resolved.restart !== undefined
  const possible: Possible = { kinds, create: resolved.create !== undefined, restart, anyIds: !player.ownIds }
  const plan = createPlan(seed, possible)
  const groups = await playOrders(player, resolved.orders, plan, report, resolved)
  if (report.orders < resolved.orders) {
    report.leftOut.push(`${resolved.orders - report.orders} orders: ${MAX_FAILURES} had failed already.`)
  }
  for (const group of representative([...groups.values()])) addFinding(report, await findingOf(player, group, resolved))
  for (const finding of await proveButtons(resolved, shop, run)) addFinding(report, finding)
  report.leftOut.unshift(...leftOutOf(possible, first, player, report))
  return report
}

/** The smallest of each difference and of each mismatch first, then the next ones: each mistake gets its turn. */
function representative(groups: readonly Group[]): Group[] {
  const sorted = [...groups].sort((a, b) => sizeOf(a.story) - sizeOf(b.story))
  const kindOf = ({ story, played }: Group): string =>
    `${played.difference} ${story.mismatch?.replace('processed_', '')}`
  const rank = (group: Group, index: number): number =>
    sorted.slice(0, index).filter((other) => kindOf(other) === kindOf(group)).length
  const ranked = sorted.map((group, index) => ({ group, at: rank(group, index) }))
  return ranked
    .sort((a, b) => a.at - b.at)
    .slice(0, MAX_GROUPS)
    .map(({ group }) => group)
}

const sizeOf = ({ sendings, actions }: Story): number => sendings.length + actions.length

/** Plays orders and groups those that fail: failures of one group mostly have one cause. */
async function playOrders(
  player: Player,
  orders: number,
  plan: (n: number) => Story,
  report: ProveReport,
  { onProgress }: Resolved,
): Promise<Map<string, Group>> {
  const groups = new Map<string, Group>()
  const right: { story: Story; played: Played }[] = []
  let failures = 0
  const fail = (story: Story, played: Played): void => {
    failures++
    const key = groupOf(story, played)
    const known = groups.get(key)
    if (known === undefined || sizeOf(story) < sizeOf(known.story)) {
      groups.set(key, { story, played, orders: (known?.orders ?? 0) + 1 })
    } else known.orders++
  }
  for (let n = 0; n < orders && failures < MAX_FAILURES; n++) {
    const story = plan(n)
    const played = await player.play(story)
    // A shop that names its own prices may have one too small for the story's parts.
    if (played === undefined && !player.ownIds) throw new Error(`The emulator does not allow ${JSON.stringify(story)}.`)
    report.orders++
    for (const attack of attacksOf(story)) report.tried[attack] = (report.tried[attack] ?? 0) + 1
    onProgress?.(n + 1, orders)
    if (played === undefined) continue
    report.requests += played.requests
    if (played.difference !== undefined) fail(story, played)
    else right.push({ story, played })
  }
  // What a queue did later.
  for (const { story, played } of right) {
    if (!story.twin && !(await player.isStill(played))) {
      const again = await player.play({ ...story, lingers: true })
      if (again?.difference !== undefined) fail({ ...story, lingers: true }, again)
    }
  }
  return groups
}

function groupOf(story: Story, { difference }: Played): string {
  const { mismatch, sendings, fields, twin, crowd, late, actions } = story
  const ways = sendings.map((one) => ('intrusion' in one ? 'forged' : one.way === 'plain' ? '' : one.way))
  const special = [mismatch, fields, twin && 'twin', crowd && 'crowd', late, ...new Set(ways)]
  return [difference, actions.map((action) => `${action.do}${'ends' in action ? action.ends : ''}`), special].join()
}

async function findingOf(player: Player, group: Group, { usesEdgetill }: Resolved): Promise<ProveFinding> {
  const { story, played } = await shrink(player, group.played, group.story)
  const { expected, seen, steps, order_id, sent } = played
  const difference = played.difference as NonNullable<Played['difference']>
  const cause = await causeOf(story, played, player)
  const forged = cause === 'no_signature_check'
  const advice = [refusalOf(played), adviceOf(cause, usesEdgetill)].filter(Boolean).join(' ')
  const verdict = forged ? 'a forgery was believed' : verdictOf(played.story, difference, expected, seen, sent)
  return {
    verdict,
    cause,
    advice,
    orders: group.orders,
    order_id,
    expected: expectedState(story, expected),
    seen: seen ?? null,
    story: steps,
    file: storyFile(story, { verdict, cause }),
  }
}

/** Two groups may come down to the same. */
function addFinding({ findings }: ProveReport, finding: ProveFinding): void {
  const same = findings.find(({ verdict, cause }) => verdict === finding.verdict && cause === finding.cause)
  if (same === undefined) findings.push(finding)
  else same.orders += finding.orders
}

/** One paid order, one webhook. @throws {ProveError} when not even that works: then nothing else would say anything. */
async function playFirst(player: Player, resolved: Resolved): Promise<Played> {
  const played = await player.play(FIRST_STORY)
  if (played === undefined) throw new Error('The emulator does not allow a payment.')
  const { steps, seen, difference, expected, order_id } = played
  const answer = steps.at(-1)?.answers.at(-1)
  if (difference === undefined) return played
  const paid = expected.paid / 100
  const said = seen === undefined ? 'knows no such order' : `says paid ${seen.paid}, refunded ${seen.refunded}`
  const what = `Order ${order_id} was paid ${paid} with one webhook, to which ${resolved.url} responded ${answer}; its state ${said}`
  throw new ProveError(`${what}. ${hintFor(answer as number, seen, minorOf(paid), resolved, player.location)}`)
}

function hintFor(
  answer: number,
  seen: ProveState | undefined,
  minor: number,
  { settleMs, create }: Resolved,
  location: string | undefined,
): string {
  if (answer === 401 || answer === 403) return 'Does the receiver verify with the same API secret?'
  if (answer >= 300 && answer < 400) return `It redirects to ${location ?? 'nowhere'}: pass that address as the URL.`
  if (answer >= 300) return 'A receiver of webhooks responds 2xx to a form with the fields data and signature.'
  if (seen?.paid === minor) return 'Amounts are decimals: 100.5, not 10050; for minor units pass --units minor.'
  if (create === undefined) {
    return `If the shop has to have an order before it is paid, pass --create. Else: is the state read from the right place, and is it right within ${settleMs} ms?`
  }
  return `Is the state read from the right place, and is it right within ${settleMs} ms?`
}

/** What was not tried, in a line for each reason. */
function leftOutOf(possible: Possible, { seen }: Played, player: Player, { tried, orders }: ProveReport): string[] {
  const zeros = ATTACKS.filter((attack) => tried[attack] === undefined)
  const impossible = (attack: string): boolean =>
    (!possible.create && attack.startsWith('pays other')) ||
    (!possible.restart && attack.startsWith('killed')) ||
    (!possible.anyIds && attack.startsWith('ids '))
  for (const attack of zeros) tried[attack] = 0
  const undrawn = zeros.filter((attack) => !impossible(attack))
  const ids = [...player.unknownTwins]
  return [
    ...(possible.create
      ? []
      : ['payments of another amount or currency than asked: the shop is not told what was asked (--create).']),
    ...(possible.restart ? [] : ['a receiver that is killed: it cannot be restarted (--restart-command).']),
    ...(possible.anyIds ? [] : ['order ids that are easily confused: the shop makes its own.']),
    ...(ids.length > 0 ? [`order ids that the shop does not take: ${ids.join(', ')}.`] : []),
    ...(seen?.shipped === undefined ? ['whether it ships twice: the state has no count `shipped`.'] : []),
    ...(undrawn.length > 0 ? [`in only ${orders} orders: ${undrawn.join(', ')} (--orders).`] : []),
  ]
}
