import { type Body, claim, genuineBody, intrusionBody, otherFields } from './bodies.ts'
import { compare, compareEarly, type Difference, type Expected, expectedOf, minorOf } from './judge.ts'
import { ProveError, type ProveState, type Resolved } from './options.ts'
import type { Service } from './service.ts'
import { ask, type Shop } from './shop.ts'
import type { Payload } from './story.ts'
import {
  currencyOf,
  decimals,
  describeAction,
  describeStory,
  INTRUSIONS,
  isGenuine,
  paidAt,
  priced,
  type Story,
  TWINS,
  WAYS,
  type Way,
} from './story.ts'

/** A step of a story as it was played. */
export interface StoryStep {
  /** What happened, in words. */
  says: string
  /** What the receiver answered to it: HTTP statuses, or why there is none. */
  answers: (number | string)[]
  /** The body that it got, and its content type, so that it can be sent again. */
  sent?: { type: string; text: string }
}

/** An order that was played. */
export interface Played {
  story: Story
  order_id: string
  steps: StoryStep[]
  /** The genuine webhooks that were sent. */
  sent: Payload[]
  expected: Expected
  seen: ProveState | undefined
  difference: Difference | undefined
  /** The genuine webhook that was never accepted, and its last answer. */
  refused?: { payload: Payload; answer: number | string }
  /** Requests to the receiver. */
  requests: number
}

/** Plays stories, each with a new order. */
export interface Player {
  /** Undefined when the service does not allow an action of the story. */
  play(story: Story): Promise<Played | undefined>
  /** Whether an order is still what it was, some time after its story. */
  isStill(played: Played): Promise<boolean>
  /** The shop makes its own order ids. */
  readonly ownIds: boolean
  /** Where the last redirect led. */
  readonly location: string | undefined
  /** Twins that this shop cannot have. */
  readonly unknownTwins: ReadonlySet<string>
}

/** The order that has to work before anything else is tried. */
export const FIRST_STORY: Story = {
  asked: 10_050,
  late: false,
  actions: [{ do: 'pay' }],
  sendings: [{ action: 0, nth: 0, way: 'plain' }],
}

const DEFAULT_POS = 'ed9e7111-0000-4000-8000-000000000001'
const RETRY_MS = [20, 100, 300]
/** So often is a webhook sent again to a receiver that says when. */
const MAX_WAITS = 30
/** So many genuine webhooks in a row without any answer: the receiver is gone. */
const MAX_SILENT = 3
/** After so many failures, a receiver is no longer given more time than it ever needed. */
const MAX_PATIENT = 4
const KILL_AFTER_MS = [2, 12, 30]

export function createPlayer(options: Resolved, service: Service, shop: Shop, run: string): Player {
  const secret = options.apiSecret
  const unknownTwins = new Set<string>()
  let count = 0
  let silent = 0
  let heard = false
  let ownIds = false
  let location: string | undefined
  // What was learnt of the receiver.
  let vain = 0
  let usefulMs = 0
  let hopeless = 0

  const wait = (ms: number, why: string): Promise<void> => {
    if (ms >= 500) options.onWait?.(why)
    return pause(ms)
  }

  /** As the service does it: again until the answer is 2xx. */
  async function deliver(body: Body, first?: number | string): Promise<(number | string)[]> {
    const answers = first === undefined ? [] : [first]
    const retries = hopeless > 2 ? RETRY_MS.slice(0, 1) : RETRY_MS
    let waits = 0
    for (let tried = 0; !isAccepted(answers.at(-1)) && tried <= retries.length; ) {
      const { says, waitMs, location: to } = await shop.send(body)
      answers.push(says)
      location = to ?? location
      if (isAccepted(says)) break
      if (!heard && typeof says === 'string') break
      if (waitMs !== undefined && waits++ < MAX_WAITS) {
        await wait(waitMs, `The receiver responds ${says} and asks to wait ${waitMs / 1000} s (Retry-After).`)
      } else await pause(retries[tried++] ?? 0)
    }
    if (answers.some((answer) => typeof answer === 'number')) {
      silent = 0
      heard = true
    } else if (++silent >= MAX_SILENT || !heard) {
      const isHanging = String(answers.at(-1)).startsWith('no answer')
      const hint = isHanging ? ' If it needs longer, pass --timeout-ms.' : ' Is the receiver running there?'
      const more = heard ? ' any more' : ''
      throw new ProveError(`The receiver does not answer${more}: ${options.url}: ${answers.at(-1)}.${hint}`)
    }
    if (!isAccepted(answers.at(-1))) hopeless++
    else if (answers.length > 1 && !isAccepted(answers[0])) hopeless = Number.NEGATIVE_INFINITY
    return answers
  }

  /** It listens again when it answers anything. */
  async function restart(): Promise<void> {
    const began = Date.now()
    await ask('restart', () => options.restart?.())
    const deadline = Date.now() + options.timeoutMs
    for (;;) {
      const { says } = await shop.send({ type: 'text/plain', text: 'Does it listen?' })
      if (typeof says === 'number') break
      if (Date.now() >= deadline) throw new ProveError(`The receiver does not listen after its restart: ${says}.`)
      await pause(20)
    }
    if (Date.now() - began > 500) options.onWait?.('A restart of the receiver takes more than half a second.')
  }

  async function travel(payload: Payload, way: Way): Promise<(number | string)[]> {
    const body = genuineBody(way === 'other_fields' ? otherFields(payload) : payload, secret)
    const send = async () => (await shop.send(body)).says
    switch (way) {
      case 'together': {
        const [first, second] = await Promise.all([send(), send()])
        // The service knows of one sending; the other one was the network's.
        return [second, ...(await deliver(body, first))]
      }
      case 'lost_answer':
        return [await send(), ...(await deliver(body))]
      case 'hang_up':
        await shop.hangUp(body)
        return deliver(body)
      case 'killed_before': {
        const cut = send()
        await pause(KILL_AFTER_MS[count % KILL_AFTER_MS.length] ?? 0)
        await restart()
        return [await cut, ...(await deliver(body))]
      }
      default: {
        const answers = await deliver(body)
        if (way === 'killed_later') await wait(Math.max(options.settleMs, 200), 'The receiver is killed a while later.')
        if (way.startsWith('killed')) await restart()
        return answers
      }
    }
  }

  async function settled(story: Story, expected: Expected, order_id: string): Promise<ProveState | undefined> {
    const patience = Math.min(options.settleMs, vain > MAX_PATIENT ? Math.max(20, 4 * usefulMs) : options.settleMs)
    if (story.lingers) await pause(options.settleMs)
    for (let waited = 0, next = 10; ; next *= 2) {
      const seen = await shop.state(order_id)
      const isRight = compare(story, expected, seen) === undefined
      if (isRight) usefulMs = Math.max(usefulMs, waited)
      else if (waited >= patience) vain++
      if (isRight || waited >= patience) return seen
      // What was waited counts, not the clock: while a busy machine stands still, the shop does as well.
      const ms = Math.min(next, patience - waited)
      if (waited >= 500) options.onWait?.("The shop's state is right some time after its 200.")
      waited += ms
      await pause(ms)
    }
  }

  async function playOne(asks: Story, id: string): Promise<Played | undefined> {
    const asked = { order_id: id, amount: decimals(asks.asked), currency: currencyOf(asks) }
    const order = await shop.create(asked)
    const { order_id, currency } = order
    ownIds ||= order_id !== id
    const story = order.amount === asked.amount ? asks : priced(asks, minorOf(order.amount))
    const own: Story = currency === asked.currency ? story : { ...story, currency }
    const made = await service.play(own, order_id).catch((error: unknown) => {
      if (error instanceof TypeError) return undefined
      throw error
    })
    if (made === undefined) return undefined
    const played = await sendAll(own, order_id, made)
    return played
  }

  async function sendAll(story: Story, order_id: string, made: Payload[][]): Promise<Played | undefined> {
    const words = [...describeStory(story, order_id), ...story.actions.map((action) => describeAction(story, action))]
    const steps: StoryStep[] = words.map((says) => ({ says, answers: [] }))
    const sent: Payload[] = []
    const answered = new Map<Payload, number | string | undefined>()
    const played = (expected: Expected, seen: ProveState | undefined, difference?: Difference): Played => {
      const requests = steps.reduce((sum, { answers }) => sum + answers.length, 0)
      return { story, order_id, steps, sent, expected, seen, difference, requests }
    }
    const genuine = story.sendings.filter(isGenuine)
    const all = genuine.map(({ action, nth }) => made[action]?.[nth])
    if (all.includes(undefined)) return undefined
    const final = JSON.stringify(expectedOf(all as Payload[]))

    async function sendGenuine(payload: Payload, way: Way): Promise<void> {
      const again = sent.includes(payload) ? 'again ' : ''
      sent.push(payload)
      const answers = await travel(payload, way)
      if (!isAccepted(answered.get(payload))) {
        answered.set(payload, answers.find(isAccepted) ?? answers.at(-1))
      }
      const { type, text } = genuineBody(way === 'other_fields' ? otherFields(payload) : payload, secret)
      steps.push({ says: `webhook ${nameOf(payload)} ${again}${WAYS[way]}`, answers, sent: { type, text } })
    }

    for (let i = 0; i < story.sendings.length; i++) {
      const sending = story.sendings[i] as Story['sendings'][number]
      if (!isGenuine(sending)) {
        const { minor, currency } = paidAt(story)
        const ids = { order_id, pos_id: options.posId ?? DEFAULT_POS }
        const payload = claim(sending.claims, { ...ids, amount: decimals(minor), currency })
        const latest = sent.at(-1)
        const genuineBefore = latest && genuineBody(latest, secret)
        const { text, ...body } = intrusionBody(sending.intrusion, payload, genuineBefore, secret)
        const { says: answer } = await shop.send({ ...body, text })
        const says = `a forged ${sending.claims} success arrives ${INTRUSIONS[sending.intrusion]}`
        steps.push({ says, answers: [answer], sent: { type: body.type, text } })
        continue
      }
      const next = story.sendings[i + 1]
      const both = [sending, ...(sending.way === 'with_next' && next !== undefined && isGenuine(next) ? [next] : [])]
      i += both.length - 1
      await Promise.all(both.map(({ action, nth, way }) => sendGenuine(made[action]?.[nth] as Payload, way)))
      const expected = expectedOf(sent)
      if (JSON.stringify(expected) === final) continue
      const seen = await shop.state(order_id)
      const early = compareEarly(story, expected, seen)
      if (early !== undefined) return played(expected, seen, early)
    }
    const isOpen = (payload: Payload): boolean => !isAccepted(answered.get(payload))
    for (const payload of new Set(sent)) {
      if (!isOpen(payload)) continue
      const { type, text } = genuineBody(payload, secret)
      const answers = await deliver({ type, text })
      answered.set(payload, answers.at(-1))
      steps.push({ says: `webhook ${nameOf(payload)} is delivered once more`, answers, sent: { type, text } })
    }
    const expected = expectedOf(sent)
    const refused = sent.find(isOpen)
    // What was not asked for may be refused.
    if (refused !== undefined && story.mismatch === undefined) {
      const answer = answered.get(refused) ?? ''
      return { ...played(expected, await shop.state(order_id), 'refused'), refused: { payload: refused, answer } }
    }
    const seen = await settled(story, expected, order_id)
    return played(expected, seen, compare(story, expected, seen))
  }

  /** Two orders one after the other, whose ids are easily confused. A shop that cannot have such an id is not judged. */
  async function playTwins(story: Story, twin: string, id: string): Promise<Played | undefined> {
    const [other, own] = TWINS[twin]?.(id) ?? [id, `${id}-`]
    const before = await playOne(priced(FIRST_STORY, story.asked), other).catch(ignoreProveError)
    const played = await playOne(story, own).catch(ignoreProveError)
    const after = await shop.state(other).catch(ignoreProveError)
    if (!before || before.difference || !played?.seen || played.refused) {
      unknownTwins.add(twin)
      const either = played ?? before
      return either && { ...either, story, difference: undefined }
    }
    const difference = compare(before.story, before.expected, after)
    if (played.difference !== undefined || difference === undefined) return played
    const steps = [...played.steps, { says: `order ${other} is looked at again`, answers: [] }]
    return { ...before, story, steps, seen: after, difference }
  }

  return {
    get ownIds() {
      return ownIds
    },
    get location() {
      return location
    },
    unknownTwins,
    async play(story) {
      const id = `prove-${run}-${(++count).toString(36)}`
      if (story.twin !== undefined) return playTwins(story, story.twin, id)
      const { crowd = 1 } = story
      const members = Array.from({ length: crowd }, (_, n) => {
        const member = n === 0 ? story : priced(story, story.asked + 700 * n)
        return playOne(member, crowd === 1 ? id : `${id}-${n + 1}`)
      })
      const all = await Promise.all(members)
      const failed = all.find((one) => one?.difference !== undefined)
      const requests = all.reduce((sum, one) => sum + (one?.requests ?? 0), 0)
      const shown = failed ?? all[0]
      return shown && { ...shown, requests }
    },
    async isStill({ story, order_id, expected }) {
      return compare(story, expected, await shop.state(order_id)) === undefined
    },
  }
}

function ignoreProveError(error: unknown): undefined {
  if (!(error instanceof ProveError)) throw error
}

const isAccepted = (answer: number | string | undefined): boolean =>
  typeof answer === 'number' && answer >= 200 && answer < 300

export const nameOf = ({ method, status, amount, currency }: Payload): string =>
  `${method} ${status} (${Number(amount).toFixed(2)} ${currency})`

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
