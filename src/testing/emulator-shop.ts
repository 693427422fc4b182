import * as v from 'valibot'
import type { Fetch } from '../config.ts'
import type {
  Credentials,
  Delivery,
  LoggedRequest,
  RequestFilter,
  ShopOptions,
  WebhookFilter,
} from '../emulator/index.ts'
import { SHOP } from '../emulator/options.ts'
import { parseInput } from '../emulator/parse-input.ts'
import { control, deliveries, SERVED_ENTRIES } from './deliveries.ts'

/** The emulator checks the other options, which are only data. */
const OPTIONS = v.looseObject(SERVED_ENTRIES, 'createEmulatorShop takes an object of options.')

/** The options of a shop of a served emulator: only data, and its address. */
export interface EmulatorShopOptions extends Omit<ShopOptions, 'clock' | 'fetch' | 'signature'> {
  /** A time that stands still until it is moved: `2026-01-31T10:00:00Z`. Default the emulator's clock. */
  clock?: string
  /** The emulator's address. Default `http://127.0.0.1:4010`, where `edgetill emulator` is served. */
  baseUrl?: string
  /** `emulator.fetch` in process. Default `globalThis.fetch`. */
  fetch?: Fetch
}

/** A separate shop for one test, at an emulator that many tests share. */
export interface EmulatorShop {
  readonly name: string
  /** For `createClient`. */
  readonly credentials: Credentials
  /** The address of its pages. */
  readonly overview: string
  /**
   * Calls `POST /_emulator/api/<name>` only in this shop: `control('clock', { hours: 1 })`.
   * @throws {Error} with the emulator's message.
   */
  control(name: string, input?: object): Promise<unknown>
  /**
   * Calls `GET /_emulator/api/<name>` only in this shop: `read('orders', { order_id: 'A-1' })`.
   * @throws {Error} with the emulator's message.
   */
  read(name: string, query?: Readonly<Record<string, string>>): Promise<unknown>
  /** The latest requests to this shop that match, oldest first. */
  requests(filter?: RequestFilter): Promise<LoggedRequest[]>
  /** The same as `deliveries.next`, for this shop's webhooks. @throws {Error} as `deliveries.next` does. */
  nextWebhook(filter?: WebhookFilter): Promise<Delivery>
  /** Ends the shop. @throws {Error} when it has ended. */
  end(): Promise<void>
  /**
   * Ends the shop unless it has ended: `await using shop = await createEmulatorShop()` also ends it when the test
   * fails.
   */
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Makes a shop at an emulator that is served (`POST /_emulator/api/shops`): a POS with its own credentials, orders,
 * clock, faults and seed, so that tests can run in parallel against one emulator.
 *
 * @throws {ConfigError} for an unknown option or a wrong value.
 * @throws {Error} when no emulator responds, and with the message of an emulator that rejects the options.
 * @example
 * import { createClient } from 'edgetill'
 * import { createEmulator } from 'edgetill/emulator'
 * import { createEmulatorShop } from 'edgetill/testing'
 * const emulator = createEmulator()
 * const shop = await createEmulatorShop({ seed: 7, fetch: emulator.fetch })
 * const client = createClient({ ...shop.credentials, fetch: emulator.fetch })
 * await client.listAccounts()
 * await shop.end() // or begin with `await using shop = …`
 */
export async function createEmulatorShop(options: EmulatorShopOptions = {}): Promise<EmulatorShop> {
  const { baseUrl, fetch, ...shopOptions } = parseInput(OPTIONS, options) as EmulatorShopOptions
  parseInput(SHOP, shopOptions)
  const caller = 'createEmulatorShop'
  const served = { baseUrl, fetch }
  const created = (await control(caller, served, 'POST', 'shops', shopOptions)) as Pick<
    EmulatorShop,
    'name' | 'credentials' | 'overview'
  >
  const { name: shop } = created
  let ended = false
  const read = (name: string, query: object = {}): Promise<unknown> => {
    const entries = Object.entries(query).filter(([, value]) => value !== undefined)
    return control(caller, { ...served, shop }, 'GET', `${name}?${new URLSearchParams(Object.fromEntries(entries))}`)
  }
  async function end(): Promise<void> {
    await control(caller, served, 'DELETE', `shops/${shop}`)
    ended = true
  }
  return {
    ...created,
    control: (name, input = {}) => control(caller, { ...served, shop }, 'POST', name, input),
    read,
    requests: (filter) => read('requests', filter) as Promise<LoggedRequest[]>,
    nextWebhook: (filter) => deliveries.next({ ...filter, ...served, shop }),
    end,
    [Symbol.asyncDispose]: async () => (ended ? undefined : await end()),
  }
}
