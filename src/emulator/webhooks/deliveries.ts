import { applyContentFaults } from '../faults/content-faults.ts'
import type { Fault } from '../faults/fault.ts'
import type { FaultBook } from '../faults/faults.ts'
import type { ResolvedOptions } from '../options.ts'
import { InputError } from '../parse-input.ts'
import type { WireRules } from '../spec/endpoints.ts'
import type { ActivityLog } from '../state/activity.ts'
import type { Scheduler } from '../state/clock.ts'
import type { Random } from '../state/random.ts'
import { timestamp } from '../state/time.ts'
import { type Attempt, createDeliveryStore, type Delivery, hasFailed } from './delivery-store.ts'
import { failureCause } from './failure-cause.ts'
import { corruptSignature, webhookForm } from './form.ts'
import { createNextWebhook, type WebhookFilter } from './next-webhook.ts'
import { createWaiting } from './waiting.ts'

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
  /** Sends the same bytes once more and returns the attempt. @throws {TypeError} when there is no such delivery, or it has no url. */
  resend(id: string): Promise<Attempt>
  /**
   * Resolves when `count` of the deliveries that match have been attempted (one that has no url counts at once), or after `ms`
   * of real time.
   */
  attempted(matches: (delivery: Delivery) => boolean, count: number, ms: number, signal: AbortSignal): Promise<void>
}

export interface DeliveryLog {
  readonly list: Deliveries
  /** The webhooks of one order, oldest first. */
  ofOrder(orderId: string): readonly Delivery[]
  /** Those whose last attempt failed, in the order in which they first did. */
  undelivered(): readonly Delivery[]
  /** Signs a payload, logs it and starts its delivery. */
  send(orderId: string, url: string | null, payload: Record<string, unknown>): void
  /**
   * "A preflight request is sent to this URL; its shape: not shown": a bare GET, whose response changes nothing (assumption).
   */
  preflight(url: string): void
  clear(): void
}

export interface DeliveryParts {
  options: ResolvedOptions
  wire: WireRules
  scheduler: Scheduler
  faults: FaultBook
  chance: Random
  activity: ActivityLog
}

const HOUR = 3_600_000
const USER_AGENT = 'edgetill-emulator'

export function createDeliveryLog({ options, wire, scheduler, faults, chance, activity }: DeliveryParts): DeliveryLog {
  const store = createDeliveryStore()
  const headers = { 'content-type': wire.webhookContentType, 'user-agent': USER_AGENT, ...options.webhookHeaders }
  const started = new Set<Promise<unknown>>()
  // One order's webhooks leave one after another; those of different orders do not wait for each other.
  const queues = new Map<string, Promise<unknown>>()
  const held = new Map<string, Delivery[]>()
  const waiting = createWaiting()
  let count = 0
  // What was under way or waited for its turn when everything was forgotten must not come back.
  let generation = 0
  const sending = new Set<AbortController>()

  async function post(url: string, init: RequestInit): Promise<number> {
    const send = options.fetch ?? globalThis.fetch
    // Not AbortSignal.any: every signal that it makes stays with the lasting one for as long as that lives.
    const underWay = new AbortController()
    const timeout = setTimeout(() => underWay.abort(new DOMException('', 'TimeoutError')), options.webhookTimeoutMs)
    sending.add(underWay)
    try {
      const response = await send(url, { ...init, redirect: 'manual', signal: underWay.signal })
      // The status is what counts; a body that breaks off does not change it.
      await response.body?.cancel().catch(() => {})
      return response.status
    } finally {
      clearTimeout(timeout)
      sending.delete(underWay)
    }
  }

  /** @param wait Milliseconds until the next attempt, should this one fail. */
  async function attempt(delivery: Delivery, body: string, wait?: number): Promise<Attempt> {
    const result: Attempt = activity.stamp({ at: timestamp(scheduler.now()) })
    delivery.attempts.push(result)
    const since = generation
    try {
      result.status = await post(delivery.url ?? '', { method: wire.webhookVerb, headers: delivery.headers, body })
    } catch (error) {
      result.error = failureCause(error, options.webhookTimeoutMs)
    }
    waiting.changed()
    if (since === generation) reportAttempt(delivery, result, wait)
    return result
  }

  function reportAttempt(delivery: Delivery, result: Attempt, wait?: number): void {
    store.settle(delivery)
    const { id, order_id, url, event, attempts } = delivery
    const { at, status: response = null, error = null } = result
    const retry_at = hasFailed(result) && wait !== undefined ? timestamp(scheduler.now() + wait) : null
    const [method, status] = [String(event.method), String(event.status)]
    const number = attempts.indexOf(result) + 1
    activity.report({
      type: 'webhook',
      at,
      id,
      order_id,
      method,
      status,
      url: url ?? '',
      attempt: number,
      response,
      error,
      retry_at,
    })
  }

  function track<T>(work: Promise<T>): Promise<T> {
    started.add(work)
    const done = (): void => {
      started.delete(work)
    }
    work.then(done, done)
    return work
  }

  function enqueue(delivery: Delivery, work: () => Promise<unknown>): void {
    const before = queues.get(delivery.order_id) ?? Promise.resolve()
    const since = generation
    const next = track(before.then(() => (since === generation ? work() : undefined))).finally(() => {
      if (queues.get(delivery.order_id) === next) queues.delete(delivery.order_id)
    })
    queues.set(delivery.order_id, next)
  }

  function deliver(delivery: Delivery, triggered: readonly Fault[], tries = 0): void {
    const since = generation
    enqueue(delivery, async () => {
      const wait = options.retryDelaysMs[tries]
      const result = await firstAttempt(delivery, tries === 0 ? triggered : [], wait)
      if (hasFailed(result) && wait !== undefined && since === generation) {
        scheduler.schedule(scheduler.now() + wait, () => deliver(delivery, [], tries + 1))
      }
    })
    for (const fault of tries === 0 ? triggered : []) {
      if (fault.kind !== 'duplicate') continue
      for (let i = 0; i < (fault.times ?? 1); i++) enqueue(delivery, () => attempt(delivery, delivery.body))
    }
  }

  async function firstAttempt(delivery: Delivery, triggered: readonly Fault[], wait?: number): Promise<Attempt> {
    if (triggered.some(({ kind }) => kind === 'drop')) {
      const lost = activity.stamp({ at: timestamp(scheduler.now()), error: 'dropped on purpose' })
      delivery.attempts.push(lost)
      waiting.changed()
      reportAttempt(delivery, lost, wait)
      return lost
    }
    const corrupt = triggered.some(({ kind }) => kind === 'corrupt_signature')
    return attempt(delivery, corrupt ? corruptSignature(delivery.body) : delivery.body, wait)
  }

  function start(delivery: Delivery, triggered: readonly Fault[]): void {
    if (delivery.url === null) return
    const delay = triggered.find((fault) => fault.kind === 'delay')
    if (delay?.kind === 'delay') {
      scheduler.schedule(scheduler.now() + (delay.ms ?? 60_000), () => deliver(delivery, triggered))
      return
    }
    const before = held.get(delivery.order_id) ?? []
    if (triggered.some(({ kind }) => kind === 'reorder')) {
      held.set(delivery.order_id, [...before, delivery])
      scheduler.schedule(scheduler.now() + HOUR, () => release(delivery.order_id))
      return
    }
    deliver(delivery, triggered)
    release(delivery.order_id)
  }

  function release(orderId: string): void {
    const before = held.get(orderId) ?? []
    held.delete(orderId)
    for (const delivery of before) deliver(delivery, [])
  }

  const list = Object.defineProperties(store.all, {
    next: { value: createNextWebhook(store.all, waiting) },
    idle: {
      value: async (): Promise<void> => {
        while (started.size > 0) await Promise.allSettled([...started])
      },
    },
    resend: {
      value: async (id: string): Promise<Attempt> => {
        const delivery = store.all.find((candidate) => candidate.id === id)
        if (delivery === undefined) throw new InputError(`No delivery has the id ${id}.`)
        if (delivery.url === null) throw new InputError(`Delivery ${id} has no url to go to.`)
        return track(attempt(delivery, delivery.body))
      },
    },
    attempted: {
      value: (matches: (delivery: Delivery) => boolean, count: number, ms: number, signal: AbortSignal) =>
        waiting.until(() => store.all.filter((one) => matches(one) && isAttempted(one)).length >= count, ms, signal),
    },
  }) as unknown as Deliveries

  return {
    list,
    ofOrder: store.ofOrder,
    undelivered: store.undelivered,
    send(orderId, url, payload) {
      const triggered = faults.take('webhook', 'webhook', orderId)
      // "The set of parameters may change at the service's initiative": one webhook in eight has one more.
      const extra = chance() < 1 / 8 ? { emulator_note: 'an unknown parameter, to be ignored' } : {}
      const event = applyContentFaults({ ...payload, ...extra }, triggered) as Record<string, unknown>
      const padded = !triggered.some(({ kind }) => kind === 'missing_padding')
      count += 1
      const delivery: Delivery = {
        id: `emulator-delivery-${count}`,
        order_id: orderId,
        url,
        event,
        body: webhookForm(event, options.credentials.apiSecret, padded),
        headers,
        attempts: [],
        faults: triggered,
      }
      store.add(activity.stamp(delivery))
      for (const fault of triggered) {
        const at = timestamp(scheduler.now())
        activity.report({ type: 'fault', at, fault, on: 'webhook', id: delivery.id, order_id: orderId })
      }
      start(delivery, triggered)
      waiting.changed()
    },
    preflight(url) {
      const at = timestamp(scheduler.now())
      const since = generation
      const done = (response: number | null, error: string | null): void => {
        if (since === generation) activity.report({ type: 'preflight', at, url, response, error })
      }
      const asked = post(url, { headers: { 'user-agent': USER_AGENT } })
      track(
        asked.then(
          (status) => done(status, null),
          (error: unknown) => done(null, failureCause(error, options.webhookTimeoutMs)),
        ),
      )
    },
    clear() {
      generation += 1
      for (const underWay of sending) underWay.abort()
      store.clear()
      count = 0
      queues.clear()
      held.clear()
    },
  }
}

function isAttempted({ url, attempts }: Delivery): boolean {
  return url === null || attempts.some(({ status, error }) => status !== undefined || error !== undefined)
}
