import * as v from 'valibot'
import type { Fetch } from '../config.ts'
import type { Credentials, Delivery, ShopOptions, WebhookFilter } from '../emulator/index.ts'
import { SHOP } from '../emulator/options.ts'
import { parseInput } from '../emulator/parse-input.ts'
import { control, deliveries, SERVED_ENTRIES } from './deliveries.ts'

/** The emulator checks the others, which are data. */
const OPTIONS = v.looseObject(SERVED_ENTRIES, 'createEmulatorShop takes an object of options.')

/** The options of a shop of a served emulator: data alone, and where it is served. */
export interface EmulatorShopOptions extends Omit<ShopOptions, 'clock' | 'fetch' | 'signature'> {
  /** A time that stands still until it is moved: `2026-01-31T10:00:00Z`. Default the emulator's clock. */
  clock?: string
  /** The emulator's address. Default `http://127.0.0.1:4010`, where `edgetill emulator` is served. */
  baseUrl?: string
  /** `emulator.fetch` in process. Default `globalThis.fetch`. */
  fetch?: Fetch
}

/** A shop that one test has for itself, at an emulator that many share. */
export interface EmulatorShop {
  readonly name: string
  /** For `createClient`. */
  readonly credentials: Credentials
  /** The page that shows what happened in it. */
  readonly overview: string
  /**
   * Calls `POST /_emulator/api/<name>` in this shop alone: `control('clock', { hours: 1 })`.
   * @throws {Error} with what the emulator says is wrong.
   */
  control(name: string, input?: object): Promise<unknown>
  /** As `deliveries.next`, of this shop's webhooks. @throws {Error} as that does. */
  nextWebhook(filter?: WebhookFilter): Promise<Delivery>
  /** Ends it. @throws {Error} when it has ended. */
  end(): Promise<void>
}

/**
 * Makes a shop at an emulator that is served (`POST /_emulator/api/shops`): a POS with its own credentials, orders, clock, faults
 * and seed, so that tests can run in parallel against one emulator.
 *
 * @throws {ConfigError} for an unknown option or a wrong value.
 * @throws {Error} when no emulator responds, and with what it says is wrong.
 * @example
 * import { createClient } from 'edgetill'
 * import { createEmulator } from 'edgetill/emulator'
 * import { createEmulatorShop } from 'edgetill/testing'
 * const emulator = createEmulator()
 * const shop = await createEmulatorShop({ seed: 7, fetch: emulator.fetch })
 * const client = createClient({ ...shop.credentials, fetch: emulator.fetch })
 * await client.listAccounts()
 * await shop.end()
 */
export async function createEmulatorShop(options: EmulatorShopOptions = {}): Promise<EmulatorShop> {
  const { baseUrl, fetch, ...asked } = parseInput(OPTIONS, options) as EmulatorShopOptions
  parseInput(SHOP, asked)
  const caller = 'createEmulatorShop'
  const served = { baseUrl, fetch }
  const made = (await control(caller, served, 'POST', 'shops', asked)) as Pick<
    EmulatorShop,
    'name' | 'credentials' | 'overview'
  >
  const { name: shop } = made
  return {
    ...made,
    control: (name, input = {}) => control(caller, { ...served, shop }, 'POST', name, input),
    nextWebhook: (filter) => deliveries.next({ ...filter, ...served, shop }),
    end: async () => void (await control(caller, served, 'DELETE', `shops/${shop}`)),
  }
}
