import { operationKey } from '../../src/orders/index.ts'
import { readEvent, signWebhook } from '../../src/webhooks/index.ts'
import { ORIGIN, payAt } from '../worker/support/world.ts'
import { personIn } from './on-event.ts'
import type { Played, Schedule } from './schedule.ts'
import { Simulation } from './simulation.ts'
import { hasFailed, judgeSoon } from './soon.ts'

/** Simultaneous messages about one order that a customer pays: webhooks of what was done in the portal as well. */
export interface EventsScenario {
  /** Nothing but the webhook of the payment. */
  alone?: boolean
  /** A refund's comes when the payment's was handled. */
  followed?: boolean
  /** The shop refunds the order through the API. */
  refunds?: boolean
  /** The refund, or its answer, is lost. */
  lost?: boolean
  /** Two people look at what needs attention, and finish it. */
  person?: boolean
  /** How many people of the shop remove the personal data. */
  erases?: 1 | 2
  /** `onEvent` fails for a while. */
  broken?: boolean
  /** All isolates die. */
  dropped?: boolean
}

type Payload = Record<string, unknown>
const isErased = (body: string): boolean => JSON.parse(body).erased !== undefined
const ORDER_ID = 'A-1'

class Play extends Simulation {
  readonly taken: Payload[] = []
  /** The events that were there when their personal data was removed. */
  private readonly forgotten: string[] = []
  private readonly untaken: Payload[] = []

  private async send(actor: string, payload: Payload): Promise<boolean> {
    const { body } = signWebhook(payload, this.emulator.credentials.apiSecret)
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const { status } = await this.request(actor, new Request(`${ORIGIN}/webhooks`, { method: 'POST', headers, body }))
    this.steps.note(`${actor}: ${status}`)
    if (status === 200) this.taken.push(payload)
    return status === 200
  }

  /** Sends a webhook; one that is not taken comes again later. */
  async portal(actor: string, payload: Payload, when?: () => boolean): Promise<void> {
    await this.steps.at(actor, 'sends', when)
    if (!(await this.send(actor, payload))) this.untaken.push(payload)
  }

  async sendRest(): Promise<void> {
    // KV takes one write of a key in a second.
    this.time += 2_000
    for (const payload of this.untaken)
      if (!(await this.send('portal', payload))) this.wrong.add('a webhook is rejected')
  }

  async person(actor: string): Promise<void> {
    for (let look = 0; look < 3; look++) {
      await this.steps.at(actor, 'looks')
      await this.api(actor, '/api/orders')
      const { flags = [] } = (await this.api(actor, `/api/orders/${ORDER_ID}`)).body
      for (const flag of flags as string[]) {
        const init = { method: 'POST', body: JSON.stringify({ kind: 'flag', flag }) }
        await this.api(actor, `/api/orders/${ORDER_ID}/attention/done`, init)
      }
    }
  }

  /** The events that wait. */
  private waiting = () => this.eventRows().filter(({ next_at }) => next_at !== null)

  /** Every call of `onEvent` fails, or ends the program; or publishing an order ends it. */
  async break(erases = false): Promise<void> {
    const fault = this.pick(erases ? (['onEvent', 'ends'] as const) : (['onEvent', 'ends', 'publishing'] as const))
    const before = this.calls()
    for (let ring = 0; ring < 6; ring++) {
      this.fail({ [fault]: 1 })
      this.begin(() => this.minutes(1))
      await this.calm()
    }
    if (fault === 'publishing') return
    // An erased event is not counted any more, even if the erasure was cut off before it was answered.
    if (this.steps.log.includes('shop: erases')) return
    const calls = this.calls() - before
    const attempts = this.waiting().reduce((sum, one) => sum + one.attempts, 0)
    if (attempts < calls) this.wrong.add(`${calls} calls failed, ${attempts} are counted`)
    const isSilent = this.waiting().some(({ attempts, error }) => attempts > 0 && error === null)
    if (fault === 'onEvent' && isSilent) this.wrong.add('it is not said why onEvent failed')
  }

  /** Removes the personal data. */
  async erase(actor: string): Promise<void> {
    await this.steps.at(actor, 'erases')
    const known = this.eventRows().map(({ id }) => id)
    const { status } = await this.api(actor, `/api/orders/${ORDER_ID}/personal-data`, { method: 'DELETE' })
    // 202: the cron goes on with it.
    if (status === 200 || status === 202) this.forgotten.push(...known)
    if (status !== 200) return
    const erased = this.waiting().filter(({ body }) => isErased(body))
    this.onEvent.erased = erased.map(({ id }) => id)
  }

  /** An erased event waits without the personal data. */
  judgeErased(): void {
    for (const { id, body } of this.waiting())
      if (this.onEvent.erased.includes(id) && personIn(body)) this.wrong.add('erased data waits for onEvent')
  }

  private eventRows = () => this.logOf(ORDER_ID).filter(({ kind }) => kind === 'event')

  private calls = (): number => this.steps.log.filter((line) => /: onEvent$/.test(line)).length

  /** A received event stands in the order, was handled, and has alerted people. */
  async compare(): Promise<void> {
    const { totals, flags } = (await this.api('calm', `/api/orders/${ORDER_ID}`)).body
    // The service gives up on a webhook that nobody takes; what comes after the first one of a payment says more.
    const sent = [...this.emulator.deliveries].filter(
      ({ event, attempts }) => event.status !== 'init' || attempts.some(({ status }) => status === 200),
    )
    const said = [...this.taken, ...sent.map(({ event }) => event as Payload)]
    const isBack = (id: unknown) => said.some((one) => one.operation_id === id && one.status === 'failure')
    const amountOf = ({ method, operation_id, amount }: Payload) =>
      method === 'refund' && !isBack(operation_id) ? Number(amount) : 0
    const refunds = new Map(said.map((one) => [one.operation_id, amountOf(one)]))
    const refunded = [...refunds.values()].reduce((sum, amount) => sum + Math.round(amount * 100), 0)
    const { days } = (await this.api('calm', '/api/days?from=2026-03-01&to=2026-03-05')).body
    const ofDays = (days as { refunded_minor: number }[]).reduce((sum, one) => sum + one.refunded_minor, 0)
    if (ofDays !== refunded) this.wrong.add(`${refunded} were refunded, and the days say ${ofDays}`)
    const shown = (totals as { refunded_minor: number }).refunded_minor
    if (shown !== refunded) this.wrong.add(`${refunded} were refunded, and the order says ${shown}`)
    for (const payload of said) {
      const key = operationKey(readEvent(payload))
      if (!this.onEvent.handled.includes(key)) this.wrong.add(`onEvent missed ${payload.method} ${payload.status}`)
    }
    const left = this.eventRows().filter(({ id, body }) => this.forgotten.includes(id) && !isErased(body))
    if (left.length > 0) this.wrong.add(`the personal data of ${left.length} events is left`)
    const isForgotten = (key: string) => this.forgotten.some((id) => key.endsWith(`/${id}`))
    for (const [key, { value }] of this.kv.dump())
      if (isForgotten(key) && !JSON.parse(value).erased_at)
        this.wrong.add('the personal data of an event is left in KV')
    if (hasFailed(this)) return
    for (const flag of flags as string[]) {
      if (flag !== 'paid_after_failure' && !this.alerts.includes(flag)) this.wrong.add(`nobody was alerted of ${flag}`)
    }
  }
}

/** Plays one schedule. */
export function playEvents(scenario: EventsScenario, schedule: Schedule): Promise<Played> {
  const play = new Play(schedule)
  return play.play(() => playScenario(play, scenario))
}

async function playScenario(play: Play, scenario: EventsScenario): Promise<void> {
  const link = await play.link({ order_id: ORDER_ID, method: 'purchase' })
  const location = (await play.request('customer', new Request(link))).headers.get('location') ?? ''
  // A webhook’s change is published at once where the pause after the opening is over.
  play.time += scenario.alone ? 12_000 : 2_000
  play.disturb(Number(scenario.lost ?? 0))
  await payAt(play.emulator, location, 'success')
  const paid = [...play.emulator.deliveries]
    .map(({ event }) => event as Payload)
    .find((one) => one.status === 'success')
  const refund = (id: string, amount: number) => ({
    ...paid,
    // Of the payment.
    processed_amount: undefined,
    processed_currency: undefined,
    method: 'refund',
    operation_id: id,
    amount,
    mode: 'direct',
  })
  const payloads = play.pick([
    [refund('r-1', 100.5), refund('r-2', 100.5)],
    [refund('r-1', 60), refund('r-2', 60), { ...paid, status: 'failure', status_code: '2000' }],
    [refund('r-1', 100.5), { ...refund('r-2', 100.5), status: 'pending' }, refund('r-2', 100.5)],
    // Taken back.
    [refund('r-1', 60), { ...refund('r-1', 60), status: 'failure', processed_at: '2026-03-01T23:00:00.000' }],
  ])
  if (!scenario.alone)
    payloads.forEach((payload, i) => {
      for (let copy = 1; copy <= play.copies; copy++) play.begin(() => play.portal(`portal ${i}.${copy}`, payload))
    })
  if (scenario.followed)
    play.begin(() => play.portal('portal', refund('r-1', 60), () => play.onEvent.handled.length > 0))
  const order = `/api/orders/${ORDER_ID}`
  const after = (actor: string, work: () => Promise<unknown>) =>
    play.begin(() => play.steps.at(actor, 'begins').then(work))
  const init = { method: 'POST', headers: { 'idempotency-key': 'one' }, body: '{"refund_amount":100.5}' }
  if (scenario.refunds) after('shop', () => play.api('shop', `${order}/refund`, init))
  for (const actor of scenario.person ? ['person', 'another person'] : []) play.begin(() => play.person(actor))
  for (const actor of ['shop', 'another person'].slice(0, scenario.erases ?? 0)) play.begin(() => play.erase(actor))
  // At any moment, or just after an event's row was written.
  const isMoment = play.pick([() => true, () => /INSERT edgetill_log event/.test(play.steps.log.at(-1) ?? '')])
  if (scenario.dropped) play.begin(() => play.steps.at('runtime', 'ends', isMoment).then(() => play.killAll()))
  play.begin(() => play.minutes())
  if (scenario.broken) await play.break(scenario.erases !== undefined)
  await play.calm()
  play.judgeErased()
  await play.sendRest()
  await judgeSoon(play, ORDER_ID)
  for (let time = 0; time < 3; time++) await play.pass(0.5)
  await play.compare()
}
