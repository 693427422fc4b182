import * as v from 'valibot'
import type { Fetch } from '../config.ts'
import type { Delivery, WebhookFilter } from '../emulator/index.ts'
import { shopName } from '../emulator/options.ts'
import { fields, number, parseInput } from '../emulator/parse-input.ts'
import { FILTER_ENTRIES } from '../emulator/webhooks/next-webhook.ts'

/** Which webhook is waited for, and where. */
export interface NextOptions extends WebhookFilter {
  /** The emulator's address. Default `http://127.0.0.1:4010`, where `edgetill emulator` is served. */
  baseUrl?: string | undefined
  /** `emulator.fetch` in process. Default `globalThis.fetch`. */
  fetch?: Fetch | undefined
  /** The name of a shop of `createEmulatorShop`. Default the emulator's own shop. */
  shop?: string | undefined
}

/** The webhooks of an emulator that is served, or that runs in this process. */
export interface TestDeliveries {
  /**
   * Waits for the next webhook that fits and that the receiver responded 2xx to, and returns each webhook once. In
   * process, `emulator.deliveries.next` does the same.
   *
   * @throws {ConfigError} for an unknown option or a wrong value.
   * @throws {Error} at once when the receiver did not respond 2xx to it, and after `timeoutMs` (default 3,000): the
   *   message lists the webhooks that came instead.
   */
  next(options?: NextOptions): Promise<Delivery>
}

/** The address of an emulator, as options. */
export const SERVED_ENTRIES: {
  baseUrl: v.GenericSchema<unknown, string | undefined>
  fetch: v.GenericSchema<unknown, unknown>
} = {
  baseUrl: v.optional(v.pipe(v.string('must be an address.'), v.url('must be an address.'))),
  fetch: v.optional(v.function('must be a function.')),
}

const OPTIONS = fields('deliveries.next option', {
  ...FILTER_ENTRIES,
  timeoutMs: v.optional(number(0, 600_000)),
  ...SERVED_ENTRIES,
  shop: v.optional(shopName),
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
    const { baseUrl, fetch, shop, timeoutMs = 3000, ...filter } = options
    const body = { ...filter, wait: `${Math.round(timeoutMs)}ms` }
    return (await control('deliveries.next', { baseUrl, fetch, shop }, 'POST', 'next_webhook', body)) as Delivery
  },
}

/** The address of an emulator. */
export interface Served {
  baseUrl?: string | undefined
  fetch?: Fetch | undefined
  shop?: string | undefined
}

/**
 * One request to the control API of an emulator that is served.
 *
 * @param caller The beginning of an error.
 */
export async function control(
  caller: string,
  { baseUrl = 'http://127.0.0.1:4010', fetch = globalThis.fetch, shop }: Served,
  method: 'GET' | 'POST' | 'DELETE',
  name: string,
  input?: object,
): Promise<unknown> {
  const address = new URL(`/_emulator${shop === undefined ? '' : `/shops/${shop}`}/api/${name}`, baseUrl)
  const sent = input && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(input) }
  const response = await fetch(address, { method, ...sent }).catch((cause: unknown) => {
    const hint = 'Start it with `npx edgetill emulator`, or pass its baseUrl, or in process { fetch: emulator.fetch }.'
    throw new Error(`${caller}: no emulator responds at ${address.origin}. ${hint}`, { cause })
  })
  const text = await response.text()
  if (response.ok) return JSON.parse(text)
  const message = /^\{"error":/.test(text) ? (JSON.parse(text) as { error: string }).error : undefined
  throw new Error(message ?? `${caller}: ${address.origin} is not an emulator: it responded ${response.status}.`)
}
