import { applyContentFaults, perturb } from '../faults/content-faults.ts'
import type { Fault } from '../faults/fault.ts'
import type { FaultBook } from '../faults/faults.ts'
import type { ResolvedOptions } from '../options.ts'
import { InputError } from '../parse-input.ts'
import type { Rules } from '../spec/rules.ts'
import type { ActivityLog } from '../state/activity.ts'
import type { Job, JobHandlers, JobKind, Scheduler } from '../state/clock.ts'
import { stopwatch, timestamp } from '../state/time.ts'
import { type Attempt, type Delivery, DeliveryStore, hasFailed, isOpen } from './delivery-store.ts'
import { failureCause } from './failure-cause.ts'
import { corruptSignature, webhookForm } from './form.ts'
import { createNextWebhook, createWaiting, isAttempted, type WebhookFilter } from './next-webhook.ts'
import { Transport } from './transport.ts'

/** The latest 10,000 webhooks, oldest first: an array with a few more members. */
export interface Deliveries extends ReadonlyArray<Delivery> {
  /**
   * Waits for the next webhook that fits and has arrived, and returns each webhook once. A webhook without an address
   * (no `server_url`, no `webhookUrl`) counts as arrived.
   *
   * @throws {WebhookNotReceivedError} at once when the receiver did not respond 2xx to it, and when the time is over:
   *   the message lists the webhooks that came instead.
   */
  next(filter?: WebhookFilter, signal?: AbortSignal): Promise<Delivery>
  /**
   * Resolves when every delivery that has been started is done. Retries and delays wait for the clock and are not
   * awaited.
   */
  idle(): Promise<void>
  /**
   * Sends the same bytes once more, to its own address or to `url`, and returns the attempt. With `event` it sends
   * these contents instead, signed, as a new webhook, which is not retried. @throws {ConfigError} when there is no such
   * delivery, and when neither it nor the call has a url.
   */
  resend(id: string, url?: string, event?: Record<string, unknown>): Promise<Attempt>
  /**
   * Resolves when `count` of the deliveries that match have been attempted (a delivery without a url counts at once),
   * or after `ms` of real time.
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
  rules: Rules
  scheduler: Scheduler
  faults: FaultBook
  activity: ActivityLog
}

const HOUR = 3_600_000
const USER_AGENT = 'edgetill-emulator'

/** Every webhook: it is signed, logged, delivered, repeated by the retry policy, and held or broken by faults. */
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
  /** Deliveries that wait for the clock, by id. They are sent even if the log has dropped them. */
  private readonly postponed = new Map<string, Delivery>()
  /** Deliveries that were not reset: the others must not come back when they end. */
  private current = new WeakSet<Delivery>()
  private count = 0

  constructor(parts: DeliveryParts) {
    this.parts = parts
    this.transport = new Transport(parts.options)
    const { webhookHeaders } = parts.options
    this.headers = { 'content-type': parts.rules.wire.webhookContentType, 'user-agent': USER_AGENT, ...webhookHeaders }
    const { all } = this.store
    this.list = Object.defineProperties(all, {
      next: { value: createNextWebhook(all, this.waiting, this.handedOut) },
      idle: { value: () => this.transport.idle() },
      resend: { value: (...resent: Parameters<Deliveries['resend']>) => this.resend(...resent) },
      attempted: {
        value: (matches: (delivery: Delivery) => boolean, count: number, ms: number, signal: AbortSignal) =>
          this.waiting.until(
            () => all.filter((one) => matches(one) && (one.url === null || isAttempted(one))).length >= count,
            ms,
            signal,
          ),
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
    const { options, rules, faults, activity } = this.parts
    // A fault waits for a webhook that goes somewhere.
    const triggered = faults.take('webhook', 'webhook', orderId, () => url !== null)
    this.count += 1
    const perturbed = perturb({ ...payload }, options.perturbations, rules.webhooks, this.count)
    const event = applyContentFaults(perturbed, triggered) as Record<string, unknown>
    const padded = !triggered.some(({ kind }) => kind === 'missing_padding')
    const delivery = this.log(orderId, url, event, triggered, padded)
    for (const fault of triggered) {
      activity.report({ type: 'fault', at: this.now(), fault, on: 'webhook', id: delivery.id, order_id: orderId })
    }
    this.start(delivery, triggered)
    this.waiting.changed()
  }

  private log(
    order_id: string,
    url: string | null,
    event: Record<string, unknown>,
    faults: Fault[] = [],
    padded = true,
  ): Delivery {
    const { options, activity } = this.parts
    const id = `emulator-delivery-${this.count}`
    const body = webhookForm(event, options.credentials.apiSecret, padded)
    const delivery: Delivery = { id, order_id, url, event, body, headers: this.headers, attempts: [], faults }
    this.store.add(activity.stamp(delivery))
    this.current.add(delivery)
    return delivery
  }

  /**
   * "A preflight request is sent to this URL; its shape: not shown": a bare GET, whose response changes nothing
   * (assumption).
   */
  preflight(url: string): void {
    const { activity, options } = this.parts
    const at = this.now()
    const since = this.current
    const done = (response: number | null, error: string | null): void => {
      if (since === this.current) activity.report({ type: 'preflight', at, url, response, error })
    }
    const response = this.transport.send(url, { headers: { 'user-agent': USER_AGENT } })
    const failed = (error: unknown): void => done(null, failureCause(error, options.webhookTimeoutMs))
    this.transport.track(response.then(({ status }) => done(status, null), failed))
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

  /** Goes on from there; deliveries under way are sent again, after the next wait of the retry policy. */
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
   * @param retryAt The time of the next attempt if this attempt fails.
   * @param elsewhere An address in place of the delivery’s.
   */
  private async attempt(delivery: Delivery, body: string, retryAt?: number, elsewhere?: string): Promise<Attempt> {
    const { options, rules, activity } = this.parts
    const result: Attempt = activity.stamp({ at: this.now(), ...(elsewhere === undefined ? {} : { url: elsewhere }) })
    const took = stopwatch(options)
    delivery.attempts.push(result)
    const url = elsewhere ?? delivery.url ?? ''
    try {
      Object.assign(
        result,
        await this.transport.send(url, { method: rules.wire.webhookVerb, headers: delivery.headers, body }),
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
    const outcome = { attempt: attempts.indexOf(result) + 1, response, error, retry_at, ms }
    const [method, status, url] = [String(event.method), String(event.status), result.url ?? delivery.url ?? '']
    this.parts.activity.report({ type: 'webhook', at, id, order_id, method, status, url, ...outcome })
  }

  private async resend(id: string, url?: string, event?: Record<string, unknown>): Promise<Attempt> {
    const delivery = this.store.all.find((candidate) => candidate.id === id)
    if (delivery === undefined) throw new InputError(`No delivery has the id ${id}.`)
    if (delivery.url === null && url === undefined) throw new InputError(`Delivery ${id} has no url to go to.`)
    if (url !== undefined && !/^https?:\/\/[^/]/i.test(url)) throw new InputError('url must be an http(s) URL.')
    if (event !== undefined) {
      this.count += 1
      const edited = this.log(delivery.order_id, url ?? delivery.url, event)
      return this.transport.track(this.attempt(edited, edited.body))
    }
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
    if (last === undefined || !isOpen(last)) return
    last.error = 'the emulator was stopped'
    const wait = this.parts.options.retryDelaysMs[delivery.attempts.length - 1]
    if (wait === undefined) return
    const at = this.parts.scheduler.now() + wait
    last.retry_at = timestamp(at)
    this.postpone(delivery, 'webhook_retry', at, delivery.attempts.length)
    this.store.settle(delivery)
  }
}
