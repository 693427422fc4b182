import type { Cause } from './causes.ts'
import { amountOf, minorOf } from './judge.ts'
import { nameOf, type Played, type Player } from './run.ts'
import { at, by, failing, PASSES, type Pass, passesOf } from './shrink.ts'
import { genuineOf, isRace, priced, type Story, storyOf, type Way } from './story.ts'

/** In minor units: `now` is what the shop counts, `due` what it should; `gap` is 0 where only what was shipped differs. */
type Facts = { story: Story; played: Played; now: number; due: number; gap: number; parts: number[]; fails: Probe }
type Probe = (story: Story) => Promise<boolean>

/** The passes without which a story is right, and what is wrong with it. */
type Tag = Pass | 'paid' | 'more' | 'less' | 'refused' | 'shipped' | 'counted' | 'plain'
type Rule = readonly [Cause, tags: readonly Tag[], also?: (facts: Facts) => unknown]

const PENDING_FIRST = storyOf('three_d_secure')
const LATE_PENDING: Story = { ...PENDING_FIRST, sendings: [...PENDING_FIRST.sendings].reverse() }
const LATE_FAILURE: Story = { ...LATE_PENDING, actions: storyOf('decline_then_pay').actions }

const isText = ({ story }: Facts): boolean => /^(texts|base64url)$/.test(story.fields ?? '')
const isSmall = async ({ story, fails }: Facts) => (await fails(priced(story, 1_999))) || fails(priced(story, 435))
const isOne = ({ story }: Facts): boolean => new Set(genuineOf(story).map(at)).size === 1
const isKilled = ({ story }: Facts): boolean => genuineOf(story).some(({ way }) => way === 'killed')
const isAuth = ({ played }: Facts): boolean => played.sent.some(({ method }) => method === 'auth')
const isOther = ({ played }: Facts): boolean =>
  !played.sent.every(({ method }) => /^(purchase|capture|refund)$/.test(String(method)))
const killedBy = ({ story }: Facts, ...ways: Way[]): Story => by(story, /^killed/, ...ways)
/** The payer changed it; and as if it had been paid so. */
const isChanged = ({ mismatch }: Story): boolean => /^processed_/.test(mismatch ?? '')
const asPaid = (story: Story): Story => ({ ...story, mismatch: String(story.mismatch).replace('processed_', '') })
/** The orders of a crowd differ in their prices too. */
const alone = ({ story: { crowd: _, ...story }, played }: Facts): Story => priced(story, played.story.asked)
/** Operations that did not succeed explain the surplus. */
function isOpen({ played, due, gap }: Facts): boolean {
  const open = played.sent.filter(({ status }) => status !== 'success')
  return open.length > 0 && (due === 0 || gap === 0 || open.some((event) => amountOf(event) === gap))
}
/** The counted amount is the price of the order, of which other parts came. */
function isWhole({ played, story, now, due, parts }: Facts): boolean {
  const whole = played.difference?.startsWith('paid') ? story.asked : played.expected.paid || story.asked
  return due > 0 && now === whole && !parts.includes(now)
}

/** The usual mistakes, and the passes and probes that decide each. The first one that holds is the cause. */
const RULES: readonly Rule[] = [
  ['no_signature_check', ['forged']],
  ['ignores_processed_amount', [], async ({ story, fails }) => isChanged(story) && !(await fails(asPaid(story)))],
  ['forgets_currency', [], ({ story }) => story.mismatch?.endsWith('currency')],
  ['trusts_amount', [], ({ story }) => story.mismatch],
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
  ['rounds', ['amount'], isSmall],
  ['overflows', ['amount']],
  ['remembers_in_memory', ['restart', 'more'], (facts) => facts.fails(killedBy(facts, 'killed_later', 'plain'))],
  ['acts_before_storing', ['restart', 'more']],
  ['keeps_in_memory', ['restart'], (facts) => facts.fails(killedBy(facts, 'killed_later'))],
  ['stores_after_answer', ['restart'], (facts) => isKilled(facts) || facts.fails(killedBy(facts, 'killed'))],
  ['marks_before_acting', ['restart']],
  ['not_atomic', ['moment', 'more']],
  ['not_atomic', ['moment'], isOne],
  ['lost_update', ['moment']],
  ['not_atomic', ['hang_up', 'more']],
  ['marks_before_acting', ['hang_up']],
  ['dedupes_by_body', ['other_fields']],
  ['ships_copies', ['copies', 'shipped']],
  ['adds_up_copies', ['copies', 'more']],
  // From here on each webhook comes once. What a pending does later may come before or after the next webhook.
  ['ignores_status', ['order', 'more'], ({ fails }) => fails({ ...storyOf('abandon'), lingers: true })],
  ['ignores_status', ['plain', 'more'], isOpen],
  ['rounds', ['plain'], ({ gap, played }) => gap > 0 && gap < (played.difference?.endsWith('more') ? 100 : 3)],
  ['ignores_method', ['plain', 'less'], (facts) => isAuth(facts) && facts.fails(storyOf('authorize'))],
  ['part_taken_for_whole', ['plain', 'counted'], isWhole],
  ['ships_parts', ['plain', 'more', 'shipped'], ({ due }) => due > 0],
  ['ignores_method', ['plain', 'more'], isOther],
  ['unknown', ['plain', 'more']],
  ['dedupes_by_order', [], async ({ fails }) => (await fails(PENDING_FIRST)) && fails(storyOf('pay refund:2000'))],
  ['dedupes_by_transaction', [], ({ fails }) => fails(PENDING_FIRST)],
  ['newest_wins', ['order'], async ({ fails }) => (await fails(LATE_PENDING)) && fails(LATE_FAILURE)],
  ['pending_overwrites', ['order'], ({ fails }) => fails(LATE_PENDING)],
  ['order_matters', ['order']],
  ['ignores_method', ['paid', 'less'], ({ story }) => story.actions.some(({ do: deed }) => deed === 'refund')],
  ['failure_sticks', [], ({ story }) => story.actions[0]?.do === 'decline_then_pay'],
  ['overwrites_sums', [], ({ now, parts }) => parts.length > 1 && now === parts.at(-1) && now !== parts[0]],
  ['dedupes_by_method', ['counted'], ({ now, parts }) => parts.length > 1 && now > 0],
  ['not_handled', ['less']],
]

/** The passes that take out what makes requests meet one another, or a kill. */
const RACES = ['crowd', 'restart', 'moment'] as const

/** The races without which a story is right. One may end well as often as it is tried: of several, failures alone decide. */
async function racesOf(story: Story, player: Player): Promise<readonly Pass[]> {
  const without = (passes: readonly Pass[]): Story => passes.reduce((left, pass) => PASSES[pass](left), story)
  if (!isRace(story) || (await failing(player, without(RACES)))) return []
  const there = RACES.filter((race) => passesOf(story).some(([pass]) => pass === race))
  const found: Pass[] = []
  for (const race of there) if (await failing(player, without(there.filter((one) => one !== race)))) found.push(race)
  return found.length > 0 ? found : there.slice(-1)
}

/** Why a shrunk story fails, by the passes after which it no longer does, and a few more stories where they do not say. */
export async function causeOf(story: Story, played: Played, player: Player): Promise<Cause> {
  const { difference = '', expected, seen, sent } = played
  const races = await racesOf(story, player)
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
  const fails = async (probe: Story) => (await player.play(probe))?.difference !== undefined
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
  return `It responds ${answer} to ${nameOf(payload)}${differs}.`
}
