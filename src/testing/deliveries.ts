import * as v from 'valibot'
import type { Fetch } from '../config.ts'
import type { Delivery, WebhookFilter } from '../emulator/index.ts'
import { fields, number, parseInput } from '../emulator/parse-input.ts'
import { FILTER_ENTRIES } from '../emulator/webhooks/next-webhook.ts'

/** Which webhook is waited for, and where. */
export interface NextOptions extends WebhookFilter {
  /** The emulator's address. Default `http://127.0.0.1:4010`, where `edgetill emulator` is served. */
  baseUrl?: string | undefined
  /** `emulator.fetch` in process. Default `globalThis.fetch`. */
  fetch?: Fetch | undefined
}

/** The webhooks of an emulator that is served, or of one in this process. */
export interface TestDeliveries {
  /**
   * Waits for the next webhook that fits and that the receiver responded 2xx to, and returns each one once. In process,
   * `emulator.deliveries.next` does the same.
   *
   * @throws {ConfigError} for an unknown option or a wrong value.
   * @throws {Error} at once when the receiver did not respond 2xx to it, and after `timeoutMs` (default 3,000): the message
   * says what came instead.
   */
  next(options?: NextOptions): Promise<Delivery>
}

const OPTIONS = fields('deliveries.next option', {
  ...FILTER_ENTRIES,
  timeoutMs: v.optional(number(0, 600_000)),
  baseUrl: v.optional(v.pipe(v.string('must be an address.'), v.url('must be an address.'))),
  fetch: v.optional(v.function('must be a function.')),
})

/**
 * The webhooks that the emulator has sent.
 *
 * @example
 * import { deliveries } from 'edgetill/testing'
 * const { event } = await deliveries.next({ order_id: 'A-1', kind: 'purchase', status: 'success' })
 */
export const deliveries: TestDeliveries = {
  async next(options = {}) {
    parseInput(OPTIONS, options)
    const { baseUrl = 'http://127.0.0.1:4010', fetch = globalThis.fetch, timeoutMs = 3000, ...filter } = options
    const address = new URL('/_emulator/api/next_webhook', baseUrl)
    const body = JSON.stringify({ ...filter, wait: `${Math.round(timeoutMs)}ms` })
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(address, { method: 'POST', headers, body }).catch((cause: unknown) => {
      const hint =
        'Start it with `npx edgetill emulator`, or pass its baseUrl, or in process { fetch: emulator.fetch }.'
      throw new Error(`deliveries.next: no emulator responds at ${address.origin}. ${hint}`, { cause })
    })
    const text = await response.text()
    if (response.ok) return JSON.parse(text) as Delivery
    const said = /^\{"error":/.test(text) ? (JSON.parse(text) as { error: string }).error : undefined
    throw new Error(said ?? `deliveries.next: ${address.origin} is not an emulator: it responded ${response.status}.`)
  },
}
