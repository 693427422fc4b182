import { type Body, claim, genuineBody, intrusionBody, otherFields } from './bodies.ts'
import { compare, type Difference, type Expected, expectedOf } from './judge.ts'
import { ProveError, type ProveState, type Resolved } from './options.ts'
import type { Payload, Service } from './service.ts'
import { ask, type Shop } from './shop.ts'
import {
  CURRENCY,
  decimals,
  describeAction,
  INTRUSION_WORDS,
  paidAt,
  type Sending,
  type Story,
  WAY_WORDS,
} from './story.ts'

/** A step of a story as it was played. */
export interface StoryStep {
  /** What happened, in words. */
  says: string
  /** What the receiver answered to it: HTTP statuses, or why there is none. */
  answers: (number | string)[]
}

/** An order that was played. */
export interface Played {
  order_id: string
  steps: StoryStep[]
  expected: Expected
  seen: ProveState | undefined
  difference: Difference | undefined
  /** Requests to the receiver. */
  requests: number
}

/** Plays stories, each with a new order. */
export interface Player {
  /** Undefined when the service does not allow an action of the story. */
  play(story: Story): Promise<Played | undefined>
}

const DEFAULT_POS = 'ed9e7111-0000-4000-8000-000000000001'
const RETRY_MS = [20, 100, 300]
/** So many genuine webhooks in a row without any answer: the receiver is gone. */
const MAX_SILENT = 3

export function createPlayer(options: Resolved, service: Service, shop: Shop, run: string): Player {
  let count = 0
  let silent = 0
  let heard = false
  const secret = options.apiSecret

  /** As the service does it: again until the answer is 2xx. */
  async function deliver(body: Body, first?: number | string): Promise<(number | string)[]> {
    const answers = first === undefined ? [] : [first]
    for (const wait of [0, ...RETRY_MS]) {
      if (isAccepted(answers.at(-1))) break
      if (answers.length > 0) await pause(wait)
      answers.push(await shop.send(body))
    }
    if (answers.some((answer) => typeof answer === 'number')) {
      silent = 0
      heard = true
    } else if (++silent >= MAX_SILENT || !heard) {
      const hint = String(answers.at(-1)).startsWith('no answer') ? '' : ' Is the receiver running there?'
      const more = heard ? ' any more' : ''
      throw new ProveError(`The receiver does not answer${more}: ${options.url}: ${answers.at(-1)}.${hint}`)
    }
    return answers
  }

  /** It listens again when it answers anything. */
  async function restart(): Promise<void> {
    await ask('restart', () => options.restart?.())
    const deadline = Date.now() + options.timeoutMs
    for (;;) {
      const answer = await shop.send({ type: 'text/plain', text: 'Does it listen?' })
      if (typeof answer === 'number') return
      if (Date.now() >= deadline) throw new ProveError(`The receiver does not listen after its restart: ${answer}.`)
      await pause(20)
    }
  }

  async function travel(payload: Payload, way: Exclude<Sending, { intrusion: unknown }>['way']) {
    const body = genuineBody(way === 'other_fields' ? otherFields(payload) : payload, secret)
    if (way === 'together') {
      const [first, second] = await Promise.all([shop.send(body), shop.send(body)])
      // The service knows of one sending; the other one was the network's.
      return [second, ...(await deliver(body, first))]
    }
    if (way === 'lost_answer') return [await shop.send(body), ...(await deliver(body))]
    if (way === 'hang_up') {
      await shop.hangUp(body)
      return deliver(body)
    }
    const answers = await deliver(body)
    if (way === 'killed') await restart()
    return answers
  }

  async function settled(story: Story, expected: Expected, order_id: string): Promise<Played['seen']> {
    let left = options.settleMs
    for (let wait = 10; ; wait *= 2) {
      const seen = await shop.state(order_id)
      if (compare(story, expected, seen) === undefined || left <= 0) return seen
      // What was waited counts, not the clock: while a busy machine stands still, the shop does as well.
      const next = Math.min(wait, left)
      left -= next
      await pause(next)
    }
  }

  return {
    async play(story) {
      const order_id = `prove-${run}-${(++count).toString(36)}`
      const made = await service.play(story, order_id).catch((error: unknown) => {
        if (error instanceof TypeError) return undefined
        throw error
      })
      if (made === undefined) return undefined
      const steps: StoryStep[] = []
      let requests = 0
      if (options.create !== undefined) {
        await shop.create({ order_id, amount: decimals(story.asked), currency: CURRENCY })
        const asks = `the shop asks for ${decimals(story.asked).toFixed(2)} ${CURRENCY}`
        if (story.mismatch !== undefined) steps.push({ says: asks, answers: [] })
      }
      for (const action of story.actions) steps.push({ says: describeAction(story, action), answers: [] })
      const sent: Payload[] = []
      let latest: Body | undefined
      for (const sending of story.sendings) {
        let says: string
        let answers: (number | string)[]
        if ('intrusion' in sending) {
          const { minor, currency } = paidAt(story)
          const ids = { order_id, pos_id: options.posId ?? DEFAULT_POS }
          const payload = claim(sending.claims, { ...ids, amount: decimals(minor), currency })
          answers = [await shop.send(intrusionBody(sending.intrusion, payload, latest, secret))]
          says = `a forged ${sending.claims} success arrives ${INTRUSION_WORDS[sending.intrusion]}`
        } else {
          const payload = made[sending.action]?.[sending.nth]
          if (payload === undefined) return undefined
          latest = genuineBody(payload, secret)
          answers = await travel(payload, sending.way)
          says = `webhook ${nameOf(payload)} ${sent.includes(payload) ? 'again ' : ''}${WAY_WORDS[sending.way]}`
          sent.push(payload)
        }
        requests += answers.length
        steps.push({ says, answers })
      }
      const expected = expectedOf(sent)
      const seen = await settled(story, expected, order_id)
      return { order_id, steps, expected, seen, difference: compare(story, expected, seen), requests }
    },
  }
}

const isAccepted = (answer: number | string | undefined): boolean =>
  typeof answer === 'number' && answer >= 200 && answer < 300

const nameOf = ({ method, status, amount, currency }: Payload): string =>
  `${method} ${status} (${Number(amount).toFixed(2)} ${currency})`

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
