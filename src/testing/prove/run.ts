import type { Body, ProveState, Shop } from '../tested-shop.ts'
import { isAway, isHanging, KNOCK, ProveError, pause, SilenceError, untilStill } from '../tested-shop.ts'
import { forged, INTRUSIONS, otherFields, type Payload, signedBody } from './bodies.ts'
import { compare, type Difference, type Expected, expectedOf, type Judged, minorOf } from './judge.ts'
import type { Resolved } from './options.ts'
import type { Service } from './service.ts'
import type { Genuine, Sending, Story, Way } from './story.ts'
import {
  currencyOf,
  decimals,
  describe,
  genuineOf,
  isGenuine,
  isRace,
  paidAt,
  priced,
  storyOf,
  TWINS,
  WAYS,
} from './story.ts'

type Answer = number | string

/** A step of a story as it was played. */
export interface StoryStep {
  /** The event in words, and the receiver's answer: HTTP statuses, or why there is none. */
  says: string
  answers: (number | string)[]
  /** The body that was sent, and its content type, so that it can be sent again. */
  sent?: { type: string; text: string }
}

/** An order that was played. */
export interface Played extends Judged {
  order_id: string
  steps: StoryStep[]
  /** When its last webhook had been sent. */
  at: number
  /** The genuine webhook that was never accepted, and its last answer. */
  refused?: { payload: Payload; answer: Answer }
  /** Other orders of the same story, which may be wrong too. */
  others?: Played[]
}

type Begun = Pick<Played, 'story' | 'order_id' | 'steps' | 'sent'>

/** Facts about the receiver so far. */
interface Learnt {
  requests: number
  ownIds: boolean
  /** Where a redirect leads. */
  location?: string | undefined
  /** The pairs of ids that it cannot have. */
  unknownTwins: Set<string>
  /** Whether it works after its response: with a 202, or with a state that is right some time later. */
  behind: boolean
  /** The latest time at which a state became right, and how many orders were later than `settleMs`. */
  lateMs: number
  late: number
  isLimited: boolean
  /** Whether each story waits for a late state: a verdict needs certainty. */
  examined: boolean
}

const DEFAULT_POS = 'ed9e7111-0000-4000-8000-000000000001'
/** Pauses before a failed webhook is sent again; while the receiver or its proxy is away; after a 429. */
const PAUSES_MS = { usual: [20, 100, 300], away: [100, 500, 1_000, 2_000], busy: [500, 1_000, 2_000, 4_000, 8_000] }
/** A receiver is killed before it answers, after these parts of its usual time. */
const KILLED_AT = [0.3, 0.6, 0.9]
/**
 * The maximum of waits by Retry-After, of webhooks without an answer until the receiver counts as gone, and of vain
 * waits.
 */
const [MAX_WAITS, MAX_SILENT, MAX_PATIENT] = [30, 3, 4]
/** How long a state must not change before a verdict: prompt receivers, slow ones, at most; and a wait to report. */
const [STILL_MS, BEHIND_MS, MAX_STILL_MS, SLOW_MS] = [3_000, 6_000, 60_000, 5_000]

/** Replaces the time in which an order must not change: a single look. */
export const LOOK_ONCE = -1
export type Player = ReturnType<typeof createPlayer>

/** Plays stories, each with a new order. */
export function createPlayer(options: Resolved, service: Service, shop: Shop, run: string) {
  const { apiSecret: secret, settleMs, onWait } = options
  const unknown = { ownIds: false, unknownTwins: new Set<string>(), behind: false, isLimited: false, examined: false }
  const learnt: Learnt = { ...unknown, requests: 0, lateMs: 0, late: 0 }
  let [count, silent, heard, spent, kills] = [0, 0, false, 0, 0]
  // Webhooks that were never accepted, states that were waited for in vain, and how long a right state took.
  let [hopeless, vain, usefulMs] = [0, 0, 0]

  const wait = (ms: number, why: string): Promise<void> => {
    if (ms >= 500) onWait?.(why)
    return pause(ms)
  }

  async function send(body: Body) {
    const began = Date.now()
    const reply = await shop.send(body)
    spent += Date.now() - began
    if (spent > SLOW_MS) onWait?.(`The receiver’s responses have taken ${SLOW_MS / 1000} s in all so far.`)
    learnt.requests++
    learnt.location = reply.location ?? learnt.location
    learnt.behind ||= reply.says === 202
    learnt.isLimited ||= reply.says === 429
    return reply
  }

  /** Sends a webhook as the service does, until a 2xx. A forgery is sent again only if the receiver was busy. */
  async function deliver(body: Body, isForged = false, ...answers: Answer[]): Promise<Answer[]> {
    for (let tried = 0, waits = 0; !isAccepted(answers.at(-1)); ) {
      const { says, waitMs } = await send(body)
      answers.push(says)
      const isLimited = says === 429
      if (isAccepted(says) || isHanging(says) || (!heard && typeof says === 'string')) break
      if (isForged && !isLimited && !isAway(says)) break
      // A busy receiver gets some seconds, even without a Retry-After.
      const pauses = PAUSES_MS[isLimited ? 'busy' : isAway(says) && hopeless <= 2 ? 'away' : 'usual']
      const most = hopeless <= 2 ? pauses.length : isLimited ? 3 : 1
      if (waitMs !== undefined && waits++ < MAX_WAITS) {
        await wait(waitMs, `The receiver responds ${says} and asks to wait ${waitMs / 1000} s (Retry-After).`)
      } else if (tried < most) await wait(pauses[tried++] ?? 0, `The receiver responds ${says}: it is busy.`)
      else break
    }
    const last = answers.at(-1)
    if (answers.some((answer) => typeof answer === 'number')) [silent, heard] = [0, true]
    // A receiver that hangs is a finding, once it has answered.
    else if (
      !heard ||
      (!isHanging(last) && ++silent >= MAX_SILENT && Number.isNaN(Number((await shop.send(KNOCK)).says)))
    ) {
      const hint = isHanging(last) ? ' If it needs longer, pass --timeout-ms.' : ' Is the receiver running there?'
      throw new ProveError(`The receiver does not respond${heard ? ' any more' : ''}: ${options.url}: ${last}.${hint}`)
    }
    if (!isForged && !isAccepted(last)) hopeless++
    else if (!isForged && !isAccepted(answers[0])) hopeless = Number.NEGATIVE_INFINITY
    return answers
  }

  async function travel(body: Body, way: Way): Promise<Answer[]> {
    const once = async (): Promise<Answer> => (await send(body)).says
    if (way === 'together') {
      const [first, second] = await Promise.all([once(), once()])
      // The service made the first sending, the network the second.
      return [second, ...(await deliver(body, false, first))]
    }
    if (way === 'lost_answer') return [await once(), ...(await deliver(body))]
    if (way === 'hang_up') await shop.hangUp(body)
    if (way === 'killed_before') {
      const cut = once()
      await pause((KILLED_AT[kills++ % KILLED_AT.length] ?? 0) * (spent / learnt.requests || 1))
      await shop.restart()
      return [await cut, ...(await deliver(body))]
    }
    const answers = await deliver(body)
    if (way === 'killed_later') await wait(Math.max(settleMs, 200), 'The receiver is killed a while later.')
    if (way.startsWith('killed')) await shop.restart()
    return answers
  }

  async function settled(story: Story, expected: Expected, order_id: string): Promise<ProveState | undefined> {
    const known = vain > MAX_PATIENT ? Math.max(20, 4 * usefulMs) : settleMs
    const late = Math.min(10_000, Math.max(settleMs, 2 * learnt.lateMs + 500))
    const patience = learnt.examined && learnt.late > 0 ? late : Math.min(settleMs, known)
    if (story.lingers) await pause(Math.max(settleMs, learnt.lateMs))
    // Count the waits instead of reading the clock: on a busy machine the shop is slow too.
    for (let waited = 0, next = 10; ; next *= 2) {
      const seen = await shop.state(order_id)
      const isRight = compare({ story, expected, seen }) === undefined
      if (isRight) usefulMs = Math.max(usefulMs, waited)
      if (isRight && waited >= 10) learnt.behind = true
      else if (waited >= patience) vain++
      if (isRight || waited >= patience) return seen
      const ms = Math.min(next, patience - waited, 500)
      await wait(ms, "The shop's state is right some time after its 200.")
      waited += ms
    }
  }

  /** A shop that responds to nothing any more has not taken the order: its silence is a step of the story. */
  async function playOne(story: Story, order_id: string): Promise<Played | undefined> {
    const begun: Begun = { story, order_id, steps: [], sent: [] }
    return await playOn(begun, story, order_id).catch((error) => {
      if (!(error instanceof SilenceError)) throw error
      begun.steps.push({ says: error.says, answers: [error.silence] })
      return { ...begun, expected: expectedOf(begun.sent), seen: undefined, difference: 'refused', at: Date.now() }
    })
  }

  async function playOn(begun: Begun, planned: Story, id: string): Promise<Played | undefined> {
    const order = { order_id: id, amount: decimals(planned.asked), currency: currencyOf(planned) }
    const { order_id, amount, currency } = planned.stranger ? order : await shop.create(order)
    learnt.ownIds ||= order_id !== id
    const priceStory = amount === order.amount ? planned : priced(planned, minorOf(amount))
    const story = currency === order.currency ? priceStory : { ...priceStory, currency }
    const payloads = await service(story, order_id).catch(ignore(TypeError))
    const isWhole = payloads && genuineOf(story).every(({ action, nth }) => payloads[action]?.[nth])
    const steps = describe(story, order_id).map((says) => ({ says, answers: [] }))
    return isWhole ? sendAll(Object.assign(begun, { story, order_id, steps }), payloads) : undefined
  }

  async function sendAll({ story, order_id, steps, sent }: Begun, payloads: Payload[][]): Promise<Played> {
    const payloadOf = ({ action, nth }: Genuine) => payloads[action]?.[nth] as Payload
    const answered = new Map<Payload, Answer | undefined>()
    const isOpen = (payload: Payload): boolean => !isAccepted(answered.get(payload))
    const played = (seen: ProveState | undefined, difference?: Difference): Played => {
      const state = { story, order_id, steps, sent, expected: expectedOf(sent), seen, at }
      return { ...state, difference: difference ?? compare(state) }
    }
    const final = JSON.stringify(expectedOf(genuineOf(story).map(payloadOf)))
    let at = Date.now()
    const step = (says: string, { type, text }: Body, answers: Answer[]): number =>
      steps.push({ says, answers, sent: { type, text } })
    async function sendGenuine(payload: Payload, way: Way, says: string): Promise<void> {
      const body = signedBody(way === 'other_fields' ? otherFields(payload) : payload, secret)
      const answers = await travel(body, way)
      step(`webhook ${nameOf(payload)} ${says}`, body, answers)
      // Note a copy's answer too: a rejected copy comes again and again.
      answered.set(payload, answers.find(isAccepted) ?? answers.at(-1))
      at = Date.now()
    }

    for (let i = 0; i < story.sendings.length; i++) {
      const sending = story.sendings[i] as Sending
      if (!isGenuine(sending)) {
        const { minor, currency } = paidAt(story)
        const order = { order_id, pos_id: options.posId ?? DEFAULT_POS, amount: decimals(minor), currency }
        const body = forged(sending, order, sent.at(-1), secret)
        const says = `a forged ${sending.claims} success arrives ${INTRUSIONS[sending.intrusion]?.[0]}`
        step(says, body, await deliver(body, true))
        continue
      }
      const next = sending.way === 'with_next' ? story.sendings.slice(i + 1, i + 2) : []
      const both = [sending, ...next.filter(isGenuine)]
      i += both.length - 1
      const sendings = both.map((one) => {
        const again = sent.includes(payloadOf(one)) ? 'again ' : ''
        sent.push(payloadOf(one))
        return sendGenuine(payloadOf(one), one.way, again + WAYS[one.way])
      })
      await Promise.all(sendings)
      const expected = expectedOf(sent)
      if (JSON.stringify(expected) === final && (i === story.sendings.length - 1 || !story.paced)) continue
      const seen = story.paced ? await settled(story, expected, order_id) : await shop.state(order_id)
      const early = compare({ story, expected, seen }, true)
      if (early !== undefined) return played(seen, early)
    }
    for (const payload of new Set(sent)) {
      if (isOpen(payload) && !story.stranger) await sendGenuine(payload, 'plain', 'is delivered once more')
    }
    const refused = sent.find(isOpen)
    // A payment that was not asked for may be rejected.
    if (refused === undefined || story.mismatch !== undefined || story.stranger)
      return played(await settled(story, expectedOf(sent), order_id))
    const seen = await shop.state(order_id)
    // A wrong state matters more than the answer.
    const surplus = compare({ story, expected: expectedOf(sent), seen }, true)
    if (surplus !== undefined) return played(seen, surplus)
    return { ...played(seen, 'refused'), refused: { payload: refused, answer: answered.get(refused) ?? '' } }
  }

  /** Two orders one after the other, with easily confused ids. A shop that cannot have such an id is not judged. */
  async function playTwins(story: Story, twin: string, id: string): Promise<Played | undefined> {
    const [firstId, secondId] = TWINS[twin]?.(id) ?? [id, `${id}-`]
    // Give it another price: a shop may replace the first order by the second.
    const before = await playOne(priced(storyOf('pay'), story.asked + 700), firstId).catch(ignore(ProveError))
    const played = await playOne(story, secondId).catch(ignore(ProveError))
    const after = await shop.state(firstId).catch(ignore(ProveError))
    // An order with something in it was taken, even if that is wrong.
    const isTaken = before?.seen && !before.refused && (learnt.behind || !isLess(before) || before.seen.paid > 0)
    if (!isTaken || !played?.seen || played.refused) {
      learnt.unknownTwins.add(twin)
      const either = played ?? before
      return either && { ...either, story, difference: undefined }
    }
    const difference = compare({ ...before, seen: after })
    const steps = [...played.steps, { says: `order ${firstId} is looked at again`, answers: [] }]
    const first = { ...before, story, steps, seen: after, difference }
    return played.difference !== undefined || difference === undefined ? { ...played, others: [first] } : first
  }

  const stillMs = (): number =>
    Math.max(settleMs, learnt.behind ? Math.max(BEHIND_MS, Math.min(10_000, 3 * learnt.lateMs)) : STILL_MS)

  /** The order as it stands now, if something was missing in it. */
  async function lookAgain(member: Played): Promise<Played> {
    if (!isLess(member)) return member
    const seen = await shop.state(member.order_id)
    return { ...member, seen, difference: compare({ ...member, seen }) }
  }

  return {
    learnt: learnt as Learnt,
    stillMs: (): number => stillMs(),
    /** Reads again the orders in which something is missing, until they stand still. Returns the wrong ones. */
    async confirm<T extends { played: Played }>(all: readonly T[], still = 0): Promise<T[]> {
      const wrong = new Set(all)
      let looks = 0
      const look = async (): Promise<string> => {
        const open: Played[] = []
        looks++
        for (const one of wrong) {
          const members = await Promise.all([one.played, ...(one.played.others ?? [])].map(lookAgain))
          const [first, ...others] = members.filter(({ difference }) => difference !== undefined)
          one.played = first ? { ...first, others } : (members[0] as Played)
          open.push(...members.filter(isLess))
          if (first !== undefined) continue
          wrong.delete(one)
          learnt.late++
          learnt.behind = true
          // The order was wrong at the look before.
          const isNew = looks === 1 && still !== LOOK_ONCE
          learnt.lateMs = Math.max(learnt.lateMs, isNew ? Math.min(settleMs, 500) : Date.now() - one.played.at)
        }
        return open.map(({ seen }) => JSON.stringify(seen)).join()
      }
      const longer = (): number => (still === LOOK_ONCE ? 0 : Math.max(still, stillMs()))
      const says = (): unknown => onWait?.('Something is missing in an order: it is looked at until it stands still.')
      await untilStill(look, longer, MAX_STILL_MS, says)
      return [...wrong]
    },
    /** Sends a copy of the order's last success. */
    async again(played: Played): Promise<Played> {
      const isSuccess = ({ status }: Payload) => status === 'success'
      const payload = [...played.sent].reverse().find(isSuccess) ?? (played.sent.at(-1) as Payload)
      const { type, text } = signedBody(payload, secret)
      const answers = await deliver({ type, text })
      const says = `webhook ${nameOf(payload)} again, at the end of the run`
      return { ...played, steps: [...played.steps, { says, answers, sent: { type, text } }] }
    },
    /** Undefined when the service does not allow an action of the story. */
    async play(story: Story): Promise<Played | undefined> {
      const id = `prove-${run}-${(++count).toString(36)}`
      if (story.twin !== undefined) return playTwins(story, story.twin, id)
      const others = Array.from({ length: (story.crowd ?? 1) - 1 }, (_, n) => n + 1)
      const playMember = (n: number) => playOne(priced(story, story.asked + 700 * n), `${id}-${n}`)
      // Open the connections first, so that the requests meet.
      if (isRace(story) && !learnt.isLimited) await Promise.all([0, 0, ...others].map(() => shop.send(KNOCK)))
      const all = await Promise.all([playOne(story, id), ...others.map(playMember)])
      const [wrong, ...more] = all.filter((one) => one?.difference !== undefined)
      return wrong ? { ...wrong, others: more as Played[] } : all[0]
    },
  }
}

const isLess = ({ difference }: Played): boolean => !!difference?.endsWith('_less')
export const ignore = (kind: typeof ProveError | TypeErrorConstructor) => (error: unknown) => {
  if (!(error instanceof kind)) throw error
  return undefined
}

const isAccepted = (answer: Answer | undefined): boolean => typeof answer === 'number' && answer >= 200 && answer < 300
export const nameOf = ({ method, status, amount, currency }: Payload): string =>
  `${method} ${status} (${Number(amount).toFixed(2)} ${currency})`
