import { applyContentFaults } from '../faults/content-faults.ts'
import type { Fault } from '../faults/fault.ts'
import type { FaultBook } from '../faults/faults.ts'
import type { ResolvedOptions } from '../options.ts'
import { InputError } from '../parse-input.ts'
import type { WireRules } from '../spec/endpoints.ts'
import type { WebhookRules } from '../spec/response-fields.ts'
import type { ActivityLog } from '../state/activity.ts'
import type { Job, JobHandlers, JobKind, Scheduler } from '../state/clock.ts'
import type { Random } from '../state/random.ts'
import { timestamp } from '../state/time.ts'
import { type Attempt, createDeliveryStore, type Delivery, hasFailed } from './delivery-store.ts'
import { failureCause } from './failure-cause.ts'
import { corruptSignature, webhookForm } from './form.ts'
import { createNextWebhook, type WebhookFilter } from './next-webhook.ts'
import { perturb } from './perturb.ts'
import { type ReceiverResponse, receive } from './receive.ts'
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
  /** What falls due: retries, and webhooks that were held back. */
  readonly jobs: Pick<JobHandlers, 'webhook_retry' | 'webhook_delayed' | 'webhook_release'>
  save(): SavedDeliveries
  /** Goes on from there; what was under way is sent again, after the next wait of the retry policy. */
  restore(saved: SavedDeliveries): void
}

/** The webhooks as they are stored. */
export interface SavedDeliveries {
  all: readonly Delivery[]
  count: number
  handedOut: readonly string[]
  /** The ids of those that wait for the order's next webhook. */
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

export function createDeliveryLog(parts: DeliveryParts): DeliveryLog {
  const { options, wire, webhooks, scheduler, faults, chance, activity } = parts
  const store = createDeliveryStore()
  const headers = { 'content-type': wire.webhookContentType, 'user-agent': USER_AGENT, ...options.webhookHeaders }
  const started = new Set<Promise<unknown>>()
  // One order's webhooks leave one after another; those of different orders do not wait for each other.
  const queues = new Map<string, Promise<unknown>>()
  const held = new Map<string, Delivery[]>()
  const waiting = createWaiting()
  const handedOut = new Set<string>()
  let count = 0
  // What was under way or waited for its turn when everything was forgotten must not come back.
  let generation = 0
  const sending = new Set<AbortController>()

  async function post(url: string, init: RequestInit): Promise<ReceiverResponse> {
    const send = options.fetch ?? globalThis.fetch
    // Not AbortSignal.any: every signal that it makes stays with the lasting one for as long as that lives.
    const underWay = new AbortController()
    const timeout = setTimeout(() => underWay.abort(new DOMException('', 'TimeoutError')), options.webhookTimeoutMs)
    sending.add(underWay)
    try {
      return await receive(await send(url, { ...init, redirect: 'manual', signal: underWay.signal }))
    } finally {
      clearTimeout(timeout)
      sending.delete(underWay)
    }
  }

  /**
   * @param retryAt When it is sent again, should this attempt fail.
   * @param elsewhere Where it goes instead of the delivery’s address.
   */
  async function attempt(delivery: Delivery, body: string, retryAt?: number, elsewhere?: string): Promise<Attempt> {
    const began = scheduler.now()
    const result: Attempt = activity.stamp({
      at: timestamp(began),
      ...(elsewhere === undefined ? {} : { url: elsewhere }),
    })
    delivery.attempts.push(result)
    const since = generation
    const url = elsewhere ?? delivery.url ?? ''
    try {
      Object.assign(result, await post(url, { method: wire.webhookVerb, headers: delivery.headers, body }))
    } catch (error) {
      result.error = failureCause(error, options.webhookTimeoutMs)
    }
    result.ms = Math.max(0, scheduler.now() - began)
    waiting.changed()
    if (since === generation) reportAttempt(delivery, result, retryAt)
    return result
  }

  function reportAttempt(delivery: Delivery, result: Attempt, retryAt?: number): void {
    if (hasFailed(result) && retryAt !== undefined) result.retry_at = timestamp(retryAt)
    store.settle(delivery)
    const { id, order_id, event, attempts } = delivery
    const { at, status: response = null, error = null, url = delivery.url, ms = 0, retry_at = null } = result
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
      ms,
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
    // The policy counts from the moment that it was due, which no slow receiver moves.
    const due = scheduler.now()
    enqueue(delivery, async () => {
      const wait = options.retryDelaysMs[tries]
      const retryAt = wait === undefined ? undefined : due + wait
      const result = await firstAttempt(delivery, tries === 0 ? triggered : [], retryAt)
      if (hasFailed(result) && retryAt !== undefined && since === generation) {
        postpone(delivery, 'webhook_retry', retryAt, tries + 1)
      }
    })
    for (const fault of tries === 0 ? triggered : []) {
      if (fault.kind !== 'duplicate') continue
      for (let i = 0; i < (fault.times ?? 1); i++) enqueue(delivery, () => attempt(delivery, delivery.body))
    }
  }

  /** A webhook that the log has forgotten meanwhile is sent all the same. */
  const postponed = new Map<string, Delivery>()

  function postpone(delivery: Delivery, kind: JobKind, at: number, tries = 0): void {
    postponed.set(delivery.id, delivery)
    scheduler.schedule({ at, kind, subject: delivery.id, number: tries })
  }

  function resume({ subject, number = 0 }: Job): void {
    const delivery = postponed.get(subject)
    postponed.delete(subject)
    if (delivery !== undefined) deliver(delivery, number === 0 ? (delivery.faults as Fault[]) : [], number)
  }

  async function firstAttempt(delivery: Delivery, triggered: readonly Fault[], retryAt?: number): Promise<Attempt> {
    if (triggered.some(({ kind }) => kind === 'drop')) {
      const lost = activity.stamp({ at: timestamp(scheduler.now()), error: 'dropped on purpose' })
      delivery.attempts.push(lost)
      waiting.changed()
      reportAttempt(delivery, lost, retryAt)
      return lost
    }
    const corrupt = triggered.some(({ kind }) => kind === 'corrupt_signature')
    return attempt(delivery, corrupt ? corruptSignature(delivery.body) : delivery.body, retryAt)
  }

  function start(delivery: Delivery, triggered: readonly Fault[]): void {
    if (delivery.url === null) return
    const delay = triggered.find((fault) => fault.kind === 'delay')
    if (delay?.kind === 'delay') {
      postpone(delivery, 'webhook_delayed', scheduler.now() + (delay.ms ?? 60_000))
      return
    }
    const before = held.get(delivery.order_id) ?? []
    if (triggered.some(({ kind }) => kind === 'reorder')) {
      held.set(delivery.order_id, [...before, delivery])
      scheduler.schedule({ at: scheduler.now() + HOUR, kind: 'webhook_release', subject: delivery.order_id })
      return
    }
    deliver(delivery, triggered)
    release(delivery.order_id)
  }

  /** What the end of the process cut off has failed, and is due again. */
  function interrupted(delivery: Delivery): void {
    const last = delivery.attempts.at(-1)
    if (last === undefined || last.status !== undefined || last.error !== undefined) return
    last.error = 'the emulator was stopped'
    const wait = options.retryDelaysMs[delivery.attempts.length - 1]
    if (wait === undefined) return
    last.retry_at = timestamp(scheduler.now() + wait)
    postpone(delivery, 'webhook_retry', scheduler.now() + wait, delivery.attempts.length)
    store.settle(delivery)
  }

  function release(orderId: string): void {
    const before = held.get(orderId) ?? []
    held.delete(orderId)
    for (const delivery of before) deliver(delivery, [])
  }

  const list = Object.defineProperties(store.all, {
    next: { value: createNextWebhook(store.all, waiting, handedOut) },
    idle: {
      value: async (): Promise<void> => {
        while (started.size > 0) await Promise.allSettled([...started])
      },
    },
    resend: {
      value: async (id: string, url?: string): Promise<Attempt> => {
        const delivery = store.all.find((candidate) => candidate.id === id)
        if (delivery === undefined) throw new InputError(`No delivery has the id ${id}.`)
        if (delivery.url === null && url === undefined) throw new InputError(`Delivery ${id} has no url to go to.`)
        if (url !== undefined && !/^https?:\/\/[^/]/i.test(url)) throw new InputError('url must be an http(s) URL.')
        return track(attempt(delivery, delivery.body, undefined, url === delivery.url ? undefined : url))
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
      // A fault waits for a webhook that goes somewhere.
      const triggered = faults.take('webhook', 'webhook', orderId, () => url !== null)
      // "The set of parameters may change at the service's initiative": one webhook in eight has one more.
      const extra = chance() < 1 / 8 ? { emulator_note: 'an unknown parameter, to be ignored' } : {}
      count += 1
      const perturbed = perturb({ ...payload, ...extra }, options.perturbations, webhooks, count)
      const event = applyContentFaults(perturbed, triggered) as Record<string, unknown>
      const padded = !triggered.some(({ kind }) => kind === 'missing_padding')
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
          ({ status }) => done(status, null),
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
      handedOut.clear()
      postponed.clear()
    },
    jobs: {
      webhook_retry: resume,
      webhook_delayed: resume,
      webhook_release: ({ subject }) => release(subject),
    },
    save: () => ({
      all: store.all,
      count,
      handedOut: [...handedOut],
      held: [...held.values()].flat().map(({ id }) => id),
    }),
    restore(saved) {
      for (const delivery of saved.all) {
        store.add(delivery)
        store.settle(delivery)
      }
      count = saved.count
      for (const id of saved.handedOut) handedOut.add(id)
      const waits = new Map(scheduler.jobs.map((job) => [job.subject, job]))
      for (const delivery of saved.all) {
        if (delivery.url === null) continue
        if (waits.has(delivery.id)) postponed.set(delivery.id, delivery)
        else if (saved.held.includes(delivery.id)) {
          held.set(delivery.order_id, [...(held.get(delivery.order_id) ?? []), delivery])
        } else if (delivery.attempts.length === 0) deliver(delivery, delivery.faults as Fault[])
        else interrupted(delivery)
      }
    },
  }
}

function isAttempted({ url, attempts }: Delivery): boolean {
  return url === null || attempts.some(({ status, error }) => status !== undefined || error !== undefined)
}
