import { pressButtons } from '../buttons.ts'
import { isHanging, openShop, ProveError, pause, type Shop } from '../tested-shop.ts'
import { adviceOf, type Cause } from './causes.ts'
import { causeOf, refusalOf } from './diagnose.ts'
import { compare, expectedState, minorOf, verdictOf } from './judge.ts'
import { type ProveOptions, type Resolved, resolveProveOptions } from './options.ts'
import { attacks, createPlan, type Plan, type Possible } from './plan.ts'
import type { ProveFinding, ProveReport } from './report.ts'
import { laterText, ordersText, pressFinding, stateText } from './report.ts'
import { createPlayer, ignore, LOOK_ONCE, type Played, type Player } from './run.ts'
import { createService } from './service.ts'
import { failing, shrink } from './shrink.ts'
import { attacksOf, genuineOf, isGenuine, isRace, priced, readStory, type Story, storyOf } from './story.ts'

/**
 * The maximum of failures, of groups, of late orders to play again, of copies at the end, and of orders that the shop
 * may be behind with.
 */
const [MAX_FAILURES, MAX_GROUPS, MAX_VAIN, MAX_AGAIN, MAX_BEHIND] = [60, 10, 5, 12, 8]
/** After a failure, orders are drawn for this time at most; each kind of failure gets this time to be shrunk. */
const [FOUND_MS, SHRINK_MS] = [10_000, 5_000]
/**
 * The wait for the first order, while nothing is known about the shop; and the restart time from which stories are
 * played only once.
 */
const [FIRST_MS, SLOW_RESTART_MS] = [10_000, 1_000]

/** `isSure`: the order has stood still. */
type Failure = { story: Story; played: Played; isSure?: boolean }
/** Failures that look alike, and the smallest failure. */
type Group = Failure & { orders: number }
type Run = {
  options: Resolved
  shop: Shop
  player: Player
  report: ProveReport
  failures: Failure[]
  right: Failure[]
  /** Ends when the time is over, and returns whether the work came to its own end. */
  inTime(work: Promise<unknown>): Promise<boolean>
  /** Milliseconds that are left. */
  left(): number
}

/**
 * Attacks a shop's receiver, in any language, and compares the shop's state of each order with the service's. Webhooks
 * come twice, at once, in any order, late, with other fields or forged; answers are lost, and the receiver is killed.
 * Never point it at a live shop: its orders look like paid ones.
 *
 * @param options Where the receiver is, and how the shop's state is read.
 * @returns The findings, each with its smallest story; after `maxSeconds` or an abort the findings so far.
 * @throws {ProveError} when it could not be run: the receiver, its state or an option is not usable.
 * @see The API document, "Events" and "States and transitions"; the order of webhooks and their repetition are
 * assumptions.
 * @example
 * import { prove } from 'edgetill/testing'
 * const shop = 'http://127.0.0.1:3000' // { "paid": 100.5, "refunded": 0, "shipped": 1 }
 * const { findings } = await prove({ url: `${shop}/webhooks`, state: `${shop}/orders/{order_id}` })
 * for (const { verdict, advice, story } of findings) console.log(verdict, advice, story)
 */
export async function prove(options: ProveOptions): Promise<ProveReport> {
  const stop = new AbortController()
  const resolved = resolveProveOptions(options, stop.signal)
  const { maxSeconds, signal } = resolved
  const until = Date.now() + maxSeconds * 1_000
  const stopped = new Promise<false>((resolve) => stop.signal.addEventListener('abort', () => resolve(false)))
  const end = (): void => stop.abort()
  const timer = setTimeout(end, maxSeconds * 1_000)
  signal?.addEventListener('abort', end)
  if (signal?.aborted) end()
  const inTime: Run['inTime'] = (work) => Promise.race([work.then(() => true), stopped])
  return proveIn(inTime, resolved, () => until - Date.now()).finally(() => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', end)
  })
}

async function proveIn(inTime: Run['inTime'], options: Resolved, left: Run['left']): Promise<ProveReport> {
  const { url, seed, kinds, create, restart } = options
  const id = crypto.getRandomValues(new Uint32Array(1))[0] as number
  const shop = openShop(options)
  const player = createPlayer(options, createService(options, id), shop, id.toString(36))
  const counts = { orders: 0, requests: 0, tried: {}, seconds: {} }
  const report: ProveReport = { url, seed, ...counts, complete: false, leftOut: [], findings: [] }
  const run: Run = { options, shop, player, report, failures: [], right: [], inTime, left }
  if (options.story !== undefined) {
    report.complete = await inTime(playOrders(run, [readStory(options.story)]))
    await judge(run)
    return report
  }
  let first: Played | undefined
  if (!(await inTime(playFirst(run).then((played) => (first = played))))) {
    throw new ProveError('Stopped before the first order was judged.')
  }
  const possible: Possible = { kinds, create: !!create, restart: !!restart, anyIds: !player.learnt.ownIds }
  const plan = createPlan(seed, possible)
  for (const phase of [
    () => playOrders(run, plan.fixed),
    () => pressAll(run, id),
    () => playOrders(run, plan.fixed, plan),
    () => copyAgain(run),
  ]) {
    // If the receiver is gone, keep the findings so far.
    const isDone = await inTime(phase()).catch((error) => {
      const isAnswer = (one: unknown): boolean => typeof one === 'number' || isHanging(one)
      const known = run.failures.filter(({ played: { refused } }) => !refused || isAnswer(refused.answer))
      if (!(error instanceof ProveError) || known.length + report.findings.length === 0) throw error
      run.failures = known
      report.leftOut.push(error.message)
      report.stopped = 'the shop could not be used any more'
      return false
    })
    if (!isDone || report.findings.some(({ cause }) => cause === 'hangs')) break
  }
  await judge(run)
  const { late, lateMs } = player.learnt
  report.leftOut.push(...leftOutOf(run, possible, first as Played, plan))
  if (late > 0) report.late = { orders: late, ms: lateMs }
  return report
}

/** Why a run ended early. */
const [TIME_OVER, HUNG] = ['the time was over (--max-seconds)', 'it responds to nothing any more']
const sizeOf = ({ story: { sendings, actions } }: Failure): number => sendings.length + actions.length

/** The failures of a group mostly have one cause. The smallest groups come first. */
function groupsOf(failures: readonly Failure[]): Group[] {
  const groups = new Map<string, Group>()
  for (const one of failures) {
    const known = groups.get(groupOf(one))
    const smallest = known && sizeOf(known) <= sizeOf(one) ? known : one
    groups.set(groupOf(one), { ...smallest, orders: (known?.orders ?? 0) + 1 })
  }
  return [...groups.values()].sort((a, b) => sizeOf(a) - sizeOf(b))
}

const kindOf = ({ story, played }: Failure) => `${played.difference} ${story.mismatch?.replace('processed_', '')}`

function groupOf({ story, played }: Failure): string {
  const names = attacksOf(story).filter((name) => name !== 'copy' && name !== 'other order')
  const deeds = story.actions.map(({ do: deed, ends = '' }) => deed + ends)
  return [played.difference, ...deeds, ...new Set(names.map((name) => name.replace(/^forged.*/, 'forged')))].join()
}

/** Plays the fixed stories; with a plan, those that its seed draws after them. */
async function playOrders(run: Run, fixed: readonly Story[], plan?: Plan): Promise<void> {
  const { player, shop, report, options, failures, right } = run
  const [from, orders] = plan ? [fixed.length, fixed.length + options.orders] : [0, fixed.length]
  const [began, count] = [Date.now(), fixed.length + (options.story === undefined ? options.orders : 0)]
  let batch = MAX_BEHIND
  const take = (story: Story, played: Played | undefined): void => {
    // A shop that names its own prices may have one too small for the story's parts.
    if (played !== undefined) (played.difference === undefined ? right : failures).push({ story, played })
  }
  for (let n = from; n < orders; n++) {
    const left = run.left() / (options.maxSeconds * 1_000)
    // A verdict needs time too.
    const isMany = failures.length >= MAX_FAILURES
    const isTime = isMany || left < 0.5 || (plan && Date.now() - began > FOUND_MS)
    if (plan && left < 0.1) report.stopped = TIME_OVER
    else if (isTime && failures.length > 0 && (await confirm(run)) >= (isMany ? MAX_FAILURES : 1))
      report.stopped = isMany ? 'enough had failed' : 'something had failed'
    if (report.stopped !== undefined) break
    const isQuick = shop.restartMs < SLOW_RESTART_MS
    const story = plan ? plan.drawn(n, isQuick || n % 10 === 0) : (fixed[n] as Story)
    const startedAt = Date.now()
    let played = await player.play(story)
    const isAgain = isRace(story) && (isQuick || !genuineOf(story).some(({ way }) => way.startsWith('killed')))
    for (let i = 0; i < 2 && played && !played.difference && isAgain; i++) played = await player.play(story)
    // A shop may not take an odd id.
    if (!played && !player.learnt.ownIds && !story.twin)
      throw new Error(`The emulator does not allow ${JSON.stringify(story)}.`)
    take(story, played)
    report.orders++
    for (const attack of attacksOf(story)) {
      report.tried[attack] = (report.tried[attack] ?? 0) + 1
      report.seconds[attack] = (report.seconds[attack] ?? 0) + (Date.now() - startedAt) / 1_000
    }
    options.onProgress?.(n + 1, count)
    if (played && isHung(played) && (await hangs(run, story, played))) return
    // A queue with a growing backlog would look as if it had lost the last orders.
    const [all, open] = [failures.length, failures.filter(({ isSure }) => !isSure).length]
    if (player.learnt.behind && open >= batch && (await confirm(run)) === all) batch *= 2
  }
  // A queue may have worked later, so read again. A value that only a restart loses is right again each time.
  const before = right.length
  for (const { story, played } of right.slice(plan ? from : 0)) {
    if (story.twin || !compare({ ...played, seen: await shop.state(played.order_id) })) continue
    const lingering = { ...story, lingers: true }
    if (right.length < before + MAX_VAIN) take(lingering, await player.play(lingering))
  }
  await confirm(run)
}

/** Moves the failures that have come right to the right orders, and returns how many are left. */
async function confirm({ player, failures, right }: Run, stillMs?: number): Promise<number> {
  const checked = failures.filter(({ isSure = false }) => isSure === (stillMs === LOOK_ONCE))
  const wrong = await player.confirm(checked, stillMs)
  for (const one of failures.splice(0)) {
    one.isSure ||= wrong.includes(one)
    if (checked.includes(one) && !wrong.includes(one)) right.push(one)
    else failures.push(one)
  }
  return failures.length
}

const isHung = ({ steps }: Played): boolean => steps.some(({ answers }) => isHanging(answers.at(-1)))

/** Whether the receiver responds to nothing any more: then the first story that hung is the finding. */
async function hangs({ player, report, failures }: Run, story: Story, played: Played): Promise<boolean> {
  const plain = await player.play(storyOf('pay'))
  if (!plain || !isHung(plain)) return false
  if (failures.at(-1)?.played === played) failures.pop()
  report.stopped = HUNG
  addFinding(report, findingOf({ story, played, orders: 1 }, 'hangs', adviceOf('hangs'), 'never answers'))
  return true
}

function findingOf(group: Group, cause: Cause, advice: string, verdict = verdictOf(group.played)): ProveFinding {
  const { story, played, orders } = group
  const { expected, seen, steps, order_id } = played
  const state = { expected: expectedState(story, expected), seen: seen ?? null }
  const file: ProveFinding['file'] = { edgetill_story: 1, found: { verdict, cause }, story }
  const says = [refusalOf(played), advice].filter(Boolean).join(' ')
  return { verdict, cause, advice: says, orders, order_id, ...state, story: steps, attacks: attacksOf(story), file }
}

/** A finding for each group: its smallest story, the fate of the money, and the cause. */
async function judge(run: Run): Promise<void> {
  const { player, report, options, failures, inTime, left } = run
  player.learnt.examined = true
  if (options.stopped.aborted) report.stopped = options.signal?.aborted ? 'it was stopped' : TIME_OVER
  if (report.stopped !== HUNG) await inTime(confirm(run, LOOK_ONCE)).catch(ignore(ProveError))
  // The time was over before these orders stopped changing: they may still come right.
  const isOpen = ({ isSure, played }: Failure): boolean => !isSure && !!played.difference?.endsWith('_less')
  const open = failures.filter(isOpen).length
  if (open > 0) report.leftOut.push(`the end of ${ordersText(open)}: something was missing when the time was over.`)
  const found: (Group & { cause: Cause; whole: Group })[] = []
  for (const whole of groupsOf(failures.filter((one) => !isOpen(one)))) {
    const alike = found.filter((one) => kindOf(one.whole) === kindOf(whole))
    // Two groups with one difference and one cause stand for the others.
    const isKnown = found.length >= MAX_GROUPS || (alike.length > 1 && alike[0]?.cause === alike[1]?.cause)
    if (isKnown && alike[0]) {
      alike[0].orders += whole.orders
      continue
    }
    // A story that hangs would hang in every other play too.
    const hasHung = isHung(whole.played) && whole.played.difference === 'refused'
    const one = { ...whole, cause: (hasHung ? 'hangs' : 'not_examined') as Cause, whole }
    found.push(one)
    if (hasHung) continue
    const examined = async (): Promise<void> => {
      const until = Date.now() + Math.min(SHRINK_MS, left() / 4)
      Object.assign(one, await shrink(player, whole, () => Date.now() > until))
      one.cause = await causeOf(one.story, one.played, player)
    }
    await inTime(examined()).catch(ignore(ProveError))
  }
  const wholes = found.map(({ whole }) => whole)
  let [sure, lost] = [found, wholes]
  const look = async (): Promise<void> => {
    sure = await player.confirm(found)
    lost = await player.confirm(wholes, LOOK_ONCE)
  }
  await inTime(look()).catch(ignore(ProveError))
  // Nothing was lost in an order that has come right since.
  for (const one of found.filter(({ whole }) => lost.includes(whole))) {
    // The smaller story may have come right later, while the run's own story is still wrong.
    const [group, cause] = sure.includes(one) ? [one, one.cause] : [one.whole, 'comes_and_goes' as Cause]
    const verdict = cause === 'no_signature_check' ? 'a forgery was believed' : verdictOf(group.played)
    const isLate = group.played.difference?.endsWith('_less') && (player.learnt.behind || cause === 'comes_and_goes')
    const advice = adviceOf(cause, options.usesEdgetill) + (isLate ? laterText(player.stillMs()) : '')
    addFinding(report, findingOf({ ...group, orders: one.orders }, cause, advice, verdict))
  }
  report.requests = player.learnt.requests
}

/** Adds a finding, or counts its orders to the same finding of another group. */
function addFinding({ findings }: ProveReport, finding: ProveFinding): void {
  const same = findings.find(({ verdict, cause }) => verdict === finding.verdict && cause === finding.cause)
  if (same === undefined) findings.push(finding)
  else same.orders += finding.orders
}

async function pressAll({ options, shop, report }: Run, id: number): Promise<void> {
  const wrong = await pressButtons(options, shop, id)
  for (const one of wrong) addFinding(report, pressFinding(one, options.usesEdgetill))
  // The fixed stories came before.
  report.complete = report.stopped === undefined
}

/** Copies at the end of the run: a shop with a short memory takes them for new. */
async function copyAgain({ player, shop, report, options, right, failures }: Run): Promise<void> {
  const isKilled = ({ story }: Failure): boolean => genuineOf(story).some(({ way }) => way.startsWith('killed'))
  if (failures.some(isKilled)) return
  const isPlain = ({ story: { twin, crowd, mismatch, stranger, sendings } }: Failure): boolean =>
    !twin && !crowd && !mismatch && !stranger && sendings.every(isGenuine)
  const isEarly = (one: Failure): boolean => isPlain(one) && !isKilled(one) && one.played.expected.paid > 0
  const early = right.filter(isEarly).slice(0, MAX_AGAIN)
  const sent: Failure[] = []
  for (const { story, played } of early) {
    // The order may have changed since, without a copy.
    if (compare({ ...played, seen: await shop.state(played.order_id) })) continue
    sent.push({ story, played: await player.again(played) })
  }
  await pause(player.learnt.behind ? Math.max(options.settleMs, Math.min(20_000, 2 * player.learnt.lateMs)) : 100)
  for (const { story, played } of sent) {
    const seen = await shop.state(played.order_id)
    const difference = compare({ ...played, seen })
    if (!difference?.endsWith('_more')) continue
    // A receiver that takes each copy for new does not forget them.
    const copied = { ...story, sendings: [...story.sendings, ...genuineOf(story).slice(-1)] }
    if (await failing(player, copied)) continue
    const advice = adviceOf('forgets_copies', options.usesEdgetill)
    const finding = findingOf({ story, played: { ...played, seen, difference }, orders: 1 }, 'forgets_copies', advice)
    addFinding(report, { ...finding, attacks: ['copy'], file: undefined })
  }
}

const holding = (rows: readonly [boolean, string][]): string[] => rows.filter(([is]) => is).map(([, says]) => says)

/** Plays one paid order with one webhook. @throws {ProveError} when not even the state moves. */
async function playFirst({ player, shop, options: { url, create } }: Run): Promise<Played> {
  await shop.awake()
  const one = { played: (await player.play(storyOf('pay'))) as Played }
  const answer = Number(one.played.steps.at(-1)?.answers.at(-1))
  if (one.played.difference && answer >= 200 && answer < 300) await player.confirm([one], FIRST_MS)
  const { seen, expected, order_id, difference } = one.played
  const paid = expected.paid / 100
  const isMinor = seen?.paid === minorOf(paid)
  // A state that moved at the webhook was read from the right place, and is judged as any other.
  if (difference === undefined || (seen && !isMinor && (seen.paid || seen.refunded || seen.shipped))) return one.played
  for (const minor of seen && !isMinor && answer < 300 ? [10_055, 10_000] : []) {
    const other = await player.play(priced(storyOf('pay'), minor))
    if (other?.seen && other.difference === undefined) return one.played
  }
  const [seconds, later] = [FIRST_MS / 1_000, laterText(FIRST_MS)]
  const right = `s the state read from the right place, and is it right within ${seconds} s?${later}`
  const [hint] = holding([
    [answer === 401 || answer === 403, 'Does the receiver verify with the same API secret?'],
    [answer >= 300 && answer < 400, `It redirects to ${player.learnt.location}: pass that address as the URL.`],
    [answer >= 300, 'A receiver of webhooks responds 2xx to a form with the fields data and signature.'],
    [isMinor, 'Amounts are decimals: 100.5, not 10050; for minor units pass --units minor.'],
    [!create, `If the shop has to have an order before it is paid, pass --create. Else: i${right}`],
    [true, `I${right}`],
  ])
  const webhook = `with one webhook, to which ${url} responded ${answer}`
  const what = `Order ${order_id} was paid ${paid} ${webhook}; its state says ${stateText(seen ?? null)}`
  throw new ProveError(`${what}. ${hint}`)
}

/** The attacks that were not tried, in a line for each reason. */
function leftOutOf({ player, report, options }: Run, possible: Possible, { seen }: Played, plan: Plan): string[] {
  const { tried, orders } = report
  const undrawn = [...attacks(possible)].filter((attack) => tried[attack] === undefined)
  for (const attack of attacks()) tried[attack] ??= 0
  const ids = [...player.learnt.unknownTwins]
  const [gone, why] = [plan.fixed.length + options.orders - orders, report.stopped ?? TIME_OVER]
  return holding([
    [!possible.create, 'payments of another amount or currency: the shop cannot know what was asked (--create).'],
    [!possible.restart, 'a receiver that is killed: it cannot be restarted (--restart-command).'],
    [!possible.anyIds, 'order ids that are easily confused: the shop makes its own.'],
    [ids.length > 0, `order ids with which no payment was counted: ${ids.join(', ')}.`],
    [seen?.shipped === undefined, 'whether it ships twice: the state has no count `shipped`.'],
    [undrawn.length > 0, `${undrawn.join(', ')}: ${why}.`],
    [gone > 0, `${ordersText(gone)}: ${why}.`],
  ])
}
