import { isHanging } from '../tested-shop.ts'
import type { Cause } from './causes.ts'
import { amountOf, minorOf } from './judge.ts'
import { nameOf, type Played, type Player } from './run.ts'
import { failing, isChancy, PASSES, type Pass, passesOf, withWays } from './shrink.ts'
import { at, genuineOf, isGenuine, paidAt, priced, type Story, storyOf, type Way } from './story.ts'

/** A cause is named after this many plays that all fail; and the passes that take out a race or a kill. */
const TIMES = 3
const RACES = ['crowd', 'restart', 'moment'] as const

/** In minor units: `now` is the shop's amount, `due` the right one; `gap` is 0 if only shipments differ. */
export type Facts = {
  story: Story
  played: Played
  now: number
  due: number
  gap: number
  parts: number[]
  /** Plays another story. @returns Its play if it fails too. */
  fails(story: Story): Promise<Played | undefined>
}
/** The passes that make a story right, and its difference. */
export type Tag = Pass | 'paid' | 'more' | 'less' | 'refused' | 'shipped' | 'refunded' | 'counted' | 'plain'
/** A cause, the tags that a story has to have, and a condition. */
export type Rule = readonly [Cause, tags: readonly Tag[], also?: (facts: Facts) => unknown]
const PENDING_FIRST = storyOf('three_d_secure')
const LATE_PENDING: Story = { ...PENDING_FIRST, sendings: [...PENDING_FIRST.sendings].reverse() }
const LATE_FAILURE: Story = { ...LATE_PENDING, actions: storyOf('decline_then_pay').actions }
const isText = ({ story }: Facts): boolean => /^(texts|base64url)$/.test(story.fields ?? '')
const isSmall = async ({ story, fails }: Facts) => (await fails(priced(story, 1_999))) || fails(priced(story, 435))
const isRound = async ({ story, fails }: Facts) => (await fails(priced(story, 10_000))) && fails(priced(story, 900))
const isOne = ({ story }: Facts): boolean => new Set(genuineOf(story).map(at)).size === 1
const isKilled = ({ story }: Facts): boolean => genuineOf(story).some(({ way }) => way === 'killed')
const isAuth = ({ played }: Facts): boolean => played.sent.some(({ method }) => method === 'auth')
const isOther = ({ played }: Facts): boolean =>
  !played.sent.every(({ method }) => /^(purchase|capture|refund)$/.test(String(method)))
const killedBy = ({ story }: Facts, ...ways: Way[]): Story => withWays(story, /^killed/, ...ways)
/** Whether the payer's change of the amount is the cause: without the change, the payment is right. */
const isChanged = async ({ story, fails }: Facts) =>
  /^processed_/.test(story.mismatch ?? '') &&
  !(await fails({ ...story, mismatch: String(story.mismatch).replace('processed_', '') }))
const paid = (mismatch: string): Story => ({ ...storyOf('pay'), mismatch })
/** Whether amounts are compared as texts: 99 passes for 100, but a tenth of the price or a cent less does not. */
const isCompared = async ({ story, fails }: Facts) =>
  story.mismatch === 'one_less' && !(await fails(paid('amount'))) && !(await fails(paid('cent_less')))
/** Whether a plain payment is counted only if its amount has whole units. */
const isUneven = async ({ fails }: Facts) =>
  (await fails(storyOf('pay'))) && !(await fails(priced(storyOf('pay'), 10_000)))
const isZero = async ({ story, fails }: Facts) => story.asked === 10_050 && !(await fails(priced(story, 10_055)))
/** Sends the later webhook first, one at a time. */
const reversed = (story: Story): Story => {
  const apart = withWays(story, /./, 'plain')
  return { ...apart, sendings: [...apart.sendings].reverse(), paced: true }
}
/** The orders of a crowd differ in their prices too. */
const alone = ({ story: { crowd: _, ...story }, played }: Facts): Story => priced(story, played.story.asked)
const does = (story: Story, ...deeds: string[]): boolean => deeds.includes(story.actions[0]?.do ?? '')
/** Some webhook failed before it was accepted. */
const isFailedFirst = ({ played }: Facts): boolean =>
  played.steps.some(({ answers: [first, ...later] }) => Number(first) >= 500 && later.some((one) => Number(one) < 300))
/** The surplus is the claim of a forgery. */
function isClaimed({ story, played, now, gap }: Facts): boolean {
  const claimed = story.sendings.flatMap((one) => (isGenuine(one) ? [] : [one.claims]))
  const what = played.difference === 'refunded_more' ? 'refund' : /_more$/.test(played.difference ?? '') && 'purchase'
  const { minor } = paidAt(played.story)
  return claimed.includes(what as 'refund') && (gap % minor === 0 || now === minor)
}
/** The gap is below one unit if the shop's sum is whole or too large, otherwise below three hundredths. */
const isRounded = ({ gap, now, played }: Facts): boolean =>
  gap > 0 && gap < (played.difference?.endsWith('more') || now % 100 === 0 ? 100 : 3)
/** Operations that did not succeed explain the surplus. */
function isOpen({ played, due, gap }: Facts): boolean {
  const open = played.sent.filter(({ status }) => status !== 'success')
  return open.length > 0 && (due === 0 || gap === 0 || open.some((event) => amountOf(event) === gap))
}
/** The story is right without its operations that failed or wait. */
async function isUndone({ story, fails }: Facts): Promise<boolean> {
  const done = story.actions.filter(({ ends = 'success' }) => ends.endsWith('success'))
  if (done.length === story.actions.length || done[0] !== story.actions[0]) return false
  return !(await fails(storyOf(done.map(({ do: deed, minor }) => deed + (minor ? `:${minor}` : '')).join(' '))))
}
/** The shop counts the price of the order, although other amounts were paid. */
function isWhole({ played, story, now, due, parts }: Facts): boolean {
  const whole = played.difference?.startsWith('paid') ? story.asked : played.expected.paid || story.asked
  return due > 0 && now === whole && !parts.includes(now)
}
const isFee = ({ gap, played }: Facts): boolean =>
  gap > 0 && played.sent.some(({ fee }) => minorOf((fee as { amount?: number } | undefined)?.amount) === gap)
const unequal = ({ played: { difference } }: Facts): Story =>
  storyOf(difference === 'refunded_less' ? 'pay refund:2029 refund:2011' : 'authorize capture:2029 capture:2011')
/** The shop counts only one of several equal parts, but all unequal parts. */
async function isEqual(facts: Facts): Promise<boolean> {
  const { story, parts, now, fails } = facts
  const isOneOf = parts.length > 1 && new Set(parts).size === 1 && now === parts[0] && !does(story, 'subscribe')
  return isOneOf && !(await fails(unequal(facts)))
}
/** Only the last part is counted. With equal parts the sum does not show which part it is. */
async function isLast(facts: Facts): Promise<boolean> {
  const { parts, now, played, fails } = facts
  if (parts.length < 2 || now !== parts.at(-1)) return false
  const seen = now === parts[0] ? (await fails(unequal(facts)))?.seen : undefined
  return now !== parts[0] || minorOf(played.difference === 'refunded_less' ? seen?.refunded : seen?.paid) === 2_011
}

/**
 * The first rule that holds decides: specific rules stand first. Other causes are decided elsewhere.
 * @internal For a test.
 */
export const RULES: readonly Rule[] = [
  ['no_signature_check', ['forged'], isClaimed],
  ['ships_unknown_orders', [], ({ story }) => story.stranger],
  ['ignores_processed_amount', [], isChanged],
  ['forgets_currency', [], ({ story }) => story.mismatch?.endsWith('currency')],
  ['compares_texts', [], isCompared],
  ['trusts_amount', [], ({ story }) => story.mismatch],
  // The answers show it, in any story.
  ['marks_before_acting', ['less'], isFailedFirst],
  ['acts_before_answering', ['more'], isFailedFirst],
  ['mixes_orders', ['crowd'], async (facts) => !(await facts.fails(alone(facts)))],
  ['rounds', ['crowd'], isSmall],
  ['overflows', ['crowd']],
  ['confuses_order_ids', ['twin']],
  // Letters beyond ASCII make data with - and _ too.
  ['reads_base64', ['fields'], (facts) => isText(facts) && facts.fails({ ...facts.story, fields: 'base64url' })],
  ['breaks_on_texts', ['fields'], isText],
  ['breaks_on_unknown_fields', ['fields'], ({ story }) => story.fields === 'unknown'],
  ['breaks_on_nulls', ['fields']],
  ['rejects_late', ['late']],
  ['rejects_copies', ['refused', 'copies']],
  ['breaks_on_nulls', ['refused'], async ({ fails, story }) => !(await fails({ ...story, fields: 'bare' }))],
  ['rejects', ['refused']],
  ['compares_texts', ['amount', 'less'], isRound],
  ['rounds', ['amount'], isSmall],
  ['overflows', ['amount']],
  ['remembers_in_memory', ['restart', 'more'], (facts) => facts.fails(killedBy(facts, 'killed_later', 'plain'))],
  ['acts_before_storing', ['restart', 'more']],
  ['keeps_in_memory', ['restart'], (facts) => facts.fails(killedBy(facts, 'killed_later'))],
  ['stores_after_answer', ['restart'], (facts) => isKilled(facts) || facts.fails(killedBy(facts, 'killed'))],
  ['marks_before_acting', ['restart']],
  ['not_atomic', ['moment', 'more']],
  ['not_atomic', ['moment'], isOne],
  ['order_matters', ['moment', 'less'], ({ fails, story }) => fails(reversed(story))],
  ['lost_update', ['moment']],
  ['not_atomic', ['hang_up', 'more']],
  ['marks_before_acting', ['hang_up']],
  ['dedupes_by_body', ['other_fields', 'more']],
  ['breaks_on_unknown_fields', ['other_fields'], ({ fails }) => fails({ ...storyOf('pay'), fields: 'unknown' })],
  ['breaks_on_nulls', ['other_fields']],
  ['ships_copies', ['copies', 'shipped']],
  ['adds_up_copies', ['copies', 'more']],
  // From here on each webhook comes once. The late effect of a pending may come before or after the next webhook.
  ['ignores_status', ['order', 'more'], ({ fails }) => fails({ ...storyOf('abandon'), lingers: true })],
  ['ignores_status', ['plain', 'more'], isOpen],
  ['rounds', ['plain'], isRounded],
  ['ignores_method', ['plain', 'less'], (facts) => isAuth(facts) && facts.fails(storyOf('authorize'))],
  ['part_taken_for_whole', ['plain', 'counted'], isWhole],
  ['ships_copies', ['plain', 'more', 'shipped'], ({ due, parts }) => due > 0 && parts.length === 1],
  ['ships_parts', ['plain', 'more', 'shipped'], ({ due }) => due > 0],
  ['ignores_method', ['plain', 'more'], isOther],
  ['adds_up_copies', ['plain', 'more', 'counted'], ({ gap, parts }) => parts.includes(gap)],
  ['unknown', ['plain', 'more']],
  ['subtracts_fees', ['less'], isFee],
  ['compares_texts', ['less'], isZero],
  ['rounds', ['less', 'paid'], isUneven],
  ['ignores_status', ['less'], isUndone],
  ['dedupes_by_order', [], async ({ fails }) => (await fails(PENDING_FIRST)) && fails(storyOf('pay refund:2000'))],
  ['dedupes_by_transaction', [], ({ fails }) => fails(PENDING_FIRST)],
  ['newest_wins', ['order'], async ({ fails }) => (await fails(LATE_PENDING)) && fails(LATE_FAILURE)],
  ['pending_overwrites', ['order'], ({ fails }) => fails(LATE_PENDING)],
  ['order_matters', ['order']],
  ['ignores_method', ['paid', 'less'], ({ story }) => story.actions.some(({ do: deed }) => /refund|adjust/.test(deed))],
  ['failure_sticks', [], ({ story }) => does(story, 'decline_then_pay', 'abandon_then_pay', 'process_then_pay')],
  ['dedupes_by_amount', ['counted'], isEqual],
  ['overwrites_sums', [], isLast],
  ['dedupes_by_method', ['counted'], ({ now, parts }) => parts.length > 1 && now > 0],
  ['never_ships', ['shipped', 'less']],
  ['not_handled', ['less'], ({ now }) => now === 0],
]

/** Whether a story fails each time, never, or (undefined) comes and goes. */
async function isSteady(player: Player, story: Story): Promise<boolean | undefined> {
  const first = (await player.play(story))?.difference !== undefined
  for (let i = 1; i < TIMES; i++) {
    if (((await player.play(story))?.difference !== undefined) !== first) return undefined
  }
  return first
}

/** The races without which a story is right. Undefined when it comes and goes without a race, too. */
async function racesOf(story: Story, player: Player): Promise<readonly Pass[] | undefined> {
  const without = (passes: readonly Pass[]): Story => passes.reduce((left, pass) => PASSES[pass](left), story)
  const calm = without(RACES)
  const isCalmWrong = await isSteady(player, calm)
  if (isCalmWrong !== false) return isCalmWrong && []
  if (JSON.stringify(calm) === JSON.stringify(story)) return undefined
  if (!isChancy(player, story) && !(await failing(player, story))) return undefined
  // A race can end well every time, so only failures show which of several races matters.
  const there = RACES.filter((race) => passesOf(story).some(([pass]) => pass === race))
  const found: Pass[] = []
  for (const race of there) if (await failing(player, without(there.filter((one) => one !== race)))) found.push(race)
  // If the story fails only with both, the kill lost an accepted webhook.
  return found.length > 0 ? found : there.includes('restart') ? ['restart'] : there.slice(-1)
}

/** Why a shrunk story fails: by the passes after which it is right, and by a few more stories. */
export async function causeOf(story: Story, played: Played, player: Player): Promise<Cause> {
  const { difference = '', expected, seen, sent } = played
  const races = await racesOf(story, player)
  // While the first delivery is still at work, the next one works too.
  const isTwice = difference.endsWith('_more') && played.steps.some(({ answers }) => answers.some(isHanging))
  if (races === undefined) return isTwice ? 'not_atomic' : 'comes_and_goes'
  const tags = new Set<string>([...difference.split('_'), ...races])
  const passes = races.length > 0 ? [] : passesOf(story)
  for (const [pass, changed] of passes) if (!(await failing(player, changed))) tags.add(pass)
  if (!tags.has('shipped')) tags.add('counted')
  if (!tags.has('order')) tags.add('plain')
  const isRefund = tags.has('refunded')
  const [now, due] = isRefund ? [minorOf(seen?.refunded), expected.refunded] : [minorOf(seen?.paid), expected.paid]
  const counted = isRefund ? ['refund'] : ['purchase', 'capture']
  const done = sent.filter(({ status, method }) => status === 'success' && counted.includes(String(method)))
  const gap = tags.has('shipped') ? 0 : Math.abs(now - due)
  const fails = (probe: Story): Promise<Played | undefined> => failing(player, probe)
  const facts: Facts = { story, played, fails, now, due, gap, parts: done.map(amountOf) }
  for (const [cause, wanted, also = () => true] of RULES) {
    if (wanted.every((tag) => tags.has(tag)) && (await also(facts))) return cause
  }
  return 'unknown'
}

/** The traits of a rejected webhook that accepted ones do not have. */
export function refusalOf({ refused, sent }: Played): string {
  if (refused === undefined) return ''
  const { payload, answer } = refused
  const other = sent.find((one) => one !== payload) ?? payload
  const isApart = (name: string) => JSON.stringify(other[name]) !== JSON.stringify(payload[name])
  const apart = Object.keys(payload).filter((name) => isApart(name) && !/_id$|_at$|^fee$/.test(name))
  const differs = apart.length > 0 ? `, which differs from one that was accepted in ${apart.join(', ')}` : ''
  return `${typeof answer === 'number' ? 'It responds' : 'There is'} ${answer} to ${nameOf(payload)}${differs}.`
}
