import { type Body, forged, INTRUSIONS, otherFields, type Payload, signedBody } from './bodies.ts'
import { compare, type Difference, type Expected, expectedOf, type Judged, minorOf } from './judge.ts'
import { ProveError, type ProveState, type Resolved } from './options.ts'
import type { Service } from './service.ts'
import { isHanging, KNOCK, pause, type Reply, type Shop } from './shop.ts'
import type { Story, Way } from './story.ts'
import { currencyOf, decimals, describe, genuineOf, isRace, paidAt, priced, storyOf, TWINS, WAYS } from './story.ts'

type Answer = number | string

/** A step of a story as it was played. */
export interface StoryStep {
  /** The event in words, and the receiver's answer: HTTP statuses, or why there is none. */
  says: string
  answers: (number | string)[]
  /** The body that it got, and its content type, so that it can be sent again. */
  sent?: { type: string; text: string }
}

/** An order that was played. */
export interface Played extends Judged {
  order_id: string
  steps: StoryStep[]
  /** The genuine webhook that was never accepted, and its last answer. */
  refused?: { payload: Payload; answer: Answer }
}

/** Plays stories, each with a new order. */
export interface Player {
  /** Undefined when the service does not allow an action of the story. */
  play(story: Story): Promise<Played | undefined>
  /** It makes its own order ids, a redirect leads there, it cannot have these twins, and it got so many webhooks. */
  readonly learnt: { ownIds: boolean; location?: string | undefined; unknownTwins: Set<string>; requests: number }
}

const DEFAULT_POS = 'ed9e7111-0000-4000-8000-000000000001'
const RETRY_MS = [20, 100, 300]
const SLOW_MS = 5_000
/** When a receiver is killed before it answers: after such a part of the time that it usually takes. */
const KILLED_AT = [0.3, 0.6, 0.9]
/** So many waits by Retry-After, webhooks without an answer (it is gone), failures (it gets no more time than it ever needed). */
const [MAX_WAITS, MAX_SILENT, MAX_PATIENT] = [30, 3, 4]

export function createPlayer(options: Resolved, service: Service, shop: Shop, run: string): Player {
  const { apiSecret: secret, settleMs, onWait } = options
  const learnt: Player['learnt'] = { ownIds: false, unknownTwins: new Set(), requests: 0 }
  let [count, silent, heard, spent, kills] = [0, 0, false, 0, 0]
  // How often a webhook or a state was waited for in vain, and how long a state needed.
  let [hopeless, vain, usefulMs] = [0, 0, 0]

  const wait = (ms: number, why: string): Promise<void> => {
    if (ms >= 500) onWait?.(why)
    return pause(ms)
  }

  async function send(body: Body): Promise<Reply> {
    const began = Date.now()
    const reply = await shop.send(body)
    spent += Date.now() - began
    if (spent > SLOW_MS) onWait?.(`The receiver’s responses have taken ${SLOW_MS / 1000} s in all so far.`)
    learnt.requests++
    learnt.location = reply.location ?? learnt.location
    return reply
  }

  /** As the service does it: again until the answer is 2xx. */
  async function deliver(body: Body, ...answers: Answer[]): Promise<Answer[]> {
    const retries = hopeless > 2 ? RETRY_MS.slice(0, 1) : RETRY_MS
    for (let tried = 0, waits = 0; !isAccepted(answers.at(-1)) && tried <= retries.length; ) {
      const { says, waitMs } = await send(body)
      answers.push(says)
      if (isAccepted(says) || isHanging(says) || (!heard && typeof says === 'string')) break
      if (waitMs !== undefined && waits++ < MAX_WAITS) {
        await wait(waitMs, `The receiver responds ${says} and asks to wait ${waitMs / 1000} s (Retry-After).`)
      } else await pause(retries[tried++] ?? 0)
    }
    const last = answers.at(-1)
    if (answers.some((answer) => typeof answer === 'number')) [silent, heard] = [0, true]
    else if (!heard || (++silent >= MAX_SILENT && typeof (await shop.send(KNOCK)).says === 'string')) {
      const hint = isHanging(last) ? ' If it needs longer, pass --timeout-ms.' : ' Is the receiver running there?'
      throw new ProveError(`The receiver does not respond${heard ? ' any more' : ''}: ${options.url}: ${last}.${hint}`)
    }
    if (!isAccepted(last)) hopeless++
    else if (!isAccepted(answers[0])) hopeless = Number.NEGATIVE_INFINITY
    return answers
  }

  async function travel(body: Body, way: Way): Promise<Answer[]> {
    const once = async (): Promise<Answer> => (await send(body)).says
    if (way === 'together') {
      const [first, second] = await Promise.all([once(), once()])
      // The service knows of one sending; the other one was the network's.
      return [second, ...(await deliver(body, first))]
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
    const patience = Math.min(settleMs, vain > MAX_PATIENT ? Math.max(20, 4 * usefulMs) : settleMs)
    if (story.lingers) await pause(settleMs)
    // The time that was waited counts, not the clock: while a busy machine stands still, the shop does as well.
    for (let waited = 0, next = 10; ; next *= 2) {
      const seen = await shop.state(order_id)
      const isRight = compare({ story, expected, seen }) === undefined
      if (isRight) usefulMs = Math.max(usefulMs, waited)
      else if (waited >= patience) vain++
      if (isRight || waited >= patience) return seen
      const ms = Math.min(next, patience - waited)
      await wait(ms, "The shop's state is right some time after its 200.")
      waited += ms
    }
  }

  async function playOne(asks: Story, id: string): Promise<Played | undefined> {
    const asked = { order_id: id, amount: decimals(asks.asked), currency: currencyOf(asks) }
    const { order_id, amount, currency } = await shop.create(asked)
    learnt.ownIds ||= order_id !== id
    const own = amount === asked.amount ? asks : priced(asks, minorOf(amount))
    const story = currency === asked.currency ? own : { ...own, currency }
    const made = await service(story, order_id).catch(ignore(TypeError))
    return made && sendAll(story, order_id, made)
  }

  async function sendAll(story: Story, order_id: string, made: Payload[][]): Promise<Played | undefined> {
    const steps: StoryStep[] = describe(story, order_id).map((says) => ({ says, answers: [] }))
    const sent: Payload[] = []
    const answered = new Map<Payload, Answer | undefined>()
    const isOpen = (payload: Payload): boolean => !isAccepted(answered.get(payload))
    const played = (seen: ProveState | undefined, difference?: Difference): Played => {
      const all = { story, order_id, steps, sent, expected: expectedOf(sent), seen }
      return { ...all, difference: difference ?? compare(all) }
    }
    const all = genuineOf(story).map(({ action, nth }) => made[action]?.[nth] as Payload)
    if (all.includes(undefined as never)) return undefined
    const final = JSON.stringify(expectedOf(all))
    const step = (says: string, { type, text }: Body, answers: Answer[]): number =>
      steps.push({ says, answers, sent: { type, text } })
    async function sendGenuine(payload: Payload, way: Way, says: string): Promise<void> {
      const body = signedBody(way === 'other_fields' ? otherFields(payload) : payload, secret)
      const answers = await travel(body, way)
      step(`webhook ${nameOf(payload)} ${says}`, body, answers)
      // Of a copy too: one that is rejected in the end comes again and again.
      answered.set(payload, answers.find(isAccepted) ?? answers.at(-1))
    }

    for (let i = 0; i < story.sendings.length; i++) {
      const sending = story.sendings[i] as Story['sendings'][number]
      if (!('way' in sending)) {
        const { minor, currency } = paidAt(story)
        const order = { order_id, pos_id: options.posId ?? DEFAULT_POS, amount: decimals(minor), currency }
        const body = forged(sending, order, sent.at(-1), secret)
        const says = `a forged ${sending.claims} success arrives ${INTRUSIONS[sending.intrusion]?.[0]}`
        step(says, body, [(await send(body)).says])
        continue
      }
      const next = sending.way === 'with_next' ? story.sendings[i + 1] : undefined
      const both = [sending, ...(next && 'way' in next ? [next] : [])]
      i += both.length - 1
      const sendings = both.map(({ action, nth, way }) => {
        const payload = made[action]?.[nth] as Payload
        const again = sent.includes(payload) ? 'again ' : ''
        sent.push(payload)
        return sendGenuine(payload, way, again + WAYS[way])
      })
      await Promise.all(sendings)
      const expected = expectedOf(sent)
      if (JSON.stringify(expected) === final) continue
      const seen = await shop.state(order_id)
      const early = compare({ story, expected, seen }, true)
      if (early !== undefined) return played(seen, early)
    }
    for (const payload of new Set(sent)) {
      if (isOpen(payload)) await sendGenuine(payload, 'plain', 'is delivered once more')
    }
    const refused = sent.find(isOpen)
    // A payment that was not asked for may be rejected.
    if (refused !== undefined && story.mismatch === undefined) {
      const answer = answered.get(refused) ?? ''
      return { ...played(await shop.state(order_id), 'refused'), refused: { payload: refused, answer } }
    }
    return played(await settled(story, expectedOf(sent), order_id))
  }

  /** Two orders one after the other, whose ids are easily confused. A shop that cannot have such an id is not judged. */
  async function playTwins(story: Story, twin: string, id: string): Promise<Played | undefined> {
    const [other, own] = TWINS[twin]?.(id) ?? [id, `${id}-`]
    const before = await playOne(priced(storyOf('pay'), story.asked), other).catch(ignore(ProveError))
    const played = await playOne(story, own).catch(ignore(ProveError))
    const after = await shop.state(other).catch(ignore(ProveError))
    if (!before || before.difference || !played?.seen || played.refused) {
      learnt.unknownTwins.add(twin)
      const either = played ?? before
      return either && { ...either, story, difference: undefined }
    }
    const difference = compare({ ...before, seen: after })
    if (played.difference !== undefined || difference === undefined) return played
    const steps = [...played.steps, { says: `order ${other} is looked at again`, answers: [] }]
    return { ...before, story, steps, seen: after, difference }
  }

  return {
    learnt,
    async play(story) {
      const id = `prove-${run}-${(++count).toString(36)}`
      if (story.twin !== undefined) return playTwins(story, story.twin, id)
      const others = Array.from({ length: (story.crowd ?? 1) - 1 }, (_, n) => n + 1)
      const playMember = (n: number) => playOne(priced(story, story.asked + 700 * n), `${id}-${n}`)
      // Over connections that are open already, so that they meet.
      if (isRace(story)) await Promise.all([0, 0, ...others].map(() => shop.send(KNOCK)))
      const all = await Promise.all([playOne(story, id), ...others.map(playMember)])
      return all.find((one) => one?.difference !== undefined) ?? all[0]
    },
  }
}

const ignore =
  (kind: abstract new (...args: never[]) => Error) =>
  (error: unknown): undefined => {
    if (!(error instanceof kind)) throw error
  }

const isAccepted = (answer: Answer | undefined): boolean => typeof answer === 'number' && answer >= 200 && answer < 300

export const nameOf = ({ method, status, amount, currency }: Payload): string =>
  `${method} ${status} (${Number(amount).toFixed(2)} ${currency})`
