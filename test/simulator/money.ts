import { sha256Base64url } from '../../src/lib/sha256.ts'
import type { OperationKind } from '../../src/till/protocol.ts'
import { type Answer, payAt } from '../worker/support/world.ts'
import { judgeAttention, judgeEvents, judgeOrder } from './judges.ts'
import { CARDS, madeOf, totalsOf } from './ledger.ts'
import type { Played, Schedule } from './schedule.ts'
import { type Fate, Simulation } from './simulation.ts'
import { hasFailed, judgeSoon } from './soon.ts'

/** The calls that are sent at once to one paid order. */
export interface MoneyScenario {
  method: 'auth' | 'purchase'
  /** Key, kind and amount of each caller's request; all that is left without an amount. */
  calls: readonly (readonly [key: string, kind: OperationKind, amount?: number])[]
  /** A request before them, whose worker died or whose answer was lost. */
  open?: readonly [kind: OperationKind, amount?: number]
  /** A person beside them, who settles what is open, and is right. */
  byHand?: boolean
  cron?: boolean
  /** All callers say that they saw the order before any of this. */
  sawSame?: boolean
  /** Probability that a call's answer, or the call, is lost. */
  lost?: number
  /** No webhook of what they did arrives. */
  silent?: boolean
}

interface Wish {
  key: string
  kind: OperationKind
  amount: number | undefined
  answers: Answer[]
  /** The order as its caller saw it. */
  version?: string
  /** The service's rejection could not be recorded: from then on it is said in other words that nothing was made. */
  isUnrecorded?: boolean
}

const LOST: readonly Fate[] = ['lost before', 'lost after']
const ORDER_ID = 'A-1'
/** The operation that the bank declined: the service has it, without any money. */
const declinedId = ({ record }: Answer['body']): string =>
  String((record as { operation_id?: string } | undefined)?.operation_id ?? '')

const isFinal = ({ status, body }: Answer): boolean =>
  [200, 412, 422].includes(status) || /^declined$|_not_executed$/.test(String(body.code))

class Play extends Simulation {
  readonly wishes = new Map<string, Wish>()
  /** Operations that some attempt is known to have become. */
  private readonly taken = new Set<string>()
  /** Attempts of which the person said that they were made. */
  private readonly byHand = new Set<string>()
  /** The hashes of the keys whose answer is recorded. */
  private readonly settled = new Set<unknown>()
  /** How each attempt ended, by its key. */
  private readonly outcomes = new Map<string, unknown>()

  wish(key: string, kind: OperationKind, amount?: number): Wish {
    const wish = this.wishes.get(key) ?? { key, kind, amount, answers: [] }
    this.wishes.set(key, wish)
    return wish
  }

  async call(actor: string, wish: Wish): Promise<Answer> {
    const { key, kind, amount, answers, version } = wish
    const field = kind === 'capture' ? 'charge_amount' : 'refund_amount'
    const body = JSON.stringify(amount === undefined ? {} : { [field]: amount })
    const headers = { 'idempotency-key': key, ...(version && { 'if-match': version }) }
    const init = { method: 'POST', headers, body }
    const answer = await this.api(actor, `/api/orders/${ORDER_ID}/${kind}`, init)
    this.steps.note(`${actor}: ${answer.status} ${answer.body.code ?? answer.body.operation_id ?? 'by hand'}`)
    if (isFinal(answer)) answers.push(answer)
    this.lookIntoLog()
    if (answer.status === 422 && this.hasLostWrites && !this.settled.has(sha256Base64url(key))) wish.isUnrecorded = true
    return answer
  }

  /** Tries again, under a new key where it was not executed. */
  async caller(actor: string, wish: Wish): Promise<void> {
    for (let time = 0; time < 3; time++) {
      await this.steps.at(actor, 'begins')
      const answer = await this.call(actor, wish)
      if (String(answer.body.code).endsWith('_not_executed')) {
        await this.steps.at(actor, 'begins anew')
        await this.call(actor, this.wish(`${wish.key}-again`, wish.kind, wish.amount))
        return
      }
      if (isFinal(answer) && this.random() < 0.6) return
    }
  }

  /** Looks into the portal: an attempt was made when there is an operation that nobody else has made. */
  async person(): Promise<void> {
    await this.steps.at('person', 'looks at the order')
    const { attempts } = (await this.api('person', `/api/orders/${ORDER_ID}`)).body
    for (const { id, kind } of attempts as { id: string; kind: OperationKind }[]) {
      await this.steps.at('person', 'looks into the portal')
      if (this.isInside) continue
      const known = [...this.wishes.values()].flatMap(({ answers }) =>
        answers.map(({ body }) => declinedId(body) || body.operation_id),
      )
      this.lookIntoLog()
      const free = madeOf(this.emulator, ORDER_ID, kind).filter(
        ({ operation_id }) => ![...known, ...this.taken].includes(operation_id),
      )
      const executed = free.length > this.byHand.size
      const init = { method: 'POST', body: JSON.stringify({ executed }) }
      const { status } = await this.api('person', `/api/orders/${ORDER_ID}/attempts/${id}/settle`, init)
      this.steps.note(`person: ${status} for ${executed} of ${id}`)
      if (executed && status === 200) this.byHand.add(id)
    }
  }

  /** The first end of each operation counts, but that it is unknown. */
  private lookIntoLog(): void {
    const log = this.logOf(ORDER_ID)
    const ends = log.flatMap(({ kind, id, body }) => (kind === 'end' ? { id, ...JSON.parse(body) } : []))
    for (const { kind, id, name } of log) {
      if (kind !== 'operation') continue
      const own = ends.filter((one) => one.id === id)
      const { operation_id, outcome } = own.find((one) => one.outcome !== 'unknown') ?? own[0] ?? {}
      if (operation_id !== undefined) this.taken.add(String(operation_id))
      const before = this.outcomes.get(id) ?? outcome
      if (before !== outcome) this.wrong.add(`an attempt was ${before}, then ${outcome}`)
      if (outcome !== 'done' && outcome !== 'rejected') continue
      this.outcomes.set(id, outcome)
      this.settled.add(name)
    }
  }

  /** Everything of the end is compared with what the service has. */
  async compare(): Promise<void> {
    const texts = (wish: Wish) =>
      wish.answers.map(({ status, body }) =>
        wish.isUnrecorded && status !== 200
          ? 'not executed'
          : `${status} ${body.code ?? body.operation_id ?? 'by hand'} ${declinedId(body)}`.trim(),
      )
    const said = [...this.wishes.values()].map((wish) => [...new Set(texts(wish))])
    const ids = said.flat().flatMap((text) => /^(?:200|409 declined) (?!by hand)(.*)/.exec(text)?.[1] ?? [])
    const made = madeOf(this.emulator, ORDER_ID).map(({ operation_id }) => operation_id)
    const byHand = said.flat().filter((text) => text === '200 by hand').length
    const summary = JSON.stringify(Object.fromEntries([...this.wishes.keys()].map((key, index) => [key, said[index]])))
    if (said.some(({ length }) => length !== 1)) this.wrong.add(`not one answer for one key: ${summary}`)
    if (new Set(ids).size !== ids.length) this.wrong.add(`one operation for two keys: ${summary}`)
    if (ids.some((id) => !made.includes(id))) this.wrong.add(`the service has no such operation: ${summary}`)
    if (made.length !== ids.length + byHand) this.wrong.add(`${made.length} were made: ${summary}`)
    const seen = [...this.wishes.values()].filter(({ version }) => version).flatMap(({ answers }) => answers)
    const moved = madeOf(this.emulator, ORDER_ID).flatMap(({ operation_id, status }) =>
      status === 'success' ? operation_id : [],
    )
    if (!hasFailed(this) && seen.some(({ body }) => moved.indexOf(String(body.operation_id)) > 0))
      this.wrong.add(`money was moved of an order that had changed: ${summary}`)
    const { totals, attempts } = (await this.api('calm', `/api/orders/${ORDER_ID}`)).body
    const { captured_minor, refunded_minor, voided_minor } = totals as Record<string, number>
    const truth = totalsOf(this.emulator, ORDER_ID)
    const shown = JSON.stringify([captured_minor, refunded_minor, voided_minor])
    if (shown !== JSON.stringify(truth)) {
      this.wrong.add(`the totals ${shown} are not those of the service: ${JSON.stringify(truth)}`)
    }
    if ((attempts as unknown[]).length > 0) this.wrong.add('an attempt stays open')
  }
}

/** Plays one schedule. */
export function playMoney(scenario: MoneyScenario, schedule: Schedule): Promise<Played> {
  const play = new Play(schedule)
  return play.play(() => playScenario(play, scenario))
}

async function playScenario(play: Play, scenario: MoneyScenario): Promise<void> {
  const { method, calls, open, byHand, cron, sawSame, lost = 0, silent = false } = scenario
  const link = await play.link({ order_id: ORDER_ID, method })
  const location = (await play.request('customer', new Request(link))).headers.get('location') ?? ''
  await payAt(play.emulator, location, play.pick(CARDS))
  await play.idle()
  play.time += 2_000
  if (open) {
    const fate = play.pick<Fate>(['died before', 'died after', ...LOST])
    const wish = play.wish(play.pick(['one', 'before']), ...open)
    await play.disturbOne(fate, 'opener', () => play.call('opener', wish))
    play.advance(play.pick([2, 61, 100, 119.5, 121, 121, 660, 960]) * 1000)
  }
  play.isSilent = silent
  play.disturb(lost)
  calls.forEach(([key, kind, amount], i) => {
    const wish = () => Object.assign(play.wish(key, kind, amount), sawSame && { version: '10050-0-0-0' })
    play.begin(() => play.caller(`caller ${i} of ${key}`, wish()))
  })
  if (byHand) play.begin(() => play.person())
  if (cron) play.begin(() => play.steps.at('cron', 'begins').then(() => play.wake('cron')))
  play.begin(() => play.minutes())
  await play.calm()
  await judgeSoon(play, ORDER_ID)
  // An open operation stays so, and is shown, as long as the service cannot be asked.
  const outage = play.disturbances.pick([0, 0, 0, 2])
  play.isDown = true
  for (let hour = 0; hour < outage; hour++) await play.pass(1)
  if (outage > 0) await judgeAttention(play, ORDER_ID)
  play.isDown = false
  for (let hour = 0; hour < 40; hour++) {
    await play.pass(1)
    if (hour > 1) await judgeAttention(play, ORDER_ID)
    const answers = []
    for (const wish of play.wishes.values()) answers.push(await play.call('calm', wish))
    // After an outage the service is asked when the order is six hours old.
    if (hour > (silent ? 6 : 1) && answers.every(isFinal)) break
    if (hour > 30) await play.person()
  }
  await play.compare()
  // Events of the last calls are handled by the next run of the cron.
  await play.pass(0.5)
  if (!silent) judgeEvents(play)
  await judgeOrder(play, ORDER_ID)
}
