import * as v from 'valibot'
import type { WebhookEvent } from '../../schemas/event.ts'
import { fields, number, oneOf, parseInput, text } from '../parse-input.ts'
import { type Delivery, hasFailed, isOpen } from './delivery-store.ts'

/** Which webhook is waited for; an omitted field fits every webhook. */
export interface WebhookFilter {
  order_id?: string | undefined
  /** The documented method, or `unknown` for any other. */
  kind?: WebhookEvent['kind'] | undefined
  /** `pending`, `success` … */
  status?: string | undefined
  /**
   * Milliseconds of real time until the wait is given up. Default 3,000: below the limit that vitest and Bun set to a
   * test.
   */
  timeoutMs?: number | undefined
}

/** No matching webhook has arrived: the message lists the others, and the result of a webhook that was sent. */
export class WebhookNotReceivedError extends Error {
  override readonly name: string = 'WebhookNotReceivedError'
}

const DOCUMENTED = [
  'purchase',
  'auth',
  'credit',
  'p2p',
  'lookup',
  'capture',
  'void',
  'auth_increment',
  'refund',
] as const
export const KINDS: readonly WebhookEvent['kind'][] = [...DOCUMENTED, 'unknown', 'unexpected']

export const FILTER_ENTRIES: Record<'order_id' | 'kind' | 'status', v.GenericSchema<unknown, string | undefined>> = {
  order_id: v.optional(text),
  kind: v.optional(oneOf('kind', KINDS)),
  status: v.optional(text),
}

const FILTER = fields('webhook filter', { ...FILTER_ENTRIES, timeoutMs: v.optional(number(0, 600_000)) })

const MAX_LISTED = 10

export type NextWebhook = (filter?: WebhookFilter, signal?: AbortSignal) => Promise<Delivery>

/** Hands out each webhook once, in the order in which they arrived or were lost. */
export function createNextWebhook(
  all: readonly Delivery[],
  waiting: Waiting,
  handedOut: { has(id: string): boolean; add(id: string): unknown },
): NextWebhook {
  return async (filter = {}, signal = new AbortController().signal) => {
    const { timeoutMs = 3000 } = parseInput(FILTER, filter)
    let found: Delivery | undefined
    const find = (): boolean => {
      const candidates = all.filter((one) => !handedOut.has(one.id) && fits(one, filter))
      found = candidates.find(hasArrived) ?? candidates.find(isAttempted)
      // Taken while nothing else can run: two callers never get the same one.
      if (found !== undefined && hasArrived(found)) handedOut.add(found.id)
      return found !== undefined
    }
    await waiting.until(find, timeoutMs, signal)
    if (found !== undefined && hasArrived(found)) return found
    throw new WebhookNotReceivedError(found === undefined ? nothingCame(all, filter, timeoutMs) : wasLost(found))
  }
}

function kindOf(method: unknown): string {
  if (typeof method !== 'string' || method === '') return 'unexpected'
  return DOCUMENTED.some((known) => known === method) ? method : 'unknown'
}

function fits({ order_id, event }: Delivery, filter: WebhookFilter): boolean {
  return (
    (filter.order_id === undefined || order_id === filter.order_id) &&
    (filter.kind === undefined || kindOf(event.method) === filter.kind) &&
    (filter.status === undefined || event.status === filter.status)
  )
}

/** The receiver has responded 2xx at least once; a webhook without an address has arrived when it was made. */
const hasArrived = ({ url, attempts }: Delivery): boolean =>
  url === null || attempts.some((attempt) => attempt.url === undefined && !hasFailed(attempt))

export const isAttempted = ({ attempts }: Delivery): boolean => attempts.some((attempt) => !isOpen(attempt))

function wasLost(delivery: Delivery): string {
  return (
    `The webhook ${described(delivery)}. The emulator sends it again later: move its clock (clock.advance) to ` +
    'see that.'
  )
}

function nothingCame(all: readonly Delivery[], filter: WebhookFilter, ms: number): string {
  const ofOrder = all.filter(({ order_id }) => filter.order_id === undefined || order_id === filter.order_id)
  const others = ofOrder.length > 0 ? ofOrder : all
  const listed = others.slice(-MAX_LISTED).map(described)
  const wanted = [
    filter.kind === undefined ? '' : ` of kind ${filter.kind}`,
    filter.status === undefined ? '' : ` with the status ${filter.status}`,
    filter.order_id === undefined ? '' : ` of order ${JSON.stringify(filter.order_id)}`,
  ].join('')
  const instead = listed.length === 0 ? 'No webhook came at all.' : `What came instead: ${listed.join('; ')}.`
  return `No webhook${wanted} came within ${ms} ms (each is returned once). ${instead}`
}

function described({ order_id, url, event, attempts }: Delivery): string {
  const last = attempts.at(-1)
  const result =
    url === null
      ? 'sent nowhere: no server_url and no webhookUrl'
      : `${url}: ${last === undefined || isOpen(last) ? 'not sent yet' : (last.error ?? `responded ${last.status}`)}`
  return `${String(event.method)} ${String(event.status)} of order ${JSON.stringify(order_id)} (${result})`
}

export interface Waiting {
  changed(): void
  /** Resolves when the condition holds, after `ms` of real time, or when the signal aborts. */
  until(condition: () => boolean, ms: number, signal: AbortSignal): Promise<void>
}

export function createWaiting(): Waiting {
  const checks = new Set<() => void>()
  return {
    changed() {
      for (const check of [...checks]) check()
    },
    until(condition, ms, signal) {
      if (condition() || signal.aborted) return Promise.resolve()
      return new Promise((resolve) => {
        const done = (): void => {
          clearTimeout(timer)
          checks.delete(check)
          signal.removeEventListener('abort', done)
          resolve()
        }
        const check = (): void => {
          if (condition()) done()
        }
        const timer = setTimeout(done, ms)
        checks.add(check)
        signal.addEventListener('abort', done, { once: true })
      })
    },
  }
}
