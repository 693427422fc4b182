import { applyContentFaults, perturb } from '../faults/content-faults.ts'
import type { Fault } from '../faults/fault.ts'
import type { FaultBook } from '../faults/faults.ts'
import type { ResolvedOptions } from '../options.ts'
import { InputError } from '../parse-input.ts'
import type { WireRules } from '../spec/endpoints.ts'
import type { WebhookRules } from '../spec/response-fields.ts'
import type { ActivityLog } from '../state/activity.ts'
import type { Job, JobHandlers, JobKind, Scheduler } from '../state/clock.ts'
import type { Random } from '../state/random.ts'
import { stopwatch, timestamp } from '../state/time.ts'
import { type Attempt, type Delivery, DeliveryStore, hasFailed } from './delivery-store.ts'
import { failureCause } from './failure-cause.ts'
import { corruptSignature, webhookForm } from './form.ts'
import { createNextWebhook, createWaiting, type WebhookFilter } from './next-webhook.ts'
import { Transport } from './transport.ts'

/** The latest 10,000 webhooks, oldest first: an array with a few more members. */
export interface Deliveries extends ReadonlyArray<Delivery> {
  /**
   * Waits for the next webhook that fits and has arrived, and returns each one once. One that has nowhere to go (no
   * `server_url`, no `webhookUrl`) counts as arrived.
   *
   * @throws {WebhookNotReceivedError} at once when the receiver did not respond 2xx to it, and when the time is over: the
   * message says what came instead.
   */
  next(filter?: WebhookFilter, signal?: AbortSignal): Promise<Delivery>
  /** Resolves when every delivery that has been started is done. Retries and delays wait for the clock and are not awaited. */
  idle(): Promise<void>
  /**
   * Sends the same bytes once more, to its own address or to another one, and returns the attempt. @throws {ConfigError} when there
   * is no such delivery, or neither it nor the call has a url.
   */
  resend(id: string, url?: string): Promise<Attempt>
  /**
   * Resolves when `count` of the deliveries that match have been attempted (one that has no url counts at once), or after `ms`
   * of real time.
   */
  attempted(matches: (delivery: Delivery) => boolean, count: number, ms: number, signal: AbortSignal): Promise<void>
}

export interface SavedDeliveries {
  all: readonly Delivery[]
  count: number
  handedOut: readonly string[]
  held: readonly string[]
}

export interface DeliveryParts {
  options: ResolvedOptions
  wire: WireRules
  webhooks: WebhookRules
  scheduler: Scheduler
  faults: FaultBook
  chance: Random
  activity: ActivityLog
}

const HOUR = 3_600_000
const USER_AGENT = 'edgetill-emulator'

/** Every webhook: it is signed, logged, delivered, repeated as the retry policy says, and held or broken as faults say. */
export class DeliveryLog {
  readonly list: Deliveries
  readonly jobs: Pick<JobHandlers, 'webhook_retry' | 'webhook_delayed' | 'webhook_release'>
  private readonly parts: DeliveryParts
  private readonly headers: Record<string, string>
  readonly store: DeliveryStore = new DeliveryStore()
  private readonly transport: Transport
  private readonly waiting = createWaiting()
  private readonly handedOut = new Set<string>()
  private readonly held = new Map<string, Delivery[]>()
  /** By id: what waits for the clock. One that the log has forgotten meanwhile is sent all the same. */
  private readonly postponed = new Map<string, Delivery>()
  /** Deliveries that were not reset: the others must not come back when they end. */
  private current = new WeakSet<Delivery>()
  private count = 0

  constructor(parts: DeliveryParts) {
    this.parts = parts
    this.transport = new Transport(parts.options)
    const { webhookHeaders } = parts.options
    this.headers = { 'content-type': parts.wire.webhookContentType, 'user-agent': USER_AGENT, ...webhookHeaders }
    const { all } = this.store
    this.list = Object.defineProperties(all, {
      next: { value: createNextWebhook(all, this.waiting, this.handedOut) },
      idle: { value: () => this.transport.idle() },
      resend: { value: (id: string, url?: string) => this.resend(id, url) },
      attempted: {
        value: (matches: (delivery: Delivery) => boolean, count: number, ms: number, signal: AbortSignal) =>
          this.waiting.until(() => all.filter((one) => matches(one) && isAttempted(one)).length >= count, ms, signal),
      },
    }) as unknown as Deliveries
    const resume = (job: Job): void => this.resume(job)
    this.jobs = {
      webhook_retry: resume,
      webhook_delayed: resume,
      webhook_release: ({ subject }) => this.release(subject),
    }
  }

  send(orderId: string, url: string | null, payload: Record<string, unknown>): void {
    const { options, webhooks, faults, chance, activity } = this.parts
    // A fault waits for a webhook that goes somewhere.
    const triggered = faults.take('webhook', 'webhook', orderId, () => url !== null)
    // "The set of parameters may change at the service's initiative": one webhook in eight has one more.
    const extra = chance() < 1 / 8 ? { emulator_note: 'an unknown parameter, to be ignored' } : {}
    this.count += 1
    const perturbed = perturb({ ...payload, ...extra }, options.perturbations, webhooks, this.count)
    const event = applyContentFaults(perturbed, triggered) as Record<string, unknown>
    const padded = !triggered.some(({ kind }) => kind === 'missing_padding')
    const delivery: Delivery = {
      id: `emulator-delivery-${this.count}`,
      order_id: orderId,
      url,
      event,
      body: webhookForm(event, options.credentials.apiSecret, padded),
      headers: this.headers,
      attempts: [],
      faults: triggered,
    }
    this.store.add(activity.stamp(delivery))
    this.current.add(delivery)
    for (const fault of triggered) {
      activity.report({ type: 'fault', at: this.now(), fault, on: 'webhook', id: delivery.id, order_id: orderId })
    }
    this.start(delivery, triggered)
    this.waiting.changed()
  }

  /**
   * "A preflight request is sent to this URL; its shape: not shown": a bare GET, whose response changes nothing (assumption).
   */
  preflight(url: string): void {
    const { activity, options } = this.parts
    const at = this.now()
    const since = this.current
    const done = (response: number | null, error: string | null): void => {
      if (since === this.current) activity.report({ type: 'preflight', at, url, response, error })
    }
    const asked = this.transport.send(url, { headers: { 'user-agent': USER_AGENT } })
    const failed = (error: unknown): void => done(null, failureCause(error, options.webhookTimeoutMs))
    this.transport.track(asked.then(({ status }) => done(status, null), failed))
  }

  forget(orderId: string): string[] {
    const postponed = [...this.postponed.values()].filter(({ order_id }) => order_id === orderId)
    const all = [...this.store.ofOrder(orderId), ...postponed]
    for (const delivery of all) {
      this.current.delete(delivery)
      this.postponed.delete(delivery.id)
    }
    this.held.delete(orderId)
    this.store.remove(this.store.ofOrder(orderId))
    return all.map(({ id }) => id)
  }

  clear(): void {
    this.current = new WeakSet()
    this.transport.abort()
    this.store.clear()
    this.count = 0
    this.held.clear()
    this.handedOut.clear()
    this.postponed.clear()
  }

  save(): SavedDeliveries {
    const held = [...this.held.values()].flat().map(({ id }) => id)
    return { all: this.store.all, count: this.count, handedOut: [...this.handedOut], held }
  }

  /** Goes on from there; what was under way is sent again, after the next wait of the retry policy. */
  restore(saved: SavedDeliveries): void {
    for (const delivery of saved.all) {
      this.store.add(delivery)
      this.store.settle(delivery)
      this.current.add(delivery)
    }
    this.count = saved.count
    for (const id of saved.handedOut) this.handedOut.add(id)
    const waits = new Set(this.parts.scheduler.jobs.map(({ subject }) => subject))
    for (const delivery of saved.all) {
      if (delivery.url === null) continue
      if (waits.has(delivery.id)) this.postponed.set(delivery.id, delivery)
      else if (saved.held.includes(delivery.id)) this.hold(delivery)
      else if (delivery.attempts.length === 0) this.deliver(delivery, delivery.faults as Fault[])
      else this.interrupted(delivery)
    }
  }

  private now(): string {
    return timestamp(this.parts.scheduler.now())
  }

  private start(delivery: Delivery, triggered: readonly Fault[]): void {
    if (delivery.url === null) return
    const { scheduler } = this.parts
    const delay = triggered.find((fault) => fault.kind === 'delay')
    if (delay?.kind === 'delay') {
      this.postpone(delivery, 'webhook_delayed', scheduler.now() + (delay.ms ?? 60_000))
    } else if (triggered.some(({ kind }) => kind === 'reorder')) {
      this.hold(delivery)
      scheduler.schedule({ at: scheduler.now() + HOUR, kind: 'webhook_release', subject: delivery.order_id })
    } else {
      this.deliver(delivery, triggered)
      this.release(delivery.order_id)
    }
  }

  private deliver(delivery: Delivery, triggered: readonly Fault[], tries = 0): void {
    // The policy counts from the moment that it was due, which no slow receiver moves.
    const due = this.parts.scheduler.now()
    const wait = this.parts.options.retryDelaysMs[tries]
    const retryAt = wait === undefined ? undefined : due + wait
    this.enqueue(delivery, async () => {
      const result = await this.firstAttempt(delivery, tries === 0 ? triggered : [], retryAt)
      if (hasFailed(result) && retryAt !== undefined && this.current.has(delivery)) {
        this.postpone(delivery, 'webhook_retry', retryAt, tries + 1)
      }
    })
    for (const fault of tries === 0 ? triggered : []) {
      if (fault.kind !== 'duplicate') continue
      for (let i = 0; i < (fault.times ?? 1); i++) this.enqueue(delivery, () => this.attempt(delivery, delivery.body))
    }
  }

  private enqueue(delivery: Delivery, work: () => Promise<unknown>): void {
    this.transport.enqueue(delivery.order_id, async () => (this.current.has(delivery) ? work() : undefined))
  }

  private async firstAttempt(delivery: Delivery, triggered: readonly Fault[], retryAt?: number): Promise<Attempt> {
    if (triggered.some(({ kind }) => kind === 'drop')) {
      const lost = this.parts.activity.stamp({ at: this.now(), error: 'dropped on purpose' })
      delivery.attempts.push(lost)
      this.waiting.changed()
      this.report(delivery, lost, retryAt)
      return lost
    }
    const corrupt = triggered.some(({ kind }) => kind === 'corrupt_signature')
    return this.attempt(delivery, corrupt ? corruptSignature(delivery.body) : delivery.body, retryAt)
  }

  /**
   * @param retryAt When it is sent again, should this attempt fail.
   * @param elsewhere Where it goes instead of the delivery’s address.
   */
  private async attempt(delivery: Delivery, body: string, retryAt?: number, elsewhere?: string): Promise<Attempt> {
    const { options, wire, activity } = this.parts
    const result: Attempt = activity.stamp({ at: this.now(), ...(elsewhere === undefined ? {} : { url: elsewhere }) })
    const took = stopwatch(options)
    delivery.attempts.push(result)
    const url = elsewhere ?? delivery.url ?? ''
    try {
      Object.assign(
        result,
        await this.transport.send(url, { method: wire.webhookVerb, headers: delivery.headers, body }),
      )
    } catch (error) {
      result.error = failureCause(error, options.webhookTimeoutMs)
    }
    result.ms = took()
    this.waiting.changed()
    if (this.current.has(delivery)) this.report(delivery, result, retryAt)
    return result
  }

  private report(delivery: Delivery, result: Attempt, retryAt?: number): void {
    if (hasFailed(result) && retryAt !== undefined) result.retry_at = timestamp(retryAt)
    this.store.settle(delivery)
    const { id, order_id, event, attempts } = delivery
    const { at, status: response = null, error = null, ms = 0, retry_at = null } = result
    this.parts.activity.report({
      ...{ type: 'webhook', at, id, order_id, method: String(event.method), status: String(event.status) },
      ...{
        url: result.url ?? delivery.url ?? '',
        attempt: attempts.indexOf(result) + 1,
        response,
        error,
        retry_at,
        ms,
      },
    })
  }

  private async resend(id: string, url?: string): Promise<Attempt> {
    const delivery = this.store.all.find((candidate) => candidate.id === id)
    if (delivery === undefined) throw new InputError(`No delivery has the id ${id}.`)
    if (delivery.url === null && url === undefined) throw new InputError(`Delivery ${id} has no url to go to.`)
    if (url !== undefined && !/^https?:\/\/[^/]/i.test(url)) throw new InputError('url must be an http(s) URL.')
    const elsewhere = url === delivery.url ? undefined : url
    return this.transport.track(this.attempt(delivery, delivery.body, undefined, elsewhere))
  }

  private hold(delivery: Delivery): void {
    this.held.set(delivery.order_id, [...(this.held.get(delivery.order_id) ?? []), delivery])
  }

  private release(orderId: string): void {
    const before = this.held.get(orderId) ?? []
    this.held.delete(orderId)
    for (const delivery of before) this.deliver(delivery, [])
  }

  private postpone(delivery: Delivery, kind: JobKind, at: number, tries = 0): void {
    this.postponed.set(delivery.id, delivery)
    this.parts.scheduler.schedule({ at, kind, subject: delivery.id, number: tries })
  }

  private resume({ subject, number = 0 }: Job): void {
    const delivery = this.postponed.get(subject)
    this.postponed.delete(subject)
    if (delivery !== undefined) this.deliver(delivery, number === 0 ? (delivery.faults as Fault[]) : [], number)
  }

  /** A delivery that the end of the process cut off has failed, and is due again. */
  private interrupted(delivery: Delivery): void {
    const last = delivery.attempts.at(-1)
    if (last === undefined || last.status !== undefined || last.error !== undefined) return
    last.error = 'the emulator was stopped'
    const wait = this.parts.options.retryDelaysMs[delivery.attempts.length - 1]
    if (wait === undefined) return
    const at = this.parts.scheduler.now() + wait
    last.retry_at = timestamp(at)
    this.postpone(delivery, 'webhook_retry', at, delivery.attempts.length)
    this.store.settle(delivery)
  }
}

function isAttempted({ url, attempts }: Delivery): boolean {
  return url === null || attempts.some(({ status, error }) => status !== undefined || error !== undefined)
}
