import { applyContentFaults } from '../faults/content-faults.ts'
import type { Fault, FaultBook } from '../faults/faults.ts'
import type { ResolvedOptions } from '../options.ts'
import type { WireRules } from '../spec/endpoints.ts'
import type { Scheduler } from '../state/clock.ts'
import type { Random } from '../state/random.ts'
import { timestamp } from '../state/time.ts'
import { corruptSignature, webhookForm } from './form.ts'

/** One attempt at a delivery: the receiver's HTTP status, or why there was none. */
export interface Attempt {
  at: string
  status?: number
  error?: string
}

/** One webhook. */
export interface Delivery {
  id: string
  order_id: string
  /** Where it goes; null when the request named no `server_url` and the emulator has no `webhookUrl`. */
  url: string | null
  /** The payload. */
  event: Record<string, unknown>
  /** The form as it is sent: `data` and `signature`. */
  body: string
  attempts: Attempt[]
}

/** Every webhook so far, oldest first: an array with two more members. */
export interface Deliveries extends ReadonlyArray<Delivery> {
  /** Resolves when every delivery that has been started is done. Retries and delays wait for the clock and are not awaited. */
  idle(): Promise<void>
  /** Sends the same bytes once more and returns the attempt. @throws {TypeError} when there is no such delivery, or it has no url. */
  resend(id: string): Promise<Attempt>
}

export interface DeliveryLog {
  readonly list: Deliveries
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
}

const HOUR = 3_600_000
const USER_AGENT = 'edgetill-emulator'

export function createDeliveryLog({ options, wire, scheduler, faults, chance }: DeliveryParts): DeliveryLog {
  const log: Delivery[] = []
  const started = new Set<Promise<unknown>>()
  // One order's webhooks leave one after another; those of different orders do not wait for each other.
  const queues = new Map<string, Promise<unknown>>()
  const held = new Map<string, Delivery[]>()
  let count = 0
  // A delivery that was under way when everything was forgotten must not come back as a retry.
  let generation = 0

  async function attempt(delivery: Delivery, body: string): Promise<Attempt> {
    const result: Attempt = { at: timestamp(scheduler.now()) }
    delivery.attempts.push(result)
    try {
      const send = options.fetch ?? globalThis.fetch
      const response = await send(delivery.url ?? '', {
        method: wire.webhookVerb,
        headers: {
          'content-type': wire.webhookContentType,
          'user-agent': USER_AGENT,
          ...options.webhookHeaders,
        },
        body,
        redirect: 'manual',
        signal: AbortSignal.timeout(options.webhookTimeoutMs),
      })
      result.status = response.status
      await response.body?.cancel()
    } catch (error) {
      if (result.status === undefined) result.error = error instanceof Error ? error.message : String(error)
    }
    return result
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
    const next = track(before.then(work))
    queues.set(delivery.order_id, next)
  }

  function deliver(delivery: Delivery, triggered: readonly Fault[], tries = 0): void {
    const since = generation
    enqueue(delivery, async () => {
      const result = await firstAttempt(delivery, tries === 0 ? triggered : [])
      const failed = result.status === undefined || result.status < 200 || result.status > 299
      if (failed && since === generation) {
        const wait = options.retryDelaysMs[tries]
        if (wait !== undefined) scheduler.schedule(scheduler.now() + wait, () => deliver(delivery, [], tries + 1))
      }
    })
    for (const fault of tries === 0 ? triggered : []) {
      if (fault.kind !== 'duplicate') continue
      for (let i = 0; i < (fault.times ?? 1); i++) enqueue(delivery, () => attempt(delivery, delivery.body))
    }
  }

  async function firstAttempt(delivery: Delivery, triggered: readonly Fault[]): Promise<Attempt> {
    if (triggered.some(({ kind }) => kind === 'drop')) {
      const lost = { at: timestamp(scheduler.now()), error: 'dropped on purpose' }
      delivery.attempts.push(lost)
      return lost
    }
    const corrupt = triggered.some(({ kind }) => kind === 'corrupt_signature')
    return attempt(delivery, corrupt ? corruptSignature(delivery.body) : delivery.body)
  }

  function start(delivery: Delivery, triggered: readonly Fault[]): void {
    if (delivery.url === null) return
    const delay = triggered.find((fault) => fault.kind === 'delay')
    if (delay?.kind === 'delay') {
      scheduler.schedule(scheduler.now() + delay.ms, () => deliver(delivery, triggered))
      return
    }
    const waiting = held.get(delivery.order_id) ?? []
    if (triggered.some(({ kind }) => kind === 'reorder')) {
      held.set(delivery.order_id, [...waiting, delivery])
      scheduler.schedule(scheduler.now() + HOUR, () => release(delivery.order_id))
      return
    }
    deliver(delivery, triggered)
    release(delivery.order_id)
  }

  function release(orderId: string): void {
    const waiting = held.get(orderId) ?? []
    held.delete(orderId)
    for (const delivery of waiting) deliver(delivery, [])
  }

  const list = Object.defineProperties(log, {
    idle: {
      value: async (): Promise<void> => {
        while (started.size > 0) await Promise.allSettled([...started])
      },
    },
    resend: {
      value: async (id: string): Promise<Attempt> => {
        const delivery = log.find((candidate) => candidate.id === id)
        if (delivery === undefined) throw new TypeError(`No delivery has the id ${id}.`)
        if (delivery.url === null) throw new TypeError(`Delivery ${id} has no url to go to.`)
        return track(attempt(delivery, delivery.body))
      },
    },
  }) as unknown as Deliveries

  return {
    list,
    send(orderId, url, payload) {
      const triggered = faults.take('webhook')
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
        attempts: [],
      }
      log.push(delivery)
      start(delivery, triggered)
    },
    preflight(url) {
      const send = options.fetch ?? globalThis.fetch
      const ask = async (): Promise<void> => {
        const signal = AbortSignal.timeout(options.webhookTimeoutMs)
        const response = await send(url, { headers: { 'user-agent': USER_AGENT }, redirect: 'manual', signal })
        await response.body?.cancel()
      }
      track(ask().catch(() => {}))
    },
    clear() {
      generation += 1
      log.length = 0
      queues.clear()
      held.clear()
    },
  }
}
